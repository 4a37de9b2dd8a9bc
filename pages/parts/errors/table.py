"""The table of examples: searched, filtered, sorted; a row opens its dialogue; files of labels and rows."""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.errors import CorpusError
from core.evaluation import verdicts
from core.evaluation.measures import known, ranked, value
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, subject
from core.faults.slices import MEASURES
from pages.parts.errors import hints, labels
from pages.parts.errors.data import ROW
from pages.parts.errors.measures import axis
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.frame import demo, notices
from pages.shared.frame.fields import Text

FIND = Text("err_find", 80)
KIND = Text("err_kind", 40)
SORT = Text("err_sort", 40)
FIELDS = (FIND, KIND, SORT)
TABLE = "errors_table"
READ, SAID = "err_labels_read", "err_labels_said"
"""Session keys: how many files of labels were read, and what to say of the last one."""
ANY = ""
LABELLED: dict[str, tuple[str, Callable[[Entry], bool]]] = {
    "said:tagged": ("a tag", lambda said: bool(said.tags)),
    "said:confirmed": ("a confirmed hint", lambda said: "right" in said.verdicts.values()),
    "said:judged": ("a judged hint", lambda said: bool(said.verdicts)),
    "said:noted": ("a note", lambda said: bool(said.note)),
}
COLUMNS = ("turns", "rouge1", "rougeL", "bertscore_f1", "entropy", "novelty", "coverage")
"""Measures that have a column where they are known."""
HEIGHT = 420


def draw(run: Run) -> None:
    """Draw the filters, the table and the files."""
    places = _filtered(run)
    if places:
        table(run, places, TABLE)
    else:
        st.info("No summary fits the filter. Remove a part of it.", icon=":material/filter_alt_off:")
    _files(run)


def table(run: Run, places: Sequence[int], name: str) -> None:
    """Draw a table of some rows in which the opened row is ticked; a tick opens a row.

    Args:
        run: the summaries.
        places: the rows, in their order.
        name: tells two tables apart.
    """
    shown = [run.rows[place] for place in places]
    columns: dict[str, list[object]] = {
        "Id": [row.id for row in shown],
        "Hints": [len(hints.of_row(run, place)) for place in places],
        "Summary": [row.summary for row in shown],
    }
    formats = {}
    there = known(run.rows)
    for measure in (each for each in COLUMNS if each in there):
        title = axis(measure).title
        columns[title] = [value(measure, row) for row in shown]
        formats[title] = st.column_config.NumberColumn(format=f"%.{MEASURES[measure].digits}f")
    said = [str(labels.entry(row)) for row in shown]
    if any(said):
        columns["Labels"] = [*said]
    if any(row.topic for row in shown):
        columns["Topic"] = [row.topic for row in shown]
    key = _tick(name, [row.id for row in shown])
    st.dataframe(
        columns,
        hide_index=True,
        key=key,
        on_select=lambda: _open(run, places, key),
        selection_mode="single-row",
        height=min(HEIGHT, 38 + 35 * len(places)),
        column_config={"Summary": st.column_config.TextColumn(width=340), **formats},
        alt="The summaries with their measures",
    )
    st.caption(f"{len(places):,} of {len(run.rows):,} summaries. Tick the box at the left of a row to open it below.")


def open_row(run: Run, place: int) -> None:
    """Open a row below; for callbacks."""
    ROW.value = run.data.rows[place].id


def open_clicked(run: Run, places: Sequence[int], chart: str) -> None:
    """Open the row whose point was clicked in a chart of some rows; for a callback."""
    point = pictures.clicked(chart)
    if point is not None and point < len(places):
        open_row(run, places[point])


def _tick(name: str, ids: Sequence[str]) -> str:
    """Tick the opened row, and return the key of the table.

    A tick is a number of a row, so other rows or another order get another key: no tick moves to another id.
    """
    key = f"{name}_{hashlib.sha256(json.dumps(ids).encode()).hexdigest()[:12]}"
    ticked = [ids.index(ROW.value)] if ROW.value in ids else []
    before = st.session_state.get(key)
    if before is None and ticked or before is not None and list(before["selection"]["rows"]) != ticked:
        st.session_state[key] = {"selection": {"rows": ticked, "columns": [], "cells": []}}
    return key


