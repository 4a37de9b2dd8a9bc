"""Where the dialogues come from: those that ship with the app, a file that somebody brings, or DialogSum."""

import os
from pathlib import Path

import streamlit as st

from core.evaluation import intake, verdicts
from core.evaluation.intake import BUNDLED, Data, bundled
from core.figures.wording import count
from core.limits import limits
from core.text.examples import load_examples
from pages.parts.errors import labels
from pages.parts.errors.leaving import guard
from pages.shared.controls.choices import select
from pages.shared.frame import demo, notices
from pages.shared.frame.fields import Choice, Text
from pages.shared.frame.session import UPLOADS

DATA = Text("err_data", 40, BUNDLED)
BY = Choice("err_by", ("file", "model"), "model")
ROW = Text("err_row", 400)
"""Who wrote the summaries, and the id of the opened row: both start anew with other data."""
FIELDS = (DATA, BY, ROW)
FILES = "err_files"
"""Session key: files by key."""
HUB = "knkarthick/dialogsum"
FOLDER = "DIALOSCOPE_SHARED"
"""Environment variable of a folder that holds data/dialogsum/validation.jsonl: DialogSum without a network."""
MOST_FILES = 4
SHOWN_SKIPPED = 50


def draw() -> Data:
    """Draw the choice of the dialogues, and return the chosen ones."""
    names = {BUNDLED: f"{len(load_examples())} dialogues that ship with the app"}
    names |= {key: f"{data.name} ({count(len(data.rows), 'row')})" for key, data in files().items()}
    if DATA.value not in names:
        DATA.refuse(
            "The link asks for a file that is not here: files stay in the session that brought them, and a reload "
            "starts a new one. Bring the file again."
        )
    select("Dialogues", names, DATA, width=360)
    with st.popover("Bring your own", icon=":material/upload_file:", width="content"):
        _bring()
    return files().get(DATA.value) or bundled()


def files() -> dict[str, Data]:
    """Return the files of the session by key."""
    return st.session_state.setdefault(FILES, {})  # type: ignore[no-any-return]


def others(data: Data) -> dict[str, Data]:
    """Return the other files of the session that bring summaries of some of the same dialogues."""
    ids = {row.id for row in data.rows}
    return {key: each for key, each in files().items() if key != data.key and not ids.isdisjoint(each.summarised)}


def show_unsaved() -> None:
    """Say what a reload would lose, and offer the labels as a file; the browser asks before it leaves."""
    unsaved, mine = labels.unsaved(), labels.book()
    guard(unsaved or bool(files()))
    if not (mine or files()):
        return
    labelled = f"labels of {len(mine):,} {'summary' if len(mine) == 1 else 'summaries'}"
    kept = [*([count(len(files()), "file")] if files() else []), *([labelled] if mine else [])]
    with st.container(horizontal=True, vertical_alignment="center", key="errors_unsaved"):
        st.caption(
            f"In this session: {' and '.join(kept)}. Other pages and Back keep them; **a reload or a closed tab "
            "loses them**." + (" The labels are saved as a file." if mine and not unsaved else "")
        )
        if unsaved:
            st.download_button(
                "Save the labels",
                lambda: verdicts.to_jsonl(mine),
                "labels.jsonl",
                "application/jsonl",
                key="errors_save_labels",
                icon=":material/download:",
                on_click=labels.mark_saved,
            )


def show_notes(data: Data) -> None:
    """Say which rows could not be used, and which got another id."""
    if data.left_out:
        st.warning(
            f"The file has {data.left_out:,} more rows; the page takes the first {limits().corpus_rows:,}. "
            "The command `python -m core evaluate` has no limit.",
            icon=":material/content_cut:",
        )
    if data.renamed:
        first, new = data.renamed[0]
        st.warning(
            f"{count(len(data.renamed), 'row')} had the id of an earlier row and got a new one: "
            f"the second “{notices.literal(first)}” is “{notices.literal(new)}” here.",
            icon=":material/content_copy:",
        )
    if data.skipped:
        st.warning(f"{count(len(data.skipped), 'row')} could not be used.", icon=":material/rule:")
        with st.expander("Which, and why", icon=":material/list:"):
            shown = data.skipped[:SHOWN_SKIPPED]
            st.markdown("\n".join(f"- line {row.line}: {notices.literal(row.reason)}" for row in shown))
            if len(data.skipped) > SHOWN_SKIPPED:
                st.caption(f"The first {SHOWN_SKIPPED} of {len(data.skipped):,}.")


def _bring() -> None:
    st.markdown(
        "JSONL, JSONL.gz or CSV with a column `dialogue`; `summary` (or `references`, or `summary1` to `summary3`) "
        "is the reference. Summaries of any system may come along as `prediction`; without them the model writes. "
        "A file that `python -m core evaluate --output` or this page wrote is read with its scores, hints and labels."
    )
    key = f"errors_upload_{st.session_state[UPLOADS]}"
    types = ["jsonl", "csv", "gz"]
    demo.uploader("A file of dialogues", types, key=key, take=_take, limit="corpus_file", hidden=True)
    st.caption(f"The file stays in this session alone: a reload loses it. The page keeps {MOST_FILES} files.")
    if demo.on():
        return
    where = "from the hub" if _folder() is None else "from the data folder"
    tip = "488 dialogues that no checkpoint was trained on; the licence of the text is CC BY-NC-SA 4.0."
    st.button(f"DialogSum validation, {where}", icon=":material/cloud_download:", on_click=_take_dialogsum, help=tip)


def _take(name: str, content: bytes) -> None:
    _keep(intake.read(name, content))


def _take_dialogsum() -> None:
    from core.text.corpus import load_corpus

    def load() -> None:
        demo.check("it loads no data sets")
        _keep(intake.of_corpus(load_corpus(str(_folder() or HUB), limit=limits().corpus_rows), "DialogSum validation"))

    notices.attempt(load)


def _folder() -> Path | None:
    """Return the validation split in a local data folder, where a setting names one."""
    root = os.environ.get(FOLDER)
    path = Path(root) / "data" / "dialogsum" / "validation.jsonl" if root else None
    return path if path and path.is_file() else None


def _keep(data: Data) -> None:
    """Choose new data; of too many files the oldest is dropped, and that is said."""
    kept = {key: each for key, each in files().items() if key != data.key} | {data.key: data}
    while len(kept) > MOST_FILES:
        dropped = kept.pop(next(iter(kept)))
        notices.note(f"The page keeps {MOST_FILES} files: {dropped.name} was dropped. Its labels are kept.")
    st.session_state[FILES] = kept
    labels.keep(data.labels)
    DATA.value, BY.value, ROW.value = data.key, "file" if any(data.given) else "model", ""
    st.session_state[UPLOADS] += 1
