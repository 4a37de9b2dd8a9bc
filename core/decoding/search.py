"""Beam search and sampling over one step function, for one dialogue or several at once.

A strategy sees only `Step`. B dialogues, W beams of each, T most tokens, V vocabulary. Greedy decoding is beam search
with one beam. A dialogue that has ended gives its rows up; its result does not depend on the other dialogues.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import END, PAD, START

NEVER = -1e9
"""Log-probability of what is not allowed."""
POSSIBLE = NEVER / 2
"""What is allowed is above this."""
BLOCK = 64
"""Tokens whose best one stands for all of them while the best of the vocabulary are looked for."""

Ids = NDArray[np.int32]
Scores = NDArray[np.float32]


class Step(Protocol):
    """Predicts the next tokens; it counts the positions and keeps what it has read."""

    def __call__(self, tokens: Ids, origins: NDArray[np.intp]) -> Scores:
        """Read one token a row and return log-probabilities.

        Args:
            tokens: [N], ids at this position; the rows of one dialogue are side by side, and equally many of each.
            origins: [N], the row of the previous call that each row continues; in the first call its dialogue.

        Returns:
            [N, V] natural logarithms, an array of the caller's own.
        """
        ...


@dataclass(frozen=True)
class Limits:
    """Limits of every strategy.

    Args:
        max_tokens: largest number of tokens, the end token included.
        parts: [V], 1 for tokens that continue a word, 2 for tokens that begin one, 0 for others.
        min_tokens: tokens before the end token is allowed.
        no_repeat_ngram: no n-gram of this length twice; 0 = allowed.
        prefix: forced first tokens.
        whole_words: whether words are kept whole, see `Rules`.
        suppressed: tokens that are never written; their `parts` are 0.
        certain_first: whether the first token of the prefix counts with log-probability 0.
        certain_last: whether the end token is forced at the last position, with log-probability 0.
        ends: tokens that end a target, [EOS] first.
    """

    max_tokens: int
    parts: NDArray[np.int32]
    min_tokens: int = 0
    no_repeat_ngram: int = 0
    prefix: Sequence[int] = ()
    whole_words: bool = False
    suppressed: Sequence[int] = ()
    certain_first: bool = False
    certain_last: bool = False
    ends: Sequence[int] = (END,)


class Continuation(NamedTuple):
    """How the source continues after a token of it.

    Args:
        follow: sub-words that come next somewhere.
        always: whether one of them always does.
    """

    follow: Ids
    always: bool


class Rules:
    """What a summary of one dialogue may contain.

    Whole words: after a sub-word of the source, a word may continue only as somewhere in the source, and must
    continue if it always does there; no token that begins a word is written twice in a row. The need to continue
    overrules the n-gram limit, and forced tokens overrule everything.

    Args:
        limits: the limits of the strategy.
        source: source ids; padding after them is allowed.
    """

    def __init__(self, limits: Limits, source: Sequence[int] | Ids) -> None:
        self.limits = limits
        self._never = np.array([PAD, START, *limits.suppressed], dtype=np.intp)
        self._continuing = np.flatnonzero(limits.parts == 1)
        source = np.asarray(source)
        self._words = _continuations(source[source != PAD], limits.parts) if limits.whole_words else {}

    def apply(self, log_probabilities: Scores, tokens: Ids) -> None:
        """Set what is not allowed to NEVER.

        Args:
            log_probabilities: [W, V] of the next token, changed in place.
            tokens: [W, P], the P tokens that each row has written.
        """
        position, limits = tokens.shape[1], self.limits
        last = limits.certain_last and position == limits.max_tokens - 1
        certain = last or (limits.certain_first and position == 0)
        if certain or position < len(limits.prefix):
            token = END if last else limits.prefix[position]
            known = 0.0 if certain else log_probabilities[:, token].copy()
            log_probabilities[:] = NEVER
            log_probabilities[:, token] = known
            return
        before = tokens[:, -1].tolist() if position else [PAD] * len(tokens)
        words = [self._words.get(token) for token in before]
        saved = [None if word is None else log_probabilities[row, word.follow] for row, word in enumerate(words)]
        log_probabilities[:, self._never] = NEVER
        if position < limits.min_tokens:
            log_probabilities[:, list(limits.ends)] = NEVER
        for row, word in enumerate(words):
            if word is not None:
                log_probabilities[row, self._continuing] = NEVER
                log_probabilities[row, word.follow] = saved[row]
        log_probabilities[_repeats(tokens, limits.no_repeat_ngram)] = NEVER
        for row, (token, word) in enumerate(zip(before, words, strict=True)):
            if limits.whole_words and limits.parts[token] == 2:
                log_probabilities[row, token] = NEVER
            if word is not None and word.always:
                log_probabilities[row] = NEVER
                log_probabilities[row, word.follow] = saved[row]


def _continuations(source: NDArray[Any], parts: NDArray[np.int32]) -> dict[int, Continuation]:
    """Return how the source continues after each of its tokens that a word is made of."""
    following = np.append(source[1:], PAD)
    inside = parts[following] == 1
    next_ones: dict[int, tuple[set[int], list[bool]]] = {}
    for token, after, joined in zip(source.tolist(), following.tolist(), inside.tolist(), strict=True):
        follow, all_joined = next_ones.setdefault(token, (set(), []))
        all_joined.append(joined)
        if joined:
            follow.add(after)
    return {
        token: Continuation(np.array(sorted(follow), dtype=np.int32), all(joined))
        for token, (follow, joined) in next_ones.items()
    }


def _repeats(tokens: Ids, size: int) -> tuple[NDArray[np.intp], Ids]:
    """Find what would complete an n-gram that a row of [W, P] already holds: rows and tokens."""
    places = tokens.shape[1] - size + 1  # beginnings of the n-grams so far
    if size == 0 or places < 1:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int32)
    same = np.ones((len(tokens), places), dtype=bool)
    for back in range(size - 1):
        same &= tokens[:, back : back + places] == tokens[:, places + back, None]
    rows, starts = np.nonzero(same)
    return rows, tokens[rows, starts + size - 1]


class Finished(NamedTuple):
    """A finished hypothesis.

    Args:
        ids: its tokens, the end token included if it was written.
        log_probability: the sum over its tokens.
        score: log-probability / length^penalty.
    """

    ids: tuple[int, ...]
    log_probability: float
    score: float


class BeamResult(NamedTuple):
    """The result of beam search for one dialogue.

    Args:
        hypotheses: the finished ones, best first, at most W.
        tokens: of the candidates of each step, int32 [steps, 2W].
        parents: the live beam that each continues, int32 [steps, 2W].
        kept: int32 [steps, 2W]; the beam that it becomes, -2 = finished, -1 = dropped.
        scores: float32 [steps, 2W] log-probability of each with what it continues; NEVER = no candidate.
    """

    hypotheses: tuple[Finished, ...]
    tokens: Ids
    parents: Ids
    kept: Ids
    scores: Scores


def beam_search(
    step: Step,
    sources: Sequence[Sequence[int] | Ids],
    limits: Limits,
    beams: int,
    penalty: float = 0.0,
    early: bool = False,
) -> list[BeamResult]:
    """Beam search with frozen finished hypotheses.

    At each step the 2W best continuations of the W live beams are ranked. [EOS] among the first W finishes a
    hypothesis, which moves to a pool of size W with the score log P / length^penalty; [EOS] further down is
    dropped; the best W others live on. At `max_tokens` the first W finish, whatever their last token is. The search
    stops there, or when the pool is full and no live beam, scored at its present length, beats the worst of the
    pool, or, if it is to stop early, as soon as the pool is full.

    Args:
        step: the step function.
        sources: source ids of each dialogue.
        limits: the limits.
        beams: W.
        penalty: exponent of the length.
        early: whether to stop as soon as the pool is full.

    Returns:
        One result for each dialogue.
    """
    searches = [_Search(Rules(limits, source), beams, penalty, early) for source in sources]
    running = list(searches)
    tokens, origins = np.full(len(searches), START, dtype=np.int32), np.arange(len(searches))
    while running:
        log_probabilities = step(tokens, origins)
        rows = log_probabilities.reshape(len(running), -1, log_probabilities.shape[-1])
        width = rows.shape[1]
        chosen = [search.advance(scores) for search, scores in zip(running, rows, strict=True)]
        going_on = [number for number, search in enumerate(running) if not search.ended]
        origins = np.concatenate([[], *(width * number + chosen[number] for number in going_on)]).astype(np.intp)
        running = [running[number] for number in going_on]
        tokens = np.concatenate([[], *(search.tokens[:, -1] for search in running)]).astype(np.int32)
    return [search.result() for search in searches]


class _Search:
    """Beam search of one dialogue.

    Attributes:
        tokens: what each live beam has written, int32 [W, P]; one empty row at first.
        scores: log-probability of each, float32 [W]; NEVER for a beam that is not used.
        ended: whether the search is over.
    """

    def __init__(self, rules: Rules, beams: int, penalty: float, early: bool) -> None:
        self.rules, self.beams, self.penalty, self.early = rules, beams, np.float32(penalty), early
        self.tokens = np.zeros((1, 0), dtype=np.int32)
        self.scores = np.zeros(1, dtype=np.float32)
        self.ended = False
        self._pool: list[Finished] = []
        self._record: list[tuple[Ids, Ids, Ids, Scores]] = []

    def advance(self, log_probabilities: Scores) -> NDArray[np.intp]:
        """Choose the next beams from the log-probabilities [W, V] of the live ones; return which one each continues."""
        self.rules.apply(log_probabilities, self.tokens)
        scores, parents, tokens = best_of(log_probabilities, self.scores, 2 * self.beams)
        length = self.tokens.shape[1] + 1
        ends = np.isin(tokens, self.rules.limits.ends) | (length == self.rules.limits.max_tokens)
        possible = scores > POSSIBLE
        ends &= possible
        kept = np.full(2 * self.beams, -1, dtype=np.int32)
        for rank in np.flatnonzero(ends[: self.beams]).tolist():
            kept[rank] = -2
            ids = (*self.tokens[parents[rank]].tolist(), int(tokens[rank]))
            score = scores[rank] / np.power(np.float32(length), self.penalty)
            self._pool.append(Finished(ids, float(scores[rank]), float(score)))
        self._pool = sorted(self._pool, key=lambda finished: -finished.score)[: self.beams]
        chosen = np.flatnonzero(possible & ~ends)[: self.beams]
        kept[chosen] = np.arange(len(chosen))
        self._record.append((tokens, parents, kept, scores))
        self.scores = np.full(self.beams, NEVER, dtype=np.float32)
        self.scores[: len(chosen)] = scores[chosen]
        chosen = np.append(chosen, np.zeros(self.beams - len(chosen), dtype=np.intp))  # a row for each unused beam
        self.tokens = np.concatenate([self.tokens[parents[chosen]], tokens[chosen, None]], axis=1)
        self.ended = not self._goes_on(length)
        return parents[chosen].astype(np.intp)

    def _goes_on(self, length: int) -> bool:
        best = self.scores[0]
        if length == self.rules.limits.max_tokens or best <= POSSIBLE:
            return False
        reachable = best / np.power(np.float32(length), self.penalty)
        return len(self._pool) < self.beams or not (self.early or self._pool[-1].score >= reachable)

    def result(self) -> BeamResult:
        """Return the hypotheses and the record of all candidates."""
        return BeamResult(tuple(self._pool), *(np.stack(values) for values in zip(*self._record, strict=True)))


def best_of(log_probabilities: Scores, scores: Scores, count: int) -> tuple[Scores, Ids, Ids]:
    """Rank the continuations of live beams.

    Args:
        log_probabilities: [W, V] of the next tokens.
        scores: [W] of the beams.
        count: number of the best ones.

    Returns:
        Scores, beams and tokens, each [count], best first, equal ones in their order; where fewer are possible,
        the score is NEVER.
    """
    rows, vocabulary = log_probabilities.shape
    whole = vocabulary // BLOCK * BLOCK
    peaks = log_probabilities[:, :whole].reshape(rows, BLOCK, -1).max(axis=1) if whole else log_probabilities[:, :0]
    peaks = np.concatenate([peaks, log_probabilities[:, whole:]], axis=1) + scores[:, None]
    # The best ones are not below the peak of this rank; the small number is more than what adding may round.
    border = np.partition(peaks, -count, axis=None)[-count] if peaks.size > count else NEVER
    least = max(border, POSSIBLE) - scores[:, None] - 1e-3
    found = np.flatnonzero(log_probabilities >= least)
    values = scores[found // vocabulary] + log_probabilities.reshape(-1)[found]
    order = np.argsort(-values, kind="stable")[:count]
    size = len(order)
    best = np.full(count, NEVER, dtype=np.float32)
    beams, tokens = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    best[:size], beams[:size], tokens[:size] = values[order], found[order] // vocabulary, found[order] % vocabulary
    return best, beams, tokens


def sample(
    step: Step,
    sources: Sequence[Sequence[int] | Ids],
    limits: Limits,
    random: np.random.Generator,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
) -> list[list[int]]:
    """Draw one token a step from the tempered and cut distribution.

    All dialogues share the noise of a step, so that a dialogue draws the same alone and in any batch.

    Args:
        step: the step function.
        sources: source ids of each dialogue.
        limits: the limits.
        random: gives standard Gumbel noise; the largest kept logit + noise is the draw.
        temperature: divides the log-probabilities.
        top_k: most probable tokens kept; 0 = all.
        top_p: probability of the smallest set kept (Holtzman et al. 2020), after `top_k`.

    Returns:
        The ids of each dialogue.
    """
    rules = [Rules(limits, source) for source in sources]
    written = np.zeros((len(sources), 0), dtype=np.int32)
    ids: list[list[int]] = [[] for _ in sources]
    running = np.arange(len(sources))
    tokens, origins = np.full(len(sources), START, dtype=np.int32), running
    while len(running):
        log_probabilities = step(tokens, origins)
        for row, number in enumerate(running):
            rules[number].apply(log_probabilities[row : row + 1], written[row : row + 1])
        allowed = log_probabilities > POSSIBLE
        tempered = np.where(allowed, log_probabilities / np.float32(temperature), np.float32(NEVER))
        noise = random.gumbel(size=(1, tempered.shape[1])).astype(np.float32)
        tokens = np.argmax(cut(tempered, top_k, top_p) + noise, axis=1).astype(np.int32)
        for number, token in zip(running, tokens.tolist(), strict=True):
            ids[number].append(token)
        written = np.concatenate([written, tokens[:, None]], axis=1)
        origins = np.flatnonzero(~np.isin(tokens, limits.ends) & (written.shape[1] < limits.max_tokens))
        running, written, tokens = running[origins], written[origins], tokens[origins]
    return ids


def cut(logits: Scores, top_k: int, top_p: float) -> Scores:
    """Set all but the kept logits to NEVER.

    Args:
        logits: [N, V], tempered.
        top_k: number kept; 0 = all.
        top_p: the smallest set whose probability (after top_k) reaches it is kept, at least one token.

    Returns:
        [N, V].
    """
    if top_k <= 0 and top_p >= 1:
        return logits
    ordered = -np.sort(-logits, axis=-1)
    if top_k > 0:
        ordered[:, top_k:] = NEVER
    probabilities = np.exp(ordered - ordered[:, :1])
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    before = np.cumsum(probabilities, axis=-1) - probabilities
    inside = (before < top_p) & (ordered > POSSIBLE)
    last = np.where(inside, ordered, ordered[:, :1]).min(axis=-1, keepdims=True)
    return np.where(logits >= last, logits, np.float32(NEVER))
