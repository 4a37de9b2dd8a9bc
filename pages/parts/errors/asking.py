"""Ask our model whether a summary is more likely with another person, name, number or negation: of one, or of many."""

from collections.abc import Hashable, Mapping, Sequence

import streamlit as st

from core.errors import CorpusError, DialogueError
from core.faults.fault import Fault
from core.figures.shared.wording import count
from core.words import later, say
from pages.parts.errors.summaries import Run
from pages.shared.model import loading, models, sweep
from pages.shared.session import decoding, notices

ASKED = "err_asked"
"""Session key: the sweep that was begun last, and the places of the summaries that it asks about."""
BATCH = 4
"""Summaries that are asked about before the page draws again."""
TIP = later(
    "Every person, name, number and negation of the summary is exchanged for another one of the dialogue, and the "
    "model says how likely the summary is then. It measures the model's own doubt, not truth."
)


def answers(run: Run) -> Mapping[int, tuple[Fault, ...]]:
    """Return what the model of the sidebar, or the writer itself, answered so far, by place."""
    return sweep.results(_key(run)) if sweep.known(_key(run)) else {}


def _key(run: Run) -> Hashable:
    return ("swaps", models.identity(run.checkpoint or decoding.CHECKPOINT.value), *run.key)


def missing(run: Run, places: Sequence[int]) -> tuple[int, ...]:
    """Return the places of which nobody has asked yet."""
    known = answers(run)
    return tuple(
        place
        for place in places
        if place not in known and not any(hint.kind.endswith("_swap") for hint in run.rows[place].faults)
    )


def draw_one(run: Run, place: int) -> None:
    """Draw a button that asks about one summary."""
    if missing(run, [place]):
        st.button(
            say("Ask the model: is another person, name or number more likely?"), icon=":material/swap_horiz:",
            help=say(TIP), key="ask_swaps", on_click=_ask_one, args=(run, place),
        )  # fmt: skip


def draw_many(run: Run, places: Sequence[int]) -> None:
    """Draw a button that asks about some summaries, and how far the last such sweep is.

    Args:
        run: the summaries.
        places: of those that would be asked about now.
    """
    key, begun = st.session_state.get(ASKED, (None, ()))
    known = answers(run)
    if key == _key(run) and any(place not in known for place in begun):
        sweep.controls("swaps", key, begun, say("Ask the model"), say("summaries asked about"))
        if sweep.running(key):
            return
    wanted = missing(run, places)
    label = (
        say("Ask the model about {summaries}", summaries=count(len(wanted), "summary"))
        if wanted
        else say("The model was asked about these summaries")
    )
    st.button(
        label, icon=":material/swap_horiz:", help=say(TIP), key="ask_many", disabled=not wanted, on_click=_begin,
        args=(run, wanted),
    )  # fmt: skip


def _begin(run: Run, places: tuple[int, ...]) -> None:
    st.session_state[ASKED] = (_key(run), places)
    sweep.start(_key(run))


def _ask_one(run: Run, place: int) -> None:
    notices.attempt(lambda: sweep.results(_key(run)).update(_ask(run, [place])))


def advance(run: Run) -> None:
    """Ask about the next summaries of a sweep that is running; the last call of the page's fragment."""
    key, begun = st.session_state.get(ASKED, (None, ()))
    if key == _key(run) and sweep.running(key):
        sweep.advance(key, begun, BATCH, lambda some: _ask(run, some))


def _ask(run: Run, places: Sequence[int]) -> dict[int, tuple[Fault, ...]]:
    """Return the swaps that the model finds more likely, by place; none of a dialogue that it cannot read."""
    from core.faults.swaps import swap_faults

    summarizer = run.summarizer or loading.current_job().summarizer
    if summarizer is None:
        raise CorpusError("the model is still loading. Try again in a moment")
    swaps: dict[int, tuple[Fault, ...]] = {}
    for place in places:
        row = run.rows[place]
        try:
            swaps[place] = swap_faults(summarizer, summarizer.encode(row.dialogue), row.summary)
        except DialogueError:
            swaps[place] = ()
    return swaps
