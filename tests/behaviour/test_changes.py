"""Changed dialogues, and what a summary has to do after each change, on a dialogue read by hand."""

import pytest

from core.behaviour.changes import KINDS, SMALL_TALK, changes, mentioned, told
from core.text.dialogue import parse_dialogue

TEXT = (
    "#Person1#: Hi Karen, the train leaves at 9 on Friday.\n#Person2#: Oh, all right then.\n"
    "#Person1#: Bring the two tickets and your passport.\n#Person2#: My suitcase is heavy."
)
DIALOGUE = parse_dialogue(TEXT)
SUMMARY = "#Person1# tells Karen that the train leaves at 9. Karen brings a passport."
FOUND = {each.kind: each for each in changes("a", DIALOGUE, SUMMARY)}


def test_every_kind_is_possible_here_and_drawn_by_the_id_and_the_seed() -> None:
    assert list(FOUND) == list(KINDS)
    assert changes("a", DIALOGUE, SUMMARY) == tuple(FOUND.values()) != changes("a", DIALOGUE, SUMMARY, seed=1)
    assert all(each.text != TEXT for each in FOUND.values())


def test_what_is_changed_is_changed_and_nothing_else() -> None:
    names, new = FOUND["names"], FOUND["names"].changed.removeprefix("Karen → ")
    assert names.text == TEXT.replace("Karen", new) and names.expected == SUMMARY.replace("Karen", new)
    exchanged = TEXT.replace("#Person1#", "X").replace("#Person2#", "#Person1#").replace("X", "#Person2#")
    assert FOUND["speakers"].text == exchanged
    assert (FOUND["number"].text, FOUND["number"].changed) == (TEXT.replace("9", "10"), "9 → 10")
    lines = TEXT.split("\n")
    assert FOUND["told_turn"].text == "\n".join([*lines[1:]]) and FOUND["told_turn"].changed == "1"
    assert FOUND["idle_turn"].text in ("\n".join(lines[:1] + lines[2:]), "\n".join(lines[:3]))
    order = [int(place) - 1 for place in FOUND["shuffled"].changed.split()]
    assert FOUND["shuffled"].text == "\n".join(lines[place] for place in order) and order != sorted(order)
    talk = [f"#Person1#: {SMALL_TALK[0]}", f"#Person2#: {SMALL_TALK[1]}"]
    assert FOUND["small_talk"].text == "\n".join([*lines[:2], *talk, *lines[2:]])


@pytest.mark.parametrize(
    ("kind", "after", "followed"),
    [
        ("names", FOUND["names"].expected, True),
        ("names", SUMMARY, False),
        ("speakers", "#Person2# tells Karen about a train.", True),
        ("speakers", SUMMARY, False),
        ("number", "The train leaves at ten.", True),
        ("number", "It leaves at 10, not at 9.", False),
        ("told_turn", "Somebody brings a passport.", True),
        ("told_turn", "The trains are late.", False),
        ("shuffled", f" {SUMMARY}", False),
        ("shuffled", "Another.", True),
        ("small_talk", SUMMARY, None),
        ("idle_turn", "Another.", None),
    ],
)
def test_whether_a_summary_follows(kind: str, after: str, followed: bool | None) -> None:
    assert FOUND[kind].followed(SUMMARY, after) is followed


def test_where_nothing_can_be_changed_nothing_is_tried() -> None:
    assert changes("b", parse_dialogue("One line of text."), "A line.") == ()
    kinds = {each.kind for each in changes("c", parse_dialogue("Ann: Hi.\nBen: Hello."), "They greet.")}
    assert kinds == {"small_talk"}


def test_words_are_found_in_any_form() -> None:
    assert {"train", "9", "two", "2"} <= told("Two TRAINS at 9") and "train" not in told("It rains")
    assert mentioned("Benedict and Ben and Ann Lee and Ben", ("Ann Lee", "Ben")) == ("Ben", "Ann Lee")
