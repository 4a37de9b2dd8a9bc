"""Strategies for hostile texts, numbers and JSON values, and for changes of bytes and files that were whole."""

import csv
import gzip
import io
import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

MARKUP = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![](https://x.invalid/y)",
    "$\\frac{1}{0}$", "$$\\def\\a{\\a\\a}\\a$$", ":red[x] :material/bug_report:", "# h", "```", "| a |\n|---|", "~~x~~",
    "=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "%s%n{0}{}${x}", "\\u0000", "&#0;", "';--", "../../etc/passwd", "NaN",
)  # fmt: skip
ODD = (*"\0 \t\u2028:;#*_-\u202e\u2067\u200f", "\u0301", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "ﷺ", "Ǆ", "İ", "ß")
SPEAKERS = (
    "Anna", "Ben", "#Person1#", "#Person99999#", "#person2#", "Dr. Müller", "李", "שרה", "\u202eevil", ":", "", "1",
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "utf-7", "shift_jis", "utf-16-be")
NO_FILES = (
    b"", b"\0" * 64, b"<!DOCTYPE html><title>404</title>", b"\x80\x04\x95cposix\nsystem\n", b"null", b"[]", b"{}",
    b"{}{}", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    b"PK\x05\x06" + b"\0" * 18, b"\x1f\x8b", b"9" * 5000,
    *(start * 100_000 for start in (b"[", b'{"a":', b'[{"turns":')), b'{"dialogue": "\\ud800 A: x"}', b'"\\ud800"',
)  # fmt: skip
"""What often stands where a file should be, and JSON that no parser takes."""
DIALOGUE = "Anna: Are you coming tonight?\nBen: I have to work late, sorry.\nAnna: That is a pity. Tomorrow at 8?"

numbers = st.integers(-20, 200) | st.integers() | st.floats()
pieces = st.one_of(
    st.text(st.characters(), max_size=60),  # lone surrogates too
    st.sampled_from(MARKUP),
    st.builds(str.__mul__, st.sampled_from(ODD), st.integers(1, 200)),
    st.lists(st.sampled_from(("the", "cake", "at", "8", "o'clock", "not", "$5", "1e999")), max_size=9).map(" ".join),
    numbers.map(str),
)
"""Short texts."""
clean = pieces.map(lambda text: text.encode("utf-8", "replace").decode())
"""The same without lone surrogates, which no file and no browser can hold."""
values = st.recursive(
    st.none() | st.booleans() | numbers | clean,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(("id", "text", "step")) | clean, inner),
    max_leaves=6,
)
"""JSON values; NaN and infinity count as such, as Python writes them."""
stamps = st.sampled_from(("", "", "[12.03.23, 21:14:05] ", "12/03/2023, 21:14 - ", "10:32 ", "[99:99] <x> "))
colons = st.sampled_from((": ", ":", "：", " : ", "  10:32 AM", ""))
lines = st.tuples(stamps, st.sampled_from(SPEAKERS) | pieces, colons, pieces).map("".join)
"""Lines as a chat program or a person would write them, more or less."""
ends = st.sampled_from(("\n", "\r\n", "\r", "\u2028", "\x85", "\n\n"))
words = st.sampled_from(("x", "word ", "\u0301", ": ", "#Person1#: "))
dialogues = st.one_of(
    st.builds(str.join, ends, st.lists(lines, max_size=30)),
    st.sampled_from(("", " ", "\0", "\ufeff", "\u200b", "\n" * 50, ":", "#Person1#:", "a", "\ud800")),
    st.builds(lambda line, word, times: line + word * times, lines, words, st.integers(500, 20_000)),
    st.builds(
        lambda end, speakers, turns: end.join(f"P{turn % speakers}: {turn}" for turn in range(turns)),
        ends,
        st.sampled_from((4, 4000)),
        st.integers(500, 4000),
    ),
)
"""Whole dialogues: one very long line and thousands of turns or speakers among them."""


