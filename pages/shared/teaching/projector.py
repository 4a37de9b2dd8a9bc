"""The projector: large type, high contrast, and the pictures of each view whole on a screen of 1280 × 720."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from pages.shared.session.fields import Choice
from pages.shared.teaching import classroom, course

PROJECTOR = Choice("projector", ("off", "on"))
SWITCH, TITLE, KEYS = "projector_switch", "projector_title", "projector_keys"
"""Keys of the button in the sidebar, of the line with title and sentence, and of what listens to the keyboard."""
TALLEST, ABOVE_LESSON, BELOW_CHOICES, CLASS = 590, 385, 330, 48
"""Pixels of a chart: what 1280 × 720 leaves below the views of a page, above the panel of a lesson, and, without the
projector, between the choices of a page and that panel; of these, what the bar of a class takes."""
LARGER = 1.3
"""Factor of the texts in a chart."""
BOXES = ("stElementContainer", "stLayoutWrapper", "stHorizontalBlock", "stVerticalBlock", "stColumn")
"""What Streamlit puts around an element and around others, as test ids."""
KEPT = (f".st-key-{TITLE}", f".st-key-{KEYS}", "[data-testid=stAlert]", "[data-testid=stException]")
"""What is never folded away beside the pictures and the choice of a view: the title, and whatever went wrong."""


def on() -> bool:
    """Return whether this session is shown by a projector; never for a side of two models: the page around it is."""
    return PROJECTOR.value == "on" and not st.context.is_embedded


def switch() -> None:
    """Turn it on or off; for a button."""
    PROJECTOR.value = "off" if on() else "on"


def begin(broad: bool) -> None:
    """Fold the sidebar away and enlarge everything, or leave both as they are; when the link has been read.

    Args:
        broad: whether the page needs the whole window anyway.
    """
    st.set_page_config(initial_sidebar_state="collapsed" if broad or on() else "auto")
    if on():
        st.html(Path(__file__).with_suffix(".css"))


def tallest() -> int | None:
    """Return how many pixels a chart may be tall; None: as many as it has."""
    taken = CLASS if classroom.role() else 0
    if course.LESSON.value == course.CLOSED:
        return TALLEST - taken if on() else None
    return (ABOVE_LESSON if on() else BELOW_CHOICES) - taken


def selectors(pictures: Sequence[str]) -> list[str]:
    """Return a selector for each picture, by its key; "table_*" stands for every key that begins like this."""
    return [f'[class*="st-key-{key[:-1]}"]' if key.endswith("*") else f".st-key-{key}" for key in pictures]


def folding(pictures: Sequence[str], view: str) -> str:
    """Return a style sheet that hides what stands before the pictures of a view, until its controls are unfolded.

    Args:
        pictures: keys of what must be seen; where none of them is on the page, nothing is hidden.
        view: key of the choice of a view.
    """
    seen = selectors(pictures)
    if not seen:
        return ""
    before = ", ".join(f"~ {each}, ~ * {each}" for each in seen)
    stays = ", ".join(f"{each}, :has({each})" for each in (*seen, f".st-key-{view}", *KEPT))
    boxes = ", ".join(f"[data-testid={each}]" for each in BOXES)
    folded = f":is({boxes}):has({before}):not({stays})"
    return f"<style>:root:not([data-unfolded]) [data-testid=stMain] {folded} {{ display: none; }}</style>"


def title(name: str, about: str) -> None:
    """Draw the title of a page and its sentence in one line."""
    with st.container(horizontal=True, vertical_alignment="center", key=TITLE):
        st.title(name, anchor=False, width="content")
        st.markdown(about)
