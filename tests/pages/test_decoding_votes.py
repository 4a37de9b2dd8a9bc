"""Votes on the Decoding page: they add up by layer, head and turn, as the toy by hand does."""

import numpy as np
import pytest

from core.explain.attention.head_outputs import Head
from core.explain.attribution.attribution import Check
from core.explain.attribution.votes import Part, Votes, votes
from core.explain.shared.rollup import Group, groups
from core.figures.decoding import votes as figures
from tests.closeness import near, printed
from tests.pages.decoding import arrive
from tests.pages.driver import captions, choose, decoded, table, tiny


def test_a_toy_by_hand():
    """Two turns of one head (+2, −0.5), a network (−1), the embedding (+0.25): +0.75 logits."""
    parts = (Part("embedding"), Part("head", 0, Head("cross", 0, 0), 0), Part("head", 0, Head("cross", 0, 0), 1),
             Part("feed-forward", 0))  # fmt: skip
    values = np.array([[0.25, 2.0, -0.5, -1.0]])
    copied, generated = np.array([[[0.125, 0.0]]]), np.array([[0.5, 0.25]])
    found = Votes(("She",), (7,), parts, values, (Part("copy"),), copied, generated, Check("they add up", 0.0, 1e-3))
    turns = tuple(Group(str(place + 1), (place,), place, None) for place in range(2))
    drawn = {by: figures.votes(found, by, turns, " She", " He").table for by in ("layer", "head", "turn")}
    assert drawn["layer"]["Vote (logits)"] == [0.25, 1.5, -1.0, 0.75, None]
    assert drawn["turn"]["Vote (logits)"] == [-0.75, 2.0, -0.5, 0.75, None]
    assert drawn["turn"]["Who votes"][1:3] == ["Turn 1", "Turn 2"]
    assert sum(drawn["head"]["Vote (logits)"][:-2]) == 0.75
    assert drawn["layer"]["Probability"][-2:] == [0.5, 0.125] and drawn["layer"]["Probability of the other"][-1] == 0.0
    said = figures.votes(found, "turn", turns, " She", " He").caption
    assert "“Turn 1” votes most for “She” (+2.00)" in said and "Check passed: they add up" in said


@pytest.mark.parametrize("by", ["layer", "head", "turn"])
def test_the_votes_of_a_step_add_up_to_the_difference_of_the_logits(app, by):
    summary, step = decoded(), 2
    foil = [each.id for each in summary.steps[step].alternatives if each.id != summary.tokens[step].id][1]
    arrive(app, step=step + 1, against=foil)
    choose(app, "voters", by)
    found = votes(tiny(), summary, step, foil, groups(summary.source, "turn"))
    drawn = [value for value in table(app, "Who votes")["Vote (logits)"] if value == value]
    printed(drawn[-1], sum(drawn[:-1]), 3)
    printed(drawn[-1], float(found.values.sum()), 3)
    near(found.values.sum(), votes(tiny(), summary, step, foil).values.sum(), depth=4)
    assert found.check.name in captions(app)