@st.composite
def varied(draw: Callable, found: Any) -> Any:
    """A JSON value with some of its parts replaced, removed or repeated."""
    found = json.loads(json.dumps(found))
    for _ in range(draw(st.integers(0, 4))):
        holder, place, inside = None, None, found
        while isinstance(inside, dict | list) and inside and (holder is None or draw(st.integers(0, 3))):
            places = list(inside) if isinstance(inside, dict) else range(len(inside))
            holder, place = inside, draw(st.sampled_from(places))
            inside = holder[place]
        match draw(st.sampled_from(("replace", "replace", "remove", "repeat"))) if holder else "":
            case "replace":
                holder[place] = draw(values)
            case "remove":
                del holder[place]
            case "repeat" if isinstance(holder, list):
                holder.insert(place, inside)
            case "repeat":
                holder[draw(clean)] = inside
            case _:
                return draw(values)
    return found


@st.composite
def mangled(draw: Callable, data: bytes) -> bytes:
    """Bytes after one to four damages: flipped, cut, overwritten, lost, doubled, added, something else altogether."""
    found = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(found)))
        match draw(st.integers(0, 7)):
            case 0 | 1 if found:
                found[place % len(found)] ^= 1 << draw(st.integers(0, 7))
            case 2:
                del found[place:]
            case 3:
                found[place : place + 8] = struct.pack("<q", draw(st.integers(-(2**63), 2**63 - 1)))
            case 4:
                del found[place : place + draw(st.integers(1, 200))]
            case 5:
                found[place:place] = found[place : place + 200]
            case 6:
                found[place:place] = draw(st.binary(max_size=64))
            case 7:
                found = bytearray(draw(st.sampled_from(NO_FILES)))
    return bytes(found)


