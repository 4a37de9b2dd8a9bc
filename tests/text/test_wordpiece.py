"""The longest matches of a word, worked out by hand; ids are compared in tests/importing/."""

import json

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from core.config import UNKNOWN
from core.text.imported import Conventions, ImportedTokenizer
from core.text.vocabulary import Vocabulary
from core.text.wordpiece import Match, WordPiece
from tests.models import imported_tokenizer

NAMES = ["[PAD]", "[SEP]", "[UNK]", "un", "u", "##n", "##believ", "##able", "##a"]


def word_piece() -> WordPiece:
    pieces = {name: number for number, name in enumerate(NAMES)}
    library = tokenizers.Tokenizer(models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=20))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    conventions = Conventions({number: NAMES[number] for number in range(3)})
    return WordPiece(ImportedTokenizer(json.loads(library.to_str()), None, Vocabulary(9, 0, 0, 1, 2), conventions))


def test_the_longest_match_comes_first() -> None:
    model = word_piece()
    ((*steps,),) = model.match("unbelievable")
    assert steps == [
        Match("unbelievable", "un", 10, 5),
        Match("believable", "##believ", 4, 8),
        Match("able", "##able", 0, 9),
    ]
    assert model.ids([steps]) == [5, 8, 9]


@pytest.mark.parametrize(("word", "pieces"), [("unx", ["un", ""]), ("x", [""]), ("u" * 21, [""])])
def test_a_word_with_a_rest_of_no_piece_is_unknown_as_a_whole(word: str, pieces: list[str]) -> None:
    model = word_piece()
    found = model.match(f"{word} una")
    assert [step.piece for step in found[0]] == pieces
    assert model.ids(found) == [UNKNOWN, 5, 10]


def test_other_pieces_are_refused() -> None:
    with pytest.raises(ValueError, match="must be of type WordPiece. Received: 'BPE'"):
        WordPiece(imported_tokenizer())
