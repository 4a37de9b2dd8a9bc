"""Choose the table of positions: what the checkpoint has, or sinusoids of any size and base."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from core.config import NetworkConfig, Positions
from core.errors import SettingsError
from core.experiments.positions import position_table
from core.explain import positions
from core.explain.attention_lab.steps import Matrix
from core.explain.positions import Side
from core.explain.shared.source_lines import source_line
from core.figures.positions.bias import SIDES
from core.words import later, say
from pages.shared.controls.choices import number, one_of, row
from pages.shared.model import loading
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Number

OWN, SINUSOIDS, LEARNED = "own", "sinusoids", "learned"
TABLE = Choice("pos_table", (OWN, SINUSOIDS, LEARNED))
"""What the checkpoint has; sinusoids as in the paper; links of older versions also ask for learned positions."""
SIDE = Choice("pos_side", SIDES)
LENGTH = Number("pos_length", 1, "table_positions", 50)
WIDTH = Number("pos_width", 1, "table_positions", 64)
BASE = Number("pos_base", 1.00001, positions.LARGEST_BASE, 10000.0, 1.0)
PLACE = Number("pos_place", 0, "table_positions", 3)
FIELDS = (TABLE, SIDE, LENGTH, WIDTH, BASE, PLACE)
PRESET, BOX, BOXED = "pos_preset", "pos_base_box", "pos_base_boxed"
"""Session keys: the example, what stands in the box of the base, and the base that was put there."""
PAPER = (100, 512, 10000.0)
TYPED = "typed"
EXAMPLES = {
    "small": later("Small: {length} × {width}"),
    "slides": later("From a lecture: {length} × {width}"),
    "paper": later("Vaswani base: {length} × {width}"),
    "width": later("This checkpoint’s width: {length} × {width}"),
    TYPED: later("Your own: {length} × {width}"),
}
OWN_TABLES: dict[Positions | None, str] = {
    "learned": later("Learned by this checkpoint"),
    "relative": later("Biases of this checkpoint"),
}
Size = tuple[int, int, float]


@dataclass(frozen=True, eq=False)
class Chosen:
    """A table of positions.

    Args:
        values: [L, D].
        base: of the sinusoids, None for a learned table.
        halves: whether all sines come first.
        about: what there is to say of it, below its picture.
    """

    values: Matrix
    base: float | None
    halves: bool = False
    about: str = ""

    @property
    def is_slides(self) -> bool:
        """Return whether it is the example of the lecture slides."""
        return self.base is not None and (*self.values.shape, self.base) == positions.SLIDES


def choose(biases: Callable[[], None]) -> Chosen | None:
    """Draw the choice of a table and return it.

    Args:
        biases: draws what a model with biases by distance has in place of a table.

    Returns:
        The table; None while the model that has learnt it loads, or where there is none.
    """
    config = decoding.config()
    kind = config.has.positions
    if TABLE.value == LEARNED:
        if kind != LEARNED:
            TABLE.refuse(say(_HAS[kind]))
        TABLE.clear()
    own = TABLE.value == OWN
    _presets(config)
    if own and kind == LEARNED:
        return _learned()
    if own and kind == "relative":
        biases()
        return None
    halves = own and kind == "halves"
    with row():
        length = number(say("Length"), LENGTH, say("How many positions the table has."), width=105)
        tip = say("Dimensions: numbers of one position. Odd widths end on a sine.")
        width = number(say("Width d"), WIDTH, tip, width=105)
    base = _base()
    first = say("In this model all sines come before all cosines.") if halves else ""
    about = "  \n".join([*([first] if first else []), *_edges(length, width)])
    return Chosen(positions.encoding(length, width, base, halves), base, halves, about)


_HAS: dict[Positions | None, str] = {
    "sinusoidal": later("The link asks for learned positions; those of this checkpoint are sinusoids."),
    "halves": later("The link asks for learned positions; those of this checkpoint are sinusoids."),
    "relative": later("The link asks for learned positions; this checkpoint has a bias by distance in their place."),
    None: later("The link asks for learned positions; this checkpoint has none."),
}


def _presets(config: NetworkConfig) -> None:
    """Draw the choice of an example; numbers of one's own are an entry of the list while they are shown."""
    sizes: dict[str, Size] = {
        "small": (LENGTH.default, WIDTH.default, BASE.default),
        "slides": positions.SLIDES,
        "paper": PAPER,
    }
    kind, blocks = config.has.positions, config.has.blocks
    tables = dict.fromkeys(sizes, OWN if kind in ("sinusoidal", None) else SINUSOIDS)
    if blocks and kind in ("sinusoidal", "halves"):
        sizes["width"] = (LENGTH.default, blocks.d_model, float(blocks.position_base))
        tables["width"] = OWN
    labels = {name: say(EXAMPLES[name], length=length, width=width) for name, (length, width, _) in sizes.items()}
    taken = {name: (tables[name], size) for name, size in sizes.items()}
    if kind in OWN_TABLES:
        labels = {OWN: say(OWN_TABLES[kind])} | labels
    shown = (TABLE.value, (LENGTH.value, WIDTH.value, BASE.value))
    same = next((name for name, preset in taken.items() if preset == shown), None)
    st.session_state[PRESET] = OWN if OWN in labels and TABLE.value == OWN else same or TYPED
    if st.session_state[PRESET] == TYPED:
        labels[TYPED] = say(EXAMPLES[TYPED], length=LENGTH.value, width=WIDTH.value)
    row().selectbox(
        say("Example"),
        list(labels),
        format_func=labels.__getitem__,
        key=PRESET,
        width=240,
        on_change=_take,
        args=(taken,),
    )


