"""Votes for a token against another one: direct logit attribution (nostalgebraist 2020; Wang et al. 2023, section 3).

The last decoder state is a sum: the embedding, the vector of every head, the output of every feed-forward network, and
biases. With the spread of every normalisation kept as it was in the run, each part's dot product with the output
vectors of two tokens is its share of the difference of their logits. R rows, P parts, D width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.config import START, TURN
from core.explain.attention.head_outputs import Head
from core.explain.attribution import layers
from core.explain.attribution.attribution import Check, check_foil, labels, rows_of
from core.explain.shared.rollup import Group
from core.trace import Array, Summary, Token
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

BOUND = 1e-3
"""Largest difference from the logits, as a share of the largest logit."""


@dataclass(frozen=True, slots=True)
class Part:
    """What votes.

    Args:
        kind: "embedding", "head", "feed-forward", "biases" or "copy".
        layer: 0-based, or None.
        head: of attention, or of a copying model; None for what is none.
        turn: place of the group of source tokens from which a head of cross-attention takes the vector, or None.
    """

    kind: str
    layer: int | None = None
    head: Head | int | None = None
    turn: int | None = None


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes for each written token against its foil.

    Args:
        rows: labels of the written tokens.
        foils: [R] ids of the tokens that they stand against.
        parts: P parts.
        values: [R, P] in logits of generating; a row adds up to the difference of the two logits.
        copy_parts: C routes of copying: the heads that copy, or the copy head; none for a model that does not copy.
        copied: [R, C, 2] probability that each gives the token and the foil, over the whole vocabulary.
        generated: [R, 2] probability that generating gives them; with `copied` it adds up to their probability.
        check: that the sums hold.
    """

    rows: tuple[str, ...]
    foils: tuple[int, ...]
    parts: tuple[Part, ...]
    values: Array
    copy_parts: tuple[Part, ...]
    copied: Array
    generated: Array
    check: Check


