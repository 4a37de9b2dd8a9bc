"""The sidebar: checkpoint, decoding, and a button that starts over; it offers what the open page uses.

On a side of the page of two models all of it stands in a box above the page.
"""

from collections.abc import Collection
from urllib.parse import urlencode

import streamlit as st

from core import checkpoints
from core.figures import card_facts
from core.text.glossary import definition
from pages.shared.components.opened_box import opened_box
from pages.shared.controls import add_model, allowed, classes
from pages.shared.controls.choices import one_of
from pages.shared.frame import address, decoding, projector, session, speech, switching
from pages.shared.frame.fields import Number

STRATEGIES = {"greedy": "Greedy", "beam": "Beam", "sample": "Sample"}
ABOUT = {"greedy": definition("greedy"), "beam": definition("beam search"), "sample": definition("sampling")}
TRUNCATIONS = {
    "start": "Leave out the start",
    "middle": "Leave out the middle",
    "end": "Leave out the end",
    "error": "Refuse it",
}
WORDS = {"whole": "Kept whole", "free": "Free"}
LABELS = {
    "beam_size": ("Beam size", definition("beam size")),
    "length_penalty": ("Length penalty", definition("length penalty")),
    "temperature": ("Temperature", definition("temperature")),
    "top_k": ("Top k", definition("top-k")),
    "top_p": ("Top p", definition("top-p")),
    "seed": ("Seed", definition("seed")),
    "max_tokens": ("Longest summary (tokens)", "Writing stops here if the model does not end by itself."),
    "no_repeat_ngram": ("No repeated n-gram", definition("repetition rule")),
}


def draw(uses: Collection[str], apart: bool) -> None:
    """Draw the controls that the open page uses.

    Args:
        uses: "checkpoint", "decoding", both or neither.
        apart: whether the page uses nothing at all of them: what belongs to every page is all there is then.
    """
    add_model.settle()
    if apart and st.context.is_embedded:
        return
    with st.popover("Settings", icon=":material/tune:") if st.context.is_embedded else st.sidebar:
        if not st.context.is_embedded:
            _projector()
            speech.choose()
        if apart:
            return
        if "checkpoint" in uses:
            _checkpoint()
            add_model.draw()
            _beside()
        if "decoding" in uses:
            _decoding()
        if not st.context.is_embedded:
            st.header("Class", anchor=False)
            classes.offer("sidebar")
        allowed.draw()
        icon = ":material/restart_alt:"
        st.button("Reset everything", key="reset", icon=icon, on_click=session.reset, width="stretch")
        opened_box()


def _projector() -> None:
    label, icon = (
        ("Leave the projector", ":material/close:") if projector.on() else ("Projector", ":material/slideshow:")
    )
    tip = "For a large screen: larger type, higher contrast, the picture of each page without scrolling, and keys."
    st.button(
        label, key=projector.SWITCH, icon=icon, help=tip, on_click=projector.switch, shortcut="Alt+P", width="stretch"
    )  # fmt: skip


def _checkpoint() -> None:
    st.header("Model", anchor=False)
    name = st.selectbox(
        "Checkpoint",
        decoding.available(),
        key=decoding.CHECKPOINT.name,
        on_change=switching.follow,
        persist_state="session",
        help=definition("checkpoint"),
    )
    st.caption(card_facts.facts(checkpoints.read_card(name)))


def _beside() -> None:
    """Draw the button that shows the open page for two checkpoints; not on a side of that page."""
    if st.context.is_embedded or switching.known_input(decoding.checkpoint()):
        return
    if st.button("Beside another model", key="beside_another", icon=":material/compare:", width="stretch"):
        page = st.session_state[address.PAGE]
        here = address.wanted(page)
        left = here.pop(decoding.CHECKPOINT.name, "")
        address.visit("compare", show=page, state=urlencode(here), left_model=left)


def _decoding() -> None:
    st.header("Decoding", anchor=False)
    strategy = one_of("Strategy", STRATEGIES, decoding.STRATEGY.name, definition("strategy"), width="stretch")
    st.caption(ABOUT[strategy])
    for name, field in decoding.NUMBERS.items():
        if field in decoding.OF_STRATEGY[strategy]:
            _number(field, *LABELS[name])
    if not card_facts.is_imported(checkpoints.read_card(decoding.checkpoint())):  # the rule is for our own tokenizers
        one_of("Words", WORDS, decoding.WORDS.name, definition("whole words"), width="stretch")
    st.selectbox(
        "If the dialogue is too long",
        list(TRUNCATIONS),
        format_func=TRUNCATIONS.__getitem__,
        key=decoding.TRUNCATION.name,
        persist_state="session",
        help=f"{definition('truncation')} What is left out is marked in the dialogue.",
    )


def _number(field: Number, label: str, tip: str) -> None:
    high = field.high
    if field is decoding.MAX_TOKENS:  # no model writes more than it was built for
        high = min(high, checkpoints.read_config(decoding.CHECKPOINT.value).max_target_length)
        field.fit(range(int(field.low), int(high) + 1), "a longest summary of", instead=high)
    draw = st.number_input if field is decoding.SEED else st.slider
    draw(label, field.low, high, step=field.step, key=field.name, help=tip, persist_state="session")
