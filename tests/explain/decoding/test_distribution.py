"""The next-token distribution: worked numbers, and agreement with what sampling does."""

import numpy as np
import pytest

from core.decoding.search import NEVER, cut
from core.explain.decoding.distribution import NextToken, entropy, next_token_distribution
from tests.closeness import printed
from tests.figures.drawing import drawn
from tests.refusals import refusals

P = np.array([0.5, 0.3, 0.15, 0.05])
LOGITS = np.log(P) + 2.0  # a constant changes nothing


def table(logits=LOGITS, **options) -> NextToken:
    return next_token_distribution(logits, text=lambda token: f" t{token}", **options)


def told(*results: NextToken) -> str:
    """Return what is kept of the tokens, and what of all others."""
    columns = ("id", "text", "rank", "logit", "scaled", "probability", "cut", "after")
    rest = ("kept", "kept_probability", "entropy", "entropy_after", "others", "others_kept", "others_probability")
    tables = [{name: [getattr(each, name) for each in result.candidates] for name in columns} for result in results]
    wholes = [{name: [getattr(result, name)] for name in (*rest, "others_after")} for result in results]
    return drawn(*(part for pair in zip(tables, wholes, strict=True) for part in pair))


def test_the_worked_example(snapshot) -> None:
    printed(entropy(P), 1.1421, 4)
    certain = np.array([[0.0, 1.0, 0.0], [0.25, 0.5, 0.25]])
    np.testing.assert_allclose(entropy(certain), [0, 1.5 * np.log(2)])
    # What is left of the second token's probability: 0.375 of 1, −ln 0.375 = 0.9808.
    assert told(table(top_k=2), table(top_p=0.9), table(temperature=0.5)) == snapshot
    assert table(top_p=0.01).kept == 1  # at least one
    assert table(top_p=0.51).kept == 2  # the one that crosses is kept


def test_what_is_cut_and_what_is_kept(snapshot) -> None:
    result = table()
    assert result.entropy == result.entropy_after and result.kept == 4  # nothing is cut by default
    assert table(np.array([0.0, -50.0, -60.0])).kept == 3  # the first one's probability is rounded to 1
    assert snapshot == told(
        result,
        # Top-p counts what is left: without token 0 the others have .6, .3, .1: .6 is enough for .55, though .3 of all.
        table(banned=np.array([True, False, False, False]), top_p=0.55),
        table(top_k=3, top_p=0.8),  # top-3 leaves .526, .316, .158; top-k has the first word on what both would remove
        table(np.log([0.4, 0.2, 0.2, 0.2]), top_k=2),  # ties at the limit are kept and share a rank
        table(np.array([0.0, -np.inf, np.log(3.0)])),  # what cannot happen has no probability
        # The table has its rows and what is always shown.
        table(np.log([0.1, 0.4, 0.05, 0.3, 0.15]), rows=2, always=(2, 1), top_k=4),
    )


def test_settings_outside_their_range_are_refused(snapshot) -> None:
    cases = [{"temperature": 0.0}, {"temperature": float("nan")}, {"top_k": -1}, {"top_p": 0.0}, {"top_p": 1.5}]
    cases += [{"always": (4,)}, {"always": (-1,)}, {"banned": np.ones(4, dtype=bool)}]
    cases += [{"banned": np.zeros(3, dtype=bool)}]
    assert refusals(ValueError, lambda options: table(**options), cases) == snapshot


def test_it_keeps_what_sampling_keeps() -> None:
    """With ties, banned tokens and both limits after the temperature."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        size = int(random.integers(5, 60))
        logits = random.integers(-6, 7, size).astype(np.float32) / 2  # many ties
        banned = random.random(size) < 0.3
        banned[random.integers(size)] = False
        temperature, top_p = float(random.choice([0.5, 1.0, 2.0])), float(random.uniform(0.05, 0.99))
        top_k = int(random.integers(0, size + 3))
        tempered = np.where(banned, np.float32(NEVER), logits / np.float32(temperature)).astype(np.float32)
        expected = np.asarray(cut(tempered[None], np.int32(top_k), np.float32(top_p)))[0] > NEVER / 2
        result = table(logits, temperature=temperature, top_k=top_k, top_p=top_p, banned=banned, rows=size)
        found = {candidate.id: candidate for candidate in result.candidates}
        assert [found[token].cut == "" for token in range(size)] == expected.tolist(), seed
        assert [found[token].cut == "rule" for token in range(size)] == banned.tolist(), seed
        weights = np.where(expected, np.exp(tempered.astype(np.float64)), 0)
        assert [found[token].after for token in range(size)] == pytest.approx(weights / weights.sum()), seed


def test_the_cut_is_drawn_below_the_last_kept_row_of_those_that_the_rules_allow() -> None:
    ban = np.array([True, False, False, False])
    assert table(top_k=2).cut_row == 1
    assert table(top_k=2, banned=ban).cut_row == 2  # rows 1 and 2 are kept, row 0 is out by rule
    assert table().cut_row == -1  # nothing is cut
    assert table(banned=ban).cut_row == -1  # nothing but what the rules forbid
