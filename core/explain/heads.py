"""What a head does, in numbers, and the name that fits them (Voita et al. 2019; Clark et al. 2019).

Shapes: L layers, H heads, Q query rows, N keys, T target tokens.

A row counts if it has at least two keys to choose from: row 0 of the decoder sees [SOS] alone and is left out of every
number. Column j of the decoder's self-attention is input position j, which holds [SOS] for j = 0 and otherwise target
token j-1; row i reads input i and predicts target token i. So its "same position" is the token written last, and the
"token before" is the one before that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from core.config import START
from core.explain.head_statistics import statistics
from core.explain.inside import Kind
from core.trace import Array, AttentionTrace, Token

POSITIONAL = 0.9
"""Share of rows whose maximum is at one offset (Voita et al. 2019, section 5.1)."""
NEIGHBOUR = 0.5
"""Mean mass on the token before or after (Clark et al. 2019, section 3.1)."""
SINK = 0.5
"""Mean mass on marks and punctuation (Clark et al. 2019, section 3.2: more than half of it)."""
COPY, COPY_TIMES = 0.3, 5.0
"""Mean mass on the same token, and how many times that of uniform attention (ours)."""
SPEAKER = 0.5
"""Mean mass on speaker tags (ours, as for sinks)."""
OWN_TURN = 0.8
"""Mean mass inside the query's turn (ours)."""
BROAD = 0.8
"""Mean normalised entropy (ours)."""


@dataclass(frozen=True)
class HeadScores:
    """Statistics of one head, means over the valid query rows of one or many dialogues; None where undefined.

    Args:
        kind: which attention.
        layer: 0-based.
        head: 0-based.
        rows: number of query rows that were averaged.
        previous: mass on the token before (self-attention).
        following: mass on the token after (encoder).
        itself: mass on the same position (self-attention).
        offset: the relative position that is most often the maximum (self-attention).
        offset_rate: share of rows whose maximum is there.
        same: mass on other positions with the same token, minus its expectation under uniform attention
            (self-attention); for cross-attention the mass on source tokens equal to the token being predicted. Over
            the rows of words and speakers that have such a key.
        copies: for cross-attention the mass on source tokens equal to the input token; over such rows likewise.
        sink: mass on [SOS], [EOS], [TURN], punctuation.
        speakers: mass on speaker tags and labels.
        turn: mass inside the query's own turn, [EOS] left out (encoder, dialogues of several turns).
        confidence: mean row maximum, [EOS] columns left out.
        entropy: normalised by ln(number of unmasked keys), 0 to 1.
        effective: exp(entropy in nats), effective number of keys.
        gini: of the sorted row, 0 (even) to (n-1)/n.
        distance: mean |query - key| in tokens (self-attention).
        chance: what the mass behind `same` would be under uniform attention.
        previous_apart: `previous` over the rows whose token before is no sink.
        following_apart: `following` over the rows whose token after is no sink.
        sink_apart: `sink` over the rows that have no sink at, before or (encoder) after them (self-attention).
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


@dataclass(frozen=True)
class HeadTag:
    """The name that fits a head best, and the next one: "resembles", not "is".

    Args:
        name: "positional", "previous token", "next token", "sink", "copy", "same token", "speaker tag",
            "own turn", "broad" or "mixed".
        score: the number behind it.
        runner_up: the name that fits second best.
        runner_up_score: its number.
    """

    name: str
    score: float
    runner_up: str
    runner_up_score: float


class _Fit(NamedTuple):
    """A name, its number, and how that number stands to the threshold: 1 or more fits."""

    name: str
    score: float
    ratio: float


def input_tokens(target: Sequence[Token]) -> tuple[Token, ...]:
    """What the decoder reads while it predicts `target`: [SOS] and all but the last token, T of them."""
    return (Token("[SOS]", START, 0, 0, None, None, -1), *target[:-1])


def score(
    weights: Array,
    queries: Sequence[Token],
    keys: Sequence[Token],
    kind: Kind,
    layer: int,
    head: int,
    inputs: Sequence[Token] | None = None,
) -> HeadScores:
    """Measure one head on one dialogue.

    Args:
        weights: [Q, N].
        queries: the Q tokens of the rows; for a decoder those that are predicted.
        keys: the N tokens of the columns; for decoder self-attention its inputs.
        kind: which attention.
        layer: 0-based.
        head: 0-based.
        inputs: for cross-attention the Q tokens that the decoder reads, as `input_tokens` gives them.

    Returns:
        The scores. Where no row has a choice, `rows` is 0 and so are the numbers that are always there.

    Raises:
        ValueError: the weights do not fit the tokens.
    """
    return replace(_measure(weights[None, None], queries, keys, kind, inputs)[0], layer=layer, head=head)


def scores(trace: AttentionTrace) -> tuple[HeadScores, ...]:
    """Measure every head of a run: cross-attention, then encoder, then decoder, by layer and head."""
    inputs = input_tokens(trace.target)
    found: list[HeadScores] = []
    if trace.cross is not None:
        found += _measure(trace.cross, trace.target, trace.source, "cross", inputs)
    if trace.encoder_self is not None:
        found += _measure(trace.encoder_self, trace.source, trace.source, "encoder", None)
    if trace.decoder_self is not None:
        found += _measure(trace.decoder_self, trace.target, inputs, "decoder", inputs)
    return tuple(found)


def combine(parts: Sequence[HeadScores]) -> HeadScores:
    """The scores of one head over several dialogues.

    Means are weighted by `rows`; a dialogue that does not define a number has no part in it. The offset is the one
    that most rows have their maximum at, counting for each dialogue its own most frequent offset alone, so its rate is
    a lower bound.

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


