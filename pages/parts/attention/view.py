"""What the Attention page shows: a kind of attention, a layer, a head, and the chosen tokens."""

from collections.abc import Sequence

import streamlit as st

from core.explain.attention.catalogue import Catalogue
from core.explain.attention.inside import Kind
from core.explain.attribution.methods import MAPS
from core.figures.attention.view import AttentionView, sides, weights_by_kind
from core.figures.shared.wording import kind_text
from core.words import later, say
from pages.parts.attention import maps
from pages.shared.controls.open_head import HEAD, KIND, LAST, LAYER, SHOWS, TOKEN
from pages.shared.figures import pictures
from pages.shared.model import loading, models
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Number, follow

ROW_LABELS = Choice("rows_are", {"predicted": later("token written"), "input": later("token read")})
SINKS = Choice("sinks", {"with": later("Shown"), "without": later("Left out")})
SHARE = Number("share", 10, 100, 75, 5)
FIELDS = (KIND, LAYER, HEAD, SHOWS, ROW_LABELS, SINKS, SHARE, TOKEN, LAST)


def current() -> AttentionView | None:
    """Return what is chosen, None for a model without attention; stops without a dialogue or model."""
    summary = loading.require_trace()
    by_kind = weights_by_kind(summary)
    if not by_kind:
        return None
    kind = _kind(tuple(by_kind))
    layers, heads, rows = by_kind[kind].shape[:3]
    follow((summary.checkpoint, summary.dialogue.text, summary.text, kind == "encoder"), TOKEN, LAST)
    layer = LAYER.fit(range(1, layers + 1), say("layer")) or layers
    if layer == layers:
        LAYER.value = LAYER.default
    head = HEAD.fit(range(1, heads + 1), say("head"))
    first, last = (field.fit(range(1, rows + 1), say("token")) for field in (TOKEN, LAST))
    shows, weights, together = maps.shown(), by_kind[kind], None
    summarizer = None if shows == "weights" else loading.current_job().summarizer
    if summarizer is not None:
        weights, together = maps.attention(summarizer, summary, kind, weights.shape, shows)
    return AttentionView(
        summary,
        kind,
        weights,
        *sides(summary, kind, read=ROW_LABELS.value == "input"),
        layer - 1,
        head - 1 if head and MAPS[shows].heads else None,
        SINKS.value == "without",
        (first - 1, max(first, last) - 1) if first else None,
        shows,
        together,
    )


def show(layer: int, head: int) -> None:
    """Open a head, both 0-based, in the view of one head; of a map without heads the layer."""
    LAYER.value, HEAD.value = layer + 1, head + 1 if MAPS[maps.shown()].heads else HEAD.value
    page_at("attention").view.value = "head"


def show_clicked(chart: str, heads: int) -> None:
    """Open the head that was clicked in a chart whose points are numbered layer · heads + head."""
    place = pictures.clicked(chart)
    if place is not None:
        show(*divmod(place, heads))


def show_tile(grid: str) -> None:
    """Open the head that was clicked in a grid of heads."""
    place = st.session_state[grid].open
    if place:
        show(int(place["layer"]), int(place["head"]))


def pick(first: int | None, last: int | None = None) -> None:
    """Choose query tokens, 0-based."""
    TOKEN.value = 0 if first is None else first + 1
    LAST.value = 0 if first is None or last in (None, first) else int(last or 0) + 1


def _kind(kinds: Sequence[Kind]) -> Kind:
    """Return the chosen kind; if the model does not have it, say so and take its first."""
    kind: Kind = KIND.value  # type: ignore[assignment]
    if kind not in kinds:
        lacking, shown = kind_text(kind), kind_text(kinds[0])
        notices.note(say("This model has no {lacking}: its {shown} is shown.", lacking=lacking, shown=shown))
        kind = KIND.value = kinds[0]
    return kind


def measured(seen: AttentionView) -> tuple[Catalogue | None, str]:
    """Return what the heads of this checkpoint tend to do, or a sentence that says why that is not known."""
    return models.measured_heads(decoding.checkpoint(), seen.summary.checkpoint)


def tags(seen: AttentionView, measured: Catalogue | None) -> dict[tuple[int, int], str]:
    """Return what a catalogue says of each head of the shown kind, by layer and head; only of weights."""
    labels = measured.labels() if measured and seen.shows == "weights" else {}
    return {(place.layer, place.head): label for place, label in labels.items() if place.kind == seen.kind}
