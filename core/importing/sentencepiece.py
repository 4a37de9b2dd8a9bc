"""SentencePiece files without the SentencePiece library: their pieces and their table of normalised characters.

A file is one protobuf message `ModelProto` (google/sentencepiece, src/sentencepiece_model.proto); the few fields that
are needed are read from its bytes (protobuf.dev/programming-guides/encoding).
"""

import struct
from collections.abc import Iterator
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
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
_Field = tuple[int, int | bytes]


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
    try:
        with open_inside(path) as file:
            model = _model(file.read(LARGEST))
    except OSError as error:
        raise CheckpointError(
            "{file} cannot be read: {reason}", file=path.name, reason=fault(path, error, say(_AGAIN))
        ) from None
    except (ValueError, IndexError, struct.error, TypeError) as error:
        reason = fault(path, error, say(_AGAIN))
        raise CheckpointError(
            "{file} is damaged or no SentencePiece model: {reason}", file=path.name, reason=reason
        ) from None
    return model


def _model(data: bytes) -> SentencePiece:
    pieces: list[Piece] = []
    algorithm, bytes_for_unknown, one_space, characters = _UNIGRAM, False, True, b""
    for field, value in _fields(data):
        if field == 1:
            pieces.append(_piece(_message(value)))
        elif field == 2:
            trainer = dict(_fields(_message(value)))
            algorithm, bytes_for_unknown = _number(trainer.get(3, _UNIGRAM)), bool(trainer.get(35, 0))
        elif field == 3:
            normalizer = dict(_fields(_message(value)))
            characters, one_space = _message(normalizer.get(2, b"")), bool(normalizer.get(4, 1))
    if algorithm != _UNIGRAM:
        raise ValueError(
            say("only unigram models (1) can be read. Received: model_type={algorithm}", algorithm=algorithm)
        )
    if not any(piece.type == UNKNOWN for piece in pieces):
        raise ValueError(
            say("one of its pieces must stand for unknown text. Received: {pieces} pieces", pieces=len(pieces))
        )
    return SentencePiece(tuple(pieces), characters, bytes_for_unknown, one_space)


def _piece(data: bytes) -> Piece:
    fields = dict(_fields(data))
    score = struct.unpack("<f", _message(fields.get(2, bytes(4))))[0]
    return Piece(_message(fields[1]).decode("utf-8") if 1 in fields else "", score, _number(fields.get(3, NORMAL)))


def _fields(data: bytes) -> Iterator[_Field]:
    """Yield the number and the value of each field of a message: an integer, or bytes."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        field, kind = key >> 3, key & 7
        if kind == _VARINT:
            number, place = _varint(data, place)
            yield field, number
            continue
        if kind == _BYTES:
            length, place = _varint(data, place)
        elif kind in _WIDTHS:
            length = _WIDTHS[kind]
        else:
            raise ValueError(say("byte {place}: no field begins so", place=place))
        if place + length > len(data):
            raise ValueError(
                say("it ends at byte {size} within a field of {length} bytes", size=len(data), length=length)
            )
        yield field, data[place : place + length]
        place += length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place
        if shift > 63:
            raise ValueError(say("byte {place}: a number has more than 64 bits", place=place))


def _message(value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    raise ValueError(say("a field must hold bytes. Received: the number {value}", value=value))


def _number(value: int | bytes) -> int:
    if isinstance(value, int):
        return value
    raise ValueError(say("a field must hold a number. Received: {count} bytes", count=len(value)))
