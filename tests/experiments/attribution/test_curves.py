"""Deletion and insertion on an additive toy: the exact ranking wins, chance is its expectation, the ends are equal."""

from itertools import permutations

import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments.attribution.curves import by_chance, compare, curve, ranking
from core.experiments.attribution.question import Question
from core.experiments.attribution.registry import attribute
from tests.closeness import near, same_network
from tests.refusals import refused

GIVES = np.array([3.0, -1.0, 0.5, 2.0], dtype=np.float32)


def worth(subsets):
    return np.array([sum(GIVES[place] for place in each) for each in subsets], dtype=np.float32)


def test_the_exact_ranking_wins_on_an_additive_toy() -> None:
    best = curve(worth, np.argsort(-GIVES).tolist())
    every = [curve(worth, order) for order in permutations(range(4))]
    near(best.deleted, min(each.deleted for each in every), terms=5)
    near(best.inserted, max(each.inserted for each in every), terms=5)
    assert sum(each.deleted <= best.deleted for each in every) == 1
    assert {(each.deletion[0], each.deletion[-1]) for each in every} == {(4.5, 0)}
    assert {(each.insertion[0], each.insertion[-1]) for each in every} == {(0, 4.5)}


def test_chance_is_its_expectation() -> None:
    """Each order comes with its reverse: on an additive toy both areas are exactly the mean over all orders."""
    every = [curve(worth, order) for order in permutations(range(4))]
    found = by_chance(worth, 4, 0)
    near(found.deleted, np.mean([each.deleted for each in every]), terms=24)
    near([found.deleted, found.inserted], [4.5 / 2] * 2, terms=24)


def test_long_dialogues_are_taken_away_in_groups() -> None:
    found = curve(lambda subsets: np.array([len(each) for each in subsets], dtype=np.float32), range(100))
    assert len(found.taken) == 13 and found.taken[0] == 0 and found.taken[-1] == 100
    near(found.deleted, 50, terms=13)


@pytest.mark.parametrize("unit", ["turn", "word"])
def test_all_methods_have_the_same_ends(copier, unit) -> None:
    found = compare(Question(*copier, unit=unit), ["attention", "contributions", "occlusion"])
    assert found.check.holds and not found.skipped and list(found.curves)[-1] == "random"
    ends = {(*each.deletion[[0, -1]], *each.insertion[[-1, 0]]) for each in found.curves.values()}
    same_network(np.ptp(np.array(sorted(ends)), axis=0), 0, copier[0].config)


def test_an_answer_of_one_column_ranks_nothing(copier) -> None:
    refused(
        SettingsError, "does not tell", ranking, attribute("reliance", *copier), Question(*copier, unit="turn").parts()
    )