def _take(taken: dict[str, tuple[str, Size]]) -> None:
    """Take over the example that was chosen; the same one again changes nothing."""
    name = st.session_state[PRESET]
    if name in taken:
        TABLE.value, (LENGTH.value, WIDTH.value, BASE.value) = taken[name]
    elif name == OWN:
        TABLE.value = OWN


def _base() -> float:
    """Draw the box of the base; one that cannot be used is refused, and the last good one stays."""
    session = st.session_state
    if session.get(BOXED) != BASE.value:
        session[BOX] = session[BOXED] = BASE.value
    typed = row().number_input(
        say("Base"),
        key=BOX,
        value=None,
        step=1.0,
        format="%g",
        help=say("Above 1: the wavelengths grow from 2π towards 2π × base."),
        persist_state="session",
        width=110,
        on_change=_typed,
    )
    try:
        positions.check_base(typed)
    except SettingsError as error:
        notices.show(error)
        st.caption(say("The pictures are still those of base {base:,g}.", base=BASE.value))
    return float(BASE.value)


def _typed() -> None:
    """Take over the base that was typed, if it can be used."""
    typed = st.session_state[BOX]
    with suppress(SettingsError):
        positions.check_base(typed)
        BASE.value = st.session_state[BOXED] = float(f"{typed:g}")  # as it stands in a link


def _edges(length: int, width: int) -> list[str]:
    """Return what the smallest sizes give, and what an odd width lacks."""
    sentences = []
    if width == 1:
        sentences.append(say("Width 1: there is one dimension, sin p, and no cosine."))
    elif width % 2:
        sentences.append(
            say(
                "Width {width} is odd: the last dimension, {last}, is a sine without its cosine.",
                width=width,
                last=width - 1,
            )
        )
    if length == 1:
        sentences.append(say("Length 1: there is only position 0, whose sines are 0 and whose cosines are 1."))
    return sentences


def _learned() -> Chosen | None:
    """Return the first rows of the table that the checkpoint has learnt; None while it loads."""
    summarizer = loading.current_model()
    if summarizer is None:
        return None
    with row():
        side: Side = one_of(say("Table of the"), SIDE)
        length = number(say("Length"), LENGTH, say("How many positions are shown."), width=105)
    table = position_table(summarizer, side).astype(float)
    kept = table[:length]
    size = {"rows": len(table), "width": table.shape[1], "shown": len(kept)}
    has = (
        say("The encoder’s table has {rows:,} rows of {width} trained numbers; shown are {shown:,}.", **size)
        if side == "encoder"
        else say("The decoder’s table has {rows:,} rows of {width} trained numbers; shown are {shown:,}.", **size)
    )
    ends = say("No formula connects its rows, and it ends: a longer text has no vectors for its last positions.")
    return Chosen(kept, None, about=f"{has} {ends}")


def about(chosen: Chosen) -> None:
    """Say below its picture what there is to say of a table."""
    if chosen.about:
        st.caption(chosen.about)


def within(label: str, field: Number, high: int, noun: str, width: int = 190) -> int:
    """Draw a box for a whole number up to `high`; one beyond it becomes `high`, and is noted if a link asked for it.

    Args:
        label: what is entered, and its range.
        field: where the number stands.
        high: the largest number that exists now.
        noun: what is counted, for the note.
        width: in pixels.
    """
    low = int(field.low)
    field.fit(range(low, high + 1), noun, min(field.value, high))
    return int(number(label, field, high=high, width=width))


def code_line(what: str) -> None:
    """Show the line of our own source that computes something; `what` is a key of `source_lines.PLACES`."""
    line = source_line(what)
    st.caption(notices.literal(line.place))
    st.code(line.code, language="python", wrap_lines=True)
