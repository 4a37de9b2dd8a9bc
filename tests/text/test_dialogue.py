"""Parsing of pasted text into turns: layouts, evidence, offsets."""

from hypothesis import given
from hypothesis import strategies as st

from core.errors import DialogueError
from core.text.dialogue import Dialogue, parse_dialogue, replace_turn
from tests.refusals import refusals


def spoken(text: str) -> list[tuple[str | None, str]]:
    """Speakers and texts, after checking every offset."""
    return [(turn.speaker, turn.text) for turn in checked(text).turns]


def checked(text: str) -> Dialogue:
    dialogue = parse_dialogue(text)
    assert dialogue.text == text
    last = 0
    for index, turn in enumerate(dialogue.turns):
        assert turn.index == index
        assert text[turn.start : turn.end] == turn.text
        assert turn.text.strip() == turn.text != ""
        assert last <= turn.start < turn.end <= len(text)
        last = turn.end
        assert (turn.label is None) == (turn.speaker is None)
        if turn.label is not None:
            assert text[slice(*turn.label)] == turn.speaker
            assert turn.label[1] <= turn.start
    return dialogue


def told(*texts: str) -> str:
    """Return the speakers and turns of texts."""
    return "\n\n".join("\n".join([repr(text), *(f"    {turn}" for turn in spoken(text))]) for text in texts)


def test_tags_of_dialogsum(snapshot) -> None:
    text = "#Person1#: Hi, Tom.\n#Person2#: Hello: how are you?\n#Person1#: Fine."
    turn = parse_dialogue(text).turns[1]
    assert (turn.label, turn.start) == ((20, 29), 31)
    assert parse_dialogue(text).speakers == ("#Person1#", "#Person2#")
    assert snapshot == told(
        text,
        "#Person1#: hi #Person2#: hello",  # several tags on one line
        "#Person1#: I saw #Person2# there.",  # a tag without a colon is only mentioned
        "At the zoo.\n#Person1#: hi",  # text before the first label has no speaker
        "#Person1#: a\nMaya: b\n#Person1#: c\nMaya: d",  # a name beside tags counts when it recurs
        "#Person1#: a\nmilk: b\nmilk: c\n#Person2#: d",
        "#Person1#: a\nMenu: b\n#Person2#: c",
    )


def test_names_of_any_script(snapshot) -> None:
    names = ["Maya", "Dr. Smith", "Speaker 1", "Jean-Luc", "O'Neill", "小明", "Иван", "محمد", "Zoë", "अमित"]
    for name in [*names, "Ben 😀", "👩‍🚀", "The old man", "Ana de la Cruz", "user_1", "ann"]:
        text = f"{name}: one\nXenia: two\n{name}: three"
        assert spoken(text) == [(name, "one"), ("Xenia", "two"), (name, "three")], name
    # Full width colon french spacing and bold names.
    assert told("小明：你好\n小红：嗨", "Anna : salut\nLuc : ok :)", "**Anna:** hi\n**Ben**: yo") == snapshot


def test_lines_with_a_colon_that_continue_a_turn() -> None:
    lines = ["http://a.b/c", "https://a.b", "10:30 is fine", "At 10:30 we go", "ok :)", "Sure:)", "Well, I said: go"]
    lines += ["C:\\temp", "I really do think that he said: no", "Note: bring a pen", "and then she said: no"]
    for line in [*lines, "std::vector", "address: 12 Hill Road", "Nice :D"]:
        assert spoken(f"Anna: hi\n{line}\nBen: yo\nAnna: bye")[0] == ("Anna", f"hi\n{line}"), line


def test_plain_text_is_one_turn_a_line() -> None:
    for text in [
        "The shop is closed.\nNote: it opens at nine.\nBring your coat.",
        "We went home.\nNote: no bus.\nIt rained.\nNote: no taxi.\nSo we walked.",
        "First: wake up.",
        "Lunch at 12:30\nDinner 18:30\nBus 19:00",
        "See http://a.b\nSee https://c.d",
        "A line.\nAnother line.\nA third: one.",
        "Ingredients: flour\nMix it.\nMethod: bake it\nEat it.\nEnjoy it.",
        "A line.\n" + "More of it.\n" * 14 + "Berlin: big\nBerlin: loud",
    ]:
        assert spoken(text) == [(None, line) for line in text.split("\n")], text
    assert len(spoken("He said that it was late. " * 400)) == 1


def test_white_space_and_empty_turns() -> None:
    # Blank lines separate nothing in labelled text.
    assert spoken("Anna: hi\n\nthere\n\n\nBen: yo\n") == [("Anna", "hi\n\nthere"), ("Ben", "yo")]
    # What is said may stand below the name and empty turns are kept out.
    assert spoken("Anna:\n  hello\nBen:\n\u200b \nAnna: bye") == [("Anna", "hello"), ("Anna", "bye")]
    for end in ["\n", "\r\n", "\r", "\u2028", "\u2029", "\x85"]:
        assert spoken(end.join(["A: x", "B: y", "A: z"])) == [("A", "x"), ("B", "y"), ("A", "z")], repr(end)
        assert spoken(end.join(["one", "", "two"])) == [(None, "one"), (None, "two")], repr(end)
    for text in ["", " ", "\n\n", "\u200b\n\ufeff", "\0", "#Person1#:", "#Person1#: \n#Person2#:"]:
        assert spoken(text) == [], text


