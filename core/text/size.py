"""The size of a dialogue: app, command line and notebook take as many characters and turns."""

from core.errors import DialogueError
from core.limits import check
from core.text.dialogue import Dialogue, parse_dialogue
from core.words import say


def check_size(dialogue: Dialogue) -> Dialogue:
    """Return a dialogue; raises DialogueError if it has more characters or turns than `core.limits` allows."""
    check("dialogue_characters", len(dialogue.text), say("The text"), DialogueError)
    check("dialogue_turns", len(dialogue.turns), say("The dialogue"), DialogueError)
    return dialogue


def parse_checked(text: str) -> Dialogue:
    """Parse a dialogue; raises DialogueError as `check_size` does, before a text that is too long is parsed."""
    check("dialogue_characters", len(text), say("The text"), DialogueError)
    return check_size(parse_dialogue(text))


def checked(text: str) -> str:
    """Return a text; raises DialogueError as `parse_checked` does."""
    return parse_checked(text).text
