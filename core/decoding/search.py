"""Beam search and sampling as `keras.ops` loops over one step function.

A strategy sees only `step(tokens [W], position, cache) -> (logits [W, V], cache)`; the leading axis of every
tensor in the cache is W. Lengths are static, everything else is a tensor, so a compiled loop is traced once.
W beams, T most tokens, V vocabulary. Greedy decoding is beam search with W = 1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
from keras import ops

from core.config import END, PAD, START

NEVER = -1e9
"""Log-probability of what may not happen."""
LONGEST_NGRAM = 10

Step = Callable[[Any, Any, Any], tuple[Any, Any]]


class Limits(NamedTuple):
    """What every strategy obeys; scalars are tensors.

    Args:
        max_tokens: most tokens, the end token included.
        min_tokens: tokens before the end token is allowed.
        no_repeat_ngram: no n-gram of this length twice; 0 = allowed.
        prefix: forced first tokens, [T].
        prefix_length: how many of them are forced.
        whole_words: whether words are kept whole, see `constrain`.
        source: source ids, [S].
        parts: [V], 1 for tokens that go on with the word before them, 2 for tokens that begin one, 0 for others.
    """

    max_tokens: Any
    min_tokens: Any
    no_repeat_ngram: Any
    prefix: Any
    prefix_length: Any
    whole_words: Any
    source: Any
    parts: Any


class BeamResult(NamedTuple):
    """What beam search leaves behind.

    Args:
        tokens: finished hypotheses, best first, [W, T], padded.
        lengths: [W], the end token included; 0 = unused place.
        log_probabilities: [W] summed.
        scores: [W] log-probability / length^penalty.
        live_tokens: unfinished hypotheses when the loop stopped, [W, T].
        live_log_probabilities: [W]; NEVER = unused place.
        steps: number of steps run.
        candidates: token, parent, kept [T, 2W] int32 and score [T, 2W] float32 of all that was considered.
    """

    tokens: Any
    lengths: Any
    log_probabilities: Any
    scores: Any
    live_tokens: Any
    live_log_probabilities: Any
    steps: Any
    candidates: tuple[Any, Any, Any, Any]


def beam_search(step: Step, cache: Any, limits: Limits, beams: Any, penalty: Any, width: int) -> BeamResult:
    """Beam search with frozen finished hypotheses.

    At each step the 2k best continuations of the k live beams are ranked. [EOS] among the first k finishes a
    hypothesis, which moves to a pool of size k with the score log P / length^penalty; [EOS] further down is
    dropped; the best k others live on. The search stops when the pool is full and no live beam, scored at its
    present length, beats the worst of the pool, or at `max_tokens`.

    Args:
        step: the step function.
        cache: its first cache.
        limits: what is allowed.
        beams: k, live beams, a scalar tensor of at most `width`.
        penalty: exponent of the length.
        width: W, static.

    Returns:
        BeamResult.
    """
    length = limits.prefix.shape[0]
    slots, ranks = ops.arange(width), ops.arange(2 * width)
    state = {
        "position": ops.convert_to_tensor(0, dtype="int32"),
        "tokens": ops.zeros((width, length), dtype="int32"),
        "scores": ops.where(slots == 0, 0.0, NEVER),
        "cache": cache,
        "pool_tokens": ops.zeros((width, length), dtype="int32"),
        "pool_lengths": ops.zeros((width,), dtype="int32"),
        "pool_log": ops.full((width,), NEVER),
        "pool_scores": ops.full((width,), NEVER),
        "seen_tokens": ops.zeros((length, 2 * width), dtype="int32"),
        "seen_parents": ops.zeros((length, 2 * width), dtype="int32"),
        "seen_scores": ops.full((length, 2 * width), NEVER),
        "seen_kept": ops.full((length, 2 * width), -1, dtype="int32"),
    }

    def go_on(state: dict[str, Any]) -> Any:
        position = state["position"]
        best = ops.max(state["scores"])
        reachable = best / ops.power(ops.cast(ops.maximum(position, 1), "float32"), penalty)
        in_pool = ops.where(slots < beams, state["pool_scores"], 0.0)
        done = ops.logical_and(ops.all(in_pool > NEVER / 2), ops.min(in_pool) >= reachable)
        more = ops.logical_and(position < limits.max_tokens, best > NEVER / 2)
        return ops.logical_and(more, ops.logical_not(done))

    def advance(state: dict[str, Any]) -> dict[str, Any]:
        position = state["position"]
        logits, cache = step(_last(state["tokens"], position), position, state["cache"])
        allowed = constrain(ops.log_softmax(logits, axis=-1), state["tokens"], position, limits)
        vocabulary = allowed.shape[-1]
        total = ops.reshape(ops.maximum(state["scores"][:, None] + allowed, NEVER), (-1,))
        scores, flat = ops.top_k(total, 2 * width)
        parents, tokens = ops.cast(flat // vocabulary, "int32"), ops.cast(flat % vocabulary, "int32")
        possible = ops.logical_and(scores > NEVER / 2, ranks < 2 * beams)
        ends = ops.logical_and(tokens == END, possible)
        finishes = ops.logical_and(ends, ranks < beams)
        sequences = _write(ops.take(state["tokens"], parents, axis=0), position, tokens)  # [2W, T]
        survives = ops.logical_and(possible, ops.logical_not(ends))
        place = ops.cumsum(ops.cast(survives, "int32")) - 1
        survives = ops.logical_and(survives, place < beams)
        kept = ops.where(survives, place, ops.where(finishes, -2, -1))
        _, chosen = ops.top_k(ops.where(survives, -ranks, -4 * width), width)  # the survivors, in order
        alive = slots < ops.sum(ops.cast(survives, "int32"))
        pool = _pool(state, sequences, scores, finishes, position + 1, penalty, beams, width)
        row = (position, 0)
        origin = ops.take(parents, chosen)
        return {
            "position": position + 1,
            "tokens": ops.take(sequences, chosen, axis=0),
            "scores": ops.where(alive, ops.take(scores, chosen), NEVER),
            "cache": keras.tree.map_structure(lambda tensor: ops.take(tensor, origin, axis=0), cache),
            **pool,
            "seen_tokens": ops.slice_update(state["seen_tokens"], row, tokens[None]),
            "seen_parents": ops.slice_update(state["seen_parents"], row, parents[None]),
            "seen_scores": ops.slice_update(state["seen_scores"], row, ops.where(possible, scores, NEVER)[None]),
            "seen_kept": ops.slice_update(state["seen_kept"], row, kept[None]),
        }

    state = _loop(go_on, advance, state)
    return BeamResult(
        state["pool_tokens"],
        state["pool_lengths"],
        state["pool_log"],
        state["pool_scores"],
        state["tokens"],
        state["scores"],
        state["position"],
        (state["seen_tokens"], state["seen_parents"], state["seen_kept"], state["seen_scores"]),
    )


def sample(
    step: Step, cache: Any, limits: Limits, temperature: Any, top_k: Any, top_p: Any, noise: Any
) -> tuple[Any, Any]:
    """Draw one token a step from the tempered and cut distribution.

    Args:
        step: the step function, W = 1.
        cache: its first cache.
        limits: what is allowed.
        temperature: divides the logits.
        top_k: most probable tokens kept; 0 = all.
        top_p: probability of the smallest set kept (Holtzman et al. 2020), after `top_k`.
        noise: standard Gumbel noise [T, V]; the largest kept logit + noise is the draw.

    Returns:
        tokens [T], padded, and the number of tokens written.
    """
    length = limits.prefix.shape[0]
    state = {
        "position": ops.convert_to_tensor(0, dtype="int32"),
        "tokens": ops.zeros((1, length), dtype="int32"),
        "cache": cache,
        "ended": ops.convert_to_tensor(False),
    }

    def go_on(state: dict[str, Any]) -> Any:
        return ops.logical_and(state["position"] < limits.max_tokens, ops.logical_not(state["ended"]))

    def advance(state: dict[str, Any]) -> dict[str, Any]:
        position = state["position"]
        logits, cache = step(_last(state["tokens"], position), position, state["cache"])
        allowed = constrain(ops.log_softmax(logits, axis=-1), state["tokens"], position, limits)
        tempered = ops.where(allowed > NEVER / 2, allowed / temperature, NEVER)
        token = ops.cast(ops.argmax(cut(tempered, top_k, top_p) + noise[position][None], axis=-1), "int32")  # [1]
        return {
            "position": position + 1,
            "tokens": _write(state["tokens"], position, token),
            "cache": cache,
            "ended": token[0] == END,
        }

    state = _loop(go_on, advance, state)
    return state["tokens"][0], state["position"]


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
    """Log-probabilities [W, V] with what is not allowed at `position` set to NEVER.

    Whole words: after a sub-word of the source, a word goes on only as it does somewhere in the source, and where
    the source always goes on, it has to; no token that begins a word stands twice in a row. The duty to go on
    overrules the n-gram limit, and a forced prefix overrules everything.
    """
    vocabulary = log_probabilities.shape[-1]
    ids = ops.arange(vocabulary)
    early = ops.logical_and(ids == END, position < limits.min_tokens)
    banned = ops.logical_or(early, ops.logical_or(ids == PAD, ids == START))[None]
    banned = ops.logical_or(banned, _repeats(tokens, position, limits.no_repeat_ngram, vocabulary))
    follows, seen, unfinished = _words(tokens, position, limits, vocabulary)
    invented = ops.logical_and(seen[:, None], ops.logical_and(limits.parts == 1, ops.logical_not(follows)))
    twice = ops.logical_and(ids[None] == _before(tokens, position)[:, None], limits.parts == 2)
    twice = ops.logical_and(twice, ops.logical_and(limits.whole_words, position > 0))
    banned = ops.logical_or(banned, ops.logical_or(invented, twice))
    banned = ops.where(unfinished[:, None], ops.logical_not(follows), banned)
    forced = position < limits.prefix_length
    other = ids[None] != ops.take(limits.prefix, position)
    return ops.where(ops.where(forced, other, banned), NEVER, log_probabilities)


def _words(tokens: Any, position: Any, limits: Limits, vocabulary: int) -> tuple[Any, Any, Any]:
    """How the source goes on after the last token of each beam.

    Returns:
        `follows` [W, V], the sub-words that go on with it in the source; `seen` [W], whether it occurs there;
        `unfinished` [W], whether it is always followed by one of them.
    """
    width = tokens.shape[0]
    size = limits.source.shape[0]
    last = _before(tokens, position)[:, None]
    active = ops.logical_and(limits.whole_words, position > 0)
    here = ops.logical_and(limits.source[None] == last, active)  # [W, S]
    after = ops.where(ops.arange(size) == size - 1, PAD, ops.roll(limits.source, -1))  # [S]
    inside = ops.logical_and(here, (ops.take(limits.parts, after) == 1)[None])
    rows = ops.broadcast_to(ops.arange(width)[:, None], (width, size))
    indices = ops.stack([rows, ops.broadcast_to(after[None], (width, size))], axis=-1)
    counts = ops.scatter(
        ops.reshape(indices, (-1, 2)), ops.reshape(ops.cast(inside, "float32"), (-1,)), (width, vocabulary)
    )
    seen = ops.any(here, axis=1)
    unfinished = ops.logical_and(seen, ops.all(ops.logical_or(ops.logical_not(here), inside), axis=1))
    return counts > 0, seen, unfinished


def _repeats(tokens: Any, position: Any, size: Any, vocabulary: int) -> Any:
    """Mark the tokens [W, V] that would complete an n-gram of `size` which `tokens` [W, T] already holds."""
    width, length = tokens.shape
    places = ops.arange(length)
    match = ops.logical_and(places < position, places >= size - 1)[None]
    match = ops.logical_and(match, size > 0)
    for back in range(1, LONGEST_NGRAM):
        recent = ops.take(tokens, ops.maximum(position - back, 0), axis=1)[:, None]
        same = ops.logical_or(ops.roll(tokens, back, axis=1) == recent, back >= size)
        match = ops.logical_and(match, same)
    rows = ops.broadcast_to(ops.arange(width)[:, None], (width, length))
    indices = ops.reshape(ops.stack([rows, tokens], axis=-1), (-1, 2))
    counts = ops.scatter(indices, ops.reshape(ops.cast(match, "float32"), (-1,)), (width, vocabulary))
    return counts > 0


def _pool(
    state: dict[str, Any],
    sequences: Any,
    scores: Any,
    finishes: Any,
    length: Any,
    penalty: Any,
    beams: Any,
    width: int,
) -> dict[str, Any]:
    """The best k of the finished hypotheses so far and those of this step."""
    fresh = ops.where(finishes, scores / ops.power(ops.cast(length, "float32"), penalty), NEVER)
    merged = ops.concatenate([state["pool_scores"], fresh])
    best, places = ops.top_k(merged, width)
    inside = ops.logical_and(ops.arange(width) < beams, best > NEVER / 2)
    lengths = ops.concatenate([state["pool_lengths"], ops.full_like(finishes, length, dtype="int32")])
    logs = ops.concatenate([state["pool_log"], scores])
    tokens = ops.concatenate([state["pool_tokens"], sequences])
    return {
        "pool_tokens": ops.where(inside[:, None], ops.take(tokens, places, axis=0), 0),
        "pool_lengths": ops.where(inside, ops.take(lengths, places), 0),
        "pool_log": ops.where(inside, ops.take(logs, places), NEVER),
        "pool_scores": ops.where(inside, best, NEVER),
    }


def _before(tokens: Any, position: Any) -> Any:
    """The token before `position` of each beam, [W]; at position 0 the first place."""
    return ops.take(tokens, ops.maximum(position - 1, 0), axis=1)


def _last(tokens: Any, position: Any) -> Any:
    """The decoder input at `position`: [SOS] first, then the token before, [W]."""
    return ops.where(position == 0, START, _before(tokens, position))


def _write(tokens: Any, position: Any, column: Any) -> Any:
    """Tokens [W, T] with `column` [W] at `position`."""
    return ops.slice_update(tokens, (0, position), column[:, None])


def _loop(go_on: Callable[[Any], Any], advance: Callable[[Any], Any], state: dict[str, Any]) -> dict[str, Any]:
    """`keras.ops.while_loop` over a dictionary of tensors and nested tuples."""
    flat = keras.tree.flatten(state)

    def pack(tensors: Any) -> dict[str, Any]:
        return keras.tree.pack_sequence_as(state, list(tensors))  # type: ignore[no-any-return]

    result = ops.while_loop(
        lambda *tensors: go_on(pack(tensors)),
        lambda *tensors: tuple(keras.tree.flatten(advance(pack(tensors)))),
        tuple(flat),
    )
    return pack(result)
