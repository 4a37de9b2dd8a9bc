"""Where the examples come from: the bundled dialogues, a file that somebody brings, or DialogSum."""

import hashlib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import CorpusError
from core.evaluation.rows import ScoredSummary
from core.text.corpus import Corpus, SkippedRow
from core.text.examples import load_examples
from pages.shared import errors, picker
from pages.shared.state import Key

BUNDLED = "bundled"
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
        name: for the eye.
        rows: without scores where only a dialogue is known; `summary` is "" where `given` is False.
        given: for each row, whether a summary came with it.
        skipped: rows that could not be used, with line and reason.
        left_out: usable rows beyond `MOST_ROWS`.
    """

    key: str
    name: str
    rows: tuple[ScoredSummary, ...]
    given: tuple[bool, ...]
    skipped: tuple[SkippedRow, ...] = ()
    left_out: int = 0


def draw() -> Data:
    """Let somebody choose the examples."""
    files: dict[str, Data] = st.session_state.setdefault(Key.ERR_FILES, {})
    names = {BUNDLED: f"{len(load_examples())} dialogues that ship with the app"} | {
        key: f"{errors.literal(data.name)} ({len(data.rows)} rows)" for key, data in files.items()
    }
    if st.session_state.get(Key.ERR_DATA) not in names:
        st.session_state[Key.ERR_DATA] = BUNDLED
    st.selectbox("Examples", list(names), format_func=names.get, key=Key.ERR_DATA, persist_state="session", width=360)
    with st.popover("Bring your own", icon=":material/upload_file:", width="content"):
        _bring()
    return files.get(st.session_state[Key.ERR_DATA]) or bundled()


def others(data: Data) -> dict[str, Data]:
    """The other files of the session that bring summaries of some of the same dialogues."""
    ids = {row.id for row in data.rows}
    files: dict[str, Data] = st.session_state.get(Key.ERR_FILES, {})
    return {
        key: each
        for key, each in files.items()
        if key != data.key and any(has and row.id in ids for row, has in zip(each.rows, each.given, strict=True))
    }


@st.cache_resource(show_spinner=False, max_entries=1)
def bundled() -> Data:
    """The dialogues that ship with the project."""
    rows = tuple(ScoredSummary(each.id, each.dialogue, each.references, each.topic, "") for each in load_examples())
    return Data(BUNDLED, "bundled", rows, (False,) * len(rows))


def _bring() -> None:
    st.markdown(
        "JSONL, JSONL.gz or CSV with a column `dialogue`; `summary` (or `references`, or `summary1` to `summary3`) "
        "is the reference. Summaries of any system may come along as `prediction`; without them the model writes. "
        "A file that `python -m core evaluate --output` wrote is read with all its scores."
    )
    key = f"errors_upload_{st.session_state[Key.UPLOADS]}"
    st.file_uploader(
        "A file of dialogues",
        ["jsonl", "csv", "gz"],
        key=key,
        on_change=_take,
        args=(key,),
        max_upload_size=50,
        label_visibility="collapsed",
    )
    folder = _folder()
    where = "from the hub" if folder is None else "from the data folder"
    tip = "488 dialogues that no checkpoint was trained on; the licence of the text is CC BY-NC-SA 4.0."
    st.button(f"DialogSum validation, {where}", icon=":material/cloud_download:", on_click=_take_dialogsum, help=tip)


def show_skipped(data: Data) -> None:
    """Name the rows that could not be used."""
    if data.left_out:
        st.warning(
            f"{data.left_out:,} rows more are in the file; the page looks at the first {MOST_ROWS:,}. "
            "The command `python -m core evaluate` has no limit.",
            icon=":material/content_cut:",
        )
    if data.skipped:
        rows = "row" if len(data.skipped) == 1 else "rows"
        st.warning(f"{len(data.skipped):,} {rows} could not be used.", icon=":material/rule:")
        with st.expander("Which, and why", icon=":material/list:"):
            shown = data.skipped[:SHOWN_SKIPPED]
            st.markdown("\n".join(f"- line {row.line}: {errors.literal(row.reason)}" for row in shown))
            if len(data.skipped) > SHOWN_SKIPPED:
                st.caption(f"The first {SHOWN_SKIPPED} of {len(data.skipped):,}.")


def _take(key: str) -> None:
    file = st.session_state.get(key)
    if file is not None:
        picker.attempt(lambda: _keep(read(file.name, file.getvalue())))


def _take_dialogsum() -> None:
    from core.text.corpus import load_corpus

    folder = _folder()
    source = str(folder) if folder else HUB
    picker.attempt(lambda: _keep(_from_corpus(load_corpus(source, limit=MOST_ROWS), "DialogSum validation")))


def _folder() -> Path | None:
    """The validation split in a local data folder, where a setting names one."""
    root = os.environ.get(FOLDER)
    path = Path(root) / "data" / "dialogsum" / "validation.jsonl" if root else None
    return path if path and path.is_file() else None


def _keep(data: Data) -> None:
    """Put data first in the choice; the oldest of too many is forgotten."""
    files: dict[str, Data] = st.session_state.setdefault(Key.ERR_FILES, {})
    files[data.key] = data
    while len(files) > MOST_FILES:
        files.pop(next(iter(files)))
    st.session_state[Key.ERR_DATA] = data.key
    st.session_state[Key.ERR_BY] = "file" if any(data.given) else "model"
    st.session_state[Key.ERR_ROW] = ""
    st.session_state[Key.UPLOADS] += 1


def read(name: str, content: bytes) -> Data:
    """The rows of an uploaded file.

    Raises:
        CorpusError: another kind of file, a damaged one, or no usable row.
    """
    from core.evaluation.rows import read_rows
    from core.text.corpus import load_corpus

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        if _is_evaluation(path):
            rows = read_rows(path)
            if not rows:
                raise CorpusError(f"'{path.name}' holds no row")
            return _data(path.name, rows, [True] * len(rows))
        try:
            return _from_corpus(load_corpus(path, require_summaries=False), path.name)
        except CorpusError as error:
            raise CorpusError(str(error).replace(f"{path}", path.name)) from None


def _is_evaluation(path: Path) -> bool:
    """Whether the first line is a row that `evaluate` wrote."""
    import json

    if path.suffix != ".jsonl":
        return False
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
        return {"rouge", "faults"} <= first.keys() and bool(ScoredSummary.from_dict(first))
    except (ValueError, AttributeError, RecursionError):
        return False


def _from_corpus(corpus: Corpus, name: str) -> Data:
    items: Iterable[dict[str, Any]] = corpus.dataset
    rows, given = [], []
    for item in items:
        written = item["prediction"]
        rows.append(
            ScoredSummary(item["id"], item["dialogue"], tuple(item["references"]), item["topic"], written or "")
        )
        given.append(written is not None)
    return _data(name, rows, given, corpus.skipped)


def _data(
    name: str, rows: list[ScoredSummary], given: list[bool], skipped: tuple[SkippedRow, ...] = ()
) -> Data:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.id}\0{row.dialogue}\0{row.references}\0{row.summary}\0".encode("utf-8", "replace"))
    kept = rows[:MOST_ROWS]
    return Data(
        digest.hexdigest()[:16], name, tuple(kept), tuple(given[:MOST_ROWS]), skipped, len(rows) - len(kept)
    )
