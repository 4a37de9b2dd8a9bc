"""One head: its matrix, its lines from token to token, and how it compares with what it does elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from core.explain.heads import tag
from core.explain.rollup import Group, mean_rows, sum_columns
from core.figures import attention as figures
from core.figures.wording import percent
from core.trace import Array, Token
from pages.parts.attention import looks
from pages.parts.attention.looks import AXES, UNITS, Look
from pages.shared import attention_views, pictures
from pages.shared.attention_views import Item
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

COARSER = {"token": "word", "word": "turn"}
MOST_CELLS = 90_000
"""Cells of one head that travel to the browser: 240 kB."""
MOST_TOGETHER = 320_000
"""Cells of all heads of a layer: 850 kB."""
MATRIX, LINES = "head_matrix", "head_lines"


@dataclass(frozen=True)
class _Cells:
    """The open layer rolled up: weights [H, R, C], its labels, and which heads they are."""

    weights: Array
    rows: tuple[Group, ...]
    columns: tuple[Group, ...]
    units: tuple[str, str]
    heads: tuple[int, ...]

    def items(self, look: Look) -> tuple[list[Item], list[Item]]:
        """Labels of rows and columns for the components."""
        return _items(look.queries, self.rows, self.units[0]), _items(look.keys, self.columns, self.units[1])

    def matrix(self, head: int | None) -> Array:
        """One head of them, or the mean, [R, C]."""
        found = self.weights.mean(axis=0) if head is None else self.weights[self.heads.index(head)]
        return np.asarray(found, dtype=np.float32)


def draw(look: Look) -> None:
    """Draw the view."""
    cells = _rolled(look)
    rows, columns = cells.items(look)
    locked = _locked(look, cells)
    causal = look.kind == "decoder" and cells.units[0] == "token"
    st.subheader("From token to token", anchor=False)
    attention_views.head_view(
        cells.weights,
        rows,
        columns,
        kind=look.kind,
        layer=look.layer,
        heads=list(range(len(cells.heads))) if look.head is None else [cells.heads.index(look.head)],
        share=st.session_state[Key.SHARE] / 100,
        locked=locked,
        version=_version(look),
        numbers=cells.heads,
        mask="causal" if causal else None,
        key=LINES,
        on_change=lambda: _lines_changed(look, cells),
    )
    matrix = cells.matrix(look.head)
    down = looks.texts(cells.rows, cells.units[0], look.dialogue, look.queries)
    across = looks.texts(cells.columns, cells.units[1], look.dialogue, look.keys)
    caption = figures.matrix_caption(matrix, down, across, look.what)
    pictures.save_view(LINES, "attention-lines", caption, lambda: _line_table(cells, down, across))
    st.subheader("As a matrix", anchor=False)
    attention_views.attention_matrix(
        matrix,
        rows,
        columns,
        kind=look.kind,
        layer=look.named_layer,
        head=look.head,
        mask="causal" if causal else None,
        selected=None if locked is None else locked[0],
        scale="fixed",
        key=MATRIX,
        on_pick=lambda: _row_picked(cells),
    )
    st.caption(literal(caption))
    pictures.save_view(
        MATRIX,
        "attention-matrix",
        caption,
        lambda: figures.matrix(matrix, down, across, AXES[look.kind], look.what).table,
    )
    _profile(look)


def _line_table(cells: _Cells, rows: Sequence[str], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Every line that the view can draw: a row a head, query and key."""
    size = len(rows) * len(columns)
    return {
        "Head": [head + 1 for head in cells.heads for _ in range(size)],
        "Query": [row for _ in cells.heads for row in rows for _ in columns],
        "Key": [column for _ in cells.heads for _ in rows for column in columns],
        "Weight": [float(value) for value in cells.weights.ravel()],
    }


