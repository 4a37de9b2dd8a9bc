"""Long transcripts in parts: none is lost, each fits, and a day, a silence or a topic ends a part."""

import random

import pytest

from core.text.dialogue import parse_dialogue
from core.text.formats.parts import origins, parts, together
from core.text.formats.transcript import Said, joined
from core.text.upload import read_file, read_text

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


TOPICS = {
    "money": "budget invoice grant quarter spending account payment tax price money",
    "people": "candidate interview salary contract applicant offer vacancy onboarding reference start",
    "garden": "tomato soil compost seed greenhouse leek pumpkin fence spade water",
    "server": "backup database outage deploy cluster latency password network firewall server",
}
COMMON = "we should think about that and then maybe look again because people want it they said yes okay right".split()


def meeting(seed: int, turns: int = 600) -> tuple[str, list[int]]:
    """Invent a plain meeting that changes its topic every 50 to 90 turns; return it and the turns where it does."""
    chance = random.Random(seed)
    lines, changes = [], []
    while len(lines) < turns:
        words = TOPICS[list(TOPICS)[len(changes) % len(TOPICS)]].split()
        for _ in range(chance.randint(50, 90)):
            said = [chance.choice(words if chance.random() < 0.3 else COMMON) for _ in range(chance.randint(5, 9))]
            lines.append(f"{chance.choice(('Anna', 'Ben', 'Cem'))}: {' '.join(said)}.")
        changes.append(len(lines))
    return "\n".join(lines[:turns]), changes


def test_a_plain_meeting_is_cut_where_its_topic_changes() -> None:
    near, possible = 0, 0
    for seed in range(8):
        text, changes = meeting(seed)
        cut = parts(read_text(text), most_turns=160)
        for part in cut[:-1]:
            reach = [change for change in changes if part.first + 80 < change <= part.first + 160]
            possible += bool(reach)
            near += any(abs(part.last + 1 - change) <= 3 for change in reach)
    assert possible >= 20 and near >= 0.8 * possible, (near, possible)


STAMPED = {
    "a.txt": ("[17/03/2025 10:32] Anna\nAre you in?\n\n[18/03/2025 23:05] Ben\nYes.\n", "17/03/2025", "18/03/2025"),
    "b.json": (
        '[{"type": "message", "user": "U1", "text": "Are you in?", "ts": "1742207520.1"},'
        ' {"type": "message", "user": "U2", "text": "Yes.", "ts": "1742339100.1"}]',
        "2025-03-17",
        "2025-03-18",
    ),
    "c.json": (
        '{"messages": [{"sender_name": "Ben", "timestamp_ms": 1742339100100, "content": "Yes."},'
        ' {"sender_name": "Anna", "timestamp_ms": 1742207520100, "content": "Are you in?"}]}',
        "2025-03-17",
        "2025-03-18",
    ),
    "d.txt": ("2025-03-17 10:32:00\tanna\tAre you in?\n2025-03-18 23:05:00\tben\tYes.\n", "2025-03-17", "2025-03-18"),
    "e.txt": ("3/17/25, 10:32 AM - Anna: Are you in?\n3/18/25, 11:05 PM - Ben: Yes.\n", "3/17/25", "3/18/25"),
}


@pytest.mark.parametrize("name", STAMPED)
def test_the_days_and_times_of_a_chat_are_known(name: str) -> None:
    text, *days = STAMPED[name]
    found = read_file(name, text.encode())
    minutes = (10 * 60 + 32, 23 * 60 + 5)
    assert [(day, int(second or 0) // 60) for day, second in found.moments] == list(zip(days, minutes, strict=True))


def test_times_of_a_recording_are_minutes_and_stand_with_a_part() -> None:
    found = read_text("Anna Lee  0:05\nAre you in?\n\nBen Fox  61:30\nYes.\n\nAnna Lee  1:02:03\nGood.\n")
    assert found.format == "otter" and parts(found)[0].times == "0:00:05–1:02:03"


def test_a_summary_of_summaries_is_made_in_steps_and_names_where_it_comes_from() -> None:
    seen = []

    def write(text: str) -> str:
        seen.append(text)
        return text.split()[0]

    texts = [f"goat{number} eats." for number in range(9)]
    said = together(texts, write, lambda found: parts(found, most_turns=3))
    assert said == "goat0" and len(seen) > 3 and sum("goat8 eats." in each for each in seen) == 1
    assert together(["Alone."], write, parts) == "Alone." and together(["", " "], write, parts) == ""
    assert together(texts, write, lambda found: parts(found, most_turns=1)) == "goat0"  # no step makes it shorter
    found = origins("The goat came. It rained on the roof! Nobody else.", ["A roof leaks.", "A goat came in.", "Hm."])
    assert found == [("The goat came.", 1), ("It rained on the roof!", 0), ("Nobody else.", None)]
