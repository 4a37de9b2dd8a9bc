"""How an imported model writes a dialogue, and which special tokens are its own, in words."""

from core.figures.tokens.conventions import form, numbering
from tests.figures.drawing import drawn
from tests.models import imported_tokenizer


def test_an_imported_tokenizer_says_how_it_reads_and_which_special_tokens_are_its_own(snapshot):
    own = imported_tokenizer()
    assert drawn(form(own), numbering(own)) == snapshot
