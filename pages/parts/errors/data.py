"""Where the dialogues come from: those that ship with the app, a file that somebody brings, or DialogSum."""

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from core.errors import CorpusError, SettingsError
from core.evaluation.rows import ScoredSummary
from core.figures.wording import count
from core.text.corpus import Corpus, SkippedRow
from core.text.examples import load_examples
from pages.parts.errors import labels
from pages.parts.errors.labels import Book
from pages.parts.errors.leaving import guard
from pages.shared.controls.choices import select
from pages.shared.frame import notices
from pages.shared.frame.fields import Choice, Text

BUNDLED = "bundled"
DATA = Text("err_data", 40, BUNDLED)
BY = Choice("err_by", ("file", "model"), "model")
ROW = Text("err_row", 400)
"""Who wrote the summaries, and the id of the opened row: both start anew with other data."""
FIELDS = (DATA, BY, ROW)
FILES, UPLOADS = "err_files", "err_uploads"
"""Session keys: files by key; how many files were read, which empties the uploader."""
HUB = "knkarthick/dialogsum"
FOLDER = "DIALOSCOPE_SHARED"
"""Environment variable of a folder that holds data/dialogsum/validation.jsonl: DialogSum without a network."""
MOST_ROWS = 1000
"""Rows of a file that the page takes; the command line takes more."""
MOST_FILES = 4
SHOWN_SKIPPED = 50


@dataclass(frozen=True)
class Data:
    """Dialogues to look at.

    Args:
        key: tells two apart: a hash of all rows.
        name: as the page shows it.
        rows: without scores where only a dialogue is known; `summary` is "" where `given` is False. No two ids are
            the same.
        given: for each row, whether a summary came with it.
        skipped: rows that could not be used, with line and reason.
        left_out: usable rows beyond `MOST_ROWS`.
        renamed: ids that two rows had, each with the new id of the later row.
        labels: those that this page saved with the rows.
    """

    key: str
    name: str
    rows: tuple[ScoredSummary, ...]
    given: tuple[bool, ...]
    skipped: tuple[SkippedRow, ...] = ()
    left_out: int = 0
    renamed: tuple[tuple[str, str], ...] = ()
    labels: Book = field(default_factory=dict)


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
    return {
        key: each
        for key, each in files().items()
        if key != data.key and any(has and row.id in ids for row, has in zip(each.rows, each.given, strict=True))
    }


@st.cache_resource(show_spinner=False, max_entries=1)
def bundled() -> Data:
    """Return the dialogues that ship with the project."""
    rows = tuple(ScoredSummary(each.id, each.dialogue, each.references, each.topic, "") for each in load_examples())
    return Data(BUNDLED, "bundled", rows, (False,) * len(rows))


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
                lambda: labels.to_jsonl(mine),
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
            f"The file has {data.left_out:,} more rows; the page takes the first {MOST_ROWS:,}. "
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
    key = f"errors_upload_{st.session_state.setdefault(UPLOADS, 0)}"
    st.file_uploader(
        "A file of dialogues",
        ["jsonl", "csv", "gz"],
        key=key,
        on_change=_take,
        args=(key,),
        max_upload_size=50,
        label_visibility="collapsed",
    )
    st.caption(f"The file stays in this session alone: a reload loses it. The page keeps {MOST_FILES} files.")
    where = "from the hub" if _folder() is None else "from the data folder"
    tip = "488 dialogues that no checkpoint was trained on; the licence of the text is CC BY-NC-SA 4.0."
    st.button(f"DialogSum validation, {where}", icon=":material/cloud_download:", on_click=_take_dialogsum, help=tip)


def _take(key: str) -> None:
    file = st.session_state.get(key)
    if file is not None:
        notices.attempt(lambda: _keep(read(file.name, file.getvalue())))


def _take_dialogsum() -> None:
    from core.text.corpus import load_corpus

    source = str(_folder() or HUB)
    notices.attempt(lambda: _keep(_from_corpus(load_corpus(source, limit=MOST_ROWS), "DialogSum validation")))


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


def read(name: str, content: bytes) -> Data:
    """Read an uploaded file.

    Raises:
        CorpusError: another kind of file, a damaged one, or no usable row.
    """
    from core.evaluation.rows import read_rows
    from core.text.corpus import load_corpus

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        first = _first_line(path)
        if {"labels", "summary"} <= first.keys() and "dialogue" not in first:
            where = "under “Save or read labels” below the table of examples"
            raise CorpusError(f"'{path.name}' holds labels and no dialogues. Read it {where}")
        if _is_scored(first):
            rows = read_rows(path)
            data = _data(path.name, rows, [True] * len(rows))
            return replace(data, labels=labels.read(content.decode(), data.rows)[0])
        try:
            return _from_corpus(load_corpus(path, require_summaries=False), path.name)
        except CorpusError as error:
            raise CorpusError(str(error).replace(f"{path}", path.name)) from None


def _first_line(path: Path) -> dict[str, object]:
    """Return the first object of a JSONL file; {} of anything else."""
    if path.suffix != ".jsonl":
        return {}
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
        return first if isinstance(first, dict) else {}
    except (ValueError, RecursionError):
        return {}


def _is_scored(line: dict[str, object]) -> bool:
    """Return whether a line is a row that `evaluate` or this page wrote."""
    try:
        return {"rouge", "faults"} <= line.keys() and bool(ScoredSummary.from_dict(line))
    except SettingsError:
        return False


def _from_corpus(corpus: Corpus, name: str) -> Data:
    items = list(corpus.dataset)
    rows = [
        ScoredSummary(each["id"], each["dialogue"], tuple(each["references"]), each["topic"], each["prediction"] or "")
        for each in items
    ]
    return _data(name, rows, [each["prediction"] is not None for each in items], corpus.skipped)


def _data(name: str, rows: list[ScoredSummary], given: list[bool], skipped: tuple[SkippedRow, ...] = ()) -> Data:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row!r}\n".encode("utf-8", "replace"))  # scores and hints, too: sessions share what they read
    kept = rows[:MOST_ROWS]
    ids = unique([row.id for row in kept])
    renamed = tuple((row.id, id) for row, id in zip(kept, ids, strict=True) if row.id != id)
    named = tuple(replace(row, id=id) for row, id in zip(kept, ids, strict=True))
    left_out = len(rows) - len(kept)
    return Data(digest.hexdigest()[:16], name, named, tuple(given[:MOST_ROWS]), skipped, left_out, renamed)


def unique(ids: Sequence[str]) -> list[str]:
    """Return ids of which no two are the same: the second "a" becomes "a (2)", or the next number that is free."""
    taken, found, numbers = set(ids), [], dict.fromkeys(ids, 0)
    for id in ids:
        numbers[id] += 1
        new = id
        while numbers[id] > 1 and (new := f"{id} ({numbers[id]})") in taken:
            numbers[id] += 1
        taken.add(new)
        found.append(new)
    return found
