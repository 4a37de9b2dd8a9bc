"""ROUGE worked out by hand on a few words."""

import pytest

from core.errors import SettingsError
from core.scoring.rouge import Rouge, mean_rouge, rouge
from tests.refusals import refused


def values(score: Rouge) -> list[float]:
    return [round(value, 2) for value in (score.rouge1, score.rouge2, score.rougeL)]


def test_f_measures_by_hand():
    for candidate, reference, expected in [
        # 2 of 3 words shared either way; of 2 word pairs each, none; the longest common sequence is "the sat", 2 words
        ("the cat sat", "the dog sat", [66.67, 0, 66.67]),
        # precision 2/2, recall 2/4, F = 2/3; pairs: 1 of 1 and 1 of 3, F = 1/2
        ("the cat", "the cat sat down", [66.67, 50, 66.67]),
        # the order matters for L alone: 3 shared words, no pair, 1 in sequence
        ("sat cat the", "the cat sat", [100, 0, 33.33]),
        ("the cat sat", "the cat sat", [100, 100, 100]),
        ("The cats, SLEEPING!", "the cat sleeps", [100, 100, 100]),  # stemmed; case and marks do not count
        ("", "the cat sat", [0, 0, 0]), ("   ", "the cat sat", [0, 0, 0]), ("!!!", "the cat sat", [0, 0, 0]),
    ]:  # fmt: skip
        assert values(rouge(candidate, [reference])) == expected, candidate


def test_modes_join_several_references():
    for mode, expected in (((), 100 / 3), (("max",), 100), (("mean",), 200 / 3)):  # by default the first
        found = rouge("the cat sat", ["the dog ran", "the cat sat"], *mode)
        assert found.rouge1 == pytest.approx(expected)
    # Max takes each measure by itself.
    references = ["cat the sat", "the cat ran off"]
    first, second = (rouge("the cat sat", [each]) for each in references)
    best = rouge("the cat sat", references, "max")
    assert first.rouge1 > second.rouge1 and second.rouge2 > first.rouge2
    assert (best.rouge1, best.rouge2) == (first.rouge1, second.rouge2)
    refused(SettingsError, "at least one reference", rouge, "a", [])
    refused(SettingsError, "mode='best'", rouge, "a", ["a"], "best")
    assert mean_rouge([Rouge(10, 20, 30), Rouge(30, 20, 10)]) == Rouge(20, 20, 20)
    assert mean_rouge([]) == Rouge(0, 0, 0)
