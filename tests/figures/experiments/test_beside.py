"""Two methods beside each other, with numbers worked out by hand."""

from core.explain.attribution.attribution import Check
from core.figures.experiments.beside import beside
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "No."), ("3", "", "Bye")]
PASSED, FAILED = Check("the parts add up", 0.0, 1e-3), Check("nothing is 0", 0.5, 1e-3)
ANSWERS = {"occlusion": ([0.5, 0.0, -1.0], PASSED), "shapley": ([0.75, 2.0, -1.5], FAILED)}


def test_both_have_their_bars_on_one_axis_and_their_check_in_the_sentence(snapshot):
    assert drawn(beside(TURNS, ANSWERS, 3, "Turns 1 and 2 say the same.")) == snapshot
    short = ANSWERS | {"occlusion": ([1, 2], PASSED)}
    cannot_draw("Received: 3 turns, occlusion 2, shapley 3", beside, TURNS, short, 3, "")


def test_of_many_parts_those_with_the_largest_effects_are_drawn_in_order_and_all_are_in_the_table(snapshot):
    assert drawn(beside(TURNS, ANSWERS, 2, "")) == snapshot
