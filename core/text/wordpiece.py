"""WordPiece: the longest piece that a word begins with is taken, then the longest of the rest (Devlin et al. 2019).

Wu et al. 2016, section 4.1, made the pieces; that the longest match comes first is the rule of BERT's tokenizer.
"""

from dataclasses import dataclass

from core.config import UNKNOWN
from core.text.imported import ImportedTokenizer
from core.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Match:
    """One step.

    Args:
        rest: what is still to be cut; of our own tokenizer with ▁ for a blank.
        piece: the longest one that the rest begins with, as the vocabulary writes it; "" if there is none.
        tried: number of longer beginnings that are no pieces.
        id: ours; of a word of which a rest has no piece, every step's is [UNK].
    """

    rest: str
    piece: str
    tried: int
    id: int


class WordPiece:
    """The pieces of a WordPiece tokenizer.

    Args:
        tokenizer: one whose pieces are of type WordPiece.

    Attributes:
        pieces: number of pieces.

    Raises:
        ValueError: its pieces are of another type.
    """

    def __init__(self, tokenizer: ImportedTokenizer | Tokenizer) -> None:
        pieces = tokenizer.pieces_of("WordPiece")
        self._tokenizer = tokenizer
        self._ids: dict[str, int] = pieces["vocab"]
        self._prefix = str(pieces["continuing_subword_prefix"])
        self._longest = int(pieces["max_input_chars_per_word"])
        self.pieces = len(self._ids)

    def match(self, text: str) -> list[list[Match]]:
        """Return the steps of each word of a text; a word with a rest that no piece begins is unknown as a whole."""
        return [self._word(part) for part in self._tokenizer.split(text)]

    def ids(self, words: list[list[Match]]) -> list[int]:
        """Return our ids of the steps."""
        return [step.id for word in words for step in (word[:1] if not word[-1].piece else word)]

    def _word(self, word: str) -> list[Match]:
        if len(word) > self._longest:
            return [Match(self._shown(word), "", 0, UNKNOWN)]
        steps: list[Match] = []
        start = 0
        while start < len(word):
            rest, prefix = word[start:], self._prefix if start else ""
            size = next((size for size in range(len(rest), 0, -1) if prefix + rest[:size] in self._ids), 0)
            if not size:
                matches = [Match(step.rest, step.piece, step.tried, UNKNOWN) for step in steps]
                return [*matches, Match(self._shown(rest), "", len(rest), UNKNOWN)]
            piece = prefix + rest[:size]
            token, shown = self._tokenizer.our_id(self._ids[piece]), prefix + self._shown(rest[:size])
            steps.append(Match(self._shown(rest), shown, len(rest) - size, token))
            start += size
        return steps

    def _shown(self, part: str) -> str:
        """Write a part of a word for the eye; our own tokenizer has a letter for each byte."""
        if isinstance(self._tokenizer, ImportedTokenizer):
            return part
        return self._tokenizer.text_of(part).replace(" ", "▁")
