"""Tests of the reader of SentencePiece files, on messages written by hand."""

import struct
from pathlib import Path

from core.errors import CheckpointError
from core.importing.sentencepiece import CONTROL, NORMAL, UNKNOWN, Piece, read_sentencepiece
from tests.importing.peer_tokenizers import message, sentencepiece_file
from tests.refusals import refusals, refused

PIECES = [("<unk>", 0.0, UNKNOWN), ("</s>", 0.0, CONTROL), ("▁a", -1.5, NORMAL), ("é", -2.25, NORMAL)]


def test_pieces_and_settings(tmp_path: Path) -> None:
    path = tmp_path / "spiece.model"
    trainer = bytes([3 << 3, 1]) + bytes([35 << 3 & 127 | 128, 35 >> 4, 1])
    path.write_bytes(sentencepiece_file(PIECES) + message(2, trainer) + message(3, message(2, b"table") + b"\x20\x00"))
    found = read_sentencepiece(path)
    assert found.pieces == tuple(Piece(*piece) for piece in PIECES)
    assert (found.characters, found.bytes_for_unknown, found.one_space, found.unknown) == (b"table", True, False, 0)


def test_what_is_not_said_has_the_default(tmp_path: Path) -> None:
    path = tmp_path / "spiece.model"
    path.write_bytes(sentencepiece_file(PIECES) + message(1, message(1, b"x")) + struct.pack("<Bd", 9 << 3 | 1, 1.0))
    found = read_sentencepiece(path)
    assert found.pieces[-1] == Piece("x", 0.0, NORMAL)
    assert (found.characters, found.bytes_for_unknown, found.one_space) == (b"", False, True)


DAMAGED = [
    sentencepiece_file(PIECES)[:-3], b"", message(2, b""), sentencepiece_file(PIECES) + message(2, b"\x18\x02"),
    b"version https://git-lfs.github.com/spec/v1", b"\xff" * 12, b"\x08", b"\x08\x01", message(1, message(3, b"x")),
    b"\x0b",
]  # fmt: skip


def test_missing_and_damaged_files_are_refused(tmp_path: Path, snapshot) -> None:
    path = tmp_path / "spiece.model"
    refused(CheckpointError, r"spiece\.model cannot be read", read_sentencepiece, path)

    def read(content: bytes) -> None:
        path.write_bytes(content)
        read_sentencepiece(path)

    assert refusals(CheckpointError, read, DAMAGED) == snapshot
