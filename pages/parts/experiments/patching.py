"""Patching: put states of the dialogue into its twin, and see where the network keeps who said it."""

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import SettingsError
from core.experiments.attribution import twins
from core.explain.attribution.attribution import inputs_of
from core.figures.experiments import patching as figures
from core.trace import Summary
from core.words import later, say
from pages.parts.experiments.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import options, row, select
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import model_parts, sweep
from pages.shared.model.cache import cached
from pages.shared.session.fields import Choice, Text
from pages.shared.session.notices import literal, sentence

if TYPE_CHECKING:
    from core.service import Summarizer

SWAP = Text("swap", 130, of_dialogue=True)
PUT = Choice("put", figures.PUT)
FIELDS = (SWAP, PUT)
AT_ONCE = 16
"""Most turns that are patched without being asked."""
WHAT = later(
    "The twin is the same dialogue with two names, or a number and another one, exchanged. The model writes the same "
    "words for both; one state of the dialogue is put into the run of the twin. 100 %: the twin's choice of the name "
    "is then that of the dialogue; below 0, it moves away from it. With the states of a turn go its tokens, which a "
    "model that copies reads again. This is an intervention: the choice **depends on** that state. “First order” is "
    "the same from one backward pass, without copying."
)


def draw(run: Run) -> None:
    """Draw the choice of a twin, and what each state of the dialogue brings back in it."""
    if not run.of_its_own() or not model_parts.has_or_note(
        "blocks", say("stack of layers whose states could be put into others")
    ):
        return
    offered = _offers(run.summarizer, run.summary)
    swaps = dict.fromkeys([*offered, *([SWAP.value] if SWAP.value else [])])
    with row():
        if swaps:
            names = {swap: _named(run, swap) for swap in swaps}
            select(say("Exchange"), names, SWAP, usual=next(iter(swaps)), width=190)
        select(say("Put into the twin"), PUT, width=190)
    with options():
        tip = say("Two names or numbers of one length in tokens, such as Anna=Maya.")
        label = say("Or type what to exchange")
        st.text_input(label, SWAP.value, SWAP.longest, key="typed_swap", help=tip, on_change=_typed)
    swap = SWAP.value or next(iter(swaps), "")
    if not swap:
        text = say("No twin with as many tokens was found. Type two names or numbers of the dialogue under “Options”.")
        st.info(text, icon=":material/info:")
        return
    try:
        _patched(run, swap)
    except SettingsError as error:
        st.info(literal(f"{sentence(error)}."), icon=":material/info:")


def _patched(run: Run, swap: str) -> None:
    from core.experiments.attribution import patching

    twin, summarizer = twins.twin_of(run.summarizer, run.summary, swap), run.summarizer
    key = ("patching", *run.key, swap)
    if not sweep.known(key) and len(run.turn_groups) <= AT_ONCE:
        sweep.start(key)
    elif len(run.turn_groups) > AT_ONCE:
        demo.check(say("no states are patched"))
    label = say("Patch every turn, head and position")
    recovery = sweep.once("patching", key, label, lambda report: patching.patch(summarizer, run.summary, twin, report))
    if recovery is not None:
        texts = (summarizer.tokenizer.id_text(token, twin.encoded.speakers) for token in (twin.answer, twin.foil))
        pictures.show(figures.patched(recovery, PUT.value, inputs_of(run.summary), *texts), "patched")
        st.markdown(f"**{figures.kept(recovery)}** {say(WHAT)}")
    with st.expander(say("The twin, word for word")):
        text = run.summary.dialogue.text
        word_diff(text, twins.exchanged(text, twin.names), key="twin_diff")


@cached(16)
def _offers(summarizer: "Summarizer", summary: Summary) -> tuple[str, ...]:
    return twins.offers(summarizer, summary)


def _named(run: Run, swap: str) -> str:
    """Return a swap as people read it."""
    if swap == twins.SPEAKERS:
        return " ↔ ".join(run.summary.dialogue.speakers[:2])
    return swap.replace("=", " ↔ ")


def _typed() -> None:
    SWAP.value = str(st.session_state["typed_swap"]).strip()
