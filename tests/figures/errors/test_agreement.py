"""How far readers agree, drawn: what is defined, what is not, and names that are no markup."""

from dataclasses import replace

from core.figures.errors.agreement import picture
from core.scoring.agreement import ANY, Agreement
from tests.figures.drawing import drawn

FOUND = [
    Agreement(ANY, 9, (5, 6), 8 / 9, 0.77, 0.2, 1.0, (4,)),
    Agreement("invented", 9, (0, 1), 8 / 9, 0.0, None, None, (4,)),
    Agreement("missing", 9, (0, 0), 1.0, None, None, None, ()),
]
NAMES = {ANY: "Any error", "invented": "Invented", "missing": "Missing"}


def test_readers_are_compared_by_kind(snapshot):
    two = picture(FOUND, NAMES, ("Anna <b>", "Ben"), chosen=1)
    assert list(two.figure.data[0].marker.line.width) == [0, 3, 0]
    with_interval, of_few = two.figure.data[1:]
    assert list(with_interval.x) == [0.77] and list(with_interval.error_x.array) == [1.0 - 0.77]
    assert list(of_few.x) == [0.0] and of_few.marker.symbol == "circle-open" and of_few.error_x.array is None
    assert all("<b>Ann" not in text and "Anna <b>" not in text for text in two.figure.data[0].hovertext)
    by_word = picture([replace(FOUND[0], words=120)], NAMES, ("A", "B"))
    assert "judged 9 summaries with 120 words: on whether a word is part of an error" in by_word.caption
    assert drawn(two, picture([replace(FOUND[2], found=(0, 0, 0))], NAMES, ("A", "B", "C"))) == snapshot
