"""Without the padding masks: how the summary begins to depend on the amount of padding."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.experiments.missing_masks import Mask, amounts, memory, padded
from core.figures import leaks
from core.figures.wording import count
from core.trace import Summary
from pages.shared import components, pictures, state
from pages.shared.choices import one_of
from pages.shared.state import Key

if TYPE_CHECKING:
    from core.service import Summarizer

TAKEN: dict[str, tuple[Mask, ...]] = {
    "none": (),
    "encoder": ("encoder",),
    "cross": ("cross",),
    "both": ("encoder", "cross"),
}
WITHOUT = {"encoder": "In the encoder", "cross": "In the cross-attention", "both": "Both"}
Ids = tuple[int, ...]


def draw(summarizer: "Summarizer", summary: Summary) -> None:
    """Draw the view."""
    source, target = (tuple(token.id for token in tokens) for tokens in (summary.source, summary.tokens))
    st.subheader("Does the answer depend on the padding?", anchor=False)
    st.markdown(
        "The dialogue is followed by more and more pad tokens, as if it shared a batch with a longer one. That must "
        "not matter. Each point is a run of the model on a source that really is so long."
    )
    found = amounts(summarizer, source)
    if len(found) == 1:
        st.info(
            f"This dialogue fills {len(source):,} of the model's {summarizer.config.max_source_length:,} source "
            f"positions: there is no room for padding. Choose a shorter one.",
            icon=":material/straighten:",
        )
        return
    amount, without = _choose(found)
    identity = summarizer.checkpoint.identity
    curves = _curves(identity, source, target, found, summarizer)
    pictures.show(leaks.padding_curves(found, curves, amount, len(target)), "padding_picture")
    if summarizer.config.copy:
        st.caption("The copy head has a mask of its own, which stays: padding is never copied.")
    st.markdown(f"**What the model writes with {count(amount, 'pad token')}**")
    settings = tuple(summary.settings.to_dict().items())
    text = _written(identity, summary.dialogue, settings, source, amount, without, summarizer, summary)
    left, right = st.columns(2, gap="medium")
    with left.container(border=True):
        st.markdown("**With the masks, no padding**")
        st.text(summary.text or "(an empty summary)")
    with right.container(border=True, key="mask_written"):
        st.markdown(f"**Without: {WITHOUT[without].lower()}**")
        if text == summary.text:
            st.text(text or "(an empty summary)")
            st.caption("The same summary.")
        else:
            components.diff(summary.text, text, key="mask_diff")
            st.caption("Struck through: only with the masks. Underlined: only without.")


def _choose(found: tuple[int, ...]) -> tuple[int, str]:
    """The amount of padding and the masks that are taken away, for the text that is written."""
    session = st.session_state
    if session[Key.MASK_AMOUNT] not in found:
        if session[Key.MASK_AMOUNT] != state.PAGE_FIELDS["masks"][Key.MASK_AMOUNT][1]:
            allowed = ", ".join(map(str, found))
            state.note(
                f"{session[Key.MASK_AMOUNT]} pad tokens are not possible here (allowed: {allowed}); "
                f"it became {found[-1]}."
            )
        session[Key.MASK_AMOUNT] = found[-1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        amount = st.selectbox("Pad tokens", found, key=Key.MASK_AMOUNT, persist_state="session", width=140)
        without = one_of("Write without the padding mask", WITHOUT, Key.MASK_WITHOUT)
    return int(amount), str(without)


@st.cache_resource(max_entries=16, show_spinner="Running the model with more and more padding")
def _curves(
    identity: str,  # noqa: ARG001
    source: Ids,
    target: Ids,
    found: tuple[int, ...],
    _summarizer: "Summarizer",
) -> dict[str, list[float]]:
    base = padded(_summarizer, source, target, 0, ())
    return {
        name: [float(np.sum(padded(_summarizer, source, target, amount, removed) - base)) for amount in found]
        for name, removed in TAKEN.items()
    }


@st.cache_resource(max_entries=32, show_spinner="Writing without the mask")
def _written(
    identity: str,  # noqa: ARG001
    dialogue: str,  # noqa: ARG001
    settings: tuple[tuple[str, object], ...],  # noqa: ARG001
    source: Ids,
    amount: int,
    without: str,
    _summarizer: "Summarizer",
    _summary: Summary,
) -> str:
    encoded = _summarizer.encode(_summary.dialogue, _summary.settings.truncation)
    return _summarizer.write(encoded, _summary.settings, memory=memory(_summarizer, source, amount, TAKEN[without]))[0]
