"""The heads that are most worth a look."""

from dataclasses import replace

from core.explain.attention.catalogue import Effects
from core.explain.attention.notable import describe, notable
from tests.explain.attention.test_head_scores import PLAIN
from tests.figures.drawing import drawn

HEADS = [
    replace(PLAIN, kind="cross", layer=0, head=head, turn=None, copied=copied, speakers=speakers)
    for head, (copied, speakers) in enumerate([(0.2, 0.1), (0.6, 0.1), (0.3, 0.1), (0.1, 0.9), (0.1, 0.1), (0.1, 0.1)])
]


def places(effects: Effects | None, most: int) -> list[int]:
    return [each.place.head for each in notable(HEADS, effects, most)]


def test_the_heads_that_are_missed_most_come_first_then_those_that_stand_out():
    effects = Effects(5, 50, {"cross1.1": 0.01, "cross1.2": 0.2, "cross1.3": 0.5, "cross1.4": 0.0, "cross1.5": 0.3})
    assert places(effects, 4) == [2, 4, 1, 3]  # two by their loss; the first copier and the first of speakers
    assert places(effects, 2) == [2, 1]


def test_without_losses_the_heads_that_copy_come_first():
    assert places(None, 4) == [1, 2, 3]


def test_a_head_is_described_by_its_type_what_it_stands_out_by_and_its_loss(snapshot):
    found, unmeasured = (describe(HEADS[1], HEADS, each) for each in (Effects(5, 50, {"cross1.2": 0.2}), None))
    assert drawn(found.reason, found.loss, unmeasured.reason) == snapshot
    assert describe(replace(PLAIN, rows=0), HEADS) is None
