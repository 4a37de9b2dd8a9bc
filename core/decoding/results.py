"""Results of decoding: hypotheses, drafts and summaries from the arrays that the engine computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.config import END, DecodeSettings
from core.decoding.engine import Reading
from core.decoding.search import BeamResult
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.trace import Alternative, Array, AttentionTrace, BeamTrace, DecodingStep, Hypothesis, Summary, Token

ALTERNATIVES = 10
"""Alternatives kept at each step."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A summary of a batch, without the large arrays of `Summary`.

    Args:
        text: the summary.
        tokens: the written tokens, the end token included.
        log_probabilities: [T] of each token over the whole vocabulary, natural logarithms.
        entropies: [T] of the next-token distributions, in nats.
        attention: attention to the source: `copy` of a copying model, else `cross` [1, 1, T, S], the mean over the
            heads of the last layer; neither for a model without attention.
    """

    text: str
    tokens: tuple[Token, ...]
    log_probabilities: Array
    entropies: Array
    attention: AttentionTrace


@dataclass(frozen=True)
class Written:
    """The output of one decoding.

    Args:
        ids: the target, the end token included if it was written.
        hypotheses: all that the search finished, best first.
        beam: every candidate of the search; only for the strategy "beam".
        forced: number of first ids that were given.
        forced_end: whether the end token was forced at the greatest length.
        ends: tokens that end a target.
    """

    ids: list[int]
    hypotheses: tuple[Hypothesis, ...] = ()
    beam: BeamTrace | None = None
    forced: int = 0
    forced_end: bool = False
    ends: tuple[int, ...] = (END,)


def hypotheses(result: BeamResult, tokenizer: AnyTokenizer, speakers: Mapping[int, str]) -> tuple[Hypothesis, ...]:
    """Return the finished hypotheses, best first."""
    return tuple(Hypothesis(tokenizer.decode(finished.ids, speakers)[0], *finished) for finished in result.hypotheses)


def beam_trace(result: BeamResult) -> BeamTrace:
    """Return the candidates of every step."""
    return BeamTrace(result.tokens, result.parents, result.scores, result.kept)


def draft(encoded: EncodedDialogue, ids: list[int], reading: Reading, tokenizer: AnyTokenizer, copies: bool) -> Draft:
    """Make the draft of one dialogue of a batch; `copies`: the attention is a copy distribution."""
    text, tokens = tokenizer.decode(ids, encoded.speakers)
    weights = reading.attention
    where = {"copy": weights} if copies else {} if weights is None else {"cross": weights[None, None]}
    attention = AttentionTrace(encoded.tokens, tokens, **where)
    return Draft(text, tokens, reading.log_probabilities, reading.entropies, attention)


def summary(
    encoded: EncodedDialogue,
    settings: DecodeSettings,
    written: Written,
    replay: Mapping[str, Any],
    tokenizer: AnyTokenizer,
    checkpoint: str,
    seconds: float,
) -> Summary:
    """Build the whole trace of a run.

    Args:
        encoded: the dialogue.
        settings: of the decoding.
        written: output of the decoding.
        replay: arrays of `Engine.replay` with that output as the target, and the `Layers` that it left out.
        tokenizer: of the checkpoint.
        checkpoint: identity of the checkpoint, `name@sha256-prefix`.
        seconds: wall time of decoding and replay.
    """
    ids = written.ids
    text, tokens = tokenizer.decode(ids, encoded.speakers)
    attention = AttentionTrace(
        encoded.tokens,
        tokens,
        **{name: replay.get(name) for name in ("encoder_self", "decoder_self", "cross", "p_gen", "copy")},
    )
    log_probabilities = log_softmax(replay["logits"])
    copied = _copied_share(attention, log_probabilities, encoded.ids, ids)
    parents = _parents(written.beam, ids)
    steps = tuple(
        DecodingStep(
            token,
            float(row[token.id]),
            float(-np.sum(np.exp(row) * row)),
            int(np.sum(row > row[token.id])) + 1,
            _alternatives(row, tokenizer, encoded.speakers),
            parents[index],
            None if copied is None else float(copied[index]),
        )
        for index, (token, row) in enumerate(zip(tokens, log_probabilities, strict=True))
    )
    return Summary(
        text=text,
        dialogue=encoded.dialogue,
        steps=steps,
        attention=attention,
        logits=replay["logits"],
        encoder_hidden=replay["encoder_hidden"],
        decoder_hidden=replay["decoder_hidden"],
        omitted=encoded.omitted,
        shortened=encoded.shortened,
        hypotheses=written.hypotheses,
        beam=written.beam,
        finished=ids[-1] in written.ends and not written.forced_end,
        settings=settings,
        checkpoint=checkpoint,
        seconds=seconds,
        forced=written.forced,
    )


def _alternatives(row: Array, tokenizer: AnyTokenizer, speakers: Mapping[int, str]) -> tuple[Alternative, ...]:
    best = np.argpartition(-row, ALTERNATIVES)[:ALTERNATIVES] if len(row) > ALTERNATIVES else np.arange(len(row))
    best = best[np.argsort(-row[best], kind="stable")]
    return tuple(
        Alternative(int(token), tokenizer.id_text(int(token), speakers), float(np.exp(row[token]))) for token in best
    )


def log_softmax(logits: Array) -> Array:
    """Compute log-probabilities over the last axis, float32 of the same shape."""
    wide = logits.astype(np.float64)
    wide -= wide.max(axis=-1, keepdims=True)
    normal: Array = (wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))).astype(np.float32)
    return normal


def _copied_share(
    attention: AttentionTrace, log_probabilities: Array, source: Sequence[int], target: Sequence[int]
) -> Array | None:
    """Return the share of each written token's probability that came from copying, [T]; None if a model cannot copy."""
    if attention.copy is None or attention.p_gen is None:
        return None
    same = np.asarray(target)[:, None] == np.asarray(source)[None, :]  # [T, S]
    copied = (1 - attention.p_gen) * (attention.copy * same).sum(axis=1)
    chosen = np.exp(log_probabilities[np.arange(len(target)), target])
    return np.minimum(copied / np.maximum(chosen, 1e-12), 1.0).astype(np.float32)  # type: ignore[no-any-return]


def _parents(beam: BeamTrace | None, ids: Sequence[int]) -> list[int]:
    """Return the beam slot that each token of a hypothesis continues; zeros without beams."""
    if beam is None:
        return [0] * len(ids)
    paths: dict[int, tuple[list[int], list[int]]] = {0: ([], [])}
    for step in range(len(beam.tokens)):
        following = {}
        for token, parent, kept in zip(beam.tokens[step], beam.parents[step], beam.kept[step], strict=True):
            if kept == -1 or int(parent) not in paths:
                continue
            words, slots = paths[int(parent)]
            path = ([*words, int(token)], [*slots, int(parent)])
            if path[0] == list(ids):
                return path[1]
            if kept >= 0:
                following[int(kept)] = path
        paths = following
    return [0] * len(ids)
