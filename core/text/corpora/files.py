"""Corpus files of every form: opened, unpacked and decoded once for all who read rows."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from core.errors import CorpusError
from core.files import cause, mistaken, open_plain
from core.limits import limits
from core.text.corpora.documents import ShapeError, is_document, json_lines, json_rows
from core.text.corpora.encodings import Encoding, encoding_of, named
from core.text.corpora.tables import Rows, TooLargeError, csv_table, parquet_table
from core.words import later, say

FORMS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".source")
"""Endings of texts, which may be packed by gzip; `.source` has its summaries in a file that ends in .target."""
PARQUET = ".parquet"
ENDINGS = (*FORMS, PARQUET, *(f"{each}.gz" for each in FORMS))
ALLOWED = later("a local {endings} file (or .gz of one), or a hub name such as knkarthick/dialogsum")
LARGEST = 4_000_000_000
"""Most bytes of a file, unpacked, unless fewer are allowed."""


@dataclass(slots=True)
class Reading:
    """A file whose rows are read one after another; it is closed at the end of a `with` block.

    Args:
        rows: with the line where each begins, or its number; "" for a blank line, any other text is the reason why one
            could not be read.
        names: of the columns, where the file has a list of them.
        notes: what is to be said of the file, in sentences.
        unit: what the numbers of rows count.
        stream: what is to be closed.
    """

    rows: Rows
    names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    unit: Literal["line", "row"] = "line"
    stream: IO[bytes] | None = None

    def __enter__(self) -> "Reading":
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            self.stream.close()


def allowed() -> str:
    """Say which sources are read."""
    return say(ALLOWED, endings=", ".join((*FORMS, PARQUET)))


def ending_of(name: str) -> str:
    """Return the ending of a file's name that says its form; "" for another one."""
    return next((ending for ending in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(ending)), "")


def reading(path: Path, most: int = LARGEST, plain: bool = False, chosen: str = "") -> Reading:
    """Open a corpus file.

    Args:
        path: ends in one of `ENDINGS`.
        most: bytes, unpacked.
        plain: whether rows of JSON are rows even if they look like the turns of one dialogue.
        chosen: name of its encoding; "" for the one that its bytes tell.

    Raises:
        CorpusError: the file is damaged, too large or may not be read; its rows raise it, too.
    """
    ending = ending_of(path.name).removesuffix(".gz")
    with _reasons(path):
        if path.stat().st_size and (reason := mistaken(path)):
            raise CorpusError("the corpus '{path}' cannot be read: {reason}", path=path, reason=reason)
        if ending == PARQUET:
            names, rows = parquet_table(path, most)
            return Reading(_guarded(path, rows), names, unit="row")
        with _unpacked(path, most) as stream:
            encoding = named(chosen) if chosen else encoding_of(stream)
        corpus = _text_reading(path, ending, encoding, most, plain)
    corpus.rows = _guarded(path, corpus.rows)
    corpus.notes += encoding.notes()
    return corpus


def _text_reading(path: Path, ending: str, encoding: Encoding, most: int, plain: bool) -> Reading:
    if ending in (".csv", ".tsv"):
        stream = _open(path, most)
        names, rows = csv_table(stream, encoding, ending)
        if isinstance(names, str):
            stream.close()
            raise CorpusError(
                "the header of the corpus '{name}' is {values}. Allowed: {allowed}",
                name=path.name,
                values=names,
                allowed=allowed(),
            )
        return Reading(rows, names, stream=stream)
    if ending == ".source":
        return _pair(path, encoding, most)
    with _unpacked(path, most) as stream:
        document = is_document(stream, encoding, ending)
    if not document:
        stream = _open(path, most)
        return Reading(json_lines(stream, encoding), stream=stream)
    with _unpacked(path, most) as stream:
        return Reading(json_rows(stream, encoding, min(most, limits().unpacked_file), plain), unit="row")


