"""Which table of positions the page shows: sinusoids of any size and base, or what a checkpoint has learnt."""

from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import ModelConfig, NetworkConfig
from core.errors import SettingsError
from core.experiments.positions import position_table
from core.explain import positions
from core.explain.lab_steps import Matrix
from pages.shared import errors, loading, state
from pages.shared.state import Key

LINKED = "pos_linked"
PRESET, BASE_BOX, BASE_SEEN = "pos_preset", "pos_base_box", "pos_base_seen"
PAPER = (100, 512, 10000.0)
ROWS = 100
"""Positions of a preset that does not name its own number."""
LEARNED = "learned"
Size = tuple[int, int, float]


@dataclass(frozen=True, eq=False)
class Chosen:
    """What is shown.

    Args:
        values: [L, D].
        base: of the sinusoids, None for a learned table.
    """

    values: Matrix
    base: float | None

    @property
    def is_slides(self) -> bool:
        """Whether it is the example of the lecture slides."""
        return self.base is not None and (*self.values.shape, self.base) == positions.SLIDES


def current() -> Chosen | None:
    """Draw the controls; the table, or None while the model that has learnt it is loading."""
    name = state.checkpoint()
    config = checkpoints.read_config(name)
    learned = _is_learned(config)
    _presets(config, learned)
    if learned:
        return _learned()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = _number("Length (positions)", Key.POS_LENGTH, "How many positions the table has.")
        width = _number("Width d (dimensions)", Key.POS_WIDTH, "Numbers of one position. Odd widths end on a sine.")
        base = _base()
    _edges(length, width)
    return Chosen(positions.encoding(length, width, base), base)


def _has_learned(config: NetworkConfig) -> bool:
    """Whether the checkpoint has learnt a table of positions."""
    return isinstance(config, ModelConfig) and config.positions == LEARNED


def _is_learned(config: NetworkConfig) -> bool:
    """Whether the learned table is asked for; a checkpoint that has none is noted."""
    if st.session_state[Key.POS_TABLE] != LEARNED:
        return False
    if _has_learned(config):
        return True
    has = "those of this checkpoint are sinusoids" if isinstance(config, ModelConfig) else "this checkpoint has none"
    state.note(f"The link asks for learned positions; {has}.")
    st.session_state[Key.POS_TABLE] = "sinusoids"
    return False


def _presets(config: NetworkConfig, learned: bool) -> None:
    """Examples to begin with; the one that is shown is marked, and none if the numbers are one's own."""
    slides, paper = positions.SLIDES, PAPER
    sizes: dict[str, Size] = {f"Slides: {_size(slides)}": slides, f"Vaswani base: {_size(paper)}": paper}
    if isinstance(config, ModelConfig):
        own = (ROWS, config.d_model, float(config.position_base))
        sizes[f"This checkpoint’s width: {_size(own)}"] = own
    session = st.session_state
    shown = (session[Key.POS_LENGTH], session[Key.POS_WIDTH], session[Key.POS_BASE])
    options = [*sizes, *(["Learned by this checkpoint"] if _has_learned(config) else [])]
    session[PRESET] = options[-1] if learned else next((name for name, size in sizes.items() if size == shown), None)
    st.segmented_control("Example", options, key=PRESET, on_change=_take, args=(sizes,))


def _size(size: Size) -> str:
    return f"{size[0]} × {size[1]}, base {size[2]:,g}"


def _take(sizes: dict[str, Size]) -> None:
    """An example was chosen; the same one again changes nothing."""
    name = st.session_state[PRESET]
    if name is None:
        return
    st.session_state[Key.POS_TABLE] = "sinusoids" if name in sizes else LEARNED
    if name in sizes:
        st.session_state.update(zip((Key.POS_LENGTH, Key.POS_WIDTH, Key.POS_BASE), sizes[name], strict=True))


def _number(label: str, key: Key, tip: str) -> int:
    high = positions.LONGEST
    return int(st.number_input(label, 1, high, key=key, help=tip, persist_state="session", width=190))


def _base() -> float:
    """The base; one that cannot be used is refused, and the last good one stays."""
    session = st.session_state
    if session.get(BASE_SEEN) != session[Key.POS_BASE]:
        session[BASE_BOX] = session[BASE_SEEN] = float(session[Key.POS_BASE])
    base = st.number_input(
        "Base (above 1)",
        key=BASE_BOX,
        value=None,
        step=1.0,
        format="%g",
        help="The wavelengths grow from 2π towards 2π × base.",
        persist_state="session",
        width=190,
    )
    try:
        positions.check_base(base)
        session[Key.POS_BASE] = session[BASE_SEEN] = float(f"{base:g}")  # as it stands in a link
    except SettingsError as error:
        errors.show(error)
        st.caption(f"The pictures are still those of base {session[Key.POS_BASE]:,g}.")
    return float(session[Key.POS_BASE])


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
    """The table that the checkpoint has learnt, its first rows."""
    job = state.current_job()
    if not loading.ready(job) or job.summarizer is None:
        return None
    found = position_table(job.summarizer).astype(float)
    length = _number("Length (positions)", Key.POS_LENGTH, "How many positions are shown.")
    kept = found[:length]
    st.caption(
        f"The encoder’s table has {len(found):,} rows of {found.shape[1]} trained numbers; shown are {len(kept):,}. "
        "No formula ties its rows together, and it ends: a longer text has no position to take."
    )
    return Chosen(kept, None)


def fit(key: Key, high: int, what: str) -> None:
    """Keep a number inside a table that may have become smaller; a link that asks for more is noted."""
    session = st.session_state
    if session[key] > high:
        asked = session[key] != state.PAGE_FIELDS["positions"][key][1]
        if asked and session.get(LINKED, 0) != session.get(Key.JUMPS, 0):
            state.note(f"The link asks for {what} {session[key]:,}; the last one here is {high:,}.")
        session[key] = high


def link_was_read() -> None:
    """What is asked from now on is asked by hand; at the end of a run."""
    st.session_state[LINKED] = st.session_state.get(Key.JUMPS, 0)
