"""One head: its lines from token to token, its matrix, and how it compares with what it does elsewhere."""

from collections.abc import Sequence

import streamlit as st

from core.explain.attention.head_scores import HeadScores, scores
from core.explain.attention.head_types import outstanding, type_or_nearest
from core.explain.attention.notable import described
from core.explain.attribution.methods import MAPS
from core.explain.shared.rollup import Unit
from core.figures.attention import maps as figures
from core.figures.attention.view import AttentionView
from core.figures.attention.weights import Label
from core.figures.shared.wording import UNIT_NAMES, count, percent
from core.trace import Summary
from core.words import later, say
from pages.parts.attention import maps, view
from pages.parts.attention.attention_matrix import attention_matrix, matrix_data
from pages.parts.attention.head_view import head_view, view_data
from pages.parts.attention.view import SHARE
from pages.shared.controls.choices import one_of, options
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.place import address
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal

GRAIN = Choice("by", UNIT_NAMES)
FIELDS = (GRAIN,)
COARSER: dict[Unit, Unit] = {"token": "word", "word": "turn"}
MOST_CELLS = 90_000
"""Cells of one head that travel to the browser: 240 kB."""
MOST_TOGETHER = 320_000
"""Cells of all heads of a layer: 850 kB."""
TOO_MUCH: dict[tuple[Unit | None, bool], str] = {
    ("word", False): later("There is so much here that it is shown by word."),
    ("turn", False): later("There is so much here that it is shown by turn."),
    (None, True): later("There is so much here that it is one head at a time."),
    ("word", True): later("There is so much here that it is shown by word, one head at a time."),
    ("turn", True): later("There is so much here that it is shown by turn, one head at a time."),
}
"""What is said where the unit is coarser than the chosen one, and where one head is drawn without the others."""
MATRIX, LINES, MOVED = "head_matrix", "head_lines", "head_moved"


def draw(seen: AttentionView) -> None:
    """Draw the lines and the matrix of the open head, and what it does beside what it tends to do."""
    with options():
        grain = one_of(say("Show by"), GRAIN)
    units, numbers, note = sized(seen, grain)
    values = seen.layer_weights[numbers[0] : numbers[-1] + 1]
    weights = seen.rolled(values, units, say("layer {layer}", layer=seen.layer + 1))
    shown = seen.open_head(units)
    locked = seen.locked(weights.rows)
    caption = shown.caption(seen.what)
    moves = (st.session_state.get(address.JUMPS, 0), st.session_state.get(MOVED, 0))
    version = hash((seen.summary.text, seen.kind, seen.layer, seen.head, moves)) % 2**31
    lines = view_data(
        weights, numbers, on=seen.head, share=SHARE.value / 100, locked=locked, version=version,
        together=not MAPS[seen.shows].heads,
    )  # fmt: skip
    head_view(key=LINES, data=lines, on_view_change=lambda: _lines_changed(seen, weights.rows, numbers))
    heads = [number + 1 for number in numbers]
    maps.tell(seen)
    if note:
        st.caption(note)
    pictures.save_view(LINES, f"{maps.prefix(seen)}-lines", caption, lambda: weights.table(heads))
    with st.expander(say("As a matrix")):
        drawn = matrix_data(shown, None if locked is None else locked[0])
        attention_matrix(key=MATRIX, data=drawn, on_row_change=lambda: _row_picked(shown.rows))
        st.caption(literal(caption))
        pictures.save_view(MATRIX, f"{maps.prefix(seen)}-matrix", caption, shown.table)
    if seen.shows == "weights":
        _profile(seen)


