"""What the Attention page shows: a kind of attention, a layer, a head, and the tokens that label it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core import checkpoints
from core.explain import catalogue, sinks
from core.explain.catalogue import Catalogue
from core.explain.heads import HeadScores, input_tokens, scores
from core.explain.inside import Kind
from core.explain.rollup import Unit, mean_rows, sum_columns
from core.figures.wording import KIND_NAMES, head_name
from core.text.dialogue import Dialogue
from core.trace import Array, Summary, Token
from pages.parts.attention.weights import Label, Weights, labels
from pages.shared.figures import pictures
from pages.shared.frame import decoding, loading, notices
from pages.shared.frame.cache import cached
from pages.shared.frame.fields import Choice, Number, follow

UNITS: dict[Unit, str] = {"token": "Token", "word": "Word", "turn": "Turn", "speaker": "Speaker"}
LEFT_OUT = tuple(each for each in sinks.CATEGORIES if each != "word")
KIND = Choice("kind", ("cross", "encoder", "decoder"))
LAYER = Number("layer", 0, 99, 0)
HEAD = Number("head", 0, 99, 0)
ROW_LABELS = Choice("rows_are", ("predicted", "input"))
SINKS = Choice("sinks", ("with", "without"))
SHARE = Number("share", 10, 100, 75, 5)
TOKEN = Number("token", 0, 9999, 0, of_dialogue=True)
LAST = Number("to", 0, 9999, 0, of_dialogue=True)
FIELDS = (KIND, LAYER, HEAD, ROW_LABELS, SINKS, SHARE, TOKEN, LAST)
"""Of the fields, `LAYER` 0 is the last layer, `HEAD` 0 the mean of all heads, `TOKEN` 0 no token."""


@dataclass(frozen=True, eq=False)
class AttentionView:
    """One kind of attention of the current summary, and the head that is open.

    Args:
        summary: the run.
        kind: which attention.
        weights: [L, H, Q, N].
        queries: the Q tokens that look; decoder rows are the tokens that are predicted, or those that are read.
        keys: the N tokens that are looked at.
        layer: the open layer, 0-based.
        head: the open head, 0-based, or None for the mean of the layer's heads.
        words_only: whether special tokens, speaker tags and punctuation are left out.
        span: first and last chosen query token, 0-based, or None.
    """

    summary: Summary
    kind: Kind
    weights: Array
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    layer: int
    head: int | None
    words_only: bool
    span: tuple[int, int] | None

    @property
    def dialogue(self) -> Dialogue:
        """Return the dialogue that was summarised."""
        return self.summary.dialogue

    @property
    def single(self) -> bool:
        """Return whether this attention has one layer with one head, as a recurrent model's."""
        return self.weights.shape[:2] == (1, 1)

    @property
    def place(self) -> str:
        """Return the open layer and head in words."""
        return head_name(None if self.single else self.layer, self.head)

    @property
    def what(self) -> str:
        """Return in words what is open, for captions."""
        place = "" if self.single else f", {self.place}"
        rest = ", without special tokens, tags and punctuation" if self.words_only else ""
        return f"{KIND_NAMES[self.kind].lower()}{place}{rest}"

    @property
    def layer_weights(self) -> Array:
        """Return all heads of the open layer, [H, Q, N], renormalised if only words are shown."""
        found = self.weights[self.layer]
        return sinks.without(found, self.keys, LEFT_OUT) if self.words_only else found

    def one(self, heads: Array) -> Array:
        """Return the open head of a layer [H, R, C], or the mean of all, [R, C]."""
        return np.asarray(heads.mean(axis=0) if self.head is None else heads[self.head], dtype=np.float32)

    def rows(self, unit: Unit) -> tuple[Label, ...]:
        """Return the labels of the queries by unit."""
        return labels(self.queries, unit, self.dialogue)

    def columns(self, unit: Unit) -> tuple[Label, ...]:
        """Return the labels of the keys by unit."""
        return labels(self.keys, unit, self.dialogue)

    def rolled(self, values: Array, units: tuple[Unit, Unit], place: str) -> Weights:
        """Return weights [Q, N] or [H, Q, N] by the units of rows and columns: rows averaged, columns summed up."""
        rows, columns = self.rows(units[0]), self.columns(units[1])
        summed = sum_columns(values, columns)
        found = mean_rows(summed, rows) if summed.ndim == 2 else np.stack([mean_rows(each, rows) for each in summed])
        causal = self.kind == "decoder" and units[0] == "token"
        return Weights(self.kind, place, np.asarray(found, dtype=np.float32), rows, columns, causal)

    def open_head(self, units: tuple[Unit, Unit]) -> Weights:
        """Return the open head, or the mean of its layer, by the units of rows and columns."""
        return self.rolled(self.one(self.layer_weights), units, self.place)

    def scores(self) -> tuple[HeadScores, ...]:
        """Return statistics of all heads of this kind in this run."""
        return tuple(each for each in _scores(self.summary) if each.kind == self.kind)

    def measured(self) -> tuple[Catalogue | None, str]:
        """Return what the heads of this checkpoint tend to do, or a sentence that says why that is not known."""
        return catalogue.choose(checkpoints.read_heads(decoding.checkpoint()), self.summary.checkpoint)


