"""Tests of the reader of SentencePiece files, on messages written by hand."""

import struct
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.importing.sentencepiece import CONTROL, NORMAL, UNKNOWN, Piece, read_sentencepiece
from tests.importing.peer_tokenizers import message, sentencepiece_file

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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (sentencepiece_file(PIECES)[:-3], "damaged"),
        (b"", "it is empty: copy or download it again"),
        (message(2, b""), "must stand for unknown text. Received: 0 pieces"),
        (sentencepiece_file(PIECES) + message(2, b"\x18\x02"), "only unigram models (1) can be read"),
        (b"version https://git-lfs.github.com/spec/v1", "damaged or no SentencePiece model: it is a Git LFS pointer"),
        (b"\xff" * 12, "damaged"),
        (b"\x08", "damaged"),
        (b"\x08\x01", "must stand for unknown text"),
        (message(1, message(3, b"x")), "damaged"),
        (b"\x0b", "damaged"),
    ],
)
def test_damaged_files_are_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "spiece.model"
    path.write_bytes(content)
    with pytest.raises(CheckpointError) as error:
        read_sentencepiece(path)
    assert said in str(error.value) and "spiece.model" in str(error.value)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"source\.spm cannot be read"):
        read_sentencepiece(tmp_path / "source.spm")
