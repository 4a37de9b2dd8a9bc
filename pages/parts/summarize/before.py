"""What is said before a summary: another language, a text unlike the training data, turns that were left out."""

import streamlit as st

from core import checkpoints
from core.figures.shared import card_facts
from core.figures.shared.wording import turn_ranges
from core.text import suitability
from core.text.dialogue import parse_dialogue
from core.trace import Summary
from core.words import say
from pages.shared.model import checkpoint_change
from pages.shared.session import decoding, selection
from pages.shared.session.notices import literal


def text() -> None:
    """Warn of a text that the chosen checkpoint was not trained for; the model is not needed."""
    name = decoding.checkpoint()
    if checkpoint_change.known_input(name) or card_facts.is_imported(checkpoints.read_card(name)):
        return
    dialogue = parse_dialogue(selection.current().text)
    if code := suitability.other_language(dialogue):
        spoken = suitability.language_name(code)
        st.warning(
            say("This looks like {language}. The model reads and writes English only.", language=literal(spoken)),
            icon=":material/translate:",
        )
    elif reasons := suitability.unusual(dialogue):
        message = say(
            "Unlike most dialogues that this model was trained on: {reasons}. Expect more mistakes.",
            reasons="; ".join(reasons),
        )
        if not dialogue.speakers:
            message += " " + say("If several people speak, write “Name: ” before what each of them says.")
        st.warning(message, icon=":material/forum:")


def truncation(summary: Summary) -> None:
    """Say which turns the model did not read, or read a part of only."""
    left, part = turn_ranges(summary.omitted), turn_ranges(summary.shortened)
    counts = {"amount": len(summary.omitted), "turns": len(summary.dialogue.turns), "left": left}
    if left and part:
        message = say(
            "Too long for this model: it left out {amount} of {turns} turns ({left}) and read only a part of turn "
            "{part}.",
            **counts,
            part=part,
        )
    elif left:
        message = say("Too long for this model: it left out {amount} of {turns} turns ({left}).", **counts)
    elif part:
        message = say("Too long for this model: it read only a part of turn {part}.", part=part)
    else:
        return
    decides = say("“{setting}” in the sidebar decides what is left out.", setting=say("If the dialogue is too long"))
    st.warning(f"{message} {decides}", icon=":material/content_cut:")
