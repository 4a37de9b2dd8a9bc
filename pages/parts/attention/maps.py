"""What is shown of an attention: its weights, norms, contributions or value zeroing, with the check of the method."""

from typing import TYPE_CHECKING

import streamlit as st

from core.explain.attention.inside import Kind
from core.explain.attribution.methods import MAPS
from core.figures.attention.view import AttentionView
from core.figures.experiments.attribution import verdict
from core.trace import Attention, Summary
from core.words import later, say
from pages.shared.controls.choices import options, row, select
from pages.shared.controls.open_head import SHOWS
from pages.shared.model import answers, loading, model_parts
from pages.shared.model.cache import cached
from pages.shared.place.declarations import page_at

if TYPE_CHECKING:
    from core.explain.attribution.maps import Drawn
    from core.service import Summarizer

WHOLE = later("It is of a whole layer: its heads are not apart.")
COPIES = later(
    "**Heads 1 to {heads} of this layer copy**: there a weight is more than a look. Times the share that the model "
    "gives to that head at a step, it is part of the probability of the word."
)
TIP = later(
    "“Looks at” is a weight, “Norms” and “Carries” say how much vector travels, “Value zeroing” what changes without "
    "it. None of them is the reason."
)
KEPT = 24
"""Maps of a layer, for all visitors together; docs/limits.md has their size."""


def of_weights() -> bool:
    """Return whether the open view is of the weights alone: there is nothing to choose."""
    return page_at("attention").view.value in ("inside", "catalogue")


def shown() -> str:
    """Return what is to be shown, one of `MAPS`: weights where a view or a model has nothing else."""
    name = SHOWS.value
    return name if name != "weights" and not of_weights() and model_parts.has("blocks") else "weights"


def choose() -> None:
    """Draw the choice; a model without blocks of attention says that it has weights alone."""
    with options() if page_at("attention").view.value == "compare" else row():  # where the row is full
        select(say("Show"), SHOWS, tip=say(TIP), width=135)
    if SHOWS.value != "weights":
        model_parts.has_or_note("blocks", say("stack of layers whose vectors could be followed"))


def attention(
    summarizer: "Summarizer", summary: Summary, kind: Kind, shape: tuple[int, ...], name: str
) -> tuple[Attention, Attention | None]:
    """Return a map of every head [L, H, Q, N], and that of all heads of a layer together; see `maps.of_heads`."""
    from core.explain.attribution import maps

    if name == "zeroing":
        answers.check("value-zeroing", summary)
    return maps.of_heads(
        summarizer, summary, kind, shape, name, lambda layer: _of_layer(summarizer, summary, kind, layer, name)
    )


def prefix(seen: AttentionView) -> str:
    """Return how the names of files of a picture begin."""
    return "attention" if seen.shows == "weights" else seen.shows


def tell(seen: AttentionView) -> None:
    """Say below a picture what its numbers are, and whether they passed the check of their method."""
    if seen.shows == "weights":
        blocks = model_parts.shape()
        last = blocks and (seen.kind, seen.layer + 1) == ("cross", blocks.decoder_layers)
        copying = blocks.copy_heads if blocks and last else 0
        if copying and (seen.head or 0) < copying:
            st.markdown(say(COPIES, heads=copying))
        return
    summarizer = loading.current_job().summarizer
    if summarizer is not None:
        drawn = _of_layer(summarizer, seen.summary, seen.kind, seen.layer, seen.shows)
        whole = "" if MAPS[seen.shows].heads else f" {say(WHOLE)}"
        st.markdown(f"{say(MAPS[seen.shows].about)}{whole} {verdict(drawn.check)}")


@cached(KEPT, later("Following the vectors of this layer; of a long dialogue it takes a while"), worded=True)
def _of_layer(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int, name: str) -> "Drawn":
    from core.explain.attribution import maps

    return maps.of_layer(summarizer, summary, kind, layer, name)
