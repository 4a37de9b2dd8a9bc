"""Pictures of a corpus, with numbers worked out by hand."""

from core.figures.errors.corpus import Axis, SliceBar, bins_of, distribution, scatter, slices
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

ROUGE = Axis("ROUGE-1")
TURNS = Axis("Turns")


def test_a_distribution_counts_every_value_once(snapshot):
    # Whole numbers get a bin each and others equal bins; a value on an edge is in the bin above, the largest in the
    # last one.
    assert bins_of([3, 5, 3, 4]) == ([2.5, 3.5, 4.5, 5.5], [0, 2, 0, 1])
    assert bins_of([0.0, 0.5, 1.0, 0.26], bins=4) == ([0.0, 0.25, 0.5, 0.75, 1.0], [0, 2, 3, 1])
    assert bins_of([2.5, 2.5]) == ([2.0, 3.0], [0, 0])
    cannot_draw("Received: none", bins_of, [])
    assert drawn(distribution([10.0, 20.0, 30.0, 40.5], ROUGE)) == snapshot
    for chosen, lines in ((2.0, [1.5, 2.0]), (None, [1.5])):
        assert [shape.x0 for shape in distribution([1.0, 2.0], ROUGE, chosen=chosen).figure.layout.shapes] == lines


def test_a_scatter_says_how_the_ranks_agree_and_marks_the_opened_point(snapshot):
    picture = scatter(["a", "b", "<b>c"], [1, 2, 3], [30.0, 20.0, 10.0], (TURNS, ROUGE), chosen=1)
    assert drawn(picture, scatter(["a", "b"], [1, 1], [3.0, 4.0], (TURNS, ROUGE))) == snapshot
    for ids, x in [([], []), (["a"], [1, 2])]:
        cannot_draw("two numbers a row", scatter, ids, x, x, (TURNS, ROUGE))


def test_slices_name_the_ends_and_draw_their_intervals(snapshot):
    bars = (SliceBar("short", 40, 50.0, 45.0, 55.0), SliceBar("long", 30, 30.0, 25.0, 42.0), SliceBar("<i>", 2, 36.0))
    wide = slices((SliceBar("short", 40, 50.0, 40.0, 55.0), *bars[1:]), ROUGE, 41.0)
    assert drawn(slices(bars, ROUGE, 41.0, chosen=1), said(wide), said(slices(bars[:1], ROUGE, 50.0))) == snapshot
    shares = slices((SliceBar("all", 40, 90.0, 75.0, 100.0),), Axis("Share", "%"), 90.0).figure.layout.xaxis
    assert shares.range[1] > 100 == max(shares.tickvals)
    cannot_draw("Received: none", slices, [], ROUGE, 1.0)