def encoded(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Texts in many encodings, mostly the right one."""
    encodings = st.just("utf-8") | st.sampled_from(ENCODINGS)
    return st.builds(lambda text, name: text.encode(name, "replace"), texts, encodings)


def changed(form: str, whole: bytes) -> st.SearchStrategy[bytes]:
    """Files of a form (as `tests.damage.kinds` names them), made from a whole one."""
    makers = {
        "json": lambda: varied(json.loads(whole)).map(lambda value: json.dumps(value).encode()),
        "jsonl": lambda: _jsonl([json.loads(line) for line in whole.splitlines()]),
        "csv": lambda: _csv(whole.decode()),
        "npy": lambda: _array(whole),
        "npz": lambda: _archive(whole),
        "zip": lambda: _archive(whole),
        "weights": lambda: _weights(whole),
        "gzip": lambda: _gzip(gzip.decompress(whole)),
        "pieces": lambda: mangled(whole),
        "document": lambda: mangled(whole),
    }
    own = makers.get(form, lambda: _text(whole.decode()))()
    return st.one_of(own, own, own, mangled(whole), st.sampled_from(NO_FILES))


@st.composite
def _text(draw: Callable, whole: str) -> bytes:
    """A text with some lines replaced, what stands before a colon or a mark often kept."""
    lines = whole.split("\n")
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(lines) - 1))
        kept = draw(st.sampled_from(("", lines[place][: lines[place].find(":") + 1], lines[place][:2])))
        lines[place : place + draw(st.integers(0, 1))] = [kept + draw(pieces)]
    return draw(encoded(st.just("\n".join(lines)) | dialogues))


@st.composite
def _jsonl(draw: Callable, rows: list[Any]) -> bytes:
    lines = [json.dumps(draw(varied(row))) for row in rows[:6]]
    for line in draw(st.lists(st.sampled_from(NO_FILES), max_size=1)):
        lines.insert(draw(st.integers(0, len(lines))), line.decode("utf-8", "replace"))
    return draw(encoded(st.just(draw(st.sampled_from(("\n", "\r\n", "\n\n"))).join(lines))))


@st.composite
def _csv(draw: Callable, whole: str) -> bytes:
    """A table with other cells and columns, another separator and other ends of lines."""
    rows = list(csv.reader(io.StringIO(whole), delimiter="\t" if "\t" in whole else ","))
    for _ in range(draw(st.integers(0, 3))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        place = draw(st.integers(0, len(row)))
        cells = st.lists(clean | st.sampled_from(('"', '""a', "x" * 500)), max_size=2)
        row[place : place + draw(st.integers(0, 1))] = draw(cells)
    file = io.StringIO()
    style = {
        "delimiter": draw(st.sampled_from((",", ",", ";", "\t"))),
        "lineterminator": draw(st.sampled_from(("\n", "\r\n", "\r"))),
    }
    csv.writer(file, quoting=draw(st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))), **style).writerows(rows)
    return draw(encoded(st.just(file.getvalue())))


@st.composite
def _gzip(draw: Callable, content: bytes) -> bytes:
    """A gzip file: whole, doubled, or a bomb that goes on for 300 MB; what is repeated is packed once."""
    packed = gzip.compress(content, 1)
    if draw(st.integers(0, 4)):
        return draw(st.sampled_from((packed, packed * 2)) | changed("jsonl", content).map(gzip.compress))
    filler = draw(st.sampled_from((b"\0", b" ", b"\n", b'{"dialogue": "a: b"}\n')))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(filler * (2**20 // len(filler))) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + again * 300 + packer.flush()


@st.composite
def _archive(draw: Callable, whole: bytes) -> bytes:
    """A zip archive whose members are changed, renamed, doubled, lost or huge, with lies about their sizes."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a second member of one name is meant
        for name, content in members.items():
            match draw(st.integers(0, 11)):
                case 0:
                    names = ("/etc/passwd", "../../x.npy", "C:\\x.npy", "x/" * 200, f"{name}/", "é")
                    name = draw(st.sampled_from(names))
                case 1:
                    continue
                case 2:
                    file.writestr(name, next(iter(members.values())))
                case 3:
                    content += draw(st.sampled_from((b"\0", b" "))) * 2**25
                case 4 | 5 | 6:
                    content = draw(changed(name.rpartition(".")[2], content))
            file.writestr(name, content)
    data = bytearray(buffer.getvalue())
    if (start := data.find(b"PK\x01\x02")) >= 0 and not draw(st.integers(0, 3)):
        start += draw(st.sampled_from((8, 10, 16, 20, 24, 28, 42)))
        data[start : start + 4] = draw(st.binary(min_size=4, max_size=4))
    return bytes(data)


@st.composite
def _array(draw: Callable, whole: bytes) -> bytes:
    """An .npy file, a document in it changed, or with a header that claims another type, order or a huge shape."""
    head, _, body = whole.partition(b"\n")
    if body[:1] == b"{" and draw(st.integers(0, 3)):
        body = json.dumps(draw(varied(json.loads(body)))).encode()
        head = head.replace(f"({len(whole) - len(head) - 1},)".encode(), f"({len(body)},)".encode())
    elif draw(st.booleans()):
        kinds = ("|O", "<f8", "<U9", "|V7", "<c16", ">i4", "<M8[s]", "|b1", "[('a','<f4')]", "|S0")
        shapes = ("()", "(2**40,)", "(1000000000, 9)", "(0, 1000000000)", "(-1,)", "(3,)", "(1,)*99")
        kind, shape = draw(st.sampled_from(kinds)), draw(st.sampled_from(shapes))
        text = f"{{'descr': '{kind}', 'fortran_order': {draw(st.booleans())}, 'shape': {shape}, }}".encode()
        head = whole[:8] + struct.pack("<H", draw(st.sampled_from((118, 118, 0, 65535)))) + text.ljust(117)
    return head + b"\n" + body


_ODD: dict[str, tuple[Any, ...]] = {
    "dtype": ("F32", "F64", "BF16", "I64", "BOOL", "F8_E4M3", "X", 5),
    "shape": ([], [0], [-1], [2**40], [1] * 70, [2**32, 2**32]),
    "data_offsets": ([0, 0], [0, 2**50], [-4, 4], [9, 1]),
}
"""What an entry of a header claims."""


@st.composite
def _weights(draw: Callable, whole: bytes) -> bytes:
    """Weights with another header: names, types, shapes or offsets changed, or a huge claim."""
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    for _ in range(draw(st.integers(0, 3))):
        key = draw(st.sampled_from(sorted(_ODD)))
        header[draw(st.sampled_from(list(header)))][key] = draw(st.sampled_from(_ODD[key]))
    text = json.dumps(draw(st.just(header) | varied(header))).encode()
    claimed = draw(st.sampled_from((len(text),) * 6 + (0, 2**40, 2**63, len(text) + 1)))
    return struct.pack("<Q", claimed) + text + whole[8 + size :]
