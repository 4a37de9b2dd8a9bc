"""The sidebar: checkpoint, decoding, and the way back."""

from typing import Any

import streamlit as st

from core import checkpoints
from pages.shared import state
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import NUMBERS, Key

STRATEGIES = {"greedy": "Greedy", "beam": "Beam", "sample": "Sample"}
ABOUT = {
    "greedy": "Always takes the most probable token.",
    "beam": "Follows several beginnings at once and keeps the best whole summary.",
    "sample": "Draws each token at random, by its probability.",
}
TRUNCATIONS = {
    "start": "Leave out the start",
    "middle": "Leave out the middle",
    "end": "Leave out the end",
    "error": "Refuse it",
}
WORDS = {"whole": "Kept whole", "free": "Free"}
LABELS = {
    Key.BEAM: ("Beam size", "How many beginnings stay in the race."),
    Key.PENALTY: ("Length penalty", "The score is the log-probability divided by length to this power."),
    Key.TEMPERATURE: ("Temperature", "Below 1: safer words. Above 1: bolder words."),
    Key.TOP_K: ("Top k", "Draw only from the k most probable tokens; 0 takes all."),
    Key.TOP_P: ("Top p", "Draw only from the smallest set that holds this much probability; 1 takes all."),
    Key.SEED: ("Seed", "The same seed gives the same text."),
    Key.MAX_TOKENS: ("Longest summary (tokens)", "Writing stops here if the model does not end by itself."),
    Key.NO_REPEAT: ("No repeated n-gram", "No run of this many tokens occurs twice; 0 allows it."),
}


def sidebar() -> None:
    """Draw the controls that all pages share; the values lie in the session."""
    with st.sidebar:
        _checkpoint()
        _decoding()
        st.button(
            "Reset everything", key="reset", icon=":material/restart_alt:", on_click=state.reset, width="stretch"
        )


def _checkpoint() -> None:
    st.subheader("Model", anchor=False)
    name = st.selectbox(
        "Checkpoint",
        checkpoints.installed(),
        key=Key.CHECKPOINT,
        on_change=state.restore_decoding,
        persist_state="session",
        help="A trained model with its tokenizer.",
    )
    st.caption(facts(checkpoints.read_card(name)))


def facts(card: dict[str, Any]) -> str:
    """What a checkpoint's card says, in one paragraph."""
    scores = (card.get("scores") or {}).get("rouge") or {}
    loss = card.get("validation_loss")
    epochs = card.get("epochs")
    parts = [
        f"Preset {literal(str(card['preset']))}" if card.get("preset") else "",
        f"{epochs} epoch{'' if epochs == 1 else 's'}" if epochs else "",
        f"validation loss {loss:.2f}" if isinstance(loss, int | float) else "",
        "ROUGE-1/2/L " + " / ".join(f"{value:.1f}" for value in scores.values()) if scores else "",
    ]
    return " · ".join(part for part in parts if part) + f"  \nLicence of the weights: {licence(card)}"


def licence(card: dict[str, Any]) -> str:
    """The licence of the weights, as the card names it."""
    return literal(str(card.get("licence") or "not stated"))


def _decoding() -> None:
    st.subheader("Decoding", anchor=False)
    strategy = one_of("Strategy", STRATEGIES, Key.STRATEGY, "How the next token is chosen.", width="stretch")
    st.caption(ABOUT[strategy])
    for key in state.relevant(strategy):
        _number(key)
    one_of(
        "Words",
        WORDS,
        Key.WORDS,
        "Kept whole: a word made of several tokens of the dialogue is written as it stands there, to its end, "
        "and no word stands twice in a row. Free: the model may mix sub-words, and invent words.",
        width="stretch",
    )
    st.selectbox(
        "If the dialogue is too long",
        list(TRUNCATIONS),
        format_func=TRUNCATIONS.get,
        key=Key.TRUNCATION,
        persist_state="session",
        help="The model reads a limited number of tokens. What is left out is marked in the dialogue.",
    )


def _number(key: Key) -> None:
    number, (label, tip) = NUMBERS[key], LABELS[key]
    high = min(number.high, _longest()) if key == Key.MAX_TOKENS else number.high
    if st.session_state[key] > high:
        st.session_state[key] = high
    draw = st.number_input if key == Key.SEED else st.slider
    draw(
        label,
        min_value=number.low,
        max_value=high,
        step=number.step,
        key=key,
        help=tip,
        persist_state="session",
    )


def _longest() -> int:
    """The most tokens that the chosen model can write."""
    return checkpoints.read_config(st.session_state[Key.CHECKPOINT]).max_target_length