def _pair(path: Path, encoding: Encoding, most: int) -> Reading:
    """Read dialogues and summaries that lie line by line in two files, as fairseq takes them."""
    name = path.name
    at = name.lower().rindex(".source")
    target = path.with_name(f"{name[:at]}.target{name[at + 7 :]}")
    sources = _plain_lines(path, encoding, most)
    if not target.is_file():
        note = say("the file {name} with the summaries is not beside it", name=repr(target.name))
        return Reading(((line, {"dialogue": text}) for line, text in enumerate(sources, 1)), notes=[note])
    with _unpacked(target, most) as stream:
        other = encoding_of(stream)
    targets = list(_plain_lines(target, other, most))
    texts = list(sources)
    if len(texts) != len(targets):
        raise CorpusError(
            "a .source file needs one line of its .target file for each line. Received: {lines} lines in {file}, "
            "{others} in {target}",
            lines=len(texts),
            file=repr(name),
            others=len(targets),
            target=repr(target.name),
        )
    pairs = enumerate(zip(texts, targets, strict=True), 1)
    note = say("the summaries come from {name}", name=repr(target.name))
    return Reading(((line, {"dialogue": text, "summary": summary}) for line, (text, summary) in pairs), notes=[note])


def _plain_lines(path: Path, encoding: Encoding, most: int) -> Iterator[str]:
    with _unpacked(path, most) as stream:
        for line in io.TextIOWrapper(stream, encoding=encoding.name, errors="replace", newline="\n"):
            yield line.rstrip("\r\n")


def _open(path: Path, most: int) -> IO[bytes]:
    """Open a plain or packed file, whose bytes are counted as they are read."""
    plain = open_plain(path)
    packed = path.name.lower().endswith(".gz") or plain.peek(2)[:2] == b"\x1f\x8b"
    return io.BufferedReader(_Counted(gzip.GzipFile(fileobj=plain) if packed else plain, plain, most))


@contextmanager
def _unpacked(path: Path, most: int) -> Iterator[IO[bytes]]:
    stream = _open(path, most)
    try:
        yield stream
    finally:
        stream.close()


class _Counted(io.RawIOBase):
    """A stream that ends in an error beyond so many bytes: a small file may unpack to more than any memory holds."""

    def __init__(self, stream: Any, plain: IO[bytes], most: int) -> None:
        super().__init__()
        self._stream, self._plain, self._most, self._size = stream, plain, most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(min(len(buffer), 1 << 20))
        self._size += len(data)
        if self._size > self._most:
            raise TooLargeError(self._most)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._plain.close()
        super().close()


def _guarded(path: Path, rows: Rows) -> Rows:
    """Yield rows; what reading them raises becomes a CorpusError that names the file."""
    with _reasons(path):
        yield from rows


@contextmanager
def _reasons(path: Path) -> Iterator[None]:
    """Turn what reading a file raises into a CorpusError."""
    try:
        yield
    except CorpusError:
        raise
    except TooLargeError as error:
        raise CorpusError(
            "the corpus '{path}' has more than {most:,} bytes of text, unpacked. Allowed: so many; split it",
            path=path,
            most=error.most,
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(
            "the corpus '{path}' is damaged or not gzip: {error}. Copy or download it again. Allowed: {allowed}",
            path=path,
            error=error,
            allowed=allowed(),
        ) from None
    except ShapeError as error:
        needed = say("Needed: one list of rows, or columns of one length (docs/corpora.md)")
        raise CorpusError(
            "the corpus '{path}' has another shape: {reason}. {needed}", path=path, reason=error, needed=needed
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        if not isinstance(error, OSError) or error.errno is None:  # Parquet
            raise _damaged(path, error) from None
        reason = cause(error)
        raise CorpusError(
            "the corpus '{path}' cannot be read: {reason}. Allowed: {allowed}", path=path, reason=reason,
                allowed=allowed()
        ) from None  # fmt: skip


def _damaged(path: Path, error: Exception) -> CorpusError:
    reason = say("it is nested too deep") if isinstance(error, RecursionError) else " ".join(str(error).split())
    if isinstance(error, json.JSONDecodeError):
        reason = say("{error} (line {line})", error=error.msg, line=error.lineno)
    return CorpusError(
        "the corpus '{path}' is damaged: {reason}. Copy or download it again", path=path, reason=reason[:200]
    )
