"""A chat that is longer than the model reads is shown in parts, each with a summary of its own."""

import pytest

from tests.pages.conftest import paste, summary, turns
from tests.pages.driver import healthy, press_label, table, tiny

LONG = "\n".join(
    f"{1 + day:02d}.03.25, 21:{minute:02d} - {('Ben', 'Anna')[minute % 2]}: Day {day} has the goat number {minute}."
    for day in range(18)
    for minute in range(6)
)


def choice(app):
    return next((each for each in app.selectbox if each.key == "part"), None)


@pytest.fixture
def long(app):
    """Summarize with a chat of eighteen days."""
    return healthy(paste(app.run(), LONG))


def test_a_long_chat_is_offered_in_parts_of_whole_days(long):
    options = choice(long).options
    assert options[0].startswith("All of it") and "108 turns" in choice(long).label and len(turns(long)) == 108
    assert options[1].startswith("1 · 01.03.25 · 21:00:00–21:05:00 · turns 1 to")
    assert options[1].endswith(" · Ben: Day 0 has the goat number 0.")


def test_a_part_is_read_whole_and_all_of_it_comes_back(long):
    choice(long).set_value(2).run()
    shown = turns(long)
    assert 0 < len(shown) < 108 and shown[0].endswith("number 0.") and not long.warning
    assert summary(long) == tiny().summarize(long.session_state["own_dialogue"].text).text
    choice(long).set_value(0).run()
    assert len(turns(long)) == 108


def test_every_part_gets_its_summary(long):
    shown = table(press_label(long, "Summarize every part"), "First line")
    assert len(shown) == len(choice(long).options) - 1 and all(shown["Summary"])
    together = next(each for each in long.select_slider if each.label == "Parts that are summarized together")
    assert together.value == (1, len(shown)) and any(
        "from the summaries of these parts alone" in each.value for each in long.caption
    )
    healthy(together.set_value((2, 2)).run())
    sentences = [each.value for each in long.markdown if each.value.endswith("(part 2)]")]
    assert sentences and sentences[0].split()[0] in shown["Summary"][1]


def test_a_short_one_has_no_parts(app):
    assert choice(paste(app.run(), "Anna: Hi.\nBen: Hello.")) is None
    assert choice(app.run()) is None


def test_what_is_too_long_for_a_dialogue_opens_with_its_first_part(app):
    many = "\n".join(f"Anna: Goat number {number}.\nBen: Seen." for number in range(1_100))
    app = healthy(paste(app.run(), many))
    assert choice(app).value == 1 and choice(app).options[0].startswith("1 · turns 1 to")
    assert turns(app)[0] == "Goat number 0."
