"""The table of examples: a row opens its dialogue, ticked rows are labelled together; files of labels and rows."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.errors import CorpusError
from core.evaluation import label_file
from core.evaluation.verdicts import Entry, subject
from core.words import say
from pages.parts.errors import bulk, columns, filters, hints, labels, rivals, save_button, summaries
from pages.parts.errors.data import ROW
from pages.parts.errors.summaries import Run
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.session import notices
from pages.shared.teaching import projector

FIELDS = (*filters.FIELDS, *columns.FIELDS, rivals.AGAINST)
TABLE = "errors_table"
READ, SAID = "err_labels_read", "err_labels_said"
"""Session keys: how many files of labels were read, and what to say of the last one."""
MARK = "▶"
"""Stands beside the row that is open. A chosen cell would not do: the browser sends the old one with the next key."""
HEIGHT, TALL = 420, 640
"""Pixels of a table of lines, and of one of whole texts."""


def draw(run: Run) -> None:
    """Draw the filters, the table, what labels many rows, and the files."""
    filters.draw(run)
    other = columns.draw(run)
    if other and run.complete and not other.complete:
        summaries.controls(other, "against")
    places = filters.shown(run)
    if places:
        ticked = table(run, places, TABLE, other)
    else:
        st.info(say("No summary fits the filter. Remove a part of it."), icon=":material/filter_alt_off:")
    with st.container(horizontal=True, vertical_alignment="bottom", key="errors_bulk"):
        if places:
            bulk.draw(run, places, ticked)
        _files(run)
    if done := st.session_state.pop(bulk.DONE, ""):
        st.caption(notices.literal(done))


def table(
    run: Run,
    places: Sequence[int],
    name: str,
    other: Run | None = None,
    readers: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[int]:
    """Draw a table of some rows; a click on a row opens it.

    Args:
        run: the summaries.
        places: the rows, in their order.
        name: tells two tables apart.
        other: a second system's summaries, if they have a column.
        readers: what readers say of the rows, by their names: a column each, in the place of the labels'.

    Returns:
        The places of the ticked rows.
    """
    shown = [run.rows[place] for place in places]
    hinted = hints.of_rows(run)
    values, config = columns.of_rows(shown, [len(hinted[place]) for place in places], run, other)
    if readers:
        of_readers = {say("Labels of {name}", name=who): [*column] for who, column in readers.items()}
        values = {title: values[title] for title in ("Id", "Summary")} | of_readers
    key = _key(name, [row.id for row in shown])
    whole = columns.whole()
    opened = [MARK if row.id == ROW.value else "" for row in shown]
    event = st.dataframe(
        {"Open": opened, **values},
        hide_index=True,
        key=key,
        on_select=lambda: _open(run, places, key),
        selection_mode=["multi-row", "single-cell"] if name == TABLE else "single-cell",
        height=TALL if whole else min(HEIGHT, projector.tallest() or HEIGHT, 38 + 35 * len(places)),
        row_height=columns.row_height(values) if whole else None,
        column_config={"Open": st.column_config.TextColumn(say("Open"), width=60), **config},
        alt=say("The summaries with their measures"),
    )
    amounts = {"shown": len(places), "all": len(run.rows)}
    text = say("{shown:,} of {all:,} summaries. Click a row to open it below.", **amounts)
    st.caption(f"{text} {say('Tick boxes at the left to label several.')}" if name == TABLE else text)
    return [places[row] for row in event["selection"]["rows"] if row < len(places)]


def open_row(run: Run, place: int) -> None:
    """Open a row below; for callbacks."""
    ROW.value = run.data.rows[place].id


def open_clicked(run: Run, places: Sequence[int], chart: str) -> None:
    """Open the row whose point was clicked in a chart of some rows; for a callback."""
    point = pictures.clicked(chart)
    if point is not None and point < len(places):
        open_row(run, places[point])


def _key(name: str, ids: Sequence[str]) -> str:
    """Return the key of a table: ticks are numbers of rows, so other rows or another order get another one."""
    return f"{name}_{hashlib.sha256(json.dumps(ids).encode()).hexdigest()[:12]}"


def _clicked(state: Mapping[str, Any] | None) -> int | None:
    """Return the number of the row whose cell is chosen; a message may be forged."""
    cells = state["selection"].get("cells") if state else None
    row = cells[0][0] if cells and isinstance(cells[0], list | tuple) and cells[0] else None
    return row if isinstance(row, int) else None


def _open(run: Run, places: Sequence[int], key: str) -> None:
    """Open the row that was clicked, and choose no cell any more: sorted anew, the table would choose another row's."""
    state = st.session_state[key]
    row = _clicked(state)
    if row is not None and 0 <= row < len(places):
        open_row(run, places[row])
        st.session_state[key] = {"selection": {"rows": list(state["selection"]["rows"]), "columns": [], "cells": []}}


def _files(run: Run) -> None:
    """Draw the files to save, and the box that reads labels back."""
    with st.popover(say("Save or read labels"), icon=":material/download:", width="content"):
        books, book, me = labels.books(), labels.book(), labels.me()  # files are made later, without a session
        for label, ending, kind, make in (
            (say("Labels (JSONL, as the labelled set)"), "labels.jsonl", "application/jsonl", label_file.to_jsonl),
            (say("Labels (CSV, a line each, for a spreadsheet)"), "labels.csv", "text/csv", label_file.to_csv),
        ):
            save_button.draw(
                label, partial(make, books), f"{run.data.name}.{ending}", kind,
                key=f"export_{ending}", mark=partial(labels.mark_saved, books), disabled=not books,
            )  # fmt: skip
        rows, hinted = summaries.with_origin(run), hints.every_row(run)
        st.download_button(
            say("All rows with scores, hints and labels (JSONL)"),
            lambda: label_file.rows_to_jsonl(
                ((row, hinted[place], book.get(subject(row), Entry())) for place, row in rows.items()), me
            ),
            f"{run.data.name}.scored.jsonl",
            "application/jsonl",
            key="export_rows",
            on_click="ignore",
        )
        if not books:
            none = say("There are no labels yet. Open a row and press a number key, or confirm or reject a hint.")
            st.caption(none)
        key = f"labels_upload_{st.session_state.setdefault(READ, 0)}"
        tip = say("Of several readers, too. Labels without a reader's name replace those that the same summaries have.")
        label = say("Read labels that were saved as JSONL or CSV")
        demo.uploader(label, ["jsonl", "csv"], key=key, take=partial(_read, run), limit="corpus_file", tip=tip)
        if SAID in st.session_state:
            st.success(notices.literal(st.session_state[SAID]), icon=":material/check:")


def _read(run: Run, name: str, content: bytes) -> None:
    st.session_state.pop(SAID, None)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise CorpusError("{name} is no text in UTF-8", name=repr(name)) from None
    st.session_state[SAID] = labels.take(text, run.rows.values())
    st.session_state[READ] += 1
