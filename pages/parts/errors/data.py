"""Where the dialogues come from: those that ship with the app, a file that somebody brings, or DialogSum."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from core.evaluation import intake
from core.evaluation.intake import BUNDLED, EVERYDAY, GROUPS, Data, bundled, shipped, texts
from core.figures.shared.wording import capital, count
from core.limits import limits
from core.text.examples import load_examples
from core.words import say
from pages.parts.errors import column_choice, labels
from pages.shared.controls.choices import select
from pages.shared.guard import demo
from pages.shared.session import notices
from pages.shared.session.fields import Choice, Text
from pages.shared.session.session import UPLOADS

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
SHOWN_SKIPPED = 50


def draw(take: Callable[[str, bytes], None]) -> None:
    """Draw the choice of the dialogues; `take` gets name and content of a file."""
    names = {
        BUNDLED: say("{count} dialogues that ship with the app", count=len(load_examples())),
        EVERYDAY: say("{count} everyday texts", count=len(texts(EVERYDAY).rows)),
        GROUPS: say("{count} dialogues of three to five people", count=len(texts(GROUPS).rows)),
    }
    names |= {key: f"{data.name} ({count(len(data.rows), 'row')})" for key, data in files().items()}
    if DATA.value not in names:
        DATA.refuse(
            say(
                "The link asks for a file that is not here: files stay in the session that brought them, and a reload "
                "starts a new one. Bring the file again."
            )
        )
    select(say("Dialogues"), names, DATA, width=280)
    with st.popover(say("Bring your own"), icon=":material/upload_file:", width="content"):
        _bring(take)


def chosen() -> Data:
    """Return the chosen dialogues."""
    return (files() | shipped()).get(DATA.value) or bundled()


def files() -> dict[str, Data]:
    """Return the files of the session by key."""
    return st.session_state.setdefault(FILES, {})  # type: ignore[no-any-return]


def others(data: Data) -> dict[str, Data]:
    """Return the other files of the session that bring summaries of some of the same dialogues."""
    ids = {row.id for row in data.rows}
    return {key: file for key, file in files().items() if key != data.key and not ids.isdisjoint(file.summarized)}


def show_notes(data: Data) -> None:
    """Say how the rows were read, which could not be used, and which got another id."""
    if data.notes:
        st.caption("  \n".join(notices.literal(capital(note)) for note in data.notes))
    if data.left_out:
        st.warning(
            say(
                "The file has {more:,} more rows; the page takes the first {most:,}. The command "
                "`python -m core evaluate` has no limit.",
                more=data.left_out,
                most=limits().corpus_rows,
            ),
            icon=":material/content_cut:",
        )
    if data.renamed:
        first, new = data.renamed[0]
        st.warning(
            say(
                "{rows} had the id of an earlier row and got a new one: the second “{old}” is “{new}” here.",
                rows=count(len(data.renamed), "row"),
                old=notices.literal(first),
                new=notices.literal(new),
            ),
            icon=":material/content_copy:",
        )
    if data.skipped:
        unused = say("{rows} could not be used.", rows=count(len(data.skipped), "row"))
        st.warning(unused, icon=":material/rule:")
        with st.expander(say("Which, and why"), icon=":material/list:"):
            shown = data.skipped[:SHOWN_SKIPPED]
            lines = [f"{row.place}: {notices.literal(row.reason)}" for row in shown]
            st.markdown("\n".join(f"- {line}" for line in lines))
            if len(data.skipped) > SHOWN_SKIPPED:
                st.caption(say("The first {shown} of {all:,}.", shown=SHOWN_SKIPPED, all=len(data.skipped)))


def _bring(take: Callable[[str, bytes], None]) -> None:
    st.markdown(
        say(
            "JSONL, JSON, CSV, TSV or Parquet, also packed as .gz, with a column `dialogue`; `summary` (or "
            "`references`, or `summary1` to `summary3`) is the reference. Other names that data sets use are known; "
            "of the rest you choose the columns. Summaries of any system may come along as `prediction`; without them "
            "the model writes. A file that `python -m core evaluate --output` or this page wrote is read with its "
            "scores, hints and labels. A saved session opens as it was."
        )
    )
    key = f"errors_upload_{st.session_state[UPLOADS]}"
    types = ["jsonl", "ndjson", "json", "csv", "tsv", "parquet", "gz"]
    demo.uploader(say("A file of dialogues"), types, key=key, take=take, limit="session_file", hidden=True)
    if not demo.on():
        st.toggle(say("Choose its columns and encoding myself"), key=column_choice.ASK)
    most = limits().corpus_files
    st.caption(say("The file stays in this session alone: a reload loses it. The page keeps {most} files.", most=most))
    if demo.on():
        return
    label = (
        say("DialogSum validation, from the hub")
        if _folder() is None
        else say("DialogSum validation, from the data folder")
    )
    tip = say("488 dialogues that no checkpoint was trained on; the licence of the text is CC BY-NC-SA 4.0.")
    st.button(label, icon=":material/cloud_download:", on_click=_take_dialogsum, help=tip)


def _take_dialogsum() -> None:
    from core.text.corpus import load_corpus

    def load() -> None:
        demo.check(say("it loads no data sets"))
        keep(intake.of_corpus(load_corpus(str(_folder() or HUB), limit=limits().corpus_rows), "DialogSum validation"))

    notices.attempt(load)


def _folder() -> Path | None:
    """Return the validation split in a local data folder, where a setting names one."""
    root = os.environ.get(FOLDER)
    path = Path(root) / "data" / "dialogsum" / "validation.jsonl" if root else None
    return path if path and path.is_file() else None


def keep(data: Data) -> None:
    """Choose new data, with the labels that it brings."""
    labels.keep_all(data.labels, say("labels that came with {name}", name=data.name))
    put([data])
    DATA.value, BY.value, ROW.value = data.key, "file" if any(data.given) else "model", ""
    st.session_state[UPLOADS] += 1


def put(new: Sequence[Data]) -> None:
    """Add data to the session; of too many files the oldest is dropped, and that is said."""
    fresh = {file.key: file for file in new}
    kept = {key: file for key, file in files().items() if key not in fresh} | fresh
    while len(kept) > limits().corpus_files:
        dropped = kept.pop(next(iter(kept)))
        message = say(
            "The page keeps {most} files: {name} was dropped. Its labels are kept.",
            most=limits().corpus_files,
            name=dropped.name,
        )
        notices.note(message)
    st.session_state[FILES] = kept
