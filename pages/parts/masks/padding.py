"""Without the padding masks: how the summary begins to depend on the amount of padding."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.experiments.masks.missing_masks import Mask, amounts, memory, padded
from core.figures.masks import leaks
from core.figures.shared.wording import count
from core.trace import Summary
from core.words import later, say
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session.fields import Choice, Number

if TYPE_CHECKING:
    from core.service import Summarizer

TAKEN: dict[str, tuple[Mask, ...]] = {
    "none": (),
    "encoder": ("encoder",),
    "cross": ("cross",),
    "both": ("encoder", "cross"),
}
WITHOUT = {
    "encoder": (later("In the encoder"), later("**Without: in the encoder**")),
    "cross": (later("In the cross-attention"), later("**Without: in the cross-attention**")),
    "both": (later("Both"), later("**Without: both**")),
}
"""The choice of what is taken away, and the title of what is written without it."""
AMOUNT = Number("mask_amount", 0, 128, 128)
REMOVED = Choice("mask_without", {name: label for name, (label, _) in WITHOUT.items()}, "both")
FIELDS = (AMOUNT, REMOVED)
Ids = tuple[int, ...]


def draw(summarizer: "Summarizer", summary: Summary) -> None:
    """Draw how the summary comes to depend on the amount of padding."""
    source, target = (tuple(token.id for token in tokens) for tokens in (summary.source, summary.tokens))
    possible = amounts(summarizer, source)
    if len(possible) == 1:
        st.info(
            say(
                "This dialogue fills {size:,} of the model's {most:,} source positions: there is no room for padding. "
                "Choose a shorter one.",
                size=len(source),
                most=summarizer.config.max_source_length,
            ),
            icon=":material/straighten:",
        )
        return
    amount, without = _choose(possible)
    curves = _curves(summarizer, source, target, possible)
    pictures.show(leaks.padding_curves(possible, curves, amount, len(target)), "padding_picture")
    rule = say(
        "The dialogue is followed by more and more pad tokens, as if it shared a batch with a longer one. That must "
        "not matter. Each point is a run of the model on a source that really is so long."
    )
    st.markdown(f"**{say('Does the answer depend on the padding?')}** {rule}")
    if summarizer.config.copy:
        st.caption(say("Copying has a mask of its own, which stays: padding is never copied."))
    st.markdown(say("**What the model writes with {pads}**", pads=count(amount, "pad token")))
    text = _written(summarizer, summary, source, amount, without)
    left, right = st.columns(2, gap="medium")
    with left.container(border=True):
        st.markdown(say("**With the masks, no padding**"))
        st.text(summary.text or say("(an empty summary)"))
    with right.container(border=True, key="mask_written"):
        st.markdown(say(WITHOUT[without][1]))
        if text == summary.text:
            st.text(text or say("(an empty summary)"))
            st.caption(say("The same summary."))
        else:
            word_diff(summary.text, text, key="mask_diff")
            st.caption(say("Struck through: only with the masks. Underlined: only without."))


def _choose(possible: tuple[int, ...]) -> tuple[int, str]:
    """Draw the choice of the amount of padding and of the masks that are taken away, for the text that is written."""
    AMOUNT.fit(possible, say("amount of padding"), possible[-1])
    with row():
        amount = select(say("Pad tokens"), {each: str(each) for each in possible}, AMOUNT, width=120)
    with options():
        without = one_of(say("Write without the padding mask"), REMOVED)
    return int(amount), str(without)


@cached(16, later("Running the model with more and more padding"))
def _curves(summarizer: "Summarizer", source: Ids, target: Ids, found: tuple[int, ...]) -> dict[str, list[float]]:
    base = padded(summarizer, source, target, 0, ())
    return {
        name: [float(np.sum(padded(summarizer, source, target, amount, removed) - base)) for amount in found]
        for name, removed in TAKEN.items()
    }


@cached(32, later("Writing without the mask"))
def _written(summarizer: "Summarizer", summary: Summary, source: Ids, amount: int, without: str) -> str:
    encoded = summarizer.encode(summary.dialogue, summary.settings.truncation)
    return summarizer.write(encoded, summary.settings, memory=memory(summarizer, source, amount, TAKEN[without]))[0]
