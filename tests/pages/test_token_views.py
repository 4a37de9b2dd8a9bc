"""What the chips of the Tokens page are given: segments, and the tokens that hold each of them."""

from core.text.dialogue import parse_dialogue
from core.trace import Token
from pages.parts.tokens.token_chips import Chip, Line, chips_data


def line(name: str, *tokens: tuple[str, int, int, int]) -> Line:
    """A line of tokens: text, start, end, turn."""
    made = [Token(text, 9, start, end, turn, None, 0) for text, start, end, turn in tokens]
    return Line(name, made, [Chip(text, 9, "", f"about {text}") for text, _, _, _ in tokens])


TEXT = "Anna: hi you\nBen: 😀"
DIALOGUE = parse_dialogue(TEXT)
OURS = line("Ours", ("Anna", 0, 4, 0), ("hi", 6, 8, 0), ("y", 9, 10, 0), ("ou", 10, 12, 0), ("Ben", 13, 16, 1),
            ("😀", 18, 19, 1), ("😀", 18, 19, 1), ("[EOS]", 19, 19, 1))  # fmt: skip
WORDS = line("Words", ("anna", 0, 4, 0), ("hi", 6, 8, 0), ("you", 9, 12, 0), ("ben", 13, 16, 1))


def test_a_text_is_cut_wherever_a_token_of_any_line_begins_or_ends():
    drawn = chips_data(DIALOGUE, [OURS, WORDS], len(TEXT), (1, 2))
    first, second = drawn["turns"]
    assert first["label"] == [["Anna", [0], [0]]] and second["label"] == [["Ben", [4], [3]]]
    assert first["body"] == [["hi", [1], [1]], [" ", [], []], ["y", [2], [2]], ["ou", [3], [2]]]
    assert second["body"] == [["😀", [5, 6], []]]
    assert drawn["lines"] == ["Ours", "Words"] and drawn["chosen"] == (1, 2)
    assert [turn["number"] for turn in drawn["turns"]] == [1, 2]


def test_chips_stand_with_their_turn_and_their_line():
    turns = chips_data(DIALOGUE, [OURS, WORDS], len(TEXT), None)["turns"]
    assert [chip[0] for chip in turns[0]["chips"][0]] == [0, 1, 2, 3]
    assert [chip[:4] for chip in turns[1]["chips"][0]][-1] == [7, "[EOS]", 9, ""]
    assert turns[1]["chips"][1] == [[3, "ben", 9, "", "about ben"]]


def test_joined_segments_are_the_text_again():
    for turn, drawn in zip(DIALOGUE.turns, chips_data(DIALOGUE, [OURS], 99, None)["turns"], strict=True):
        assert "".join(text for text, *_ in drawn["body"]) == turn.text


def test_the_picture_ends_where_it_is_told_to():
    drawn = chips_data(DIALOGUE, [OURS, WORDS], 9, None)["turns"]
    assert len(drawn) == 1 and "".join(text for text, *_ in drawn[0]["body"]) == "hi "
    assert [chip[0] for chip in drawn[0]["chips"][0]] == [0, 1, 2]


def test_a_text_without_speakers_has_no_names():
    dialogue = parse_dialogue("hello\nyou")
    drawn = chips_data(dialogue, [line("Ours", ("hello", 0, 5, 0))], 9, None)["turns"]
    assert [turn["label"] for turn in drawn] == [[], []] and [turn["speaker"] for turn in drawn] == [-1, -1]
    assert drawn[1]["chips"] == [[]] and drawn[1]["body"] == [["you", []]]
