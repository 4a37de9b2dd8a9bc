"""Beam search and sampling as `keras.ops` loops over one step function, for one dialogue or several at once.

A strategy sees only `step(tokens [N], position, cache) -> (logits [N, V], cache)`; the leading axis of every
tensor in the cache is N = B * W, the beams of one dialogue together. Lengths are static, everything else is a
tensor, so that a compiled loop is traced once. B dialogues, W beams, T most tokens, V vocabulary. Greedy decoding is
beam search with W = 1. The state of a finished dialogue is frozen while others continue: its result does not depend
on the other dialogues of the batch.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
from keras import ops

from core.config import END, PAD, START

NEVER = -1e9
"""Log-probability of what is not allowed."""
LONGEST_NGRAM = 10

Step = Callable[[Any, Any, Any], tuple[Any, Any]]


class Limits(NamedTuple):
    """Limits of every strategy; scalars are tensors.

    Args:
        max_tokens: largest number of tokens, the end token included.
        min_tokens: tokens before the end token is allowed.
        no_repeat_ngram: no n-gram of this length twice; 0 = allowed.
        prefix: forced first tokens, [T].
        prefix_length: how many of them are forced.
        whole_words: whether words are kept whole, see `constrain`.
        source: source ids, [B, S].
        parts: [V], 1 for tokens that continue a word, 2 for tokens that begin one, 0 for others.
        suppressed: tokens that are never written, [V] bool; their `parts` are 0.
        certain_first: whether the first token of the prefix counts with log-probability 0.
        certain_last: whether the end token is forced at the last position, with log-probability 0.
    """

    max_tokens: Any
    min_tokens: Any
    no_repeat_ngram: Any
    prefix: Any
    prefix_length: Any
    whole_words: Any
    source: Any
    parts: Any
    suppressed: Any = False
    certain_first: Any = False
    certain_last: Any = False


class BeamResult(NamedTuple):
    """The result of beam search; every array has a leading B until `row` selects one dialogue.

    Args:
        tokens: finished hypotheses, best first, [W, T], padded.
        lengths: [W], the end token included if it was written; 0 = unused slot.
        log_probabilities: [W] summed.
        scores: [W] log-probability / length^penalty.
        steps: number of steps run.
        candidates: token, parent, kept [T, 2W] int32 and score [T, 2W] float32 of all candidates.
    """

    tokens: Any
    lengths: Any
    log_probabilities: Any
    scores: Any
    steps: Any
    candidates: tuple[Any, Any, Any, Any]

    def row(self, number: int) -> "BeamResult":
        """Return the result of one dialogue of the batch."""
        return BeamResult(*keras.tree.map_structure(lambda values: values[number], tuple(self)))


def beam_search(
    step: Step, cache: Any, limits: Limits, beams: Any, penalty: Any, width: int, early: Any = False
) -> BeamResult:
    """Beam search with frozen finished hypotheses.

    At each step the 2k best continuations of the k live beams are ranked. [EOS] among the first k finishes a
    hypothesis, which moves to a pool of size k with the score log P / length^penalty; [EOS] further down is
    dropped; the best k others live on. At `max_tokens` the first k finish, whatever their last token is. The search
    stops there, or when the pool is full and no live beam, scored at its present length, beats the worst of the
    pool, or, if it is to stop early, as soon as the pool is full.

    Args:
        step: the step function.
        cache: its first cache.
        limits: the limits.
        beams: k, live beams, a scalar tensor of at most `width`.
        penalty: exponent of the length.
        width: W, static.
        early: whether to stop as soon as the pool is full.

    Returns:
        BeamResult.
    """
    batch, length = limits.source.shape[0], limits.prefix.shape[0]
    slots, ranks = ops.arange(width), ops.arange(2 * width)
    first = width * ops.arange(batch)[:, None]  # row of each dialogue's first beam, [B, 1]
    state = {
        "tokens": ops.zeros((batch, width, length), dtype="int32"),
        "scores": ops.tile(ops.where(slots == 0, 0.0, NEVER)[None], (batch, 1)),
        "steps": ops.zeros((batch,), dtype="int32"),
        "pool_tokens": ops.zeros((batch, width, length), dtype="int32"),
        "pool_lengths": ops.zeros((batch, width), dtype="int32"),
        "pool_log": ops.full((batch, width), NEVER),
        "pool_scores": ops.full((batch, width), NEVER),
        "seen_tokens": ops.zeros((batch, length, 2 * width), dtype="int32"),
        "seen_parents": ops.zeros((batch, length, 2 * width), dtype="int32"),
        "seen_scores": ops.full((batch, length, 2 * width), NEVER),
        "seen_kept": ops.full((batch, length, 2 * width), -1, dtype="int32"),
    }

    def go_on(state: dict[str, Any], position: Any) -> Any:
        best = ops.max(state["scores"], axis=1)
        reachable = best / ops.power(ops.cast(ops.maximum(position, 1), "float32"), penalty)
        in_pool = ops.where(slots < beams, state["pool_scores"], 0.0)
        full = ops.all(in_pool > NEVER / 2, axis=1)
        done = ops.logical_and(full, ops.logical_or(early, ops.min(in_pool, axis=1) >= reachable))
        more = ops.logical_and(position < limits.max_tokens, best > NEVER / 2)
        return ops.logical_and(more, ops.logical_not(done))

    def advance(state: dict[str, Any], position: Any, cache: Any) -> tuple[dict[str, Any], Any]:
        flat = ops.reshape(state["tokens"], (-1, length))  # [N, T]
        logits, cache = step(_last(flat, position), position, cache)
        allowed = constrain(ops.log_softmax(logits, axis=-1), flat, position, limits)
        vocabulary = allowed.shape[-1]
        total = ops.maximum(ops.reshape(state["scores"], (-1, 1)) + allowed, NEVER)
        scores, best = ops.top_k(ops.reshape(total, (batch, width * vocabulary)), 2 * width)  # [B, 2W]
        parents, tokens = ops.cast(best // vocabulary, "int32"), ops.cast(best % vocabulary, "int32")
        possible = ops.logical_and(scores > NEVER / 2, ranks < 2 * beams)
        ends = ops.logical_and(ops.logical_or(tokens == END, position == limits.max_tokens - 1), possible)
        finishes = ops.logical_and(ends, ranks < beams)
        sequences = ops.slice_update(ops.take(flat, first + parents, axis=0), (0, 0, position), tokens[..., None])
        survives = ops.logical_and(possible, ops.logical_not(ends))
        place = ops.cumsum(ops.cast(survives, "int32"), axis=1) - 1
        survives = ops.logical_and(survives, place < beams)
        kept = ops.where(survives, place, ops.where(finishes, -2, -1))
        _, chosen = ops.top_k(ops.where(survives, -ranks, -4 * width), width)  # the survivors, in order, [B, W]
        alive = slots < ops.sum(ops.cast(survives, "int32"), axis=1, keepdims=True)
        origin = ops.reshape(first + ops.take_along_axis(parents, chosen, axis=1), (-1,))  # [N]
        row = (0, position, 0)
        fresh = {
            "tokens": ops.take_along_axis(sequences, chosen[..., None], axis=1),
            "scores": ops.where(alive, ops.take_along_axis(scores, chosen, axis=1), NEVER),
            "steps": state["steps"] + 1,
            **_pool(state, sequences, scores, finishes, position + 1, penalty, beams),
            "seen_tokens": ops.slice_update(state["seen_tokens"], row, tokens[:, None]),
            "seen_parents": ops.slice_update(state["seen_parents"], row, parents[:, None]),
            "seen_scores": ops.slice_update(state["seen_scores"], row, ops.where(possible, scores, NEVER)[:, None]),
            "seen_kept": ops.slice_update(state["seen_kept"], row, kept[:, None]),
        }
        return fresh, keras.tree.map_structure(lambda tensor: ops.take(tensor, origin, axis=0), cache)

    state = _loop(go_on, advance, state, cache)
    return BeamResult(
        state["pool_tokens"],
        state["pool_lengths"],
        state["pool_log"],
        state["pool_scores"],
        state["steps"],
        (state["seen_tokens"], state["seen_parents"], state["seen_kept"], state["seen_scores"]),
    )


def sample(
    step: Step, cache: Any, limits: Limits, temperature: Any, top_k: Any, top_p: Any, noise: Any
) -> tuple[Any, Any]:
    """Draw one token a step from the tempered and cut distribution.

    Args:
        step: the step function, W = 1.
        cache: its first cache.
        limits: the limits.
        temperature: divides the logits.
        top_k: most probable tokens kept; 0 = all.
        top_p: probability of the smallest set kept (Holtzman et al. 2020), after `top_k`.
        noise: standard Gumbel noise [T, V]; the largest kept logit + noise is the draw. All dialogues share it, so
            that a dialogue draws the same alone and in any batch.

    Returns:
        tokens [B, T], padded, and the number of tokens written [B].
    """
    batch, length = limits.source.shape[0], limits.prefix.shape[0]
    state = {
        "tokens": ops.zeros((batch, length), dtype="int32"),
        "steps": ops.zeros((batch,), dtype="int32"),
        "ended": ops.zeros((batch,), dtype="bool"),
    }

    def go_on(state: dict[str, Any], position: Any) -> Any:
        return ops.logical_and(position < limits.max_tokens, ops.logical_not(state["ended"]))

    def advance(state: dict[str, Any], position: Any, cache: Any) -> tuple[dict[str, Any], Any]:
        logits, cache = step(_last(state["tokens"], position), position, cache)
        allowed = constrain(ops.log_softmax(logits, axis=-1), state["tokens"], position, limits)
        tempered = ops.where(allowed > NEVER / 2, allowed / temperature, NEVER)
        token = ops.cast(ops.argmax(cut(tempered, top_k, top_p) + noise[position][None], axis=-1), "int32")  # [B]
        fresh = {
            "tokens": ops.slice_update(state["tokens"], (0, position), token[:, None]),
            "steps": state["steps"] + 1,
            "ended": token == END,
        }
        return fresh, cache

    state = _loop(go_on, advance, state, cache)
    return state["tokens"], state["steps"]


def cut(logits: Any, top_k: Any, top_p: Any) -> Any:
    """Set all but the kept logits to NEVER.

    Args:
        logits: [N, V], tempered.
        top_k: number kept; 0 = all.
        top_p: the smallest set whose probability (after top_k) reaches it is kept, at least one token.

    Returns:
        [N, V].
    """
    size = logits.shape[-1]
    ordered = -ops.sort(-logits, axis=-1)
    within = ops.arange(size) < ops.where(top_k > 0, top_k, size)
    ordered = ops.where(within, ordered, NEVER)
    probabilities = ops.softmax(ordered, axis=-1)
    before = ops.cumsum(probabilities, axis=-1) - probabilities
    last = ops.min(ops.where(ops.logical_and(within, before < top_p), ordered, ordered[:, :1]), axis=-1, keepdims=True)
    return ops.where(logits >= last, logits, NEVER)


def constrain(log_probabilities: Any, tokens: Any, position: Any, limits: Limits) -> Any:
    """Set log-probabilities [N, V] of tokens that are not allowed at `position`, after `tokens` [N, T], to NEVER.

    Whole words: after a sub-word of the source, a word may continue only as somewhere in the source, and must
    continue if it always does there; no token that begins a word is written twice in a row. The need to continue
    overrules the n-gram limit, and forced tokens overrule everything.
    """
    vocabulary = log_probabilities.shape[-1]
    ids = ops.arange(vocabulary)
    early = ops.logical_and(ids == END, position < limits.min_tokens)
    never = ops.logical_or(ops.logical_or(ids == PAD, ids == START), limits.suppressed)
    banned = ops.logical_or(early, never)[None]
    banned = ops.logical_or(banned, _repeats(tokens, position, limits.no_repeat_ngram, vocabulary))
    follows, seen, unfinished = _words(tokens, position, limits, vocabulary)
    invented = ops.logical_and(seen[:, None], ops.logical_and(limits.parts == 1, ops.logical_not(follows)))
    twice = ops.logical_and(ids[None] == _before(tokens, position)[:, None], limits.parts == 2)
    twice = ops.logical_and(twice, ops.logical_and(limits.whole_words, position > 0))
    banned = ops.logical_or(banned, ops.logical_or(invented, twice))
    banned = ops.where(unfinished[:, None], ops.logical_not(follows), banned)
    last = ops.logical_and(limits.certain_last, position == limits.max_tokens - 1)
    certain = ops.logical_or(last, ops.logical_and(limits.certain_first, position == 0))
    forced = ops.logical_or(certain, position < limits.prefix_length)
    other = ids[None] != ops.where(last, END, ops.take(limits.prefix, position))
    known = ops.where(certain, 0.0, log_probabilities)
    return ops.where(ops.where(forced, other, banned), NEVER, known)


def _words(tokens: Any, position: Any, limits: Limits, vocabulary: int) -> tuple[Any, Any, Any]:
    """Find how the source continues after the last token of each beam.

    Returns:
        `follows` [N, V], the sub-words that follow it in the source; `seen` [N], whether it occurs there;
        `unfinished` [N], whether it is always followed by one of them.
    """
    rows, (batch, size) = tokens.shape[0], limits.source.shape
    last = ops.reshape(_before(tokens, position), (batch, -1, 1))  # [B, W, 1]
    active = ops.logical_and(limits.whole_words, position > 0)
    here = ops.logical_and(limits.source[:, None] == last, active)  # [B, W, S]
    after = ops.where(ops.arange(size) == size - 1, PAD, ops.roll(limits.source, -1, axis=1))  # [B, S]
    inside = ops.logical_and(here, (ops.take(limits.parts, after) == 1)[:, None])
    here, inside = ops.reshape(here, (rows, size)), ops.reshape(inside, (rows, size))
    after = ops.reshape(ops.broadcast_to(after[:, None], (batch, rows // batch, size)), (rows, size))
    counts = _counts(after, inside, vocabulary)
    seen = ops.any(here, axis=1)
    unfinished = ops.logical_and(seen, ops.all(ops.logical_or(ops.logical_not(here), inside), axis=1))
    return counts > 0, seen, unfinished


def _repeats(tokens: Any, position: Any, size: Any, vocabulary: int) -> Any:
    """Mark the tokens [N, V] that would complete an n-gram of `size` which `tokens` [N, T] already holds."""
    places = ops.arange(tokens.shape[1])
    match = ops.logical_and(places < position, places >= size - 1)[None]
    match = ops.logical_and(match, size > 0)
    for back in range(1, LONGEST_NGRAM):
        recent = ops.take(tokens, ops.maximum(position - back, 0), axis=1)[:, None]
        same = ops.logical_or(ops.roll(tokens, back, axis=1) == recent, back >= size)
        match = ops.logical_and(match, same)
    return _counts(tokens, match, vocabulary) > 0


def _counts(ids: Any, marked: Any, vocabulary: int) -> Any:
    """Count each id [N, V] at the marked positions of `ids` [N, K]."""
    rows = ops.broadcast_to(ops.arange(ids.shape[0])[:, None], ids.shape)
    indices = ops.reshape(ops.stack([rows, ids], axis=-1), (-1, 2))
    return ops.scatter(indices, ops.reshape(ops.cast(marked, "float32"), (-1,)), (ids.shape[0], vocabulary))


def _pool(
    state: dict[str, Any], sequences: Any, scores: Any, finishes: Any, length: Any, penalty: Any, beams: Any
) -> dict[str, Any]:
    """Return the best k of the finished hypotheses so far and those of this step."""
    width = state["pool_scores"].shape[1]
    fresh = ops.where(finishes, scores / ops.power(ops.cast(length, "float32"), penalty), NEVER)
    best, places = ops.top_k(ops.concatenate([state["pool_scores"], fresh], axis=1), width)  # [B, W]
    inside = ops.logical_and(ops.arange(width) < beams, best > NEVER / 2)
    lengths = ops.concatenate([state["pool_lengths"], ops.full_like(finishes, length, dtype="int32")], axis=1)
    logs = ops.concatenate([state["pool_log"], scores], axis=1)
    tokens = ops.concatenate([state["pool_tokens"], sequences], axis=1)
    return {
        "pool_tokens": ops.where(inside[..., None], ops.take_along_axis(tokens, places[..., None], axis=1), 0),
        "pool_lengths": ops.where(inside, ops.take_along_axis(lengths, places, axis=1), 0),
        "pool_log": ops.where(inside, ops.take_along_axis(logs, places, axis=1), NEVER),
        "pool_scores": ops.where(inside, best, NEVER),
    }


def _before(tokens: Any, position: Any) -> Any:
    """Return the token before `position` of each row, [N]; at position 0 the first one."""
    return ops.take(tokens, ops.maximum(position - 1, 0), axis=1)


def _last(tokens: Any, position: Any) -> Any:
    """Return the decoder input at `position`: [SOS] first, then the token before, [N]."""
    return ops.where(position == 0, START, _before(tokens, position))


def _loop(
    go_on: Callable[[Any, Any], Any],
    advance: Callable[[Any, Any, Any], tuple[Any, Any]],
    state: dict[str, Any],
    cache: Any,
) -> dict[str, Any]:
    """Run `keras.ops.while_loop` until all dialogues have ended; the state of those that have stays frozen.

    Args:
        go_on: computes which dialogues continue, [B], from the state and the position.
        advance: computes state and cache of the next position.
        state: tensors with a leading B.
        cache: of the step function, a nested tuple.

    Returns:
        The last state.
    """
    position = ops.convert_to_tensor(0, dtype="int32")
    everything = {"state": state, "cache": cache, "position": position, "running": go_on(state, position)}

    def pack(tensors: Any) -> dict[str, Any]:
        return keras.tree.pack_sequence_as(everything, list(tensors))  # type: ignore[no-any-return]

    def next_values(now: dict[str, Any]) -> dict[str, Any]:
        fresh, cache = advance(now["state"], now["position"], now["cache"])
        running, position = now["running"], now["position"] + 1

        def held(new: Any, old: Any) -> Any:
            return ops.where(ops.reshape(running, (-1, *[1] * (len(new.shape) - 1))), new, old)

        state = keras.tree.map_structure(held, fresh, now["state"])
        running = ops.logical_and(running, go_on(state, position))  # an ended dialogue stays ended
        return {"state": state, "cache": cache, "position": position, "running": running}

    result = ops.while_loop(
        lambda *tensors: ops.any(pack(tensors)["running"]),
        lambda *tensors: tuple(keras.tree.flatten(next_values(pack(tensors)))),
        tuple(keras.tree.flatten(everything)),
    )
    return pack(result)["state"]  # type: ignore[no-any-return]
