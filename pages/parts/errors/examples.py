"""The table of examples: searched, filtered, sorted; a row opens its dialogue."""

import json
from collections.abc import Iterable, Sequence

import streamlit as st

from core.evaluation.rows import ScoredSummary
from pages.parts.errors import hints, measures, notebook
from pages.parts.errors.runs import Run
from pages.shared import errors
from pages.shared.state import Key

TABLE = "errors_table"
ANY = ""
SAID = {"tagged": "a tag", "confirmed": "a confirmed hint", "judged": "a judged hint", "noted": "a note"}
HEIGHT = 420


def draw(run: Run) -> None:
    """Draw the view."""
    places = _filtered(run)
    if not places:
        st.info("No summary fits the filter. Take something off it.", icon=":material/filter_alt_off:")
        return
    table(run, places, TABLE)
    _export(run)


def table(run: Run, places: Sequence[int], key: str) -> None:
    """A table of some rows; a click opens one."""
    shown = [run.rows[place] for place in places]
    columns: dict[str, list[object]] = {
        "Id": [row.id for row in shown],
        "Hints": [len(hints.of_row(run, place)) for place in places],
        "Summary": [row.summary for row in shown],
    }
    for name in measures.shown(run):
        columns[measures.title(name)] = [measures.value(name, row) for row in shown]
    said = [notebook.entry(run, place) for place in places]
    if any(not each.empty for each in said):
        columns["Said"] = [_said(each) for each in said]
    if any(row.topic for row in shown):
        columns["Topic"] = [row.topic for row in shown]
    st.dataframe(
        columns,
        hide_index=True,
        key=key,
        on_select=lambda: _open(run, places, key),
        selection_mode="single-row",
        height=min(HEIGHT, 38 + 35 * len(places)),
        column_config={
            "Summary": st.column_config.TextColumn(width=340),
            **{
                measures.title(name): st.column_config.NumberColumn(format=measures.form(name))
                for name in measures.shown(run)
            },
        },
        alt="The summaries with their measures",
    )
    st.caption(f"{len(places):,} of {len(run.rows):,} summaries. Click the box at the left of a row to open it below.")


def open_row(run: Run, place: int) -> None:
    """Open a row below; for callbacks."""
    st.session_state[Key.ERR_ROW] = run.data.rows[place].id


def _open(run: Run, places: Sequence[int], key: str) -> None:
    chosen = st.session_state[key].selection.rows
    if chosen and chosen[0] < len(places):
        open_row(run, places[chosen[0]])


def _filtered(run: Run) -> list[int]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        find = st.text_input(
            "Search", key=Key.ERR_FIND, persist_state="session", placeholder="word or id", width=220, max_chars=80
        )
        kinds = {ANY: "any", **{kind: label for kind, (label, _) in hints.labels().items() if hints.count(run, kind)}}
        kinds |= {f"said:{name}": label for name, label in SAID.items()}
        if st.session_state[Key.ERR_KIND] not in kinds:
            st.session_state[Key.ERR_KIND] = ANY
        kind = st.selectbox(
            "Only those with", list(kinds), format_func=kinds.get, key=Key.ERR_KIND, persist_state="session", width=220
        )
        orders = {ANY: "as in the data", "hints": "most hints first"}
        for name in measures.known(run):
            orders |= {f"{name}.up": f"{measures.label(name)}, lowest first"}
            orders |= {f"{name}.down": f"{measures.label(name)}, highest first"}
        if st.session_state[Key.ERR_SORT] not in orders:
            st.session_state[Key.ERR_SORT] = ANY
        order = st.selectbox(
            "Sorted", list(orders), format_func=orders.get, key=Key.ERR_SORT, persist_state="session", width=260
        )
    places = [place for place, row in run.rows.items() if _fits(run, place, row, find, kind)]
    return _sorted(run, places, order)


def _fits(run: Run, place: int, row: ScoredSummary, find: str, kind: str) -> bool:
    wanted = find.casefold().split()
    text = " ".join((row.id, row.topic, row.summary, row.dialogue, *row.references)).casefold()
    if not all(word in text for word in wanted):
        return False
    if not kind:
        return True
    if not kind.startswith("said:"):
        return any(fault.kind == kind for fault in hints.of_row(run, place))
    said = notebook.entry(run, place)
    return {
        "said:tagged": bool(said.tags),
        "said:confirmed": "right" in said.verdicts.values(),
        "said:judged": bool(said.verdicts),
        "said:noted": bool(said.note),
    }[kind]


def _sorted(run: Run, places: list[int], order: str) -> list[int]:
    if order == "hints":
        return sorted(places, key=lambda place: -len(hints.of_row(run, place)))
    name, _, way = order.partition(".")
    if not way:
        return places
    values = {place: measures.value(name, run.rows[place]) for place in places}
    known = [place for place in places if values[place] is not None]
    sign = 1 if way == "up" else -1
    return sorted(known, key=lambda place: sign * (values[place] or 0.0)) + [
        place for place in places if values[place] is None
    ]


def _said(said: notebook.Entry) -> str:
    judged = [f"{sum(each == verdict for each in said.verdicts.values())} {name}" for verdict, name in
              (("right", "confirmed"), ("wrong", "rejected")) if verdict in said.verdicts.values()]  # fmt: skip
    return "; ".join([*judged, *said.tags, said.note]).strip("; ")


def _export(run: Run) -> None:
    """Everything that was said, and all rows, as files."""
    with st.popover("Export", icon=":material/download:", width="content"):
        book, rows = notebook.entries(run), run.rows  # files are made later, without a session
        faults = {place: hints.every(run, place) for place in book}
        name = f"{errors.literal(run.data.name)}".replace("\\", "")
        for label, ending, kind, make in (
            ("What was said (JSONL, as the hand-labelled set)", "labels.jsonl", "application/jsonl", notebook.to_jsonl),
            ("What was said (CSV, a line a hint)", "labels.csv", "text/csv", notebook.to_csv),
        ):
            st.download_button(
                label, lambda make=make: make(run, book, faults), f"{name}.{ending}", kind,
                key=f"export_{ending}", on_click="ignore", disabled=not book,
            )  # fmt: skip
        st.download_button(
            "All rows with scores and hints (JSONL)",
            lambda: _rows(rows.values()),
            f"{name}.scored.jsonl",
            "application/jsonl",
            key="export_rows",
            on_click="ignore",
        )
        if not book:
            st.caption("Nothing was said yet: open a row, confirm or reject a hint, tag it, note something.")


def _rows(rows: Iterable[ScoredSummary]) -> str:
    return "".join(json.dumps(row.to_dict(), ensure_ascii=False) + "\n" for row in rows)