def test_stamped_exports(snapshot) -> None:
    for first, second, notice in [
        ("12/03/2023, 21:14 - Anna: ", "12/03/2023, 21:15 - Ben: ", "12/03/2023, 21:14 - Anna added Ben"),
        ("3/12/23, 9:14\u202fPM - Anna: ", "3/12/23, 9:15 p.m. - Ben: ", "3/12/23, 9:14 PM - Tap to learn more."),
        ("[12.03.23, 21:14:05] Anna: ", "\u200e[12.03.23, 21:15:05] Ben: ", "[12.03.23, 21:14:05] Ben joined"),
        ("[21:14, 12/03/2023] Anna: ", "[21:15, 12/03/2023] Ben: ", "[21:15, 12/03/2023] You left"),
        ("[10:32] <Anna> ", "[10:33] <@Ben> ", "[10:33] * Ben waves"),
        ("2023-03-12 21:14 - Anna: ", "2023-03-12T21:15 - Ben: ", "2023-03-12 21:15 - Ben has left"),
        ("<Anna> ", "<Ben> ", ""),
    ]:
        text = f"{notice}\n{first}hi: there\nmore\n{notice}\n{second}see 10:30\n{first}http://a.b"
        assert spoken(text) == [("Anna", "hi: there\nmore"), ("Ben", "see 10:30"), ("Anna", "http://a.b")], first
    # Exports take phone numbers, skip the encryption notice, and take long names only where they recur.
    stamp, name = "12/03/2023, 21:14 - ", "Dr. Maria von der Heide"
    assert snapshot == told(
        "[12.03.23, 21:14:05] Trip: \u200eMessages and calls are end-to-end encrypted.\n"
        "[12.03.23, 21:14:06] \u202a+49 170 1234567\u202c: hi\n[12.03.23, 21:15:00] Anna: yo",
        f"{stamp}{name}: hi\n{stamp}Ben changed the subject to: Rome\n{stamp}{name}: bye",
        "00:01:02 Anna: hi\n00:01:05 Ben: yo\n00:01:09 Anna: bye",
    )


def test_names_and_times_on_their_own_line(snapshot) -> None:
    heads = [("Anna  10:32 AM", "Ben  10:33 AM"), ("Anna 10:32 AM", "Ben Li 10:33 AM"), ("Anna\t10:32", "Ben\t10:33")]
    heads += [("Anna — Today at 10:32", "Ben — 12/03/2023 10:33"), ("Anna, [12.03.23 21:14]", "Ben, [12.03.23 21:15]:")]
    texts = [f"{first}\nhi\nsee you at 10:30\n{second}\n\nyo" for first, second in heads]
    # A time alone starts another turn of the same speaker.
    assert told(*texts, "Anna  10:32 AM\nhi\n10:33\nmore\nBen  10:34 AM\nyo") == snapshot


HOSTILE = [
    "👩‍👩‍👧‍👦 e\u0301 \u202eabc\u202c \u200f\u05d0\u05d1 \0 \ud800 \t \u200d \ufeffx",
    "\ud83d: \udc00\nA: \0\nA: \ud800",
    "\ufeffA: x\u200b\nB: \u200by\u2060",
    "A:\u3000x\u3000\nB:\xa0y",
    "::::\n:\n[[[\n<<<>\n#Person#:\n#Person99999#: x",
]


def test_hostile_text_and_long_lines_have_turns() -> None:
    for text in HOSTILE:
        assert checked(text).turns, text
        assert {"#Person1#", "#Person2#"} <= set(checked(f"#Person1#: {text}\n#Person2#: {text}").speakers), text
    for line in ["word and: more ", "#Person", "<", ":", "1", " ", "*", "[", "a b\t", "\0", "10:3"]:
        assert len(checked(line * (200_000 // len(line))).turns) <= 1, line


PIECES = ["A: ", "Ann Lee: ", "#Person1#: ", "\n", "\r\n", "\u2028", "[10:32] ", "12/03/2023, 21:14 - ", "<b> "]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).map("".join))
def test_offsets_hold_for_any_text(text: str) -> None:
    checked(text)


@given(st.lists(st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,5}", fullmatch=True), min_size=2, max_size=8))
def test_what_was_joined_is_split_again(said: list[str]) -> None:
    turns = [(("Maya", "Leo")[index % 2], text) for index, text in enumerate(said)]
    assert spoken("\n".join(f"{speaker}: {text}" for speaker, text in turns)) == turns


def test_replace_turn(snapshot) -> None:
    dialogue = parse_dialogue("Anna: hi\nthere\nBen: yo\nAnna: bye")
    changed = replace_turn(dialogue, 0, " good\r\nmorning\u2028all ")
    assert changed.text == "Anna: good morning all\nBen: yo\nAnna: bye"
    assert changed.turns[0].text == "good morning all"
    assert dialogue.turns[0].text == "hi\nthere"
    assert [turn.text for turn in replace_turn(dialogue, 1, " ").turns] == ["hi\nthere", "bye"]
    cases = [-1, 2]
    assert refusals(DialogueError, lambda index: replace_turn(parse_dialogue("a\nb"), index, "x"), cases) == snapshot


def test_a_text_on_its_way_through_a_page_is_parsed_once():
    assert parse_dialogue("Ann: Hi.\nBen: Hello.") is parse_dialogue("Ann: Hi.\nBen: Hello.")
    assert parse_dialogue.cache_info().maxsize == 16
