"""Pictures of a corpus, with numbers worked out by hand."""

import pytest

from core.figures.corpus import Axis, SliceBar, bins_of, distribution, scatter, slices
from core.figures.palette import ORANGE
from tests.figures.conftest import notes, said

ROUGE = Axis("ROUGE-1")
TURNS = Axis("Turns")


def test_a_distribution_counts_every_value_once():
    # Whole numbers get a bin each and others equal bins; a value on an edge is in the bin above, the largest in the
    # last one.
    assert bins_of([3, 5, 3, 4]) == ([2.5, 3.5, 4.5, 5.5], [0, 2, 0, 1])
    assert bins_of([0.0, 0.5, 1.0, 0.26], bins=4) == ([0.0, 0.25, 0.5, 0.75, 1.0], [0, 2, 3, 1])
    assert bins_of([2.5, 2.5]) == ([2.0, 3.0], [0, 0])
    with pytest.raises(ValueError, match="Received: none"):
        bins_of([])
    picture = distribution([10.0, 20.0, 30.0, 40.5], ROUGE)
    assert sum(picture.figure.data[0].y) == 4 == sum(picture.table["Summaries"])
    assert said(picture) == "ROUGE-1 of 4 summaries: mean 25.12, median 25.00, from 10.00 to 40.50."
    assert list(picture.figure.data[0].customdata) == list(range(16))
    for chosen, lines in ((2.0, [1.5, 2.0]), (None, [1.5])):
        assert [shape.x0 for shape in distribution([1.0, 2.0], ROUGE, chosen=chosen).figure.layout.shapes] == lines


def test_a_scatter_says_how_the_ranks_agree_and_marks_the_opened_point(subtests):
    picture = scatter(["a", "b", "<b>c"], [1, 2, 3], [30.0, 20.0, 10.0], (TURNS, ROUGE), chosen=1)
    assert said(picture) == (
        "Turns and ROUGE-1 of 3 summaries have a rank correlation of −1.00 (Spearman). Click a point to open it."
    )
    assert picture.table == {"Id": ["a", "b", "<b>c"], "Turns": [1, 2, 3], "ROUGE-1": [30.0, 20.0, 10.0]}
    others, opened = picture.figure.data
    assert others.hovertext[1] == "&lt;b&gt;c<br>Turns 3.00<br>ROUGE-1 10.00"
    assert (list(others.customdata), list(opened.customdata), opened.marker.color) == ([0, 2], [1], ORANGE)
    flat = scatter(["a", "b"], [1, 1], [3.0, 4.0], (TURNS, ROUGE))
    assert "cannot be ranked against each other" in said(flat) and len(flat.figure.data) == 1
    for ids, x in [([], []), (["a"], [1, 2])]:
        with subtests.test(ids=ids), pytest.raises(ValueError, match="two numbers a row"):
            scatter(ids, x, x, (TURNS, ROUGE))


def test_slices_name_the_ends_and_draw_their_intervals():
    bars = (SliceBar("short", 40, 50.0, 45.0, 55.0), SliceBar("long", 30, 30.0, 25.0, 42.0), SliceBar("<i>", 2, 36.0))
    picture = slices(bars, ROUGE, 41.0, chosen=1)
    assert said(picture) == (
        "ROUGE-1 is 41.00 on average (dashed): highest for short (50.00), lowest for long (30.00); "
        "the interval of short leaves it out."
    )
    assert picture.table["Low"] == [45.0, 25.0, None]
    wide = (SliceBar("short", 40, 50.0, 40.0, 55.0), *bars[1:])
    assert "no slice's interval leaves it out" in said(slices(wide, ROUGE, 41.0))
    assert "all rows fall into one slice, short" in said(slices(bars[:1], ROUGE, 50.0))
    # A slice without interval has no error bar.
    known, few = picture.figure.data[1:]
    assert list(known.customdata) == [0, 1] and list(few.customdata) == [2]
    assert list(known.error_x.array) == [5.0, 12.0] and list(known.error_x.arrayminus) == [5.0, 5.0]
    assert few.error_x.array is None and "&lt;i&gt; · 2 summaries" in notes(picture)
    with pytest.raises(ValueError, match="Received: none"):
        slices([], ROUGE, 1.0)
