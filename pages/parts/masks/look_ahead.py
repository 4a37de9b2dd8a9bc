"""Without the look-ahead mask: what leaks from a later token to earlier positions, and what the loss becomes."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.config import PAD
from core.experiments.masks.missing_masks import leak, losses
from core.figures.masks import leaks
from core.figures.shared import effects
from core.figures.shared.wording import plain, token_text
from core.trace import Summary
from core.words import later, say
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session import selection
from pages.shared.session.fields import Number
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

TOKEN = Number("mask_token", 0, 9999, 0)
OTHER = Number("mask_other", 0, 999999, 0)
FIELDS = (TOKEN, OTHER)
Ids = tuple[int, ...]
_leak = cached(64, later("Running the model with and without the look-ahead mask"))(leak)
_losses = cached(32, later("Scoring with and without the look-ahead mask"))(losses)


def draw(summarizer: "Summarizer", summary: Summary) -> None:
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
    options = {each.id: plain(each.text) for each in step.alternatives if each.id not in (PAD, step.token.id)}
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
    pictures.show(
        effects.token_effects(summary.tokens, *pairs[0], say("without the look-ahead mask")), "mask_tokens_picture"
    )
    st.caption(literal(say("The summary: {text}", text=summary.text or say("(empty)"))))