def sized(seen: AttentionView, grain: Unit) -> tuple[tuple[Unit, Unit], tuple[int, ...], str]:
    """Return the units of rows and columns, which heads are drawn together, and a sentence if that had to be reduced.

    Where it would be too much, the unit is coarser, or it is one head alone.
    """
    heads, coarser = seen.weights.shape[1], None
    room = MOST_CELLS if seen.head is not None else min(MOST_CELLS, MOST_TOGETHER // heads)
    while True:
        inside: Unit = "token" if grain == "token" else "word"  # a summary has no turns
        units = (grain if seen.kind == "encoder" else inside, inside if seen.kind == "decoder" else grain)
        size = len(seen.rows(units[0])) * len(seen.columns(units[1]))
        if size <= room or grain not in COARSER:
            break
        grain = coarser = COARSER[grain]
    if size * heads > 2 * MOST_CELLS and seen.head is not None:
        return units, (seen.head,), say(TOO_MUCH[coarser, True])
    return units, tuple(range(heads)), say(TOO_MUCH[coarser, False]) if coarser else ""


def _profile(seen: AttentionView) -> None:
    """Draw what the open head does here, next to what it tends to do."""
    head = 0 if seen.single else seen.head
    if head is None:
        hint = say("Open a single head to see what it does here and what it tends to do.")
        st.info(hint, icon=":material/ads_click:")
        return
    with st.expander(say("What this head does")):
        _told(seen, head)


def _told(seen: AttentionView, head: int) -> None:
    """Say and draw what a head does on this text, beside what it does over the corpus of the catalogue."""
    others = tuple(other for other in _scores(seen.summary) if other.kind == seen.kind)
    here = next(other for other in others if (other.layer, other.head) == (seen.layer, head))
    measured, reason = view.measured(seen)
    usually = measured.find(seen.kind, seen.layer, head) if measured else None
    st.markdown(say("**On this text.** {description}", description=literal(said(here, others))))
    if usually and measured:
        elsewhere = say(
            "**Over {dialogues} of {data}.** {description}",
            dialogues=count(measured.dialogues, "dialogue"),
            data=literal(measured.data),
            description=literal(said(usually.scores, measured.of_kind(seen.kind))),
        )
        st.markdown(elsewhere)
    if reason:
        st.caption(literal(reason))
    if here.offset is not None and here.offset_rate is not None:
        rate = percent(here.offset_rate)
        often = say(
            "Its maximum stands most often at offset {offset:+d}: in {share} of the rows.",
            offset=here.offset,
            share=rate,
        )
        st.caption(often)
    dialogues = measured.dialogues if measured else 0
    pictures.show(figures.usual(here, usually.scores if usually else None, dialogues), "profile")


@cached(8)
def _scores(summary: Summary) -> tuple[HeadScores, ...]:
    return scores(summary.attention)


def said(one: HeadScores, others: tuple[HeadScores, ...]) -> str:
    """Return what a head does and its type, in sentences."""
    by_type, out = type_or_nearest(one, others), outstanding(one, others)
    if by_type is None or out is None:
        return say("no row has two keys to choose from, so nothing can be measured")
    return described(by_type, out)


def _lines_changed(opened: AttentionView, rows: tuple[Label, ...], numbers: tuple[int, ...]) -> None:
    """Take over what was locked, which head is alone, and the share."""
    seen = st.session_state[LINES].view or {}
    heads = seen.get("heads") or []
    _pick(rows, seen.get("locked"))
    if opened.head is not None and len(heads) == 1 and numbers[int(heads[0])] != opened.head:
        view.show(opened.layer, numbers[int(heads[0])])
    if "share" in seen:
        SHARE.value = SHARE.clamp(5 * round(20 * float(seen["share"])))


def _row_picked(rows: tuple[Label, ...]) -> None:
    """Lock in the lines the row that was picked in the matrix."""
    row = st.session_state[MATRIX].row
    _pick(rows, None if row is None else (row, row))
    st.session_state[MOVED] = st.session_state.get(MOVED, 0) + 1


def _pick(rows: tuple[Label, ...], span: Sequence[int] | None) -> None:
    """Choose the tokens of rows of the picture, from the first to the last; None chooses no token."""
    view.pick(*((None,) if span is None else (rows[int(span[0])].members[0], rows[int(span[1])].last)))
