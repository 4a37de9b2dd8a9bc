"""Sentences about the turn that a token reads; numbers worked out by hand."""

from core.config import END
from core.explain.readings import Reading
from core.figures.readings import LONGEST, most_read, step, whose
from core.text.dialogue import parse_dialogue
from core.trace import Token

DIALOGUE = parse_dialogue("Anna: Where is my hat?\nBen: " + "A goat ate it. " * 20)
GOAT = Reading(Token("goat", 60, 0, 4, None, None, 0), 0.25, (0.25, 0.5))


def test_a_step_says_token_probability_and_the_turn_with_its_share() -> None:
    said = step(GOAT, 3, 9, DIALOGUE).replace("\xa0", " ")
    assert said.startswith("Step 4 of 9: “goat” has a probability of 25 %. ")
    assert said.endswith("Turn 2 (Ben) gets the most attention, 50 %.")
    quoted = most_read(GOAT, DIALOGUE)
    assert "%: “A goat ate it." in quoted and quoted.endswith("…”") and len(quoted.partition("%: “")[2]) <= LONGEST + 1


def test_without_attention_nothing_is_said_of_turns() -> None:
    end = Reading(Token("[EOS]", END, 4, 4, None, None, 1), 0.5, ())
    assert most_read(end, DIALOGUE) == whose("") == ""
    assert step(end, 8, 9, DIALOGUE).replace("\xa0", " ") == "Step 9 of 9: the end has a probability of 50 %."
    assert whose("3.mean") == "cross-attention, layer 3, mean of the heads"
    assert whose("copy") == "copy distribution"
