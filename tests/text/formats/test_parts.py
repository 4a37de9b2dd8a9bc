"""Long transcripts in parts: none is lost, each fits, and a day or a silence ends a part."""

import pytest

from core.text.dialogue import parse_dialogue
from core.text.formats.parts import parts
from core.text.formats.transcript import Said, joined
from core.text.upload import read_text

HALF_A_YEAR = "\n".join(
    f"{1 + day % 28:02d}.{1 + day // 28:02d}.25, 21:{minute:02d} - {('Ben', 'Anna')[minute % 2]}: Day {day}, {minute}?"
    for day in range(168)
    for minute in range(30)
)


def test_a_chat_of_half_a_year_is_cut_at_days_into_parts_that_fit() -> None:
    found = read_text(HALF_A_YEAR)
    cut = parts(found)
    assert len(found.turns) == 5_040 and [part.first for part in cut[1:]] == [part.last + 1 for part in cut[:-1]]
    turns = [(turn.speaker, turn.text) for part in cut for turn in parse_dialogue(part.text).turns]
    assert turns == list(found.turns)
    assert all(part.last - part.first < 2_000 and part.opening.endswith(", 0?") for part in cut)
    assert cut[0].day == "01.01.25" and cut[0].opening == "Ben: Day 0, 0?"


def test_a_meeting_is_cut_at_its_longest_silence() -> None:
    starts = [0.0, 5.0, 10.0, 100.0, 105.0, 110.0]
    found = joined("vtt", [Said("Anna", f"Number {start}.", start=start) for start in starts])
    assert [(part.first, part.last) for part in parts(found, most_turns=4)] == [(0, 2), (3, 5)]


@pytest.mark.parametrize("most", [1, 7, 100])
def test_no_part_is_larger_than_allowed(most: int) -> None:
    found = read_text("Anna: Are you in?\nBen: Yes, at five.\n" * 20)
    cut = parts(found, most=most * 30)
    assert sum(part.last - part.first + 1 for part in cut) == len(found.turns)
    assert all(len(part.text) <= most * 30 for part in cut)
