"""The longest matches of a word, worked out by hand; ids are compared in tests/importing/."""

import pytest

from core.config import UNKNOWN
from core.text.tokenizer import Tokenizer
from core.text.wordpiece import WordPiece
from tests.figures.drawing import drawn
from tests.models import imported_tokenizer, wordpiece_tokenizer
from tests.refusals import refused


def test_the_longest_match_comes_first(snapshot) -> None:
    model = WordPiece(wordpiece_tokenizer())
    ((*steps,),) = model.match("unbelievable")
    assert drawn(*map(str, steps)) == snapshot
    assert model.ids([steps]) == [5, 8, 9]


@pytest.mark.parametrize(("word", "pieces"), [("unx", ["un", ""]), ("x", [""]), ("u" * 21, [""])])
def test_a_word_with_a_rest_of_no_piece_is_unknown_as_a_whole(word: str, pieces: list[str]) -> None:
    model = WordPiece(wordpiece_tokenizer())
    found = model.match(f"{word} una")
    assert [step.piece for step in found[0]] == pieces
    assert model.ids(found) == [UNKNOWN, 5, 10]


def test_our_own_tokenizer_shows_its_bytes_as_text() -> None:
    tokenizer = Tokenizer.of_pieces(["Ġun", "Ġcaf", "##e", "Ġ", "##able"])
    model = WordPiece(tokenizer)
    found = model.match("unable, café")
    assert [step.piece for step in found[0]] == ["▁un", "##able"] and found[0][0].rest == "▁unable"
    assert [step.piece for step in found[2]] == ["▁caf", "##�", "##�"]  # two bytes of one character
    assert model.ids(found) == tokenizer.encode_summary("unable, café")[:-1]


def test_other_pieces_are_refused() -> None:
    refused(ValueError, "must be of type WordPiece. Received: 'BPE'", WordPiece, imported_tokenizer())
    refused(ValueError, "must be of type WordPiece. Received: 'BPE'", WordPiece, Tokenizer.train_bpe(["words"], 300))
