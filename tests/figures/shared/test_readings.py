"""Sentences about the turn that a token reads; numbers worked out by hand."""

from core.config import END
from core.explain.shared.readings import Reading
from core.figures.shared.readings import LONGEST, most_read, step, whose
from core.text.dialogue import parse_dialogue
from core.trace import Token
from tests.figures.drawing import drawn

DIALOGUE = parse_dialogue("Anna: Where is my hat?\nBen: " + "A goat ate it. " * 20)
GOAT = Reading(Token("goat", 60, 0, 4, None, None, 0), 0.25, (0.25, 0.5))


def test_a_step_says_token_probability_and_the_turn_with_its_share(snapshot) -> None:
    assert drawn(step(GOAT, 3, 9, DIALOGUE), quoted := most_read(GOAT, DIALOGUE)) == snapshot
    assert len(quoted.partition("%: “")[2]) <= LONGEST + 1


def test_without_attention_nothing_is_said_of_turns(snapshot) -> None:
    end = Reading(Token("[EOS]", END, 4, 4, None, None, 1), 0.5, ())
    assert most_read(end, DIALOGUE) == whose("") == ""
    assert drawn(step(end, 8, 9, DIALOGUE), whose("3.mean"), whose("copy")) == snapshot