def _open(run: Run, places: Sequence[int], key: str) -> None:
    chosen = st.session_state[key].selection.rows
    if chosen and chosen[0] < len(places):
        open_row(run, places[chosen[0]])


def _filtered(run: Run) -> list[int]:
    """Draw search, filter and order; return the places of the rows that are left."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        find = st.text_input(
            "Search",
            key=FIND.name,
            persist_state="session",
            placeholder="word or id",
            width=220,
            max_chars=FIND.longest,
        )
        there = hints.kinds(run) | ({KIND.value} if not run.complete else set())
        kinds = {ANY: "any", **{kind: label for kind, (label, _) in hints.names().items() if kind in there}}
        kinds |= {name: label for name, (label, _) in LABELLED.items()}
        KIND.fit(kinds, "filter")
        kind = select("Only those with", kinds, KIND, width=220)
        orders = {ANY: "as in the data", "hints": "most hints first"}
        for name in known(run.rows):
            orders[f"{name}.up"] = f"{MEASURES[name].label}, lowest first"
            orders[f"{name}.down"] = f"{MEASURES[name].label}, highest first"
        SORT.fit(orders, "order")
        order = select("Sorted", orders, SORT, width=260)
    rows = {place: row for place, row in run.rows.items() if _fits(run, place, row, find, kind)}
    if order == "hints":
        return sorted(rows, key=lambda place: -len(hints.of_row(run, place)))
    name, _, way = order.partition(".")
    return ranked(name, rows, way == "down") if way else list(rows)


def _fits(run: Run, place: int, row: ScoredSummary, find: str, kind: str) -> bool:
    text = " ".join((row.id, row.topic, row.summary, row.dialogue, *row.references)).casefold()
    if not all(word in text for word in find.casefold().split()):
        return False
    if kind in LABELLED:
        return LABELLED[kind][1](labels.entry(row))
    return not kind or any(hint.kind == kind for hint in hints.of_row(run, place))


def _files(run: Run) -> None:
    """Draw the files to save, and the box that reads labels back."""
    with st.popover("Save or read labels", icon=":material/download:", width="content"):
        book = labels.book()  # files are made later, without a session
        for label, ending, kind, make in (
            ("Labels (JSONL, as the hand-labelled set)", "labels.jsonl", "application/jsonl", verdicts.to_jsonl),
            ("Labels (CSV, one hint a line)", "labels.csv", "text/csv", verdicts.to_csv),
        ):
            st.download_button(
                label, partial(make, book), f"{run.data.name}.{ending}", kind,
                key=f"export_{ending}", on_click=labels.mark_saved, disabled=not book,
            )  # fmt: skip
        rows, found = run.rows, {place: hints.every(run, place) for place in run.rows}
        st.download_button(
            "All rows with scores, hints and labels (JSONL)",
            lambda: verdicts.rows_to_jsonl(
                (row, found[place], book.get(subject(row), Entry())) for place, row in rows.items()
            ),
            f"{run.data.name}.scored.jsonl",
            "application/jsonl",
            key="export_rows",
            on_click="ignore",
        )
        if not book:
            st.caption("There are no labels yet. Open a row, confirm or reject a hint, add a tag or a note.")
        key = f"labels_upload_{st.session_state.setdefault(READ, 0)}"
        tip = "They replace the labels that the same summaries have."
        label = "Read labels that were saved as JSONL"
        demo.uploader(label, ["jsonl"], key=key, take=partial(_read, run), limit="corpus_file", tip=tip)
        if SAID in st.session_state:
            st.success(notices.literal(st.session_state[SAID]), icon=":material/check:")


def _read(run: Run, name: str, content: bytes) -> None:
    """Read a file of labels."""
    st.session_state.pop(SAID, None)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise CorpusError(f"{name!r} is no text in UTF-8") from None
    st.session_state[SAID] = labels.take(text, run.rows.values())
    st.session_state[READ] += 1