def held(summary: Summary) -> dict[Kind, Array]:
    """Return the weights of every kind of attention that a run has, [L, H, Q, N]."""
    attention = summary.attention
    every: dict[Kind, Array | None] = {
        "cross": attention.cross,
        "encoder": attention.encoder_self,
        "decoder": attention.decoder_self,
    }
    return {kind: weights for kind, weights in every.items() if weights is not None}


def current() -> AttentionView | None:
    """Return what is chosen, None for a model without attention; stops without a dialogue or model."""
    summary = loading.require_trace()
    found = held(summary)
    if not found:
        return None
    kind = _kind(tuple(found))
    layers, heads, rows = found[kind].shape[:3]
    follow((summary.checkpoint, summary.dialogue.text, summary.text, kind == "encoder"), TOKEN, LAST)
    layer = LAYER.fit(range(1, layers + 1), "layer") or layers
    if layer == layers:
        LAYER.value = LAYER.default
    head = HEAD.fit(range(1, heads + 1), "head")
    first, last = TOKEN.fit(range(1, rows + 1), "token"), LAST.fit(range(1, rows + 1), "token")
    target, read = summary.tokens, input_tokens(summary.tokens)
    queries = read if ROW_LABELS.value == "input" else target
    tokens = {"cross": (queries, summary.source), "encoder": (summary.source,) * 2, "decoder": (queries, read)}
    return AttentionView(
        summary,
        kind,
        found[kind],
        *tokens[kind],
        layer - 1,
        head - 1 if head else None,
        SINKS.value == "without",
        (first - 1, max(first, last) - 1) if first else None,
    )


def show(layer: int, head: int) -> None:
    """Open a head, both 0-based, in the view of one head."""
    LAYER.value, HEAD.value = layer + 1, head + 1
    st.session_state["see"] = "head"


def show_clicked(chart: str, heads: int) -> None:
    """Open the head that was clicked in a chart whose points are numbered layer · heads + head."""
    place = pictures.clicked(chart)
    if place is not None:
        show(*divmod(place, heads))


def pick(first: int | None, last: int | None = None) -> None:
    """Choose query tokens, 0-based."""
    TOKEN.value = 0 if first is None else first + 1
    LAST.value = 0 if first is None or last in (None, first) else int(last or 0) + 1


def _kind(kinds: Sequence[Kind]) -> Kind:
    """Return the chosen kind; if the model does not have it, say so and take its first."""
    kind: Kind = KIND.value  # type: ignore[assignment]
    if kind not in kinds:
        notices.note(f"This model has no {KIND_NAMES[kind].lower()}: its {KIND_NAMES[kinds[0]].lower()} is shown.")
        kind = KIND.value = kinds[0]
    return kind


@cached(8)
def _scores(summary: Summary) -> tuple[HeadScores, ...]:
    return scores(summary.attention)
