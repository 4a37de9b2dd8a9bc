"""Inside one head: query, key, value, dot products, scale, mask, softmax, weighted sum, output."""

from typing import TYPE_CHECKING

import streamlit as st

from core.explain.attention.inside import Kind, stages
from core.figures.attention.stages import FEW, stages_picture
from core.figures.attention.stages import SHOWN as FEWEST
from core.figures.attention.view import AttentionView
from core.figures.attention.weights import labels
from core.figures.shared.picture import Picture
from core.trace import Summary
from core.words import say
from pages.parts.attention import view
from pages.parts.attention.head_stages import head_stages, stages_data
from pages.shared.controls import choices
from pages.shared.figures import pictures
from pages.shared.model import loading, model_parts
from pages.shared.model.cache import cached
from pages.shared.teaching import projector

if TYPE_CHECKING:
    from core.service import Summarizer

CHOICE, STAGES = "inside_token", "inside_stages"
SHOWN, LOCKED = "inside_shown", "inside_locked"
_numbers = cached(8)(stages)
Place = tuple["Summarizer", Summary, Kind, int, int, int]
"""A query of a head: the model, the summary, the kind of attention, layer, head and row."""


def draw(seen: AttentionView) -> None:
    """Draw every number of one head for one query token, stage by stage."""
    summarizer = loading.current_job().summarizer
    if summarizer is None or not model_parts.has_or_note("heads", say("queries, keys and values of a head")):
        return
    head = seen.head or 0
    tokens = seen.queries if seen.kind == "encoder" else seen.summary.tokens  # a row is here what it writes
    queries = [label.long for label in labels(tokens, "token")]
    strongest = int(seen.open_weights.max(axis=1).argmax())
    st.session_state[CHOICE] = seen.span[0] if seen.span else strongest
    asked = say("Query: token to be written")
    row = choices.row().selectbox(
        say("Query token: who looks") if seen.kind == "encoder" else asked,
        range(len(queries)),
        format_func=lambda index: f"{index + 1} · {queries[index]}",
        key=CHOICE,
        on_change=lambda: view.pick(int(st.session_state[CHOICE])),
        width=210,
    )
    keys = [label.text for label in seen.columns("token")]
    place = (summarizer, seen.summary, seen.kind, seen.layer, head, row)
    numbers = _numbers(*place)
    chosen, shown = st.session_state.get(LOCKED), st.session_state.get(SHOWN, FEW if projector.on() else FEWEST)
    version = hash((seen.summary.text, seen.kind, seen.layer, head, row)) % 2**31
    data = stages_data(numbers, queries[row], keys, chosen, shown, version)
    head_stages(key=STAGES, data=data, on_pick_change=_picked)
    picture = pictures.kept(_picture, place, queries[row], keys)
    pictures.save_view(STAGES, "attention-stages", picture.caption, lambda: picture.table)
    if seen.head is None:
        st.caption(say("A mean of heads has no query of its own: this is head 1. Choose another above."))
    if seen.words_only:
        st.caption(say("These numbers are the model's own: “Tags and signs: left out” changes the other views only."))
    with st.expander(say("The stages as a chart")):
        pictures.show(picture, "stages")


def _picture(place: Place, query: str, keys: list[str]) -> Picture:
    return stages_picture(_numbers(*place), query, keys)


def _picked() -> None:
    seen = st.session_state[STAGES].pick or {}
    st.session_state.update({SHOWN: seen.get("shown", FEWEST), LOCKED: seen.get("chosen")})
