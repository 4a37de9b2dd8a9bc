"""The next-token distribution: worked numbers, and agreement with what sampling does."""

import numpy as np
import pytest

from core.decoding.search import NEVER, cut
from core.explain.distribution import Candidate, NextToken, entropy, margin, next_token, surprisal, typicality

P = np.array([0.5, 0.3, 0.15, 0.05])
LOGITS = np.log(P) + 2.0  # a constant changes nothing


def table(logits=LOGITS, **options) -> NextToken:
    return next_token(logits, text=lambda token: f" t{token}", **options)


def after(result: NextToken) -> list[float]:
    return [round(candidate.after, 4) for candidate in result.candidates]


def cuts(result: NextToken) -> list[str]:
    return [candidate.cut for candidate in result.candidates]


def test_the_worked_example() -> None:
    assert float(entropy(P)) == pytest.approx(1.1421, abs=5e-5)
    np.testing.assert_allclose(surprisal(P), [0.6931, 1.2040, 1.8971, 2.9957], atol=5e-5)
    np.testing.assert_allclose(typicality(P), [0.4490, 0.0619, 0.7550, 1.8536], atol=5e-5)
    assert typicality(P).argmin() == 1 and float(margin(P)) == pytest.approx(0.2)
    certain = np.array([[0.0, 1.0, 0.0], [0.25, 0.5, 0.25]])
    np.testing.assert_allclose(entropy(certain), [0, 1.5 * np.log(2)])
    np.testing.assert_allclose(margin(certain), [1, 0.25])
    assert surprisal(certain)[0].tolist() == [np.inf, 0, np.inf]
    result = table(top_k=2)
    assert after(result) == [0.625, 0.375, 0, 0] and cuts(result) == ["", "", "top-k", "top-k"]
    assert float(surprisal(np.array(result.candidates[1].after))) == pytest.approx(0.9808, abs=5e-5)
    assert result.kept == 2 and result.kept_probability == pytest.approx(0.8)
    result = table(top_p=0.9)
    assert after(result) == [0.5263, 0.3158, 0.1579, 0] and cuts(result) == ["", "", "", "top-p"]
    assert (result.entropy, result.entropy_after) == pytest.approx((1.1421, 0.9933), abs=5e-5)
    assert table(top_p=0.01).kept == 1  # at least one
    assert table(top_p=0.51).kept == 2  # the one that crosses is kept
    result = table(temperature=0.5)
    assert after(result) == [0.6849, 0.2466, 0.0616, 0.0068]
    assert [candidate.probability for candidate in result.candidates] == pytest.approx(P)
    assert result.candidates[0].scaled == pytest.approx(2 * LOGITS[0])


def test_what_is_cut_and_what_is_kept() -> None:
    # Nothing is cut by default.
    result = table()
    assert (result.kept, result.others, result.others_kept, result.others_probability) == (4, 0, 0, 0)
    assert result.entropy == result.entropy_after and result.kept_probability == pytest.approx(1)
    assert table(np.array([0.0, -50.0, -60.0])).kept == 3  # the first one's probability is rounded to 1
    second = result.candidates[1]
    assert second == Candidate(1, " t1", 2, LOGITS[1], LOGITS[1], second.probability, "", second.after)
    assert second.probability == pytest.approx(0.3) and second.after == pytest.approx(0.3)
    # Top-p counts what is left: without token 0 the others have .6, .3, .1: .6 is enough for .55, though .3 of all.
    result = table(banned=np.array([True, False, False, False]), top_p=0.55)
    assert cuts(result) == ["rule", "", "top-p", "top-p"]
    assert result.kept_probability == pytest.approx(0.3) and result.entropy_after == 0
    # Top-3 leaves .526, .316, .158; top-k has the first word on what both would remove.
    assert cuts(table(top_k=3, top_p=0.8)) == ["", "", "top-p", "top-k"]
    # Ties at the limit are kept and share a rank.
    result = table(np.log([0.4, 0.2, 0.2, 0.2]), top_k=2)
    assert result.kept == 4 and after(result) == [0.4, 0.2, 0.2, 0.2]
    assert [(candidate.id, candidate.rank) for candidate in result.candidates] == [(0, 1), (1, 2), (2, 2), (3, 2)]
    # What cannot happen has no probability.
    result = table(np.array([0.0, -np.inf, np.log(3.0)]))
    assert after(result) == [0.75, 0.25, 0] and result.entropy == pytest.approx(0.5623, abs=5e-5)
    # The table has its rows and what is always shown.
    result = table(np.log([0.1, 0.4, 0.05, 0.3, 0.15]), rows=2, always=(2, 1), top_k=4)
    assert [(each.id, each.rank, each.cut) for each in result.candidates] == [(1, 1, ""), (3, 2, ""), (2, 5, "top-k")]
    assert (result.others, result.others_kept, result.kept) == (2, 2, 4)
    assert (result.others_probability, result.others_after) == pytest.approx((0.25, 0.25 / 0.95))
    assert sum(candidate.probability for candidate in result.candidates) == pytest.approx(0.75)


def test_settings_outside_their_range_are_refused(subtests: pytest.Subtests) -> None:
    for options, message in [
        ({"temperature": 0.0}, "temperature must be a number above 0. Received: temperature=0.0"),
        ({"temperature": float("nan")}, "temperature must"),
        ({"top_k": -1}, "top_k must be at least 0. Received: top_k=-1"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1. Received: top_p=0.0"),
        ({"top_p": 1.5}, "top_p must"),
        ({"always": (4,)}, "always must hold ids from 0 to 3. Received: 4"),
        ({"always": (-1,)}, "always must"),
        ({"banned": np.ones(4, dtype=bool)}, "at least one token must be allowed. Received: all 4 banned"),
        ({"banned": np.zeros(3, dtype=bool)}, r"shape \[V\]. Received: logits \[4\], banned \[3\]"),
    ]:
        with subtests.test(options=options), pytest.raises(ValueError, match=message):
            table(**options)


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
