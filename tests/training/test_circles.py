"""Circles: they are counted, and those made on purpose are made of the summary's own words."""

import numpy as np
import pytest

from core.training.circles import PAIRS, circles, repeated_pairs

SUMMARY = "#Person1# asks #Person2# to water the plants, and #Person2# wants to know how often."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("He goes home.", 0),
        ("He goes home and he goes home.", 2),
        ("The dog sees the cat. The dog runs.", 1),
        ("#Person1#'s dog. #Person1#'s dog. #Person1# dog.", 1),
        ("so so so so", 1),
    ],
)
def test_repeated_pairs(text, count):
    assert repeated_pairs(text) == count


def test_circles_say_again_what_was_said():
    plain = {word.strip(".,") for word in SUMMARY.split()} | set(
        "and then so because with that who is also but".split()
    )
    for seed in range(30):
        made = circles(SUMMARY, np.random.default_rng(seed), 2)
        assert len(made) == len(set(made)) == 2 and SUMMARY not in made
        for text in made:
            assert repeated_pairs(text) >= repeated_pairs(SUMMARY) + PAIRS
            assert len(text.split()) > len(SUMMARY.split())
            assert {word.strip(".,") for word in text.split()} - {""} <= plain, text
        assert made == circles(SUMMARY, np.random.default_rng(seed), 2)
    assert circles("He goes home.", np.random.default_rng(0), 2) == []
