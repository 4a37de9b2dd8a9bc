"""Strategies on an alphabet toy: a table of logits that depends on the token before, no network."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

from core.backend import compiled
from core.config import END, PAD, START
from core.decoding.search import NEVER, BeamResult, Limits, beam_search, constrain, cut, sample

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


def step_of(table: np.ndarray):
    """A step function whose cache counts the positions, so that re-ordering it can be seen."""

    def step(tokens, position, cache):
        logits = keras.ops.take(keras.ops.convert_to_tensor(table), tokens, axis=0)
        return logits, cache

    return step


def limits(maximum: int = LENGTH, minimum: int = 0, ngram: int = 0, prefix=(), source=(), continues=()) -> Limits:
    forced = np.zeros(LENGTH, dtype=np.int32)
    forced[: len(prefix)] = prefix
    parts = np.where(np.isin(np.arange(VOCABULARY), continues), 1, np.where(np.arange(VOCABULARY) >= A, 2, 0))
    ids = np.array([[*source, PAD]], dtype=np.int32)
    numbers = np.int32(maximum), np.int32(minimum), np.int32(ngram)
    return Limits(*numbers, forced, np.int32(len(prefix)), np.bool_(bool(source)), ids, parts.astype(np.int32))


def search(table: np.ndarray, width: int, beams: int | None = None, penalty: float = 0.0, **kwargs) -> BeamResult:
    cache = keras.ops.zeros((width, 1))
    options = limits(**kwargs), np.int32(beams or width), np.float32(penalty), width
    result = beam_search(step_of(table), cache, *options).row(0)
    return BeamResult(*(np.asarray(value) for value in result[:-1]), tuple(np.asarray(x) for x in result[-1]))


def log_softmax(row: np.ndarray) -> np.ndarray:
    return row - row.max() - math.log(np.exp(row - row.max()).sum())


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
    return tuple(int(token) for token in result.tokens[row, : result.lengths[row]])


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
        assert result.log_probabilities[0] == pytest.approx(total, abs=1e-4), seed


def test_a_wide_beam_finds_the_best_of_all_sequences() -> None:
    table = ending(1, 1.0)  # 64 beams hold every prefix of two tokens; a steep table keeps the best one among them
    result = search(table, 64)
    best, value = max(all_finished(table), key=lambda pair: pair[1])
    assert written(result) == best
    assert result.log_probabilities[0] == pytest.approx(value, abs=1e-4)


def test_finished_hypotheses_are_real_sorted_and_never_extended() -> None:
    table = ending(2, 2.0)
    known = dict(all_finished(table))
    result = search(table, 4, penalty=0.7)
    scores = [float(score) for score, length in zip(result.scores, result.lengths, strict=True) if length]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4
    for row, score in enumerate(scores):
        sequence = written(result, row)
        assert sequence.count(END) == 1 and sequence[-1] == END
        assert result.log_probabilities[row] == pytest.approx(known[sequence], abs=1e-4)
        assert score == pytest.approx(known[sequence] / len(sequence) ** 0.7, abs=1e-4)
    # The record of candidates explains the hypotheses.
    tokens, parents, kept, scores = result.candidates
    steps = int(result.steps)
    for step in range(steps):
        live = kept[step][kept[step] >= 0]
        assert sorted(live) == list(range(len(live)))
        real = scores[step] > NEVER / 2
        assert (np.diff(scores[step][real]) <= 1e-6).all()
        assert (tokens[step][kept[step] == -2] == END).all()
        assert (kept[step][~real] == -1).all()
        assert (parents[step] < 4).all()
    assert (kept[:steps] == -2).sum() >= (result.lengths > 0).sum()
    assert (scores[steps:] <= NEVER / 2).all()


def test_the_length_penalty_prefers_the_longer_hypothesis() -> None:
    # A [EOS]: log P -0.474, 2 tokens, B C [EOS]: -0.981, 3 tokens; over length squared -0.119 and -0.109
    table = np.full((VOCABULARY, VOCABULARY), -30.0, dtype=np.float32)
    table[START, [A, B]] = [0.0, -0.5]
    table[A, END] = 0.0
    table[B, C] = 0.0
    table[C, [C, END]] = [-5.0, 0.0]
    assert written(search(table, 4, penalty=0.0)) == (A, END)
    assert written(search(table, 4, penalty=2.0)) == (B, C, END)


def test_fewer_live_beams_in_a_wider_program_change_nothing() -> None:
    for seed in range(4):
        table = ending(seed)
        narrow, wide = search(table, 4), search(table, 8, beams=4)
        assert [written(narrow, row) for row in range(4)] == [written(wide, row) for row in range(4)]
        np.testing.assert_allclose(narrow.scores[:4], wide.scores[:4], atol=1e-5)
        assert (wide.lengths[4:] == 0).all()


def test_the_cache_follows_its_beam() -> None:
    """The step remembers in its cache what each beam was fed; a wrong re-ordering shows in the next logits."""
    table = make_table(4)

    def step(tokens, position, cache):
        cache = keras.ops.slice_update(cache, (0, position), keras.ops.cast(tokens, "int32")[:, None])
        history = keras.ops.sum(cache, axis=1) % VOCABULARY
        return keras.ops.take(keras.ops.convert_to_tensor(table), history, axis=0), cache

    cache = keras.ops.zeros((4, LENGTH), dtype="int32")
    result = beam_search(step, cache, limits(), np.int32(4), np.float32(0), 4).row(0)
    lengths, tokens, logs = (np.asarray(x) for x in (result.lengths, result.tokens, result.log_probabilities))
    assert (lengths > 0).any()
    for row in range(4):
        total, fed = 0.0, START
        for position in range(lengths[row]):
            scores = log_softmax(table[fed % VOCABULARY])
            total += scores[tokens[row, position]]
            fed += int(tokens[row, position])
        if lengths[row]:
            assert logs[row] == pytest.approx(total, abs=1e-4)


def test_limits_and_forced_prefixes_hold() -> None:
    table = make_table(3)
    table[:, END] = 9.0
    assert (search(table, 1).lengths[0], search(table, 1, minimum=3).lengths[0]) == (1, 4)
    table[:, END] = -9.0
    result = search(table, 1, maximum=3)
    assert int(result.steps) == result.lengths[0] == 3 and END not in result.tokens[0]
    forced = search(table, 4, prefix=(C, C, A))
    assert (forced.lengths == LENGTH).all() and (forced.tokens[:, :3] == [C, C, A]).all()
    # A forced prefix keeps its true probability.
    table = make_table(5)
    table[C, END] = 12.0
    result = search(table, 1, prefix=(B, C))
    expected = sum(log_softmax(table[a])[b] for a, b in ((START, B), (B, C), (C, END)))
    assert written(result) == (B, C, END)
    assert result.log_probabilities[0] == pytest.approx(expected, abs=1e-4)


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
    table = make_table(0)
    logits = keras.ops.log_softmax(keras.ops.convert_to_tensor(table[:1]))
    tokens = keras.ops.convert_to_tensor([[A, A, 0, 0, 0]], dtype="int32")
    free = np.asarray(constrain(logits, tokens, np.int32(2), limits(ngram=1)))
    assert free[0, A] == NEVER and free[0, B] > NEVER / 2
    forced = np.asarray(constrain(logits, tokens, np.int32(2), limits(ngram=1, prefix=(A, A, A))))
    assert forced[0, A] > NEVER / 2 and forced[0, B] == NEVER


def allowed_after(token: int, **kwargs) -> list[int]:
    logits = keras.ops.zeros((1, VOCABULARY))
    tokens = keras.ops.convert_to_tensor([[token, 0, 0, 0, 0]], dtype="int32")
    row = np.asarray(constrain(logits, tokens, np.int32(1), limits(**kwargs)))[0]
    return [index for index, value in enumerate(row) if value > NEVER / 2]


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


@functools.cache
def compiled_sample() -> Callable[..., Any]:
    return compiled(lambda table, *rest: sample(step_of(table), keras.ops.zeros((1, 1)), *rest), [])


def draw(table: np.ndarray, seed: int, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> list[int]:
    noise = np.random.default_rng(seed).gumbel(size=(LENGTH, VOCABULARY)).astype(np.float32)
    cuts = np.float32(temperature), np.int32(top_k), np.float32(top_p)
    tokens, count = compiled_sample()(table, limits(), *cuts, noise)
    return [int(token) for token in np.asarray(tokens)[0, : int(count[0])]]


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
    greedy = search(table, 1)
    expected = list(written(greedy))
    assert draw(table, 3, temperature=1e-4) == expected
    assert draw(table, 3, top_k=1) == expected
    assert draw(table, 3, top_p=1e-6) == expected


def test_cuts_by_hand() -> None:
    # METHODS: p = (.5, .3, .15, .05); top-p .9 keeps three, the crossing token included
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05]], dtype=np.float32))
    cases = [(0, 1.0, [0, 1, 2, 3]), (2, 1.0, [0, 1]), (0, 0.9, [0, 1, 2]), (0, 0.5, [0]), (0, 0.51, [0, 1])]
    for top_k, top_p, kept in [*cases, (3, 0.6, [0, 1])]:
        result = np.asarray(cut(keras.ops.convert_to_tensor(logits), np.int32(top_k), np.float32(top_p)))[0]
        assert [index for index, value in enumerate(result) if value > NEVER / 2] == kept, (top_k, top_p)


def many_limits(count: int, **kwargs) -> Limits:
    one = limits(**kwargs)
    return one._replace(source=np.repeat(one.source, count, axis=0))


def step_of_many(tables: list[np.ndarray]):
    """Each dialogue follows its own table."""

    rows = keras.ops.convert_to_tensor(np.concatenate(tables))

    def step(tokens, position, cache):
        number = keras.ops.arange(tokens.shape[0]) // (tokens.shape[0] // len(tables))
        return keras.ops.take(rows, VOCABULARY * number + tokens, axis=0), cache

    return step


def test_dialogues_of_a_batch_do_not_see_each_other() -> None:
    # they end at different steps: the first with its first token, the last never
    tables = [ending(seed, 9.0 - 4.0 * seed) for seed in range(5)]
    options = many_limits(5), np.int32(3), np.float32(0.7), 4
    together = beam_search(step_of_many(tables), keras.ops.zeros((20, 1)), *options)
    steps = np.asarray(together.steps).tolist()
    assert steps == sorted(steps) and steps[0] < steps[-1] == LENGTH
    for number, table in enumerate(tables):
        alone = search(table, 4, beams=3, penalty=0.7)
        row = together.row(number)
        for name in BeamResult._fields[:-1]:
            np.testing.assert_allclose(getattr(row, name), getattr(alone, name), rtol=1e-6, err_msg=name)
        for one, other in zip(row.candidates, alone.candidates, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sampled_dialogues_of_a_batch_do_not_see_each_other() -> None:
    tables = [ending(seed, 9.0 - 4.0 * seed) for seed in range(4)]
    noise = np.random.default_rng(3).gumbel(size=(LENGTH, VOCABULARY)).astype(np.float32)
    cuts = (np.float32(1.0), np.int32(0), np.float32(1.0))
    tokens, counts = sample(step_of_many(tables), keras.ops.zeros((4, 1)), many_limits(4), *cuts, noise)
    assert len(set(np.asarray(counts).tolist())) > 1
    for number, table in enumerate(tables):
        assert np.asarray(tokens)[number, : int(counts[number])].tolist() == draw(table, 3)
        assert not np.asarray(tokens)[number, int(counts[number]) :].any()
