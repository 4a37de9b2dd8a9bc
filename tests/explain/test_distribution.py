"""The next-token distribution: worked numbers, and agreement with what sampling does."""

import numpy as np
import pytest

from core.explain.distribution import Candidate, NextToken, entropy, margin, next_token, surprisal, typicality

P = np.array([0.5, 0.3, 0.15, 0.05])
LOGITS = np.log(P) + 2.0  # a constant changes nothing


def table(logits=LOGITS, **options) -> NextToken:
    return next_token(logits, text=lambda token: f" t{token}", **options)


def after(result: NextToken) -> list[float]:
    return [round(candidate.after, 4) for candidate in result.candidates]


def test_the_worked_example() -> None:
    # Measures of the worked example.
    assert float(entropy(P)) == pytest.approx(1.1421, abs=5e-5)
    np.testing.assert_allclose(surprisal(P), [0.6931, 1.2040, 1.8971, 2.9957], atol=5e-5)
    np.testing.assert_allclose(typicality(P), [0.4490, 0.0619, 0.7550, 1.8536], atol=5e-5)
    assert typicality(P).argmin() == 1
    assert float(margin(P)) == pytest.approx(0.2)
    certain = np.array([[0.0, 1.0, 0.0], [0.25, 0.5, 0.25]])
    np.testing.assert_allclose(entropy(certain), [0, 1.5 * np.log(2)])
    np.testing.assert_allclose(margin(certain), [1, 0.25])
    assert surprisal(certain)[0].tolist() == [np.inf, 0, np.inf]
    # Top k of the worked example.
    result = table(top_k=2)
    assert after(result) == [0.625, 0.375, 0, 0]
    assert float(surprisal(np.array(result.candidates[1].after))) == pytest.approx(0.9808, abs=5e-5)
    assert [candidate.cut for candidate in result.candidates] == ["", "", "top-k", "top-k"]
    assert result.kept == 2 and result.kept_probability == pytest.approx(0.8)
    # Top p of the worked example.
    result = table(top_p=0.9)
    assert after(result) == [0.5263, 0.3158, 0.1579, 0]
    assert result.entropy_after == pytest.approx(0.9933, abs=5e-5)
    assert result.entropy == pytest.approx(1.1421, abs=5e-5)
    assert [candidate.cut for candidate in result.candidates] == ["", "", "", "top-p"]
    assert table(top_p=0.01).kept == 1  # at least one
    assert table(top_p=0.51).kept == 2  # the one that crosses is kept
    # Temperature of the worked example.
    result = table(temperature=0.5)
    assert after(result) == [0.6849, 0.2466, 0.0616, 0.0068]
    assert [round(candidate.probability, 4) for candidate in result.candidates] == [0.5, 0.3, 0.15, 0.05]
    assert result.candidates[0].scaled == pytest.approx(2 * LOGITS[0])


def test_what_is_cut_and_what_is_kept() -> None:
    # Nothing is cut by default.
    result = table()
    assert (result.kept, result.others, result.others_kept, result.others_probability) == (4, 0, 0, 0)
    assert result.entropy == result.entropy_after == pytest.approx(1.1421, abs=5e-5)
    assert result.kept_probability == pytest.approx(1)
    assert table(np.array([0.0, -50.0, -60.0])).kept == 3  # the first one's probability is rounded to 1
    second = result.candidates[1]
    assert second == Candidate(1, " t1", 2, LOGITS[1], LOGITS[1], second.probability, "", second.after)
    assert second.probability == pytest.approx(0.3) and second.after == pytest.approx(0.3)
    # Top p counts what rules temperature and top k left.
    # Without token 0 the others have .6, .3, .1: .6 is enough for .55, though it is .3 of the whole.
    result = table(banned=np.array([True, False, False, False]), top_p=0.55)
    assert [candidate.cut for candidate in result.candidates] == ["rule", "", "top-p", "top-p"]
    assert result.kept_probability == pytest.approx(0.3) and result.entropy_after == 0
    # Top-3 leaves .526, .316, .158; top-k has the first word on what both would remove.
    result = table(top_k=3, top_p=0.8)
    assert [candidate.cut for candidate in result.candidates] == ["", "", "top-p", "top-k"]
    # At temperature .5 the best two reach .93.
    assert table(temperature=0.5, top_p=0.9).kept == 2 and table(top_p=0.9).kept == 3
    # Ties at the limit are kept and share a rank.
    logits = np.log([0.4, 0.2, 0.2, 0.2])
    result = table(logits, top_k=2)
    assert result.kept == 4 and after(result) == [0.4, 0.2, 0.2, 0.2]
    assert [(candidate.id, candidate.rank) for candidate in result.candidates] == [(0, 1), (1, 2), (2, 2), (3, 2)]
    assert table(logits, top_p=0.5).kept == 4
    assert table(logits, top_k=1).kept == 1
    # What cannot happen has no probability.
    result = table(np.array([0.0, -np.inf, np.log(3.0)]))
    assert after(result) == [0.75, 0.25, 0]
    assert result.entropy == pytest.approx(0.5623, abs=5e-5)


def test_the_table_has_its_rows_and_what_is_always_shown() -> None:
    result = table(np.log([0.1, 0.4, 0.05, 0.3, 0.15]), rows=2, always=(2, 1), top_k=4)
    assert [(candidate.id, candidate.rank, candidate.cut) for candidate in result.candidates] == [
        (1, 1, ""),
        (3, 2, ""),
        (2, 5, "top-k"),
    ]
    assert (result.others, result.others_kept, result.kept) == (2, 2, 4)
    assert result.others_probability == pytest.approx(0.25)
    assert result.others_after == pytest.approx(0.25 / 0.95)
    shown = sum(candidate.probability for candidate in result.candidates)
    assert shown + result.others_probability == pytest.approx(1)


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
    for seed in range(40):
        from core.decoding.search import NEVER, cut

        random = np.random.default_rng(seed)
        size = int(random.integers(5, 60))
        logits = random.integers(-6, 7, size).astype(np.float32) / 2  # many ties
        banned = random.random(size) < 0.3
        banned[random.integers(size)] = False
        temperature = float(random.choice([0.5, 1.0, 2.0]))
        top_k = int(random.integers(0, size + 3))
        top_p = float(random.uniform(0.05, 0.99))
        tempered = np.where(banned, np.float32(NEVER), logits / np.float32(temperature)).astype(np.float32)
        expected = np.asarray(cut(tempered[None], np.int32(top_k), np.float32(top_p)))[0] > NEVER / 2
        result = table(logits, temperature=temperature, top_k=top_k, top_p=top_p, banned=banned, rows=size)
        kept = {candidate.id for candidate in result.candidates if not candidate.cut}
        assert kept == set(np.flatnonzero(expected).tolist()), seed
        assert {candidate.id for candidate in result.candidates if candidate.cut == "rule"} == set(
            np.flatnonzero(banned)
        ), seed
        assert sum(candidate.after for candidate in result.candidates) == pytest.approx(1), seed
        weights = np.where(expected, np.exp(tempered.astype(np.float64)), 0)
        for candidate in result.candidates:
            assert candidate.after == pytest.approx(weights[candidate.id] / weights.sum()), seed
