"""Choose the table of positions: sinusoids of any size and base, or what a checkpoint has learnt."""

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from core.config import NetworkConfig
from core.errors import SettingsError
from core.experiments.positions import position_table
from core.explain import positions
from core.explain.lab_steps import Matrix
from core.explain.source_lines import source_line
from pages.shared.controls.choices import number
from pages.shared.frame import decoding, loading, notices
from pages.shared.frame.fields import Choice, Number

LEARNED = "learned"
TABLE = Choice("pos_table", ("sinusoids", LEARNED))
LENGTH = Number("pos_length", 1, positions.LONGEST, 50)
WIDTH = Number("pos_width", 1, positions.LONGEST, 64)
BASE = Number("pos_base", 1.00001, positions.LARGEST_BASE, 10000.0, 1.0)
PLACE = Number("pos_place", 0, positions.LONGEST - 1, 3)
FIELDS = (TABLE, LENGTH, WIDTH, BASE, PLACE)
PRESET, BOX, BOXED = "pos_preset", "pos_base_box", "pos_base_boxed"
"""Session keys: the example, what stands in the box of the base, and the base that was put there."""
PAPER = (100, 512, 10000.0)
Size = tuple[int, int, float]


@dataclass(frozen=True, eq=False)
class Chosen:
    """A table of positions.

    Args:
        values: [L, D].
        base: of the sinusoids, None for a learned table.
    """

    values: Matrix
    base: float | None

    @property
    def is_slides(self) -> bool:
        """Return whether it is the example of the lecture slides."""
        return self.base is not None and (*self.values.shape, self.base) == positions.SLIDES


def choose() -> Chosen | None:
    """Draw the choice of a table; return it, or None while the model that has learnt it loads."""
    config = decoding.config()
    if TABLE.value == LEARNED and config.has.positions != LEARNED:
        has = "those of this checkpoint are sinusoids" if config.has.positions else "this checkpoint has none"
        TABLE.refuse(f"The link asks for learned positions; {has}.")
    _presets(config)
    if TABLE.value == LEARNED:
        return _learned()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = number("Length (positions)", LENGTH, "How many positions the table has.")
        width = number("Width d (dimensions)", WIDTH, "Numbers of one position. Odd widths end on a sine.")
        base = _base()
    _edges(length, width)
    return Chosen(positions.encoding(length, width, base), base)


def _presets(config: NetworkConfig) -> None:
    """Draw the examples; the one that is shown is marked, and none if the numbers are one's own."""
    sizes: dict[str, Size] = {
        "Small": (LENGTH.default, WIDTH.default, BASE.default),
        "Slides": positions.SLIDES,
        "Vaswani base": PAPER,
    }
    if blocks := config.has.blocks:
        sizes["This checkpoint’s width"] = (LENGTH.default, blocks.d_model, float(blocks.position_base))
    sizes = {f"{name}: {size[0]} × {size[1]}, base {size[2]:,g}": size for name, size in sizes.items()}
    options = [*sizes, *(["Learned by this checkpoint"] if config.has.positions == LEARNED else [])]
    shown = (LENGTH.value, WIDTH.value, BASE.value)
    same = next((name for name, size in sizes.items() if size == shown), None)
    st.session_state[PRESET] = options[-1] if TABLE.value == LEARNED else same
    st.segmented_control("Example", options, key=PRESET, on_change=_take, args=(sizes,))


def _take(sizes: dict[str, Size]) -> None:
    """Take over the example that was chosen; the same one again changes nothing."""
    name = st.session_state[PRESET]
    if name in sizes:
        TABLE.value = TABLE.default
        LENGTH.value, WIDTH.value, BASE.value = sizes[name]
    elif name is not None:
        TABLE.value = LEARNED


def _base() -> float:
    """Draw the box of the base; one that cannot be used is refused, and the last good one stays."""
    session = st.session_state
    if session.get(BOXED) != BASE.value:
        session[BOX] = session[BOXED] = BASE.value
    typed = st.number_input(
        "Base (above 1)",
        key=BOX,
        value=None,
        step=1.0,
        format="%g",
        help="The wavelengths grow from 2π towards 2π × base.",
        persist_state="session",
        width=190,
        on_change=_typed,
    )
    try:
        positions.check_base(typed)
    except SettingsError as error:
        notices.show(error)
        st.caption(f"The pictures are still those of base {BASE.value:,g}.")
    return float(BASE.value)


def _typed() -> None:
    """Take over the base that was typed, if it can be used."""
    typed = st.session_state[BOX]
    with suppress(SettingsError):
        positions.check_base(typed)
        BASE.value = st.session_state[BOXED] = float(f"{typed:g}")  # as it stands in a link


def _edges(length: int, width: int) -> None:
    """Say what the smallest sizes give, and what an odd width lacks."""
    said = []
    if width == 1:
        said.append("Width 1: there is one dimension, sin p, and no cosine.")
    elif width % 2:
        said.append(f"Width {width} is odd: the last dimension, {width - 1}, is a sine without its cosine.")
    if length == 1:
        said.append("Length 1: there is only position 0, whose sines are 0 and whose cosines are 1.")
    if said:
        st.info("  \n".join(said), icon=":material/straighten:")


def _learned() -> Chosen | None:
    """Return the first rows of the table that the checkpoint has learnt; None while it loads."""
    summarizer = loading.current_model()
    if summarizer is None:
        return None
    found = position_table(summarizer).astype(float)
    kept = found[: number("Length (positions)", LENGTH, "How many positions are shown.")]
    st.caption(
        f"The encoder’s table has {len(found):,} rows of {found.shape[1]} trained numbers; shown are {len(kept):,}. "
        "No formula connects its rows, and it ends: a longer text has no vectors for its last positions."
    )
    return Chosen(kept, None)


def within(label: str, field: Number, high: int, noun: str, width: int = 190) -> int:
    """Draw a box for a whole number up to `high`; one beyond it becomes `high`, and is noted if a link asked for it.

    Args:
        label: what is entered.
        field: where the number stands.
        high: the largest number that exists now.
        noun: what is counted, for the note.
        width: in pixels.
    """
    low = int(field.low)
    field.fit(range(low, high + 1), noun, min(field.value, high))
    return int(number(f"{label}, {low} to {high:,}", field, high=high, width=width))


def code_line(what: str) -> None:
    """Show the line of our own source that computes something; `what` is a key of `source_lines.PLACES`."""
    found = source_line(what)
    st.caption(f"`{found.place}`")
    st.code(found.code, language="python", wrap_lines=True)
