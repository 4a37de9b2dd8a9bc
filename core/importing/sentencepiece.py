"""SentencePiece files without the SentencePiece library: their pieces and their table of normalised characters.

A file is one protobuf message `ModelProto` (google/sentencepiece, src/sentencepiece_model.proto), which transformers
carries for its own readers.
"""

from dataclasses import dataclass
from pathlib import Path

from core.errors import CheckpointError
from core.files import LARGEST, fault
from core.importing.folder import open_inside
from core.words import later, say

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of pieces."""
_UNIGRAM = 1
_AGAIN = later("fetch it again")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: its text with ▁ for a blank, its log-probability, and its type."""

    text: str
    score: float
    type: int

    @property
    def readable(self) -> bool:
        """Whether a text can give it."""
        return self.type in (NORMAL, USER_DEFINED, BYTE)


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """A unigram model (Kudo 2018, section 3.2).

    Args:
        pieces: in the order of their ids.
        characters: the compiled table of normalised characters; empty if characters stay as they are.
        bytes_for_unknown: whether an unknown character is written as its bytes.
        one_space: whether several blanks count as one, and those at the ends as none.
    """

    pieces: tuple[Piece, ...]
    characters: bytes
    bytes_for_unknown: bool
    one_space: bool

    @property
    def unknown(self) -> int:
        """The id of the unknown piece."""
        return next(number for number, piece in enumerate(self.pieces) if piece.type == UNKNOWN)


def read_sentencepiece(path: Path) -> SentencePiece:
    """Read a SentencePiece file; raises CheckpointError if it is missing, damaged or no unigram model."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    try:
        with open_inside(path) as file:
            return _model(file.read(LARGEST))
    except OSError as error:
        raise CheckpointError(
            "{file} cannot be read: {reason}", file=path.name, reason=fault(path, error, say(_AGAIN))
        ) from None
    except (ValueError, DecodeError) as error:
        reason = fault(path, error, say(_AGAIN))
        raise CheckpointError(
            "{file} is damaged or no SentencePiece model: {reason}", file=path.name, reason=reason
        ) from None


def _model(data: bytes) -> SentencePiece:
    from transformers.convert_slow_tokenizer import import_protobuf

    model = import_protobuf().ModelProto.FromString(data)  # that of the library where it is installed
    trainer, normalizer = model.trainer_spec, model.normalizer_spec
    pieces = tuple(Piece(piece.piece, piece.score, piece.type) for piece in model.pieces)
    if trainer.model_type != _UNIGRAM:
        raise ValueError(
            say("only unigram models (1) can be read. Received: model_type={algorithm}", algorithm=trainer.model_type)
        )
    if not any(piece.type == UNKNOWN for piece in pieces):
        raise ValueError(
            say("one of its pieces must stand for unknown text. Received: {pieces} pieces", pieces=len(pieces))
        )
    return SentencePiece(
        pieces, normalizer.precompiled_charsmap, trainer.byte_fallback, normalizer.remove_extra_whitespaces
    )
