"""What counts as done: the page before, the page after, and whether the tick comes."""

import pytest

from core.lessons.reader import parse
from core.lessons.stop import State

BEFORE = State("attention", {"see": "heads", "layer": "0", "head": "0", "branch": "", "example": "lost-wallet"})
FILE = "---\ntitle: T\nlink: /attention\ndo: Do.\ndone: {}\n---\nText.\n"


def after(page: str = "attention", edited: bool = False, **values: str) -> State:
    return State(page, {**BEFORE.values, **values}, edited)


@pytest.mark.parametrize(
    ("done", "now", "ticked"),
    [
        ("head changes", after(), False),
        ("head changes", after(head="3"), True),
        ("head changes", after(layer="3"), False),
        ("head changes", State("tokens", {}), False),
        ("other changes", after(other="1"), False),
        ("see = head", after(), False),
        ("see = head", after(see="turns"), False),
        ("see = head", after(see="head"), True),
        ("layer = 2 and head = 9", after(layer="2"), False),
        ("layer = 2 and head = 9", after(head="9"), False),
        ("layer = 2 and head = 9", after(layer="2", head="9"), True),
        ("example changes", after(example="cat-sitter"), True),
        ("page = decoding", after(), False),
        ("page = decoding", State("decoding", {}), True),
        ("turn edited", after(), False),
        ("turn edited", after(edited=True), True),
        ("token forced", after(), False),
        ("token forced", after(branch="2.273"), True),
        ("token forced and turn edited", after(branch="2.273"), False),
    ],
)
def test_a_task_is_done_when_all_its_conditions_hold(done, now, ticked):
    assert parse("a.md", FILE.format(done)).is_done(BEFORE, now) is ticked
