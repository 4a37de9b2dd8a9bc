"""Decoding: step through the writing of a summary, fork it anywhere, look at the beams, compare strategies."""

import streamlit as st

from pages.parts.decoding import beam, bench, branches, runs, steps
from pages.shared import errors, picker, state
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

VIEWS = {
    "steps": (":material/step_over: Step by step", steps.draw),
    "branches": (":material/account_tree: Branches", branches.draw),
    "beam": (":material/alt_route: Beam tree", beam.draw),
    "bench": (":material/compare_arrows: Bench", bench.draw),
}
SAVED = "saved_run"
MEGABYTES = 100
"""Largest file that is taken, packed; `server.maxUploadSize` has to allow it."""


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Step through the decoding", anchor=False)
    with st.container(horizontal=True):
        picker.bar()
        _file()
    _banner()
    before = state.notes()
    runs.current()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page
    view = one_of(
        "View",
        {name: label for name, (label, _) in VIEWS.items()},
        Key.VIEW,
        hidden=True,
        on_change=state.complain,
        args=(None,),
    )
    with errors.boundary("view"):
        VIEWS[view][1]()


def _file() -> None:
    """Save the tree of branches with its traces, or open one."""
    with st.popover("Save or open", icon=":material/save:", width="content"):
        st.caption("The address of this page is a link to this dialogue, branch and step. A file holds everything.")
        st.download_button(
            "Save all branches (.zip)",
            runs.file_maker(),
            "dialoscope-run.zip",
            "application/zip",
            key="save_run",
            on_click="ignore",
            help="Every branch with every logit and attention weight, to open here again.",
        )
        key = f"{SAVED}_{st.session_state[Key.UPLOADS]}"
        st.file_uploader(
            "Open a saved run, or a trace (.npz)",
            ["zip", "npz"],
            key=key,
            on_change=_open,
            args=(key,),
            max_upload_size=MEGABYTES,
        )


def _open(key: str) -> None:
    file = st.session_state.get(key)
    if file is not None:
        picker.attempt(lambda: runs.open_file(file.name, file.getvalue()))
        st.session_state[Key.UPLOADS] += 1


def _banner() -> None:
    """Say that the page shows a file."""
    opened = st.session_state.get(Key.OPENED)
    if not opened:
        return
    root = opened.summaries[()]
    with st.container(horizontal=True, vertical_alignment="center", key="opened"):
        st.info(
            f"This is the saved run {literal(opened.name)} of the checkpoint {literal(root.checkpoint)}. "
            "Links do not carry it.",
            icon=":material/folder_open:",
        )
        st.button("Close it", key="close_run", on_click=runs.close_file)


draw()
