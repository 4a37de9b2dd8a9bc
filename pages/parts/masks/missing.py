"""What if a mask were missing? The shipped model runs again without it."""

from core.words import later, say
from pages.parts.masks import look_ahead, padding
from pages.shared.controls import picker
from pages.shared.controls.choices import one_of, row
from pages.shared.model import loading, model_parts
from pages.shared.session.fields import Choice, follow

MISSING = {
    "look_ahead": (later("Look-ahead mask"), look_ahead.draw),
    "padding": (later("Padding masks"), padding.draw),
}
MASK = Choice("mask_missing", {name: label for name, (label, _) in MISSING.items()})
FIELDS = (MASK, *look_ahead.FIELDS, *padding.FIELDS)
LACKING = later("look-ahead mask to take away, because its decoder reads one token after the other")


def draw() -> None:
    """Draw what the shipped model does without one of its masks."""
    if not model_parts.has_or_note("blocks", say(LACKING)):
        return
    with row():
        picker.bar()
        missing = one_of(say("Taken away"), MASK)
    summarizer, summary = loading.require_run()
    follow((summary.checkpoint, summary.dialogue.text, summary.text), *look_ahead.FIELDS)
    MISSING[missing][1](summarizer, summary)
