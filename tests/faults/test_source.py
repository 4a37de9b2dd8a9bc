"""What the hints know of the model that wrote a summary."""

import pytest

from core.faults.source import written_tags
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.text.written import Style
from tests.models import imported_tokenizer

DIALOGUE = parse_dialogue("Ann: Hello there.\nBob: Hi.")


@pytest.mark.parametrize(("style", "tags"), [("tags", {"#Person1#": "Ann", "#Person2#": "Bob"}), ("names", {})])
def test_tags_that_an_imported_model_writes(style: Style, tags: dict[str, str]) -> None:
    assert written_tags(imported_tokenizer(style), DIALOGUE) == tags


def test_our_own_models_write_names() -> None:
    assert written_tags(Tokenizer.train_words(["hello"]), DIALOGUE) == {}
