"""Save the tree of branches, or open a saved one."""

from collections.abc import Callable

import streamlit as st

from core.explain.decoding import branch_file
from core.words import say
from pages.parts.decoding.runs import LATEST, OPENED, Opened, Run
from pages.shared.controls import picker
from pages.shared.guard import demo
from pages.shared.session.notices import literal
from pages.shared.session.session import UPLOADS


def head() -> None:
    """Draw the dialogue, the files, and what says that the page shows a file."""
    picker.bar()
    with st.popover(say("Save or open"), icon=":material/save:", width="content"):
        _file()
    opened: Opened | None = st.session_state.get(OPENED)
    if not opened:
        return
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="opened"):
        st.markdown(
            say(
                "This is the saved run {name} of the checkpoint {checkpoint}. Links do not carry it.",
                name=literal(opened.name),
                checkpoint=literal(opened.summaries[()].checkpoint),
            ),
            width="content",
        )
        st.button(say("Close it"), key="close_run", on_click=lambda: st.session_state.pop(OPENED, None))


def _file() -> None:
    st.caption(say("The address of this page is a link to this dialogue, branch and step. A file holds everything."))
    st.download_button(
        say("Save all branches (.zip)"),
        file_maker(),
        "dialoscope-run.zip",
        "application/zip",
        key="save_run",
        on_click="ignore",
        help=say("Every branch with every logit and attention weight. You can open the file here again."),
    )
    key = f"saved_run_{st.session_state[UPLOADS]}"
    label = say("Open a saved run, or a trace (.npz)")
    demo.uploader(label, ["zip", "npz"], key=key, take=_open, limit="run_file")


def file_maker() -> Callable[[], bytes]:
    """Return a function that makes a file of the whole tree with every trace.

    A download runs outside the session, and a fork that is made after the page was drawn belongs into the file. So the
    function reads a list in which `runs.current` keeps the newest run.
    """
    latest: list[Run] = st.session_state.setdefault(LATEST, [])

    def make() -> bytes:
        run = latest[0]
        return branch_file.to_bytes(run.branches, {each.path: run.summary(each.path) for each in run.branches.items})

    return make


def _open(name: str, content: bytes) -> None:
    st.session_state[UPLOADS] += 1  # a refused file leaves the box, too
    st.session_state[OPENED] = Opened(name, *branch_file.from_bytes(content, name))
