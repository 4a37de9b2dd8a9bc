"""Subsets of parts, by hand: deletion and insertion curves on an additive toy, Shapley values, their intervals."""

from itertools import permutations

import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments.attribution.curves import by_chance, compare, curve, ranking
from core.experiments.attribution.hiding import Subset
from core.experiments.attribution.question import Question
from core.experiments.attribution.registry import attribute
from core.experiments.attribution.shapley import drawn, exact
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
    found = compare(Question(*copier, unit=unit), ["attention", "contributions", "occlusion", "reliance"])
    assert found.check.holds and list(found.skipped) == ["reliance"]
    assert list(found.curves) == ["attention", "contributions", "occlusion", "random"]
    ends = {(*each.deletion[[0, -1]], *each.insertion[[-1, 0]]) for each in found.curves.values()}
    same_network(np.ptp(np.array(sorted(ends)), axis=0), 0, copier[0].config)


def test_an_answer_of_one_column_ranks_nothing(copier) -> None:
    refused(
        SettingsError, "does not tell", ranking, attribute("reliance", *copier), Question(*copier, unit="turn").parts()
    )


def game(values):
    """Return the worth of subsets [n, 1] by a function of the subset."""
    return lambda subsets: np.array([[values(each)] for each in subsets], dtype=np.float32)


def test_two_turns_by_hand() -> None:
    """v() = 0, v(1) = 1, v(2) = 3, v(1, 2) = 10: (1 + 7) / 2 = 4 and (3 + 9) / 2 = 6."""
    known = {Subset(): 0, Subset({0}): 1, Subset({1}): 3, Subset({0, 1}): 10}
    assert exact(game(known.__getitem__), 2).ravel().tolist() == [4, 6]
    near(drawn(game(known.__getitem__), 2, 0)[0].ravel(), [4, 6], terms=24)


def test_what_two_turns_say_twice_is_shared_and_a_silent_turn_gets_nothing() -> None:
    """Turns 0 and 1 both hold what gives 6; leaving out either loses nothing."""
    found = exact(game(lambda shown: 6.0 * bool(shown & {0, 1})), 3).ravel()
    near(found, [3, 3, 0], terms=8)


def test_drawn_orders_add_up_and_their_interval_holds_the_exact_values() -> None:
    random = np.random.default_rng(2)
    single, pairs = random.standard_normal(6), random.standard_normal((6, 6))

    def worth(shown: Subset) -> float:
        places = sorted(shown)
        return float(single[places].sum() + pairs[np.ix_(places, places)].sum())

    whole = worth(Subset(range(6))) - worth(Subset())
    values, half = drawn(game(worth), 6, 0)
    near(values.sum(), whole, terms=36)
    # In a game of pairs an order and its reverse give half of every pair to each: nothing is left to chance.
    near(values, exact(game(worth), 6), terms=64)
    near(half, 0, terms=64)
    _, wide = drawn(game(lambda shown: float(len(shown) > 2 and 0 in shown)), 6, 0)
    assert wide[0] > 0
