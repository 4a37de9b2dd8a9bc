"""Two methods beside each other, with numbers worked out by hand."""

from core.explain.attribution.attribution import Check
from core.figures.experiments.beside import beside
from tests.figures.conftest import cannot_draw, notes, said

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "No."), ("3", "", "Bye")]
PASSED, FAILED = Check("the parts add up", 0.0, 1e-3), Check("nothing is 0", 0.5, 1e-3)
ANSWERS = {"occlusion": ([0.5, 0.0, -1.0], PASSED), "shapley": ([0.75, 2.0, -1.5], FAILED)}


def test_both_have_their_bars_on_one_axis_and_their_check_in_the_sentence():
    picture = beside(TURNS, ANSWERS, 3, "Turns 1 and 2 say the same.")
    drawn = [(trace.name, [*trace.x], trace.marker.pattern.shape) for trace in picture.figure.data]
    assert drawn == [
        ("Leave one out (+)", [0.5, 0, 0], ""), ("Leave one out (−)", [0, 0, -1.0], ""),
        ("Shapley values (+)", [0.75, 2.0, 0], "/"), ("Shapley values (−)", [0, 0, -1.5], "/"),
    ]  # fmt: skip
    assert {trace.xaxis for trace in picture.figure.data} == {None} and picture.figure.layout.xaxis.range[0] < -1.5
    assert picture.table["Leave one out"] == [0.5, 0.0, -1.0] and picture.table["Shapley values"] == [0.75, 2.0, -1.5]
    assert said(picture) == (
        "“Leave one out” and “Shapley values” differ most at “2 · Ben: No.”: 0.00 and +2.00 nats. Turns 1 and 2 say "
        "the same. Leave one out: ✓ Check passed: the parts add up (off by 0, allowed 0.001). Shapley values: ✗ Check "
        "not passed: nothing is 0 (off by 0.5, allowed 0.001). Do not rely on these numbers."
    )
    assert "<b>you" not in f"{notes(picture)}{picture.figure.data[0].hovertext}"


def test_of_many_parts_those_with_the_largest_effects_are_drawn_in_order_and_all_are_in_the_table():
    picture = beside(TURNS, ANSWERS, 2, "")
    assert [*picture.figure.data[2].x] == [2.0, 0] and [*picture.figure.data[3].x] == [0, -1.5]
    assert len(picture.table["Text"]) == 3
    cannot_draw(
        "Received: 3 turns, occlusion 2, shapley 3", beside, TURNS, ANSWERS | {"occlusion": ([1, 2], PASSED)}, 3, ""
    )
