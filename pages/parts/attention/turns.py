"""Attention between words, turns and speakers: the view that opens first."""

import streamlit as st

from core.explain import sinks
from core.explain.rollup import mean_rows, sum_columns
from core.figures import attention as figures
from core.figures.attention import CATEGORY_NAMES as NAMES
from core.figures.picture import Picture
from core.figures.wording import percent
from pages.parts.attention import looks
from pages.parts.attention.looks import AXES, UNITS, Look
from pages.shared import attention_views, components, pictures
from pages.shared.choices import one_of
from pages.shared.state import Key

MOST_CELLS, MOST_ROWS, MOST_RIBBONS = 6000, 100, 70


def draw(look: Look) -> None:
    """Draw the view."""
    row_unit, column_unit, coarser = _units(look)
    if coarser:
        st.caption(f"So many tokens are shown {coarser}. “One head” has every cell.")
    _sinks(look)
    picture = _matrix(look, row_unit, column_unit)
    if look.kind != "decoder":
        _ribbons(look, row_unit, column_unit, picture)
    pictures.show(picture, "turn_matrix")
    if look.summary.omitted:
        st.caption(f"The model did not read turns {components.spans(look.summary.omitted)}: they have no column.")


def _matrix(look: Look, row_unit: str, column_unit: str) -> Picture:
    rows, columns = look.row_groups(row_unit), look.column_groups(column_unit)
    down = looks.texts(rows, row_unit, look.dialogue, look.queries)
    across = looks.texts(columns, column_unit, look.dialogue, look.keys)
    return figures.matrix(mean_rows(sum_columns(look.matrix, columns), rows), down, across, AXES[look.kind], look.what)


def _ribbons(look: Look, row_unit: str, column_unit: str, picture: Picture) -> None:
    """Ribbons from rows to columns; by turn where there would be too many of either. `picture` is their matrix."""
    asked = (row_unit, column_unit)
    if look.kind == "encoder" and len(look.row_groups(row_unit)) > MOST_RIBBONS:
        row_unit = "turn"
    if len(look.column_groups(column_unit)) > MOST_RIBBONS:
        column_unit = "turn"
    rows, columns = look.row_groups(row_unit), look.column_groups(column_unit)
    if max(len(rows), len(columns)) > MOST_RIBBONS:
        return
    items = attention_views.group_items(columns, column_unit)  # type: ignore[arg-type]
    said = [look.dialogue.turns[part.turn].text if part.turn is not None else "" for part in columns]
    details = said if column_unit == "turn" else [""] * len(columns)
    attention_views.ribbons(
        mean_rows(sum_columns(look.matrix, columns), rows),
        attention_views.group_items(rows, row_unit),  # type: ignore[arg-type]
        [item | {"detail": detail} for item, detail in zip(items, details, strict=True)],
        kind=look.kind,
        layer=look.named_layer,
        head=look.head,
        share=st.session_state[Key.SHARE] / 100,
        key="ribbons",
        on_pick=lambda: None,
    )
    st.slider(
        "Draw the largest weights that hold this share of each row (%)",
        10,
        100,
        step=5,
        key=Key.SHARE,
        persist_state="session",
    )
    if (row_unit, column_unit) != asked:
        picture = _matrix(look, row_unit, column_unit)
    pictures.save_view("ribbons", "attention-ribbons", picture.caption, lambda: picture.table)


def _sinks(look: Look) -> None:
    """How much of this attention falls on tokens without meaning of their own, before anything else is said."""
    if look.kind == "decoder":
        return
    found = sinks.shares(look.one(look.weights[look.layer]), look.keys)
    shares = {each: float(values.mean()) for each, values in found.items()}
    parts = [f"{NAMES[each]} {percent(share)}" for each, share in shares.items() if share >= 0.005]
    left = st.session_state[Key.SINKS] == "without"
    st.caption(
        f"Of this attention goes to: {', '.join(parts)}. "
        + ("Only the words are shown, as 100 %." if left else "“Sinks: left out” above shows the words alone.")
    )


def _units(look: Look) -> tuple[str, str, str]:
    """The units of both axes, and what was made coarser so that the picture stays readable."""
    summary_rows = look.kind != "encoder"
    row_choices = ["token", "word"] if summary_rows else list(UNITS)
    if st.session_state[Key.ROW_UNIT] not in row_choices:
        st.session_state[Key.ROW_UNIT] = "word"
    if look.kind == "decoder":  # the summary on both sides: the choice for dialogues stays as it was
        unit = _unit("Rows and columns by", Key.ROW_UNIT, row_choices)
        return unit, unit, ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row_unit = _unit("Rows by", Key.ROW_UNIT, row_choices)
        column_unit = _unit("Columns by", Key.COLUMN_UNIT, list(UNITS))
    cells = len(look.row_groups(row_unit)) * len(look.column_groups(column_unit))
    coarser = []
    if cells > MOST_CELLS and column_unit in ("token", "word"):
        column_unit = "turn"
        coarser.append("with columns by turn")
        cells = len(look.row_groups(row_unit)) * len(look.column_groups(column_unit))
    many = cells > MOST_CELLS or len(look.row_groups(row_unit)) > MOST_ROWS
    if many and not summary_rows and row_unit != "speaker":
        row_unit = "turn"
        coarser.append("with rows by turn")
    return row_unit, column_unit, " and ".join(coarser)


def _unit(label: str, key: Key, choices: list[str]) -> str:
    return one_of(label, {choice: UNITS[choice] for choice in choices}, key)  # type: ignore[no-any-return]
