"""Shapley values beside leaving one out, on a toy whose three turns are worked out by hand."""

from types import SimpleNamespace

import numpy as np

from core.config import PAD
from core.experiments.attribution.shapley import beside_alone
from core.explain.shared.rollup import Group
from tests.closeness import near


def test_two_turns_that_say_the_same_are_the_pair_that_leaving_one_out_misses() -> None:
    """F of two written tokens: 2 if turn 1 or turn 3 is read, and 0.5 if turn 2 is."""

    def scores(sources):
        shown = np.array(sources) != PAD
        return np.stack([2.0 * (shown[:, 0] | shown[:, 2]), 0.5 * shown[:, 1]], axis=1)

    toy = SimpleNamespace(
        parts=lambda: tuple(Group(str(turn), (turn,), turn, None) for turn in range(3)),
        source=[7, 8, 9], seed=0, scores=scores, own=scores([[7, 8, 9]])[0],
        answer=lambda _, columns, values, check, **more: SimpleNamespace(columns=columns, values=values, check=check),
    )  # fmt: skip
    found = beside_alone(toy)
    near(found.shares.values.sum(axis=0), [1, 0.5, 1], terms=8)
    near(found.alone.values.sum(axis=0), [0, 0.5, 0])
    assert sorted(found.pair) == [0, 2] and found.together == 2
    assert found.shares.check.holds and found.alone.check.holds
