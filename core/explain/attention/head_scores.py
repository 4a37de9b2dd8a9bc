"""Scores of attention heads (Voita et al. 2019; Clark et al. 2019): `HeadScores` of a run, or of many combined.

Shapes: L layers, H heads, Q query rows, N keys, T target tokens.

A row counts if it has at least two keys to choose from: row 0 of the decoder sees only [SOS] and is left out of every
number. Column j of the decoder's self-attention is input position j, which holds [SOS] for j = 0 and otherwise target
token j-1; row i reads input i and predicts target token i. So "same position" is the last written token, and
"token before" is the one before that.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.config import START
from core.explain.attention.head_statistics import statistics
from core.explain.attention.inside import Kind
from core.trace import Attention, AttentionTrace, Token


@dataclass(frozen=True)
class HeadScores:
    """Scores of one head: mean shares of attention over the valid query rows; None if undefined.

    Args:
        kind: of attention.
        layer: 0-based.
        head: 0-based.
        rows: number of query rows that were averaged.
        previous: on the token before (self-attention).
        following: on the token after (encoder).
        itself: on the same position (self-attention).
        offset: the relative position that is most often the maximum (self-attention).
        offset_rate: share of rows whose maximum is there.
        same: on other positions with the same token, minus its expectation under uniform attention
            (self-attention); for cross-attention on source tokens equal to the predicted token. Over the
            rows of words and speakers that have such a key.
        copies: for cross-attention on source tokens equal to the input token, over the rows that have one.
        copied: for cross-attention the share of rows whose largest weight is on a source token equal to the predicted
            token, over the same rows as `same` (the retrieval score of Wu et al. 2024, section 2).
        sink: on [SOS], [EOS], [TURN] and punctuation.
        speakers: on speaker tags and labels.
        turn: inside the query's own turn, without [EOS] (encoder, dialogues of several turns).
        confidence: mean row maximum, [EOS] columns left out.
        entropy: normalised by ln(number of unmasked keys), 0 to 1.
        effective: exp(entropy in nats), effective number of keys.
        gini: of the sorted row, 0 (even) to (n-1)/n.
        distance: mean |query - key| in tokens (self-attention).
        chance: expectation of `same` under uniform attention.
        previous_apart: `previous` over the rows whose token before is no sink.
        following_apart: `following` over the rows whose token after is no sink.
        sink_apart: `sink` over the rows without a sink at, before or (encoder) after them (self-attention).
    """

    kind: Kind
    layer: int
    head: int
    rows: int
    previous: float | None
    following: float | None
    itself: float | None
    offset: int | None
    offset_rate: float | None
    same: float | None
    copies: float | None
    sink: float
    speakers: float
    turn: float | None
    confidence: float
    entropy: float
    effective: float
    gini: float
    distance: float | None
    chance: float | None = None
    previous_apart: float | None = None
    following_apart: float | None = None
    sink_apart: float | None = None
    copied: float | None = None


def input_tokens(target: Sequence[Token]) -> tuple[Token, ...]:
    """Return the decoder's input while it predicts `target`: [SOS] and all but the last token, T of them."""
    return (Token("[SOS]", START, 0, 0, None, None, -1), *target[:-1])


def scores(trace: AttentionTrace) -> tuple[HeadScores, ...]:
    """Measure every head of a run: cross-attention, then encoder, then decoder, by layer and head."""
    inputs = input_tokens(trace.target)
    speakers = {token.speaker for token in trace.source if token.speaker is not None}
    every: list[HeadScores] = []
    if trace.cross is not None:
        every += measure(trace.cross, trace.target, trace.source, "cross", inputs)
    if trace.encoder_self is not None:
        every += measure(trace.encoder_self, trace.source, trace.source, "encoder", None)
    if trace.decoder_self is not None:
        every += measure(trace.decoder_self, trace.target, inputs, "decoder", inputs, speakers)
    return tuple(every)


def combine(parts: Sequence[HeadScores]) -> HeadScores:
    """Combine the scores of one head over several dialogues.

    Means are weighted by `rows`; dialogues in which a number is undefined are left out. The offset is the most frequent
    one, counting only the most frequent offset of each dialogue; so its rate is a lower bound.

    Raises:
        ValueError: no scores, or scores of several heads.
    """
    heads = {(part.kind, part.layer, part.head) for part in parts}
    if len(heads) != 1:
        raise ValueError(f"combine takes scores of one head. Received: {len(parts)} scores of {len(heads)} heads")
    means: dict[str, Any] = {
        item.name: _weighted_mean([(getattr(part, item.name), part.rows) for part in parts])
        for item in fields(HeadScores)
        if item.name not in ("kind", "layer", "head", "rows", "offset", "offset_rate")
    }
    rows = sum(part.rows for part in parts)
    hits: dict[int, float] = {}
    for part in parts:
        if part.offset is not None and part.offset_rate is not None:
            hits[part.offset] = hits.get(part.offset, 0) + part.offset_rate * part.rows
    offset = max(hits, key=lambda each: hits[each]) if hits else None
    rate = None if offset is None else hits[offset] / rows
    return replace(parts[0], rows=rows, offset=offset, offset_rate=rate, **means)


def _weighted_mean(pairs: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, rows) for value, rows in pairs if value is not None]
    if not known:
        return None
    total = sum(rows for _, rows in known)
    return sum(value * rows for value, rows in known) / total if total else 0.0


def measure(
    weights: Attention,
    queries: Sequence[Token],
    keys: Sequence[Token],
    kind: Kind,
    inputs: Sequence[Token] | None,
    speakers: Collection[str] = (),
) -> list[HeadScores]:
    """Measure every head of one kind of attention on one dialogue.

    Args:
        weights: [L, H, Q, N].
        queries: the Q tokens of the rows; for a decoder those that are predicted.
        keys: the N tokens of the columns; for decoder self-attention its inputs.
        kind: which attention.
        inputs: for cross-attention the Q tokens that the decoder reads, see `input_tokens`.
        speakers: names of those who speak in the dialogue.

    Returns:
        The scores by layer and head; if no row counts, `rows` and the numbers that are always defined are 0.

    Raises:
        ValueError: the weights do not fit the tokens.
    """
    empty: dict[str, Any] = {item.name: None for item in fields(HeadScores)}
    scores = []
    for layer in range(len(weights)):
        rows, numbers = statistics(weights[layer], queries, keys, kind, inputs, speakers)
        for head in range(weights.shape[1]):
            own = {name: values[head] for name, values in numbers.items()}
            place = {"kind": kind, "layer": layer, "head": head, "rows": rows}
            scores.append(HeadScores(**empty | own | place))
    return scores