def tag(scores: HeadScores) -> HeadTag:
    """Name what a head resembles: the first fitting name in the order of `_fits`, else "mixed".

    A neighbour or sink head must fit with colliding rows left out too: the lower number counts. The runner-up is the
    other name whose number is highest against its threshold. The number of "mixed" is the normalised entropy.
    """
    fits = _fits(scores)
    chosen = next((fit for fit in fits if fit.ratio >= 1), _Fit("mixed", scores.entropy, 1))
    other = max((fit for fit in fits if fit.name != chosen.name), key=lambda fit: fit.ratio)
    return HeadTag(chosen.name, chosen.score, other.name, other.score)


def _fits(scores: HeadScores) -> list[_Fit]:
    """The names that can be told of this kind of head, with their numbers."""
    repeated = None if scores.same is None else scores.same + (scores.chance or 0)
    cross = scores.kind == "cross"
    numbers = [
        ("positional", scores.offset_rate, POSITIONAL),
        ("previous token", _lower(scores.previous, scores.previous_apart), NEIGHBOUR),
        ("next token", _lower(scores.following, scores.following_apart), NEIGHBOUR),
        ("sink", _lower(scores.sink, scores.sink_apart), SINK),
        ("copy", scores.same if cross else None, _copy_threshold(scores)),
        ("same token", scores.copies if cross else repeated, _copy_threshold(scores)),
        ("speaker tag", scores.speakers, SPEAKER),
        ("own turn", scores.turn, OWN_TURN),
        ("broad", scores.entropy, BROAD),
    ]
    return [_Fit(name, number, number / threshold) for name, number, threshold in numbers if number is not None]


def _lower(number: float | None, apart: float | None) -> float | None:
    return number if number is None or apart is None else min(number, apart)


def _copy_threshold(scores: HeadScores) -> float:
    """The input tokens of a decoder are its predictions moved by one row: one chance serves both."""
    return max(COPY, COPY_TIMES * (scores.chance or 0))


def _weighted_mean(pairs: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, rows) for value, rows in pairs if value is not None]
    if not known:
        return None
    total = sum(rows for _, rows in known)
    return sum(value * rows for value, rows in known) / total if total else 0.0


def _measure(
    weights: Array, queries: Sequence[Token], keys: Sequence[Token], kind: Kind, inputs: Sequence[Token] | None
) -> list[HeadScores]:
    """Measure the heads of weights [L, H, Q, N] at once."""
    heads = weights.shape[1]
    flat = weights.reshape(-1, *weights.shape[2:])
    rows, found = statistics(flat, queries, keys, kind, inputs)
    empty: dict[str, Any] = {item.name: None for item in fields(HeadScores)}
    return [
        HeadScores(
            **empty
            | {name: values[index] for name, values in found.items()}
            | {"kind": kind, "layer": index // heads, "head": index % heads, "rows": rows}
        )
        for index in range(len(flat))
    ]
