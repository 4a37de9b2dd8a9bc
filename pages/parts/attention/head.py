"""One head: its lines from token to token, its matrix, and how it compares with what it does elsewhere."""

import streamlit as st

from core.explain.head_types import nearest, outstanding
from core.explain.heads import HeadScores
from core.explain.rollup import Unit
from core.figures import attention as figures
from core.figures.wording import percent
from core.trace import Array
from pages.parts.attention import view
from pages.parts.attention.attention_matrix import attention_matrix, matrix_data
from pages.parts.attention.head_view import head_view, view_data
from pages.parts.attention.view import SHARE, UNITS, AttentionView
from pages.parts.attention.weights import Label
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.frame import address
from pages.shared.frame.fields import Choice
from pages.shared.frame.notices import literal

GRAIN = Choice("by", tuple(UNITS))
COARSER: dict[Unit, Unit] = {"token": "word", "word": "turn"}
MOST_CELLS = 90_000
"""Cells of one head that travel to the browser: 240 kB."""
MOST_TOGETHER = 320_000
"""Cells of all heads of a layer: 850 kB."""
MATRIX, LINES, MOVED = "head_matrix", "head_lines", "head_moved"


def draw(found: AttentionView) -> None:
    """Draw the lines and the matrix of the open head, and what it does beside what it tends to do."""
    units, values, numbers = _sized(found)
    weights = found.rolled(values, units, f"layer {found.layer + 1}")
    shown = found.open_head(units)
    locked = _locked(found, weights.rows)
    caption = shown.caption(found.what)
    st.header("From token to token", anchor=False)
    moves = (st.session_state.get(address.JUMPS, 0), st.session_state.get(MOVED, 0))
    version = hash((found.summary.text, found.kind, found.layer, found.head, moves)) % 2**31
    lines = view_data(weights, numbers, on=found.head, share=SHARE.value / 100, locked=locked, version=version)
    head_view(lines, key=LINES, on_change=lambda: _lines_changed(found, weights.rows, numbers))
    heads = [number + 1 for number in numbers for _ in range(shown.values.size)]
    pictures.save_view(LINES, "attention-lines", caption, lambda: {"Head": heads} | weights.table)
    st.header("As a matrix", anchor=False)
    drawn = matrix_data(shown, None if locked is None else locked[0])
    attention_matrix(drawn, key=MATRIX, on_pick=lambda: _row_picked(shown.rows))
    st.caption(literal(caption))
    pictures.save_view(MATRIX, "attention-matrix", caption, lambda: shown.table)
    _profile(found)


def _sized(found: AttentionView) -> tuple[tuple[Unit, Unit], Array, tuple[int, ...]]:
    """Draw the choice of a unit; return the units of rows and columns, the heads' weights and which heads they are.

    Where it would be too much, the unit is coarser, or it is one head alone.
    """
    grain: Unit = one_of("Show by", UNITS, GRAIN)
    values, notes = found.layer_weights, []
    numbers = tuple(range(len(values)))
    room = MOST_CELLS if found.head is not None else min(MOST_CELLS, MOST_TOGETHER // len(numbers))
    while True:
        inside: Unit = "token" if grain == "token" else "word"  # a summary has no turns
        units = (grain if found.kind == "encoder" else inside, inside if found.kind == "decoder" else grain)
        size = len(found.rows(units[0])) * len(found.columns(units[1]))
        if size <= room or grain not in COARSER:
            break
        grain = COARSER[grain]
        notes = [f"shown by {UNITS[grain].lower()}"]
    if size * len(numbers) > 2 * MOST_CELLS and found.head is not None:
        values, numbers = values[found.head : found.head + 1], (found.head,)
        notes.append("one head at a time")
    if notes:
        st.caption(f"There is so much here that it is {', '.join(notes)}.")
    return units, values, numbers


def _locked(found: AttentionView, rows: tuple[Label, ...]) -> tuple[int, int] | None:
    """Return the chosen query tokens as rows of the picture."""
    span = set(range(found.span[0], found.span[1] + 1)) if found.span else set()
    inside = [row for row, label in enumerate(rows) if span & set(label.members)]
    return (min(inside), max(inside)) if inside else None


def _profile(found: AttentionView) -> None:
    """Draw what the open head does here, next to what it tends to do."""
    if found.head is None:
        st.info("Open a single head to see what it does here and what it tends to do.", icon=":material/ads_click:")
        return
    st.header("What this head does", anchor=False)
    here = next(each for each in found.scores() if (each.layer, each.head) == (found.layer, found.head))
    measured, reason = found.measured()
    usually = measured.find(found.kind, found.layer, found.head) if measured else None
    st.markdown(f"Here: {said(here, found.scores())}.")
    if usually and measured:
        others = measured.of_kind(found.kind)
        corpus = f"Over {measured.dialogues} dialogues of {literal(measured.data)}"
        st.markdown(f"{corpus}: {said(usually.scores, others)}.")
    if reason:
        st.caption(literal(reason))
    if here.offset is not None and here.offset_rate is not None:
        rate = percent(here.offset_rate)
        st.caption(f"Its maximum stands most often at offset {here.offset:+d}: in {rate} of the rows.")
    dialogues = measured.dialogues if measured else 0
    pictures.show(figures.usual(here, usually.scores if usually else None, dialogues), "profile")


def said(scores: HeadScores, others: tuple[HeadScores, ...]) -> str:
    """Return the type of a head and by what it stands out, in Markdown."""
    kind, out = nearest(scores, others), outstanding(scores, others)
    if kind is None or out is None:
        return "no row has two keys to choose from, so nothing can be measured"
    return f"**{kind.type_text}**. It stands out by **{out.text}**"


def _lines_changed(found: AttentionView, rows: tuple[Label, ...], numbers: tuple[int, ...]) -> None:
    """Take over what was locked, which head is alone, and the share."""
    seen = st.session_state[LINES].view or {}
    locked, heads = seen.get("locked"), seen.get("heads") or []
    if locked:
        view.pick(rows[int(locked[0])].members[0], rows[int(locked[1])].last)
    else:
        view.pick(None)
    if found.head is not None and len(heads) == 1 and numbers[int(heads[0])] != found.head:
        view.show(found.layer, numbers[int(heads[0])])
    if "share" in seen:
        SHARE.value = SHARE.clamp(5 * round(20 * float(seen["share"])))


def _row_picked(rows: tuple[Label, ...]) -> None:
    """Lock the row that was picked in the matrix in the lines too."""
    row = st.session_state[MATRIX].row
    if row is None:
        view.pick(None)
    else:
        view.pick(rows[int(row)].members[0], rows[int(row)].last)
    st.session_state[MOVED] = st.session_state.get(MOVED, 0) + 1
