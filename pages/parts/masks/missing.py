"""What if a mask were missing? The shipped model runs again without its look-ahead mask, or its padding masks."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.config import PAD
from core.experiments.masks.missing_masks import Mask, amounts, leak, losses, memory, padded
from core.figures.masks import leaks
from core.figures.shared.token_effects import token_effects
from core.figures.shared.wording import count, plain, token_text
from core.trace import Summary
from core.words import later, say
from pages.shared.components.word_diff import word_diff
from pages.shared.controls import picker
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.figures import pictures
from pages.shared.model import loading, model_parts
from pages.shared.model.cache import cached
from pages.shared.session import selection
from pages.shared.session.fields import Choice, Number, follow
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

MASK = Choice("mask_missing", {"look_ahead": later("Look-ahead mask"), "padding": later("Padding masks")})
TOKEN = Number("mask_token", 0, 9999, 0)
OTHER = Number("mask_other", 0, 999999, 0)
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
FIELDS = (MASK, TOKEN, OTHER, AMOUNT, REMOVED)
LACKING = later("look-ahead mask to take away, because its decoder reads one token after the other")
Ids = tuple[int, ...]
_leak = cached(64, later("Running the model with and without the look-ahead mask"))(leak)
_losses = cached(32, later("Scoring with and without the look-ahead mask"))(losses)


def draw() -> None:
    """Draw what the shipped model does without one of its masks."""
    if not model_parts.has_or_note("blocks", say(LACKING)):
        return
    with row():
        picker.bar()
        missing = one_of(say("Taken away"), MASK)
    summarizer, summary = loading.require_run()
    follow((summary.checkpoint, summary.dialogue.text, summary.text), TOKEN, OTHER)
    (_without_look_ahead if missing == "look_ahead" else _without_padding)(summarizer, summary)


def _without_look_ahead(summarizer: "Summarizer", summary: Summary) -> None:
    """Draw what an earlier position learns from a changed later token, and what the loss becomes."""
    source, target = (tuple(token.id for token in tokens) for tokens in (summary.source, summary.tokens))
    if len(target) < 2:
        st.info(say("This summary has one token: nothing comes later."), icon=":material/info:")
        return
    with row():
        place = _place(summary)
        other, text = _other(summary, place)
    if other is None:
        st.info(say("There is no other token to put there."), icon=":material/info:")
        return
    learnt = _leak(summarizer, source, target, place, other)
    shares, nats = (learnt.kept.probability, learnt.removed.probability), (learnt.kept.nats, learnt.removed.nats)
    pictures.show(leaks.leak(summary.tokens, place, text, shares, nats), "leak_picture")
    rule = say(
        "The decoder reads the whole summary at once, as in training. Change one of its tokens: what it says at the "
        "positions before must not move."
    )
    st.markdown(f"**{say('Does a position know what comes later?')}** {rule}")
    with st.expander(say("And the loss?")):
        _loss(summarizer, summary, source)


def _place(summary: Summary) -> int:
    """Draw the choice of the token that is changed, by default the last that the decoder reads; return it from 0."""
    tokens = {number: f"{number} · {token_text(token)}" for number, token in enumerate(summary.tokens[:-1], 1)}
    TOKEN.fit((0, *tokens), say("token"))
    chosen = select(say("Change the token"), tokens, TOKEN, usual=len(tokens), width=128, on_change=OTHER.clear)
    return int(chosen) - 1


def _other(summary: Summary, place: int) -> tuple[int | None, str]:
    """Draw the choice of the other token, by default the most probable one; return its id and its text."""
    step = summary.steps[place]
    options = {token.id: plain(token.text) for token in step.alternatives if token.id not in (PAD, step.token.id)}
    OTHER.fit((0, *options), say("token id"))
    if not options:
        return None, ""
    chosen = int(select(say("To this token"), options, OTHER, usual=next(iter(options)), width=118))
    return chosen, options[chosen]


def _loss(summarizer: "Summarizer", summary: Summary, source: Ids) -> None:
    """Draw the loss of the summary and of the references with and without the mask."""
    st.markdown(
        say(
            "Without the mask every position but the last can read the token that it must predict. A model that learnt "
            "**with** the mask never learnt where to look for it."
        )
    )
    speakers = summarizer.encode(summary.dialogue, summary.settings.truncation).speakers
    texts = {say("The summary"): tuple(token.id for token in summary.tokens)}
    texts |= {
        say("Reference {number}", number=number): tuple(summarizer.tokenizer.encode_summary(reference, speakers))
        for number, reference in enumerate(selection.current().references, 1)
    }
    most = summarizer.config.max_target_length
    left_out = sum(len(ids) > most for ids in texts.values())
    texts = {name: ids for name, ids in texts.items() if len(ids) <= most}
    pairs = [_losses(summarizer, source, ids) for ids in texts.values()]
    kept, removed = ([float(-np.mean(pair[side])) for pair in pairs] for side in (0, 1))
    pictures.show(leaks.loss_bars(list(texts), kept, removed), "mask_loss_picture")
    if left_out:
        st.caption(
            say(
                "References longer than the model's {most} target positions are left out: {number}.",
                most=most,
                number=left_out,
            )
        )
    st.markdown(say("**Token by token**"))
    pictures.show(token_effects(summary.tokens, *pairs[0], say("without the look-ahead mask")), "mask_tokens_picture")
    st.caption(literal(say("The summary: {text}", text=summary.text or say("(empty)"))))


def _without_padding(summarizer: "Summarizer", summary: Summary) -> None:
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
    AMOUNT.fit(possible, say("amount of padding"), possible[-1])
    with row():
        amount = int(select(say("Pad tokens"), {number: str(number) for number in possible}, AMOUNT, width=120))
    with options():
        without = one_of(say("Write without the padding mask"), REMOVED)
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


@cached(16, later("Running the model with more and more padding"))
def _curves(summarizer: "Summarizer", source: Ids, target: Ids, possible: tuple[int, ...]) -> dict[str, list[float]]:
    base = padded(summarizer, source, target, 0, ())
    return {
        name: [float(np.sum(padded(summarizer, source, target, amount, removed) - base)) for amount in possible]
        for name, removed in TAKEN.items()
    }


@cached(32, later("Writing without the mask"))
def _written(summarizer: "Summarizer", summary: Summary, source: Ids, amount: int, without: str) -> str:
    encoded = summarizer.encode(summary.dialogue, summary.settings.truncation)
    return summarizer.write(encoded, summary.settings, memory=memory(summarizer, source, amount, TAKEN[without]))[0]
