"""What a summary owes to the dialogue: the shade by reliance, and the strip of what comes from its own words."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.explain.attribution.attribution import Attribution
from core.figures.summarize import own_words as figures
from core.trace import Summary
from core.words import later, say
from pages.shared.figures import pictures
from pages.shared.model import model_parts
from pages.shared.model.answers import answer, refused
from pages.shared.session import notices
from pages.shared.session.fields import Choice

if TYPE_CHECKING:
    from core.service import Summarizer

SHADE = Choice("shade", ("probability", "copied", "reliance"))
SHARES = Choice("shares", ("closed", "open"))
FIELDS = (SHADE, SHARES)
STRIP, BOX = "summary_tokens", "own_words_box"
LACKING = later("stack of layers whose vectors could be followed")


def shade(summarizer: "Summarizer", summary: Summary) -> Attribution | None:
    """Return the reliance of each token where it is the shade, else None."""
    copies = any(step.copied is not None for step in summary.steps)
    asked = SHADE.fit([option for option in SHADE.options if copies or option != "copied"], say("shade"))
    return (
        answer(summarizer, summary, "reliance", None, None, "turn") if asked == "reliance" and summary.steps else None
    )


def take_shade() -> None:
    """Take over the shade that was chosen in the strip."""
    if (chosen := st.session_state[STRIP].shade) in SHADE.options:
        SHADE.value = chosen


def draw(summarizer: "Summarizer", summary: Summary) -> None:
    """Draw the box with the shares of dialogue and own words; they are computed where it is open."""
    label = say("From the dialogue, or from its own words?")
    st.session_state[BOX] = SHARES.value == "open"  # a link may open it
    box = st.expander(label, key=BOX, icon=":material/compare_arrows:", on_change=_opened)
    if not box.open:
        return
    with box, notices.boundary("own_words"):
        if summary.steps and model_parts.has_or_note("blocks", say(LACKING)):
            pictures.show(figures.shares(answer(summarizer, summary, "contributions", None, None, "turn")), "own_words")
            st.caption(say(figures.SHARES))


def _opened() -> None:
    SHARES.value = "open" if st.session_state[BOX] else "closed"


def shown(summary: Summary) -> tuple[str, ...]:
    """Return the methods whose answers are on the page now."""
    chosen = {
        "contributions": SHARES.value == "open" and model_parts.has("blocks"),
        "reliance": SHADE.value == "reliance",
    }
    return tuple(method for method, on in chosen.items() if on and not refused(method, summary))


def columns(found: Attribution | None) -> dict[str, list[Any]]:
    """Return what the table of the tokens has beside their probabilities."""
    return {} if found is None else {name: column for name, column in figures.table(found).items() if name != "Token"}
