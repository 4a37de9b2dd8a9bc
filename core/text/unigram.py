"""The unigram model of subwords: of all cuts of a word, the one with the largest sum of log-probabilities.

Kudo 2018, section 3.1: the pieces of a text are taken as independent, so the log-probability of a cut is the sum of
the scores of its pieces. The best cuts are found by dynamic programming over the places of the word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.text.imported import ImportedTokenizer

UNKNOWN_PENALTY = 10.0
"""An unknown character costs so much more than the least probable piece (SentencePiece, `kUnkPenalty`)."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One way to cut a word.

    Args:
        pieces: in the order of the word; neighbouring unknown characters are one.
        scores: log-probability of each piece, in nats.
        known: whether each piece is in the vocabulary.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    known: tuple[bool, ...]

    @property
    def total(self) -> float:
        """The log-probability of the cut."""
        return sum(self.scores)


class Unigram:
    """The pieces of a unigram tokenizer.

    Args:
        tokenizer: an imported one whose pieces are of type Unigram.

    Attributes:
        pieces: number of pieces.

    Raises:
        ValueError: its pieces are of another type.
    """

    def __init__(self, tokenizer: ImportedTokenizer) -> None:
        pieces = tokenizer.pieces_of("Unigram")
        self._tokenizer = tokenizer
        vocab = pieces["vocab"]
        self._scores: dict[str, float] = {name: score for name, score in vocab if name}
        self._ids = {name: number for number, (name, _) in enumerate(vocab)}
        self._unknown = int(pieces["unk_id"])
        self._unknown_score = min(score for _, score in vocab) - UNKNOWN_PENALTY
        self._longest = max(map(len, self._scores))
        self.pieces = len(self._scores)

    def cuts(self, word: str, count: int) -> list[Cut]:
        """Return the best cuts of a word, the best first; it stands inside a dialogue, after a blank."""
        best = [Cut((), (), ())]
        for part in self._tokenizer.split(word):
            joined = [_join(left, right) for left in best for right in self._part(part, count)]
            best = sorted(joined, key=lambda cut: -cut.total)[:count]
        return best if best[0].pieces else []

    def ids(self, cut: Cut) -> list[int]:
        """Return our ids of a cut; an unknown piece is its bytes where the vocabulary has them."""
        tokens: list[int] = []
        for piece in cut.pieces:
            bytes_ = [f"<0x{value:02X}>" for value in piece.encode()]
            spelt = self._tokenizer.pieces.get("byte_fallback") and all(name in self._ids for name in bytes_)
            if piece in self._ids or not spelt:
                tokens.append(self._tokenizer.our_id(self._ids.get(piece, self._unknown), piece))
            else:
                tokens += [self._tokenizer.our_id(self._ids[name]) for name in bytes_]
        return tokens

    def _part(self, text: str, count: int) -> list[Cut]:
        """Return the best cuts of a part that is cut alone.

        For each place: the best (sum, start of the last piece, rank of the cut before it), the larger sum first.
        """
        best: list[list[tuple[float, int, int]]] = [[(0.0, 0, 0)], *([] for _ in text)]
        for end in range(1, len(text) + 1):
            candidates = [
                (before + score, start, rank)
                for start in range(max(0, end - self._longest), end)
                if (score := self._score(text[start:end])) is not None
                for rank, (before, _, _) in enumerate(best[start])
            ]
            best[end] = sorted(candidates, key=lambda candidate: -candidate[0])[:count]
        return [self._trace(text, best, rank) for rank in range(len(best[-1]))]

    def _score(self, piece: str) -> float | None:
        """Return the score of a piece, None of one that there is not; every single character is a piece."""
        return self._scores.get(piece, self._unknown_score if len(piece) == 1 else None)

    def _trace(self, text: str, best: Sequence[Sequence[tuple[float, int, int]]], rank: int) -> Cut:
        """Follow a cut back to the first character, and join neighbouring unknown ones."""
        end, cut = len(text), Cut((), (), ())
        while end:
            _, start, rank = best[end][rank]
            piece = text[start:end]
            known, score = piece in self._scores, self._score(piece) or 0.0
            if not known and cut.known[:1] == (False,):
                cut = Cut((piece + cut.pieces[0], *cut.pieces[1:]), (score + cut.scores[0], *cut.scores[1:]), cut.known)
            else:
                cut = _join(Cut((piece,), (score,), (known,)), cut)
            end = start
        return cut


def _join(left: Cut, right: Cut) -> Cut:
    return Cut((*left.pieces, *right.pieces), (*left.scores, *right.scores), (*left.known, *right.known))
