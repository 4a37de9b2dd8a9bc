"""Inside one head: query, key, value, dot products, scale, mask, softmax, weighted sum, output."""

import streamlit as st

from core.explain.inside import stages
from core.explain.rollup import groups
from core.figures.stages import stages_picture
from pages.parts.attention import looks
from pages.parts.attention.looks import Look
from pages.shared import attention_views, family, head_stages, pictures, state
from pages.shared.state import Key

CHOICE, STAGES = "inside_token", "inside_stages"
SHOWN, LOCKED = "inside_shown", "inside_locked"


def draw(look: Look) -> None:
    """Draw the view."""
    summarizer = state.current_job().summarizer
    if summarizer is None or not family.transformer_or_note("queries, keys and values of a head"):
        return
    head = look.head
    if head is None:
        st.caption("A mean of heads has no query of its own: this is head 1. Choose another above.")
        head = 0
    queries = look.queries if look.kind == "encoder" else look.summary.tokens  # a row is here what it writes
    labels = looks.texts(groups(queries, "token"), "token", look.dialogue, queries)
    keys = [item["text"] for item in attention_views.token_items(look.keys)]
    st.session_state[CHOICE] = look.token if look.token is not None else _strongest(look)
    row = st.selectbox(
        "Query token: who looks" if look.kind == "encoder" else "Query: the token that is about to be written",
        range(len(labels)),
        format_func=lambda index: f"{index + 1} · {labels[index]}",
        key=CHOICE,
        on_change=lambda: looks.pick(int(st.session_state[CHOICE])),
    )
    found = stages(summarizer, look.summary, look.kind, look.layer, head, row)
    head_stages.head_stages(
        found,
        labels[row],
        keys,
        chosen=st.session_state.get(LOCKED),
        shown=st.session_state.get(SHOWN, head_stages.SHOWN),
        version=hash((look.summary.text, look.kind, look.layer, head, row)) % 2**31,
        key=STAGES,
        on_pick=_picked,
    )
    picture = stages_picture(found, labels[row], keys)
    pictures.save_view(STAGES, "attention-stages", picture.caption, lambda: picture.table)
    if st.session_state[Key.SINKS] == "without":
        st.caption("These numbers are the model's own: leaving the sinks out is only a way of looking.")
    pictures.show(picture, "stages")


def _strongest(look: Look) -> int:
    """The query with the largest single weight."""
    return int(look.matrix.max(axis=1).argmax())


def _picked() -> None:
    seen = st.session_state[STAGES].pick or {}
    st.session_state.update({SHOWN: seen.get("shown", head_stages.SHOWN), LOCKED: seen.get("chosen")})
