"""Strategies on an alphabet toy: a table of logits that depends on the token before, no network."""

import itertools
from collections.abc import Sequence

import numpy as np

from core.config import END, PAD, START
from core.decoding.search import NEVER, BeamResult, Limits, Rules, beam_search, best_of, cut, sample
from tests.closeness import near
from tests.models import log_softmax

VOCABULARY = 8
LENGTH = 5
A, B, C = 5, 6, 7


def make_table(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=1.5, size=(VOCABULARY, VOCABULARY)).astype(np.float32)


def ending(seed: int, more: float = 0.5) -> np.ndarray:
    """A table in which [EOS] is more probable."""
    table = make_table(seed)
    table[:, END] += more
    return table


class Tables:
    """A step over the logits of each dialogue; like a network's cache, it keeps what every row has read."""

    def __init__(self, tables: Sequence[np.ndarray]) -> None:
        self.tables = tables
        self.dialogues = np.arange(len(tables))
        self.read = np.zeros((len(tables), 0), dtype=np.int32)

    def __call__(self, tokens: np.ndarray, origins: np.ndarray) -> np.ndarray:
        self.dialogues = self.dialogues[origins]
        assert sorted(self.dialogues) == self.dialogues.tolist(), "the rows of a dialogue are side by side"
        assert len(set(np.unique(self.dialogues, return_counts=True)[1])) == 1, "and equally many of each"
        self.read = np.concatenate([self.read[origins], tokens[:, None]], axis=1)
        return np.float32([self.predict(*pair) for pair in zip(self.dialogues, self.read, strict=True)])

    def predict(self, dialogue: int, read: np.ndarray) -> np.ndarray:
        return log_softmax(self.tables[dialogue][read[-1]])


def limits(maximum: int = LENGTH, minimum: int = 0, ngram: int = 0, prefix=(), whole=False, continues=()) -> Limits:
    parts = np.where(np.isin(np.arange(VOCABULARY), continues), 1, np.where(np.arange(VOCABULARY) >= A, 2, 0))
    return Limits(maximum, parts.astype(np.int32), minimum, ngram, prefix, whole)


def search(table: np.ndarray, beams: int, penalty: float = 0.0, source=(), **kwargs) -> BeamResult:
    options = limits(whole=bool(source), **kwargs)
    return beam_search(Tables([table]), [(*source, PAD)], options, beams, penalty)[0]


def all_finished(table: np.ndarray) -> list[tuple[tuple[int, ...], float]]:
    """Every sequence that ends with [EOS] within LENGTH, with its log-probability."""
    tokens = [token for token in range(VOCABULARY) if token not in (PAD, START, END)]
    found = []
    for size in range(LENGTH):
        for words in itertools.product(tokens, repeat=size):
            sequence = (*words, END)
            before = (START, *words)
            found.append((sequence, sum(log_softmax(table[a])[b] for a, b in zip(before, sequence, strict=True))))
    return found


def written(result: BeamResult, row: int = 0) -> tuple[int, ...]:
    return result.hypotheses[row].ids


def test_greedy_takes_the_most_probable_token_each_time() -> None:
    for seed in range(6):
        table = make_table(seed)
        result = search(table, 1)
        token, expected, total = START, [], 0.0
        while len(expected) < LENGTH and token != END:
            row = log_softmax(table[token])
            row[[PAD, START]] = -np.inf
            token = int(row.argmax())
            total += row[token]
            expected.append(token)
        assert written(result) == tuple(expected), seed
        near(result.hypotheses[0].log_probability, total, depth=LENGTH)


def test_a_wide_beam_finds_the_best_of_all_sequences() -> None:
    table = ending(1, 1.0)  # 64 beams hold every prefix of two tokens; a steep table keeps the best one among them
    result = search(table, 64)
    best, value = max(all_finished(table), key=lambda pair: pair[1])
    assert written(result) == best
    near(result.hypotheses[0].log_probability, value, depth=LENGTH)


