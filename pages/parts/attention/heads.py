"""All heads at a glance, and what kinds of tokens take their attention."""

import streamlit as st

from core.explain.attention import sinks
from core.explain.attribution.methods import MAPS
from core.figures.attention import head_tables
from core.figures.attention import maps as figures
from core.figures.attention.view import AttentionView
from core.figures.shared.wording import capital, head_name
from core.words import say
from pages.parts.attention import maps, view
from pages.parts.attention.head_grid import grid_data, head_grid
from pages.shared.figures import pictures
from pages.shared.session.notices import literal

GRID = "head_grid"
MOST = 64
"""Heads with a bar each; of more, those of the chosen layer."""


def draw(seen: AttentionView) -> None:
    """Draw a small picture of every head, and the shares of special tokens, tags and punctuation."""
    measured, _ = view.measured(seen)
    tags = view.tags(seen, measured)
    data = grid_data(seen.kind, seen.weights, seen.layer, seen.head, tags, seen.shows)
    head_grid(key=GRID, data=data, on_open_change=lambda: view.show_tile(GRID))
    maps.tell(seen)
    if tags:
        tagged = say(
            "Below each head: its published type or, if it has none, by what it stands out, from the catalogue."
        )
        st.container(key="head_tags").caption(tagged)
    if measured and measured.effects:
        st.caption(literal(head_tables.lost_without(measured.effects, seen.kind)))
    table, caption = seen.largest()
    st.caption(literal(caption))
    pictures.save_view(GRID, f"{maps.prefix(seen)}-heads", caption, lambda: table)
    with st.expander(say("Special tokens, tags and signs first")):
        _sinks(seen)


def _sinks(seen: AttentionView) -> None:
    """Draw how much of each head's attention falls on special tokens, speaker tags and punctuation."""
    about = say(
        "Special tokens, speaker tags and punctuation often get much attention. In the heads of `dialoscope` that look "
        "most at special tokens, the vectors of these are 0.06 times as long as those of words: **sinks**, which take "
        "attention and give little. Those of speaker tags are 0.86 times as long: they are read. “Tags and signs” "
        "among the options leaves them all out and scales the rest of each row to 100 %."
    )
    st.markdown(about)
    (layers, heads), single = seen.weights.shape[:2], MAPS[seen.shows].heads
    whole = layers * heads <= MOST
    if not whole:
        number = seen.layer + 1
        st.caption(say("Layer {number} of {count}: choose another one above.", number=number, count=layers))
    shown = range(layers) if whole else [seen.layer]
    places = [(layer, head) for layer in shown for head in range(heads)]
    every = [sinks.shares(seen.weights[place], seen.keys, seen.summary.dialogue.speakers) for place in places]
    shares = [{name: float(values.mean()) for name, values in head_shares.items()} for head_shares in every]
    names = [capital(head_name(layer, head if single else None, mean=False)) for layer, head in places]
    pictures.show(
        figures.sinks(
            shares,
            names,
            None if seen.head is None else seen.layer * heads + seen.head,
            shown[0] * heads,
            seen.shows,
        ),
        "sinks_picture",
        on_select=lambda: view.show_clicked("sinks_picture", heads),
    )
