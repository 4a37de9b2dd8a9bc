"""How far readers agree, drawn: what is defined, what is not, and names that are no markup."""

from dataclasses import replace

from core.figures.errors.agreement import picture
from core.scoring.agreement import ANY, Agreement
from tests.figures.conftest import said
from tests.figures.drawing import drawn

FOUND = [
    Agreement(ANY, 9, (5, 6), 8 / 9, 0.77, 0.2, 1.0, (4,)),
    Agreement("invented", 9, (0, 1), 8 / 9, 0.0, None, None, (4,)),
    Agreement("missing", 9, (0, 0), 1.0, None, None, None, ()),
]
NAMES = {ANY: "Any error", "invented": "Invented", "missing": "Missing"}


def test_readers_are_compared_by_kind(snapshot):
    two = picture(FOUND, NAMES, ("Anna <b>", "Ben"), chosen=1)
    three = picture([replace(FOUND[2], found=(0, 0, 0))], NAMES, ("A", "B", "C"))
    by_word = picture([replace(FOUND[0], words=120)], NAMES, ("A", "B"))
    assert drawn(two, three, said(by_word)) == snapshot