def votes(
    summarizer: "Summarizer",
    summary: Summary,
    step: int | None = None,
    foil: int | None = None,
    turns: Sequence[Group] = (),
) -> Votes:
    """Return which parts voted for the written tokens.

    Args:
        summarizer: the model that wrote the run.
        summary: the run.
        step: a written token, 0-based; None: all of them.
        foil: id of the other token; None: the most probable other one.
        turns: groups of all source tokens, into which the heads of cross-attention are taken apart.

    Raises:
        SettingsError: the model has no blocks, or there is no such token or foil.
    """
    rows, model = rows_of(summary, step), summarizer.model
    memory = layers.begin(summarizer, summary)
    ids = [summary.tokens[row].id for row in rows]
    foils = [_foil(summary.logits[row], id, foil) for row, id in zip(rows, ids, strict=True)]
    kernel, bias = _output(model, np.array([ids, foils]))
    parts, values = _voted(summarizer, summary, memory, rows, kernel[0] - kernel[1], turns)
    values[:, [part.kind for part in parts].index("biases")] += bias[0] - bias[1]
    states = model.decoder.normalised(summary.decoder_hidden[-1][None])
    logits = np.asarray(model.generator_logits(states))[0][rows].astype(np.float64)
    pairs = np.stack([ids, foils], axis=1)
    own = np.take_along_axis(logits, pairs, axis=1)
    generated = np.exp(own - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    routes, copied, share = _copying(model, summary, states, memory, rows, pairs)
    generated = generated * share[:, None]
    shown = summary.logits[rows].astype(np.float64)
    whole = np.exp(np.take_along_axis(shown, pairs, axis=1) - np.logaddexp.reduce(shown, axis=-1, keepdims=True))
    missed = np.abs(values.sum(axis=1) - (own[:, 0] - own[:, 1])).max() / max(1.0, np.abs(own).max())
    mixed = np.abs(generated + copied.sum(axis=1) - whole).max()
    name = say("the votes add up to the difference of the logits, and both routes to the probability")
    return Votes(
        labels([summary.tokens[row] for row in rows]), tuple(foils), parts, values.astype(np.float32), routes,
        copied.astype(np.float32), generated.astype(np.float32), Check(name, float(max(missed, mixed)), BOUND),
    )  # fmt: skip


def _voted(
    summarizer: "Summarizer",
    summary: Summary,
    memory: Array,
    rows: list[int],
    directions: Array,
    turns: Sequence[Group],
) -> tuple[tuple[Part, ...], Array]:
    """Return the parts and their dot products with directions [R, D], [R, P]; some rows at a time."""
    config = summarizer.model.config
    size = config.decoder_layers * ((1 + max(1, len(turns))) * config.num_heads + 1) + 2
    step, products = max(1, layers.PIECE // (4 * config.d_model * size)), []
    for first in range(0, len(rows), step):
        parts, vectors = decompose(summarizer, summary, memory, rows[first : first + step], turns)
        products.append(np.einsum("prd,rd->rp", vectors, directions[first : first + step]))
    return parts, np.concatenate(products)


def decompose(
    summarizer: "Summarizer", summary: Summary, memory: Array, rows: list[int], turns: Sequence[Group] = ()
) -> tuple[tuple[Part, ...], Array]:
    """Return the parts of the decoder's last state and their vectors, [P, R, D]; they add up to that state.

    Every normalisation that the stream passes (all of a post-norm stack, the last one of a pre-norm stack) acts on
    each part with the spread of the whole.
    """
    model = summarizer.model
    stream = _Stream(summary.decoder_hidden[0][rows])
    for layer, block in enumerate(model.decoder.blocks):
        own = layers.own_sublayer(summarizer, summary, "decoder", layer)
        for sublayer in (own, None):
            attention = sublayer or layers.cross_sublayer(summarizer, summary, layer, memory, stream.state)
            apart = turns if attention.kind == "cross" else ()
            for turn, group in enumerate(apart or (None,)):
                for head, vector in enumerate(attention.taken(group.members if group else None)):
                    place = Head(attention.kind, layer, head)
                    stream.add(Part("head", layer, place, turn if apart else None), vector[rows])
            stream.end(attention.residual, attention.output_bias)
        residual = block.feed_forward_residual
        output = block.feed_forward(residual.before(stream.state[None]))
        stream.add(Part("feed-forward", layer), np.asarray(output, dtype=np.float32)[0])
        stream.end(residual, None)
    if model.decoder.final_norm:
        stream.normalise(model.decoder.final_norm)
    return (*stream.parts, Part("biases")), np.stack([*stream.vectors, stream.biases])


class _Stream:
    """The residual stream [R, D] as a list of vectors."""

    def __init__(self, embedded: Array) -> None:
        self.state = np.asarray(embedded, dtype=np.float32)
        self.parts, self.vectors = [Part("embedding")], [self.state]
        self.biases = np.zeros_like(self.state)
        self._total = self.state

    def add(self, part: Part, vector: Array) -> None:
        """Add the vector of a part."""
        self.parts.append(part)
        self.vectors.append(vector)
        self._total = self._total + vector

    def end(self, residual: Any, bias: Array | None) -> None:
        """End a sub-layer: add its bias, and normalise where a post-norm block does."""
        if bias is not None:
            self.biases, self._total = self.biases + bias, self._total + bias
        if residual.norm == "post":
            self.normalise(residual.normalization)
        self.state = self._total

    def normalise(self, norm: Any) -> None:
        """Pass a normalisation with the spread of the whole; its shift is nobody's."""
        total = self._total
        self.vectors = [layers.frozen_norm(norm, vector, total) for vector in self.vectors]
        self.biases = layers.frozen_norm(norm, self.biases, total)
        if getattr(norm, "beta", None) is not None:
            self.biases = self.biases + np.asarray(norm.beta, dtype=np.float32)
        self._total = self.state = np.asarray(norm(total), dtype=np.float32)


def _foil(logits: Array, id: int, foil: int | None) -> int:
    if foil is None:
        order = np.argpartition(-logits, 1)[:2]
        return int(next(candidate for candidate in order[np.argsort(-logits[order])] if candidate != id))
    check_foil(foil, id, len(logits))
    return foil


def _output(model: Any, ids: Any) -> tuple[Array, Array]:
    """Return the output vectors [..., D] and biases [...] of tokens, the scale of the states in the vectors."""
    layer = model.output_layer or model.target_embedding
    kernel = layer.kernel if model.output_layer else layer.table
    vectors = np.asarray(kernel, dtype=np.float32)
    chosen = vectors.T[ids] if model.output_layer else vectors[ids]
    bias = getattr(layer, "bias", None)
    scale = model.config.d_model**-0.5 if model.config.output_scale else 1.0
    return chosen * np.float32(scale), np.zeros(ids.shape) if bias is None else np.asarray(bias, np.float32)[ids]


def _copying(
    model: Any, summary: Summary, states: Any, memory: Array, rows: list[int], pairs: Array
) -> tuple[tuple[Part, ...], Array, Array]:
    """Return the routes of copying, what they give each pair [R, C, 2], and the share of generating [R]."""
    trace = summary.attention
    if trace.copy is None or trace.p_gen is None:
        return (), np.zeros((len(rows), 0, 2), np.float32), np.ones(len(rows), np.float32)
    same = np.array([token.id for token in summary.source])[None, :, None] == pairs[:, None, :]  # [R, S, 2]
    if model.cross_copy is None:
        given = (1 - trace.p_gen[rows, None]) * np.einsum("rs,rsk->rk", trace.copy[rows], same)
        return (Part("copy"),), given[:, None], trace.p_gen[rows]
    embedded = model.target_embedding(np.array([[START, *(token.id for token in summary.tokens[:-1])]], dtype=np.int32))
    read = np.concatenate([np.asarray(states, np.float32), np.asarray(embedded, np.float32)], axis=-1)
    scores = np.asarray(model.cross_copy.switch(read), dtype=np.float64)[0][rows]
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))[:, 1:]  # [R, C]
    heads = model.cross_copy.heads
    looked = np.asarray(trace.cross[-1])[:heads, rows] * _words(summary.source)  # type: ignore[index]
    given = np.einsum("rc,crs,rsk->rck", shares, looked, same)
    return tuple(Part("copy", head=head) for head in range(heads)), given, trace.p_gen[rows]


def _words(source: tuple[Token, ...]) -> Array:
    """Return [S]: 1 for tokens that can be copied."""
    return np.array([token.id > TURN for token in source], dtype=np.float32)
