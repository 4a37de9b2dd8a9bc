"""One kind of attention of a run, with the layer, the head and the tokens that are open.

L layers, H heads, Q queries, N keys; R rows and C columns of units: tokens, words, turns or speakers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.explain.attention import sinks
from core.explain.attention.head_scores import input_tokens
from core.explain.attention.inside import Kind
from core.explain.attribution.methods import MAPS
from core.explain.shared.rollup import Unit, mean_rows, sum_columns
from core.figures.attention.weights import Label, Weights, labels, texts, with_map
from core.figures.shared.files import table_of
from core.figures.shared.wording import KIND_NAMES, head_name, kind_text, percent
from core.trace import Array, Attention, Summary, Token
from core.words import later, say

LEFT_OUT = tuple(each for each in sinks.CATEGORIES if each != "word")


def weights_by_kind(summary: Summary) -> dict[Kind, Attention]:
    """Return the weights of every kind of attention that a run has, [L, H, Q, N]."""
    attention = summary.attention
    every: dict[Kind, Attention | None] = {
        "cross": attention.cross,
        "encoder": attention.encoder_self,
        "decoder": attention.decoder_self,
    }
    return {kind: weights for kind, weights in every.items() if weights is not None}


def sides(summary: Summary, kind: Kind, read: bool = False) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """Return the Q tokens that look and the N that are looked at; `read`: decoder rows are what they read."""
    inputs = input_tokens(summary.tokens)
    queries = summary.source if kind == "encoder" else inputs if read else summary.tokens
    return queries, inputs if kind == "decoder" else summary.source


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
        shows: what `weights` hold, one of `MAPS`.
        together: [L, 1, Q, N] of all heads of a layer together, where that is not their mean.
    """

    summary: Summary
    kind: Kind
    weights: Attention
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    layer: int
    head: int | None
    words_only: bool
    span: tuple[int, int] | None
    shows: str = "weights"
    together: Attention | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of layers and heads."""
        layers, heads = weights_by_kind(self.summary)[self.kind].shape[:2]
        return layers, heads

    @property
    def single(self) -> bool:
        """Return whether this attention has one layer with one head, as a recurrent model's."""
        return self.shape == (1, 1)

    @property
    def place(self) -> str:
        """Return the open layer and head in words."""
        return head_name(None if self.single else self.layer, self.head, mean=self.shows == "weights")

    @property
    def what(self) -> str:
        """Return in words what is open, for captions."""
        attention = kind_text(self.kind)
        what = with_map(attention if self.single else f"{attention}, {self.place}", self.shows)
        return say("{what}, without special tokens, tags and punctuation", what=what) if self.words_only else what

    @property
    def layer_weights(self) -> Array:
        """Return all heads of the open layer, [H, Q, N], renormalised if only words are shown."""
        return self._shown(self.weights[self.layer])

    @property
    def open_weights(self) -> Array:
        """Return the open head, or all of its layer together, [Q, N], renormalised if only words are shown."""
        if self.head is not None:
            return np.asarray(self.layer_weights[self.head], dtype=np.float32)
        heads = self.layer_weights if self.together is None else self._shown(self.together[self.layer])
        return np.asarray(heads.mean(axis=0), dtype=np.float32)

    def _shown(self, heads: Array) -> Array:
        speakers = self.summary.dialogue.speakers
        return sinks.without(heads, self.keys, LEFT_OUT, speakers) if self.words_only else heads

    def rows(self, unit: Unit) -> tuple[Label, ...]:
        """Return the labels of the queries by unit."""
        return labels(self.queries, unit, self.summary.dialogue)

    def columns(self, unit: Unit) -> tuple[Label, ...]:
        """Return the labels of the keys by unit."""
        return labels(self.keys, unit, self.summary.dialogue)

    def rolled(self, values: Array, units: tuple[Unit, Unit], place: str) -> Weights:
        """Return weights [Q, N] or [H, Q, N] by the units of rows and columns: rows averaged, columns summed up."""
        rows, columns = self.rows(units[0]), self.columns(units[1])
        summed = sum_columns(values, columns)
        averaged = (
            mean_rows(summed, rows) if summed.ndim == 2 else np.stack([mean_rows(matrix, rows) for matrix in summed])
        )
        causal = self.kind == "decoder" and units[0] == "token"
        return Weights(self.kind, place, np.asarray(averaged, dtype=np.float32), rows, columns, causal, self.shows)

    def open_head(self, units: tuple[Unit, Unit]) -> Weights:
        """Return the open head, or the mean of its layer, by the units of rows and columns."""
        return self.rolled(self.open_weights, units, self.place)

    def locked(self, rows: tuple[Label, ...]) -> tuple[int, int] | None:
        """Return the first and last of some rows that hold chosen query tokens."""
        span = set(range(self.span[0], self.span[1] + 1)) if self.span else set()
        inside = [row for row, label in enumerate(rows) if span & set(label.members)]
        return (inside[0], inside[-1]) if inside else None

    def largest(self) -> tuple[dict[str, list[Any]], str]:
        """Return the largest weight of each head with its query and key, and a sentence about the strongest head."""
        down, across = texts(self.rows("token")), texts(self.columns("token"))
        lines = []
        for layer, head in np.ndindex(self.weights.shape[:2]):
            matrix = self.weights[layer, head]
            row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
            lines.append((layer + 1, head + 1, float(matrix.max()), down[int(row)], across[int(column)]))
        looks = self.shows == "weights"
        largest = later("Largest weight") if looks else later("Largest share")
        names = (later("Layer"), later("Head"), largest, later("Query"), later("Key"))
        layer, head, weight, query, key = max(lines, key=lambda line: line[2])
        place = head_name(layer - 1, head - 1 if MAPS[self.shows].heads else None, mean=False)
        places = {"attention": say(KIND_NAMES[self.kind]), "head": place, "query": query, "key": key}
        places |= {"weight": percent(weight), "shows": say(MAPS[self.shows].name)}
        text = say("{attention}, {shows}: the largest share is {weight}, in {head}: “{query}” ← “{key}”.", **places)
        of_all = later(
            "{attention}: the largest single weight of all heads is {weight}, in {head}: “{query}” → “{key}”."
        )
        caption = say(of_all, **places) if looks else text
        return table_of(names, lines), caption