def _rolled(look: Look) -> _Cells:
    """The open layer by token, word, turn or speaker; coarser, or one head alone, where it would be too much."""
    grain = one_of("Show by", UNITS, Key.GRAIN)
    notes = []
    weights = look.layer_weights
    heads = tuple(range(weights.shape[0]))
    room = MOST_CELLS if look.head is not None else min(MOST_CELLS, MOST_TOGETHER // len(heads))
    while True:
        units = _units(look.kind, grain)
        rows, columns = look.row_groups(units[0]), look.column_groups(units[1])
        size = len(rows) * len(columns)
        if size <= room or grain not in COARSER:
            break
        grain = COARSER[grain]
        notes = [f"shown by {UNITS[grain].lower()}"]
    if size * len(heads) > 2 * MOST_CELLS and look.head is not None:
        weights, heads = weights[look.head : look.head + 1], (look.head,)
        notes.append("one head at a time")
    rolled = np.stack([mean_rows(each, rows) for each in sum_columns(weights, columns)])
    if notes:
        st.caption(f"There is so much here that it is {', '.join(notes)}.")
    return _Cells(np.asarray(rolled, dtype=np.float32), rows, columns, units, heads)


def _units(kind: str, grain: str) -> tuple[str, str]:
    """The units of rows and columns: a summary has no turns."""
    inside = "token" if grain == "token" else "word"
    return grain if kind == "encoder" else inside, inside if kind == "decoder" else grain


def _items(tokens: Sequence[Token], parts: Sequence[Group], unit: str) -> list[Item]:
    if unit == "token":
        return attention_views.token_items(tokens)
    return attention_views.group_items(parts, unit)  # type: ignore[arg-type]


def _locked(look: Look, cells: _Cells) -> tuple[int, int] | None:
    """The chosen query tokens as rows of the picture."""
    if look.span is None:
        return None
    span = set(range(look.span[0], look.span[1] + 1))
    inside = [row for row, part in enumerate(cells.rows) if span & set(part.members)]
    return (min(inside), max(inside)) if inside else None


def _profile(look: Look) -> None:
    """What the open head does here, next to what it tends to do."""
    if look.head is None:
        st.info("Open a single head to see what it does here and what it tends to do.", icon=":material/ads_click:")
        return
    st.subheader("What this head does", anchor=False)
    here = next(each for each in look.scores() if (each.layer, each.head) == (look.layer, look.head))
    found, reason = looks.measured(look.summary)
    usually = found.find(look.kind, look.layer, look.head) if found else None
    name = tag(here)
    line = f"Here it resembles **{name.name}** ({name.score:.2f}), "
    line += f"next **{name.runner_up}** ({name.runner_up_score:.2f})."
    if usually and found:
        line += (
            f" Over {found.dialogues} dialogues of {literal(found.data)}: **{usually.tag.name}** "
            f"({usually.tag.score:.2f}), next **{usually.tag.runner_up}** ({usually.tag.runner_up_score:.2f})."
        )
    st.markdown(line)
    if reason:
        st.caption(literal(reason))
    if here.offset is not None and here.offset_rate is not None:
        rate = percent(here.offset_rate)
        st.caption(f"Its maximum stands most often at offset {here.offset:+d}: in {rate} of the rows.")
    dialogues = found.dialogues if found else 0
    pictures.show(figures.usual(here, usually.scores if usually else None, dialogues), "profile")


def _version(look: Look) -> int:
    """New with everything that is not the lines' own doing."""
    return hash((look.summary.text, look.kind, look.layer, look.head, st.session_state.get(Key.JUMPS, 0))) % 2**31


def _lines_changed(look: Look, cells: _Cells) -> None:
    seen = st.session_state[LINES].view or {}
    locked, heads = seen.get("locked"), seen.get("heads") or []
    if locked:
        looks.pick(cells.rows[int(locked[0])].members[0], _last(cells.rows[int(locked[1])]))
    else:
        looks.pick(None)
    if look.head is not None and len(heads) == 1 and cells.heads[int(heads[0])] != look.head:
        looks.show(look.layer, cells.heads[int(heads[0])])
    if "share" in seen:
        st.session_state[Key.SHARE] = min(max(5 * round(20 * float(seen["share"])), 10), 100)


def _last(part: Group) -> int:
    """The last token to choose of a row; of a speaker's, with others' turns between, the first alone."""
    together = part.members[-1] - part.members[0] + 1 == len(part.members)
    return part.members[-1 if together else 0]


def _row_picked(cells: _Cells) -> None:
    row = st.session_state[MATRIX].row
    if row is None:
        looks.pick(None)
    else:
        looks.pick(cells.rows[int(row)].members[0], _last(cells.rows[int(row)]))
    st.session_state[Key.JUMPS] = st.session_state.get(Key.JUMPS, 0) + 1
