"""The sidebar: checkpoint, decoding, and a button that starts over; it offers what the open page uses.

On a side of the page of two models all of it stands in a box above the page.
"""

from collections.abc import Collection
from urllib.parse import urlencode

import streamlit as st

from core import checkpoints
from core.figures.shared import card_facts
from core.text.glossary import definition
from core.words import later, say
from pages.shared.components.opened_box import opened_box
from pages.shared.controls import add_model, allowed, classes, starting_over
from pages.shared.controls.choices import one_of, select
from pages.shared.model import checkpoint_change
from pages.shared.place import places
from pages.shared.session import decoding, language
from pages.shared.session.fields import Number
from pages.shared.teaching import projector

_NAMES = {
    "beam_size": later("Beam size"),
    "length_penalty": later("Length penalty (higher: longer)"),
    "temperature": later("Temperature"),
    "top_k": later("Top k"),
    "top_p": later("Top p"),
    "seed": later("Seed"),
    "max_tokens": later("Longest summary (tokens)"),
    "no_repeat_ngram": later("No repeated n-gram"),
}
"""What the numeric settings are called, to be said."""
TERMS = {
    "greedy": "greedy",
    "beam": "beam search",
    "sample": "sampling",
    "beam_size": "beam size",
    "length_penalty": "length penalty",
    "temperature": "temperature",
    "top_k": "top-k",
    "top_p": "top-p",
    "seed": "seed",
    "no_repeat_ngram": "repetition rule",
}
"""Terms of the glossary that say more about a strategy or a setting."""
UNSEEN = "<style>[data-testid=stLayoutWrapper]:has(> .st-key-unseen) { display: none; }</style>"
"""What draws nothing takes no room either."""


def label(name: str) -> tuple[str, str]:
    """Return the label of a numeric setting, and more about it."""
    if name == "max_tokens":
        return say(_NAMES[name]), say("Writing stops here if the model does not end by itself.")
    return say(_NAMES[name]), definition(TERMS[name])


def draw(uses: Collection[str], apart: bool) -> None:
    """Draw the controls that the open page uses.

    Args:
        uses: "checkpoint", "decoding", both or neither.
        apart: whether the page uses none of them: then only what belongs to every page is drawn.
    """
    add_model.settle()
    with st.container(key="unseen"):
        st.html(UNSEEN)
        opened_box()
    if apart and st.context.is_embedded:
        return
    with st.popover(say("Settings"), icon=":material/tune:") if st.context.is_embedded else st.sidebar:
        if not st.context.is_embedded:
            _projector()
            select(f":material/translate: {say('Language')}", language.names(), language.LANGUAGE)
        if apart:
            return
        if "checkpoint" in uses:
            _checkpoint()
            add_model.draw()
            _beside()
        if "decoding" in uses:
            _decoding()
        if not st.context.is_embedded:
            st.header(say("Class"), anchor=False)
            classes.offer("sidebar")
        allowed.draw()
        starting_over.draw()


def _projector() -> None:
    on = projector.on()
    label, icon = (say("Leave the projector"), ":material/close:") if on else (say("Projector"), ":material/slideshow:")
    tip = say("For a large screen: larger type, higher contrast, the picture of each page without scrolling, and keys.")
    st.button(
        label, key=projector.SWITCH, icon=icon, help=tip, on_click=projector.switch, shortcut="Alt+P", width="stretch"
    )  # fmt: skip


def _checkpoint() -> None:
    st.header(say("Model"), anchor=False)
    names, tip = {name: name for name in decoding.available()}, definition("checkpoint")
    name = select(say("Checkpoint"), names, decoding.CHECKPOINT, tip, on_change=checkpoint_change.follow)
    st.caption(card_facts.facts(checkpoints.read_card(name)))


def _beside() -> None:
    """Draw the button that shows the open page for two checkpoints; not on a side of that page."""
    if st.context.is_embedded or checkpoint_change.known_input(decoding.checkpoint()):
        return
    label, icon = say("Beside another model"), ":material/compare:"
    if st.button(label, key="beside_another", icon=icon, width="stretch"):
        page = st.session_state[places.PAGE]
        here = places.wanted(page) | places.dialogue()
        left = here.pop(decoding.CHECKPOINT.name, "")
        places.visit("compare", show=page, state=urlencode(here), left_model=left)


def _decoding() -> None:
    st.header(say("Decoding"), anchor=False)
    strategy = one_of(say("Strategy"), decoding.STRATEGY, tip=definition("strategy"), width="stretch")
    st.caption(definition(TERMS[strategy]))
    for name, field in decoding.NUMBERS.items():
        if field in decoding.OF_STRATEGY[strategy]:
            _number(field, *label(name))
    if not card_facts.is_imported(checkpoints.read_card(decoding.checkpoint())):  # the rule is for our own tokenizers
        one_of(say("Words"), decoding.WORDS, tip=definition("whole words"), width="stretch")
    marked = say("What is left out is marked in the dialogue.")
    tip = f"{definition('truncation')} {marked}"
    select(say("If the dialogue is too long"), decoding.TRUNCATION, tip=tip)


def _number(field: Number, label: str, tip: str) -> None:
    high = field.high
    if field is decoding.MAX_TOKENS:  # no model writes more than it was built for
        high = min(high, checkpoints.read_config(decoding.CHECKPOINT.value).max_target_length)
        field.fit(range(int(field.low), int(high) + 1), say("a longest summary of"), instead=high)
    draw = st.number_input if field is decoding.SEED else st.slider
    draw(label, field.low, high, step=field.step, key=field.name, help=tip, persist_state="session")
