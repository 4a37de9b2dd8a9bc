"""Shapley values by hand: two turns, redundancy, a turn that does nothing; drawn orders and their interval."""

import numpy as np

from core.experiments.attribution.hiding import Subset
from core.experiments.attribution.shapley import drawn, exact
from tests.closeness import near


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