def test_finished_hypotheses_are_real_sorted_and_never_extended() -> None:
    table = ending(2, 2.0)
    known = dict(all_finished(table))
    result = search(table, 4, penalty=0.7)
    scores = [each.score for each in result.hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4
    for ids, log_probability, score in result.hypotheses:
        assert ids.count(END) == 1 and ids[-1] == END
        near([log_probability, score], [known[ids], known[ids] / len(ids) ** 0.7], depth=LENGTH)
    # The record of candidates explains the hypotheses.
    _, tokens, parents, kept, scores = result
    for step in range(len(tokens)):
        live = kept[step][kept[step] >= 0]
        assert sorted(live) == list(range(len(live)))
        real = scores[step] > NEVER / 2
        assert (np.diff(scores[step][real]) <= 0).all()
        assert (tokens[step][kept[step] == -2] == END).all()
        assert (kept[step][~real] == -1).all()
        assert (parents[step] < 4).all()
    assert (kept == -2).sum() >= len(result.hypotheses)


def test_the_length_penalty_prefers_the_longer_hypothesis() -> None:
    # A [EOS]: log P -0.474, 2 tokens, B C [EOS]: -0.981, 3 tokens; over length squared -0.119 and -0.109
    table = np.full((VOCABULARY, VOCABULARY), -30.0, dtype=np.float32)
    table[START, [A, B]] = [0.0, -0.5]
    table[A, END] = 0.0
    table[B, C] = 0.0
    table[C, [C, END]] = [-5.0, 0.0]
    assert written(search(table, 4, penalty=0.0)) == (A, END)
    assert written(search(table, 4, penalty=2.0)) == (B, C, END)


def test_the_best_continuations_are_those_of_a_full_sort() -> None:
    random = np.random.default_rng(0)
    for width, vocabulary, count in [(1, 7, 2), (4, 64, 8), (4, 1000, 8), (8, 333, 16), (3, 20_338, 6)]:
        table = np.round(random.normal(size=(width, vocabulary)), 2).astype(np.float32)  # rounded: with equal ones
        table[random.random(table.shape) < 0.3] = NEVER
        scores = random.normal(size=width).astype(np.float32)
        scores[width // 2 + 1 :] = NEVER
        total = (scores[:, None] + table).reshape(-1)
        order = np.argsort(-total, kind="stable")[:count]
        order = order[total[order] > NEVER / 2]
        best, beams, tokens = best_of(table, scores, count)
        assert (beams * vocabulary + tokens)[: len(order)].tolist() == order.tolist()
        np.testing.assert_array_equal(best[: len(order)], total[order])
        assert (best[len(order) :] == NEVER).all() and len(best) == count


def test_the_cache_follows_its_beam() -> None:
    """What follows depends on everything that a beam was fed; a wrong re-ordering shows in the next logits."""
    table = make_table(4)

    class Sums(Tables):
        def predict(self, dialogue: int, read: np.ndarray) -> np.ndarray:
            return log_softmax(table[read.sum() % VOCABULARY])

    result = beam_search(Sums([table]), [()], limits(), 4)[0]
    assert len(result.hypotheses) == 4
    for ids, log_probability, _ in result.hypotheses:
        fed = np.cumsum([START, *ids[:-1]])
        total = sum(log_softmax(table[each % VOCABULARY])[token] for each, token in zip(fed, ids, strict=True))
        near(log_probability, total, depth=LENGTH)


def test_limits_and_forced_prefixes_hold() -> None:
    table = make_table(3)
    table[:, END] = 9.0
    assert [len(written(search(table, 1, minimum=least))) for least in (0, 3)] == [1, 4]
    table[:, END] = -9.0
    result = search(table, 1, maximum=3)
    assert len(result.tokens) == len(written(result)) == 3 and END not in written(result)
    forced = search(table, 4, prefix=(C, C, A))
    assert all(len(ids) == LENGTH and ids[:3] == (C, C, A) for ids, _, _ in forced.hypotheses)
    # A forced prefix keeps its true probability.
    table = make_table(5)
    table[C, END] = 12.0
    result = search(table, 1, prefix=(B, C))
    expected = sum(log_softmax(table[a])[b] for a, b in ((START, B), (B, C), (C, END)))
    assert written(result) == (B, C, END)
    near(result.hypotheses[0].log_probability, expected, depth=LENGTH)


def test_limits_that_are_not_given_hold_nothing_back() -> None:
    row = np.zeros((1, VOCABULARY), dtype=np.float32)
    Rules(Limits(LENGTH, np.zeros(VOCABULARY, dtype=np.int32)), ()).apply(row, np.zeros((1, 0), dtype=np.int32))
    assert np.flatnonzero(row[0] > NEVER / 2).tolist() == [END, 3, 4, A, B, C]


def test_no_ngram_occurs_twice() -> None:
    table = np.full((VOCABULARY, VOCABULARY), -5.0, dtype=np.float32)
    table[:, A] = 5.0
    assert written(search(table, 1)) == (A,) * LENGTH
    for size in (1, 2, 3):
        tokens = written(search(table, 1, ngram=size))
        grams = [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
        assert len(grams) == len(set(grams))
    assert written(search(table, 1, ngram=3))[:3] == (A, A, A)
    # A prefix overrules the ngram limit.
    free = allowed_after(A, A, ngram=1)
    assert A not in free and B in free
    assert allowed_after(A, A, ngram=1, prefix=(A, A, A)) == [A]


def allowed_after(*tokens: int, source=(), **kwargs) -> list[int]:
    row = np.zeros((1, VOCABULARY), dtype=np.float32)
    Rules(limits(whole=bool(source), **kwargs), (*source, PAD)).apply(row, np.array([tokens], dtype=np.int32))
    return np.flatnonzero(row[0] > NEVER / 2).tolist()


def test_words_of_the_source_are_written_whole() -> None:
    # B and C are sub-words; the source holds the words A B, A C and 4
    free = [END, 3, 4]
    words = {"source": (A, B, 4, A, C, END), "continues": (B, C)}
    for token, options, allowed in [
        (A, words, [B, C]),  # the source always goes on after A
        (B, words, [*free, A]),  # no word of the source goes on after B
        (4, words, [*free, A]),  # a word of the source that never goes on
        (3, words, [*free, A, B, C]),  # not in the source: a word of the model's own
        (A, {}, [*free, A, B, C]),  # turned off
        (A, words | {"source": (A, B, 4, A, 4, END)}, [*free, B]),  # A is a word and the start of A B
        (A, words | {"ngram": 1, "minimum": 4}, [B, C]),
        (A, words | {"prefix": (A, 4)}, [4]),
        (A, words | {"source": (4, END)}, [*free, B, C]),  # no word stands twice in a row
    ]:
        assert allowed_after(token, **options) == allowed, (token, options)
    for token in (3, B):  # not the beginning of a word: a dot, for instance
        assert token in allowed_after(token, **words | {"source": (4, END)})
    # The word limit overrules repeated ngrams.
    table = np.zeros((VOCABULARY, VOCABULARY), dtype=np.float32)
    table[:, A] = 5.0
    assert written(search(table, 1, ngram=1, source=(A, B, END), continues=(B,)))[:2] == (A, B)


def draw(table: np.ndarray, seed: int, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> list[int]:
    return sample(Tables([table]), [()], limits(), np.random.default_rng(seed), temperature, top_k, top_p)[0]


def test_sampling_follows_the_probabilities_and_the_seed() -> None:
    table = make_table(6)
    first = [draw(table, seed)[0] for seed in range(600)]
    row = log_softmax(table[START])
    row[[PAD, START]] = -np.inf
    expected = np.exp(row) / np.exp(row).sum()
    observed = np.bincount(first, minlength=VOCABULARY) / len(first)
    assert np.abs(observed - expected).max() < 0.07
    assert draw(table, 5) == draw(table, 5)
    assert len({tuple(draw(table, seed)) for seed in range(20)}) > 5
    # Noise differs from step to step.
    table = np.zeros((VOCABULARY, VOCABULARY), dtype=np.float32)
    table[:, END] = -30.0
    assert len(set(draw(table, 1))) > 1
    # Low temperature and top 1 are greedy.
    table = make_table(7)
    expected = list(written(search(table, 1)))
    assert draw(table, 3, temperature=1e-4) == expected
    assert draw(table, 3, top_k=1) == expected
    assert draw(table, 3, top_p=1e-6) == expected


def test_cuts_by_hand() -> None:
    # METHODS: p = (.5, .3, .15, .05); top-p .9 keeps three, the crossing token included
    logits = np.log(np.float32([[0.5, 0.3, 0.15, 0.05], [0.05, 0.15, 0.5, 0.3]]))
    cases = [(0, 1.0, [0, 1, 2, 3]), (2, 1.0, [0, 1]), (0, 0.9, [0, 1, 2]), (0, 0.5, [0]), (0, 0.51, [0, 1])]
    for top_k, top_p, kept in [*cases, (0, 0.75, [0, 1]), (3, 0.6, [0, 1])]:
        first, second = cut(logits, top_k, top_p) > NEVER / 2
        assert np.flatnonzero(first).tolist() == kept, (top_k, top_p)
        assert second.tolist() == first[[3, 2, 0, 1]].tolist(), (top_k, top_p)  # wherever they stand in a row


def test_dialogues_of_a_batch_do_not_see_each_other() -> None:
    # they end at different steps: the first with its first token, the last never
    tables = [ending(seed, 9.0 - 4.0 * seed) for seed in range(5)]
    together = beam_search(Tables(tables), [()] * 5, limits(), 3, 0.7)
    steps = [len(result.tokens) for result in together]
    assert steps == sorted(steps) and steps[0] < steps[-1] == LENGTH
    for table, result in zip(tables, together, strict=True):
        alone = search(table, 3, penalty=0.7)
        assert result.hypotheses == alone.hypotheses
        for one, other in zip(result[1:], alone[1:], strict=True):
            np.testing.assert_array_equal(one, other)
    # Those that are sampled neither.
    found = sample(Tables(tables), [()] * 5, limits(), np.random.default_rng(3))
    assert len({len(ids) for ids in found}) > 1
    assert found == [draw(table, 3) for table in tables]
