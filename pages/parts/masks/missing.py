"""What if a mask were missing? The shipped model runs again without it."""

import streamlit as st

from core.trace import Summary
from pages.parts.masks import look_ahead, padding
from pages.shared import family, picker, state
from pages.shared.choices import one_of
from pages.shared.state import Key

MISSING = {"look_ahead": ("Look-ahead mask", look_ahead.draw), "padding": ("Padding masks", padding.draw)}

LACKING = "look-ahead mask to take away, because its decoder reads one token after the other"


def draw() -> None:
    """Draw the view."""
    if not family.transformer_or_note(LACKING):
        return
    picker.bar()
    missing = one_of("Taken away", {name: label for name, (label, _) in MISSING.items()}, Key.MASK_MISSING)
    summary = state.require_trace()
    _forget_of(summary)
    summarizer = state.current_job().summarizer
    if summarizer is not None:
        MISSING[missing][1](summarizer, summary)


def _forget_of(summary: Summary) -> None:
    """Forget the token that was changed in another summary; a link that brings another one is kept."""
    session = st.session_state
    now = (summary.checkpoint, summary.dialogue, summary.text)
    chosen = (session[Key.MASK_TOKEN], session[Key.MASK_OTHER])
    before, kept = session.get(Key.MASKS_SHOWN, (now, chosen))
    if before != now and kept == chosen:
        session.update({Key.MASK_TOKEN: 0, Key.MASK_OTHER: 0})
        chosen = (0, 0)
    session[Key.MASKS_SHOWN] = (now, chosen)
