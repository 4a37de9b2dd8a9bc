"""Hostile texts, numbers, JSON values, bytes and archives, each made by one seeded generator."""

import gzip
import io
import json
import math
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
EMOJI = ("😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "e\u0301", "ﷺ", "Ǆ", "İ", "ß")
MARKUP = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![](https://x.invalid/y)",
    "$\\frac{1}{0}$", "$$\\def\\a{\\a\\a}\\a$$", ":red[x] :material/bug_report:", "# h", "```", "| a |\n|---|", "~~x~~",
    "=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "%s%n{0}{}${x}", "\\u0000", "&#0;", "';--", "../../etc/passwd", "NaN",
)  # fmt: skip
SPEAKERS = (
    "Anna",
    "Ben",
    "#Person1#",
    "#Person99999#",
    "#person2#",
    "Dr. Müller",
    "李",
    "שרה",
    "\u202eevil",
    ":",
    "",
    "1",
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "utf-7", "shift_jis", "utf-16-be")
DIALOGUE = "Anna: Are you coming tonight?\nBen: I have to work late, sorry.\nAnna: That is a pity. Tomorrow at 8?"


def character(rng: random.Random) -> str:
    """Any code point, lone surrogates too; half of them from the blocks that break programs."""
    low, high = rng.choice(
        [(0, 32), (0x7F, 0xA0), (0x300, 0x36F), (0x590, 0x6FF), (0x2000, 0x206F), (0xD800, 0xDFFF), (0xFDD0, 0xFFFF)]
        + 3 * [(32, 127)]
        + 2 * [(0xA0, 0x10FFFF), (0x1F300, 0x1FAFF)]
    )
    return chr(rng.randint(low, high))


def noise(rng: random.Random, most: int = 60) -> str:
    """Characters of all kinds."""
    return "".join(character(rng) for _ in range(rng.randint(0, most)))


def piece(rng: random.Random) -> str:
    """A short piece of text: words, markup, emoji, controls, noise."""
    return rng.choice(
        [
            lambda: noise(rng),
            lambda: rng.choice(MARKUP),
            lambda: rng.choice(EMOJI) * rng.randint(1, 40),
            lambda: "a" + "\u0301" * rng.randint(1, 300),
            lambda: "".join(rng.choice(BIDI) for _ in range(rng.randint(1, 30))) + "abc",
            lambda: " ".join(rng.choice(("the", "cake", "at", "8", "o'clock", "not", "$5", "1e999")) for _ in range(9)),
            lambda: rng.choice("\0 \t\u2028:;#*_-") * rng.randint(1, 200),
            lambda: str(number(rng)),
        ]
    )()


def line(rng: random.Random) -> str:
    """A line as a chat program or a person would write it, more or less."""
    name = rng.choice((*SPEAKERS, piece(rng)[:60]))
    stamp = rng.choice(("", "", "[12.03.23, 21:14:05] ", "12/03/2023, 21:14 - ", "10:32 ", "[99:99] <x> "))
    return f"{stamp}{name}{rng.choice((': ', ':', '：', ' : ', '  10:32 AM', ''))}{piece(rng)}"


def text(rng: random.Random) -> str:
    """A whole hostile dialogue."""
    ends = rng.choice(("\n", "\r\n", "\r", "\u2028", "\x85", "\n\n"))
    kind = rng.randrange(12)
    if kind == 0:
        return rng.choice(("", " ", "\0", "\ufeff", "\u200b", "\n" * 50, ":", "#Person1#:", "a", "\ud800"))
    if kind == 1:  # one very long line, with and without blanks
        return line(rng) + rng.choice(("x", "word ", "é", "\u0301", "😀", ": ", "#Person1#: ")) * rng.randint(
            500, 20_000
        )
    if kind == 2:  # thousands of speakers
        return ends.join(f"P{number}: {number}" for number in range(rng.randint(500, 4000)))
    if kind == 3:  # thousands of turns
        return ends.join(f"{rng.choice(SPEAKERS[:4])}: yes" for _ in range(rng.randint(500, 4000)))
    if kind == 4:
        return "".join(f"#Person{rng.choice((0, 1, 2, 9, 9999, 99999, -1))}#: {piece(rng)}{ends}" for _ in range(9))
    return ends.join(line(rng) for _ in range(rng.randint(1, 30)))


def clean(text: str) -> str:
    """The text without lone surrogates, which no file and no browser can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def number(rng: random.Random) -> float | int:
    """A number that programs stumble over."""
    return rng.choice(
        [
            0,
            -1,
            1,
            2,
            10**6,
            -(10**6),
            2**31,
            2**63,
            -(2**63),
            10**30,
            0.5,
            1e-320,
            1e308,
            math.inf,
            -math.inf,
            math.nan,
        ]
        + [rng.randint(-20, 200), rng.uniform(-2, 2)]
    )


def value(rng: random.Random, depth: int = 2) -> Any:
    """Any JSON value; NaN and infinity count as such, as Python writes them."""
    kind = rng.randrange(9 if depth else 6)
    if kind < 6:
        return (None, rng.random() < 0.5, number(rng), clean(piece(rng)), "", rng.randint(-3, 12))[kind]
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    return {rng.choice(("id", "text", "step", "x", clean(piece(rng))[:20])): value(rng, depth - 1) for _ in range(3)}


def deep(rng: random.Random) -> str:
    """JSON that is nested far beyond what Python's parser takes."""
    depth = rng.choice((500, 5000, 100_000))
    return rng.choice(("[", '{"a":', '[{"turns":')) * depth


def varied(rng: random.Random, found: Any, chance: float = 0.2) -> Any:
    """A JSON value with some of its parts replaced, removed or repeated."""
    if rng.random() < chance / 4:
        return value(rng)
    if isinstance(found, dict):
        kept = {key: varied(rng, each, chance) for key, each in found.items() if rng.random() > chance / 4}
        return kept | ({clean(piece(rng))[:20]: value(rng)} if rng.random() < chance / 4 else {})
    if isinstance(found, list):
        if len(found) > 40:  # a long list would never stay whole
            place = rng.randrange(len(found))
            return (
                found if rng.random() > chance else [*found[:place], varied(rng, found[place], 1), *found[place + 1 :]]
            )
        kept = [varied(rng, each, chance) for each in found if rng.random() > chance / 8]
        return kept * 2 if rng.random() < chance / 8 else kept
    return value(rng) if rng.random() < chance / 2 else found


def mangled(rng: random.Random, data: bytes) -> bytes:
    """Bytes after one to four damages: flipped, cut, overwritten, doubled, emptied, replaced by something else."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(found) + 1)
        kind = rng.randrange(9)
        if kind < 3 and found:
            found[place % len(found)] ^= 1 << rng.randrange(8)
        elif kind == 3:
            del found[place:]
        elif kind == 4:
            found[place : place + 8] = struct.pack("<q", rng.choice((-1, 0, 2**31, 2**62, rng.randrange(2**40))))
        elif kind == 5:
            del found[place : place + rng.randint(1, 200)]
        elif kind == 6:
            found[place:place] = found[place : place + rng.randint(1, 200)]
        elif kind == 7:
            found[place:place] = rng.randbytes(rng.randint(1, 64))
        elif rng.random() < 0.3:
            found = bytearray(rng.choice(NO_FILES))
    return bytes(found)


NO_FILES = (
    b"", b"\0" * 64, b"<!DOCTYPE html><title>404</title>", b"\x80\x04\x95cposix\nsystem\n", b"null", b"[]", b"{}",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", b"PK\x05\x06" + b"\0" * 18, b"\x1f\x8b",
)  # fmt: skip
"""What often stands where a file should be."""


def encoded(rng: random.Random, text: str) -> bytes:
    """The text in one of many encodings, often a wrong one."""
    return text.encode(rng.choice((*ENCODINGS, *["utf-8"] * 5)), "replace")


def gzipped(rng: random.Random, data: bytes, megabytes: int = 300) -> bytes:
    """A gzip file: whole, cut, doubled, or a bomb that begins with `data` and never ends for a small computer."""
    kind = rng.randrange(5)
    if kind:
        packed = gzip.compress(data, 1)
        return (packed, packed[: rng.randrange(len(packed) + 1)], packed * 2, mangled(rng, packed))[kind - 1]
    filler = rng.choice((b"\0", b" ", b"\n", b'{"dialogue": "a: b"}\n', b"x"))
    return _bomb(data, filler * (2**20 // len(filler)), megabytes)


def _bomb(data: bytes, block: bytes, megabytes: int) -> bytes:
    """Gzip `data` and then as many blocks of a megabyte; what is repeated is packed once."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + again * megabytes + packer.flush()


def archive(rng: random.Random, members: Sequence[tuple[str, bytes]]) -> bytes:
    """A zip archive of members, some of them renamed, doubled, lost, damaged or huge, with lies about their sizes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            kind = rng.randrange(24)
            if kind == 0:
                name = rng.choice(
                    ("/etc/passwd", "../../x.npy", "C:\\x.npy", "x/" * 200, f"{name}/", name.upper(), "é")
                )
            elif kind == 1:
                content = mangled(rng, content)
            elif kind == 2:
                content = rng.choice((b"\0", b" ", b"\x93NUMPY")) * rng.choice((10, 2**20, 2**25))
            if kind != 3:
                _write(file, name, content)
            if kind == 4:
                _write(file, name, rng.choice((content, b"", members[0][1])))
    return _lying(rng, buffer.getvalue())


def huge(name: str, start: bytes, megabytes: int = 512) -> bytes:
    """A small archive of one member that begins with `start` and goes on with blanks."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file, file.open(name, "w") as member:
        member.write(start)
        for _ in range(megabytes):
            member.write(b" " * 2**20)
    return buffer.getvalue()


def _write(file: zipfile.ZipFile, name: str, content: bytes) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a second member of one name is meant
        file.writestr(name, content)


def _lying(rng: random.Random, data: bytes) -> bytes:
    """Change a size, an offset or a checksum in the directory of an archive; three of four stay as they are."""
    starts = [match.start() for match in re.finditer(rb"PK(\x01\x02|\x05\x06)", data)]
    if rng.random() < 0.75 or not starts:
        return data
    start, field = rng.choice(starts), rng.choice((8, 10, 16, 20, 24, 28, 42))
    lie = struct.pack("<I", rng.choice((0, 1, 2**31 - 1, 2**32 - 1, rng.randrange(2**24))))
    return data[: start + field] + lie + data[start + field + 4 :]


def array(rng: random.Random, whole: bytes) -> bytes:
    """The bytes of an .npy member: whole, or with a header that claims another type, order or a huge shape."""
    kind = rng.randrange(8)
    if kind > 2:
        return whole
    header, end = whole[10:128], whole.find(b"\n") + 1
    body = whole[end:]
    if kind == 0:
        descr = rng.choice(("|O", "<f8", "<U9", "|V7", "<c16", ">i4", "<M8[s]", "|b1", "[('a','<f4')]", "|S0"))
        shape = rng.choice(("()", "(2**40,)", "(1000000000, 9)", "(0, 1000000000)", "(-1,)", "(3,)", "(1,)*99", "7"))
        text = f"{{'descr': '{descr}', 'fortran_order': {rng.random() < 0.5}, 'shape': {shape}, }}"
        made = text.encode().ljust(117) + b"\n"
        return whole[:8] + struct.pack("<H", len(made)) + made + body
    if kind == 1:
        return (
            b"\x93NUMPY" + bytes((rng.randrange(4), 0)) + struct.pack("<H", rng.choice((0, 118, 65535))) + header + body
        )
    return mangled(rng, whole)


def named(rng: random.Random, *endings: str) -> str:
    """The name of an uploaded file."""
    stem = rng.choice(("a", "", "x" * 300, "../../etc/passwd", "CON", "a\0b", "é" * 200, ".", "a b", clean(piece(rng))))
    return f"{stem}{rng.choice((*endings, *endings, '', '.exe', '.JSON', '.tar.gz', '.' + 'y' * 300))}"


def jsonl(rng: random.Random, rows: Sequence[dict[str, Any]]) -> bytes:
    """A JSONL file of varied rows."""
    chance = rng.choice((0.05, 0.3, 1.0))
    lines = [json.dumps(varied(rng, row, chance)) for row in rows]
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines) + 1), deep(rng))
    if rng.random() < 0.2:
        lines.insert(
            rng.randrange(len(lines) + 1), rng.choice(("null", "[]", "1", "{", '"\\ud800"', "{}" * 9, "9" * 5000))
        )
    return encoded(rng, rng.choice(("\n", "\n", "\r\n", "\n\n")).join(lines))


def csv(rng: random.Random, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """A CSV file with odd quoting, lost and doubled columns, and cells of all kinds."""
    columns = [each for each in columns if rng.random() > 0.05]
    if rng.random() < 0.2:
        columns.insert(rng.randrange(len(columns) + 1), rng.choice(("epoch", "", "x" * 500, clean(piece(rng)))))

    def cell(found: Any) -> str:
        found = clean(str(rng.choice((piece(rng), number(rng), "", '"', '""a'))) if rng.random() < 0.1 else str(found))
        return f'"{found}"' if rng.random() < 0.3 else found

    separator = rng.choice((",", ",", ",", ";", "\t"))
    lines = [separator.join(columns), *(separator.join(cell(each) for each in row) for row in rows)]
    return encoded(rng, rng.choice(("\n", "\r\n", "\r")).join(lines))


def one_of(rng: random.Random, *makers: Callable[[], Any]) -> Any:
    """What one of some functions makes."""
    return rng.choice(makers)()
