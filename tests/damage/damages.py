"""Every way in which a file is damaged here: each changes one whole file in place."""

import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 41007070\n"
PAGE = b"\n<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Log in to go on.</body></html>\n"
_NUMBER = re.compile(rb"(?<=[\s:,\[])-?\d+(\.\d+)?(e-?\d+)?(?=[\s,\]}])")


@dataclass(frozen=True)
class Damage:
    """One way.

    Args:
        name: in words.
        apply: changes the file.
        forms: of the files that it fits; empty: all.
    """

    name: str
    apply: Callable[[Path], object]
    forms: tuple[str, ...] = ()

    def fits(self, form: str) -> bool:
        """Return whether a file of this form can have it."""
        return not self.forms or form in self.forms


def cut(share: float) -> Callable[[Path], object]:
    """Keep the first part of the bytes; at least one, and at least one less than all."""

    def apply(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: min(max(1, int(len(data) * share)), len(data) - 1)])

    return apply


def flip(path: Path) -> None:
    """Flip a bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))


def put(data: bytes) -> Callable[[Path], object]:
    """Put other bytes in the place of all."""
    return lambda path: path.write_bytes(data)


def number(value: bytes, which: int = 0) -> Callable[[Path], object]:
    """Put another word in the place of a number of a text."""

    def apply(path: Path) -> None:
        data = path.read_bytes()
        found = list(_NUMBER.finditer(data))
        if found:
            place = found[which % len(found)]
            path.write_bytes(data[: place.start()] + value + data[place.end() :])

    return apply


def table(values: Callable[[dict[str, np.ndarray]], object]) -> Callable[[Path], object]:
    """Change the arrays of an .npz file or of a file of weights."""

    def apply(path: Path) -> None:
        if path.suffix == ".npz":
            with np.load(path) as stored:
                arrays = {name: stored[name] for name in stored.files}
            values(arrays)
            np.savez_compressed(path, **arrays)
        elif path.suffix == ".npy":
            arrays = {"only": np.load(path)}
            values(arrays)
            np.save(path, arrays["only"])
        else:
            from safetensors.numpy import load_file, save_file

            arrays = dict(load_file(path))
            values(arrays)
            save_file(arrays, path, {"format": "pt"})

    return apply


def _grow(arrays: dict[str, np.ndarray]) -> None:
    for name, values in arrays.items():
        if values.ndim > 1:
            arrays[name] = np.concatenate([values, values[:1]])
            return


def _fill(value: float) -> Callable[[dict[str, np.ndarray]], None]:
    def change(arrays: dict[str, np.ndarray]) -> None:
        for values in arrays.values():
            if np.issubdtype(values.dtype, np.floating):
                values.flat[0] = value
                return

    return change


def huge_header(path: Path) -> None:
    """Let a file of weights claim a header of 2^40 bytes."""
    path.write_bytes(struct.pack("<Q", 1 << 40) + path.read_bytes()[8:])


def claim_tensor(path: Path) -> None:
    """Let a file of weights claim a tensor of a petabyte."""
    header = json.dumps({"a": {"dtype": "F32", "shape": [1 << 48], "data_offsets": [0, 1 << 50]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))


def npy(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    """Return an array file that claims a shape and holds 64 bytes."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": dtype, "fortran_order": False, "shape": shape})
    return buffer.getvalue() + bytes(64)


def claim_array(shape: tuple[int, ...]) -> Callable[[Path], object]:
    """Let an array claim a shape: the first one of an archive, or the whole file."""

    def apply(path: Path) -> None:
        if path.suffix == ".npy":
            path.write_bytes(npy(shape))
            return
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        if name := next((each for each in members if each.endswith(".npy") and "document" not in each), None):
            members[name] = npy(shape)
        else:  # an archive of archives
            name = next(each for each in members if each.endswith(".npz"))
            inner = path.with_name("inner.npz")
            inner.write_bytes(members[name])
            apply(inner)
            members[name] = inner.read_bytes()
            inner.unlink()
        with zipfile.ZipFile(path, "w") as archive:
            for each, data in members.items():
                archive.writestr(each, data)

    return apply


def claim_member(path: Path) -> None:
    """Let the first member of an archive claim 4 GB, in the archive's list and in front of it."""
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = b"\xff\xff\xff\xfe"
    data[22:26] = b"\xff\xff\xff\xfe"
    path.write_bytes(bytes(data))


def bomb(path: Path) -> None:
    """Put a line without an end, 300 MB of zeros, into a compressed file."""
    import gzip

    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(300):
            file.write(bytes(1_000_000))


def folder_instead(path: Path) -> None:
    """Put a folder there."""
    path.unlink()
    path.mkdir()


def link_to(target: str) -> Callable[[Path], object]:
    """Put a link there."""

    def apply(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return apply


def pipe(path: Path) -> None:
    """Put a pipe there that nobody writes to."""
    path.unlink()
    os.mkfifo(path)


_TEXTS = ("json", "jsonl", "csv", "text")
_ARRAYS = ("npz", "npy", "weights")
DAMAGES = (
    Damage("missing", Path.unlink),
    Damage("empty", put(b"")),
    Damage("cut at 1 %", cut(0.01)),
    Damage("cut at 50 %", cut(0.5)),
    Damage("cut at 99 %", cut(0.99)),
    Damage("a flipped bit", flip),
    Damage("a pointer of Git LFS", put(POINTER)),
    Damage("a web page", put(PAGE)),
    Damage("bytes without meaning", put(bytes(range(256)) * 4)),
    Damage("a folder", folder_instead),
    Damage("a link to nothing", link_to("nowhere")),
    Damage("a device without end", link_to("/dev/zero")),
    Damage("a pipe", pipe),
    Damage("wrong shape: a list", put(b"[]"), _TEXTS),
    Damage("wrong shape: an object", put(b"{}"), _TEXTS),
    Damage("wrong shape: an object of lists", put(b'{"a": [], "format": 1}'), _TEXTS),
    Damage("nested without end", put(b"[" * 200_000), _TEXTS),
    Damage("a first number that is none", number(b"NaN"), _TEXTS),
    Damage("a later number that is none", number(b"NaN", 7), _TEXTS),
    Damage("a last number that is none", number(b"NaN", -1), _TEXTS),
    Damage("a first infinite number", number(b"1e999"), _TEXTS),
    Damage("a last infinite number", number(b"-Infinity", -1), _TEXTS),
    Damage("a huge first number", number(b"9" * 400), _TEXTS),
    Damage("a huge middle number", number(b"9" * 20, 7), _TEXTS),
    Damage("a huge last number", number(b"9" * 5000, -1), _TEXTS),
    Damage("a word for a number", number(b'"much"', 1), _TEXTS),
    Damage("wrong shape", table(_grow), _ARRAYS),
    Damage("values that are no numbers", table(_fill(np.nan)), _ARRAYS),
    Damage("infinite values", table(_fill(np.inf)), _ARRAYS),
    Damage("a header of a terabyte", huge_header, ("weights",)),
    Damage("a tensor of a petabyte", claim_tensor, ("weights",)),
    Damage("an array of petabytes", claim_array((1 << 50,)), ("npz", "npy", "zip")),
    Damage("an array of 64 gigabytes", claim_array((1 << 34,)), ("npz", "npy", "zip")),
    Damage("a member of 4 gigabytes", claim_member, ("npz", "zip")),
    Damage("a line without end", bomb, ("gzip",)),
)
"""All damages; each file of a form that fits gets each of them."""
