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
    assert [chip[0] for chip in first["chips"][0]] == [0, 1, 2, 3]
    assert second["chips"][0][-1][:4] == [7, "[EOS]", 9, ""]
    assert second["chips"][1] == [[3, "ben", 9, "", "about ben"]]


def test_the_picture_ends_where_it_is_told_to_and_a_text_may_have_no_speakers():
    (turn,) = chips_data(DIALOGUE, [OURS, WORDS], 9, None)["turns"]
    assert "".join(text for text, *_ in turn["body"]) == "hi " and [chip[0] for chip in turn["chips"][0]] == [0, 1, 2]
    turns = chips_data(parse_dialogue("hello\nyou"), [line("Ours", ("hello", 0, 5, 0))], 9, None)["turns"]
    assert [turn["label"] for turn in turns] == [[], []] and [turn["speaker"] for turn in turns] == [-1, -1]
    assert turns[1]["chips"] == [[]] and turns[1]["body"] == [["you", []]]
