"""Without the look-ahead mask: what leaks from a later token to earlier positions, and what the loss becomes."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.config import PAD
from core.experiments.missing_masks import Leak
from core.figures import effects, leaks
from core.figures.wording import plain, token_text
from core.trace import Array, Summary
from pages.shared import pictures, state
from pages.shared.errors import literal
from pages.shared.state import Key

if TYPE_CHECKING:
    from core.service import Summarizer

TOKEN, OTHER = "mask_token_choice", "mask_other_choice"
Ids = tuple[int, ...]


def draw(summarizer: "Summarizer", summary: Summary) -> None:
    """Draw the view."""
    source, target = (tuple(token.id for token in tokens) for tokens in (summary.source, summary.tokens))
    st.subheader("Does a position know what comes later?", anchor=False)
    if len(target) < 2:
        st.info("This summary has one token: nothing comes later.", icon=":material/info:")
        return
    st.markdown(
        "The decoder reads the whole summary at once, as in training. Change one of its tokens: what it says at the "
        "positions before must not move."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = _place(summary)
        other, text = _other(summary, place)
    if other is None:
        st.info("There is no other token to put there.", icon=":material/info:")
        return
    found = _leak(summarizer.checkpoint.identity, source, target, place, other, summarizer)
    picture = leaks.leak(
        summary.tokens,
        place,
        text,
        (found.kept.probability, found.removed.probability),
        (found.kept.nats, found.removed.nats),
    )
    pictures.show(picture, "leak_picture")
    _loss(summarizer, summary, source)


def _place(summary: Summary) -> int:
    """The token that is changed, from 0; without a choice the last that the decoder reads."""
    session, last = st.session_state, len(summary.tokens) - 1
    if session[Key.MASK_TOKEN] > last:
        state.note(f"The link changes token {session[Key.MASK_TOKEN]}; the decoder reads {last} of this summary.")
        session[Key.MASK_TOKEN] = 0
    session[TOKEN] = session[Key.MASK_TOKEN] or last
    st.selectbox(
        "Change the token",
        range(1, last + 1),
        format_func=lambda number: f"{number} · {token_text(summary.tokens[number - 1])}",
        key=TOKEN,
        on_change=_changed,
        args=(last,),
        width=260,
    )
    return int(session[TOKEN]) - 1


def _changed(last: int) -> None:
    session = st.session_state
    session.update({Key.MASK_TOKEN: 0 if session[TOKEN] == last else session[TOKEN], Key.MASK_OTHER: 0})


def _other(summary: Summary, place: int) -> tuple[int | None, str]:
    """The id and the text of what stands there instead; without a choice the most probable other token."""
    session, step = st.session_state, summary.steps[place]
    options = {each.id: plain(each.text) for each in step.alternatives if each.id not in (PAD, step.token.id)}
    if session[Key.MASK_OTHER] not in (0, *options):
        state.note(f"The link puts token {session[Key.MASK_OTHER]} there, which is not among the most probable ones.")
        session[Key.MASK_OTHER] = 0
    if not options:
        return None, ""
    first = next(iter(options))
    session[OTHER] = session[Key.MASK_OTHER] or first
    st.selectbox(
        "To", list(options), format_func=options.get, key=OTHER, on_change=_replaced, args=(first,), width=220
    )
    return int(session[OTHER]), options[session[OTHER]]


def _replaced(first: int) -> None:
    session = st.session_state
    session[Key.MASK_OTHER] = 0 if session[OTHER] == first else session[OTHER]


def _loss(summarizer: "Summarizer", summary: Summary, source: Ids) -> None:
    """The loss of the summary and of the references with and without the mask."""
    st.subheader("And the loss?", anchor=False)
    st.markdown(
        "Without the mask every position but the last can read the token that it must predict. A model that learnt "
        "**with** the mask never learnt where to look for it."
    )
    texts = {"The summary": tuple(token.id for token in summary.tokens)}
    most, left_out = summarizer.config.max_target_length, 0
    encoded = summarizer.encode(summary.dialogue, summary.settings.truncation)
    for number, reference in enumerate(state.selection().references, 1):
        ids = tuple(summarizer.tokenizer.encode_summary(reference, encoded.speakers))
        if len(ids) <= most:
            texts[f"Reference {number}"] = ids
        else:
            left_out += 1
    identity = summarizer.checkpoint.identity
    found = [_losses(identity, source, ids, summarizer) for ids in texts.values()]
    kept, removed = ([float(-np.mean(pair[side])) for pair in found] for side in (0, 1))
    pictures.show(leaks.loss_bars(list(texts), kept, removed), "mask_loss_picture")
    if left_out:
        st.caption(f"References longer than the model's {most} target positions are left out: {left_out}.")
    st.markdown("**Token by token**")
    pictures.show(
        effects.token_changes(summary.tokens, *found[0], "without the look-ahead mask"), "mask_tokens_picture"
    )
    st.caption(literal(f"The summary: {summary.text or '(empty)'}"))


@st.cache_resource(max_entries=64, show_spinner="Running the model with and without the look-ahead mask")
def _leak(identity: str, source: Ids, target: Ids, place: int, other: int, _summarizer: "Summarizer") -> Leak:  # noqa: ARG001
    from core.experiments.missing_masks import leak

    return leak(_summarizer, source, target, place, other)


@st.cache_resource(max_entries=32, show_spinner="Scoring with and without the look-ahead mask")
def _losses(identity: str, source: Ids, target: Ids, _summarizer: "Summarizer") -> tuple[Array, Array]:  # noqa: ARG001
    from core.experiments.missing_masks import losses

    return losses(_summarizer, source, target)
