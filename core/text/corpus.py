"""Corpora: local JSONL, JSONL.gz and CSV files or hub data sets, validated row by row.

Files are read by our own line readers: those of `datasets` refuse a whole file for one bad line and guess types ("002"
becomes 2, "NA" becomes null). Rows that cannot be used are reported, never dropped silently.
"""

import csv
import gzip
import io
import json
import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from core.errors import CorpusError
from core.files import cause, mistaken
from core.limits import limits
from core.words import later, say

if TYPE_CHECKING:
    import _csv

    import datasets

"""Longest dialogue or summary that is read, in characters."""

_EXTENSIONS = (".jsonl", ".jsonl.gz", ".csv")
_LINE = 40
"""Most bytes of a line of JSON, in lengths of the longest dialogue."""
_LARGEST = 4_000_000_000
_ALLOWED = later("a local .jsonl, .jsonl.gz or .csv file, or a hub name such as knkarthick/dialogsum")
_SUMMARIES = ("summary1", "summary2", "summary3")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_Rows = Iterator[tuple[int, "Mapping[str, Any] | str"]]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that was not used.

    Args:
        line: 1-based line of the file where the row begins (for a hub data set, its 1-based row).
        reason: what is wrong with it, in one line.
    """

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Dialogues with reference summaries.

    Args:
        dataset: string features `id`, `dialogue`, `references` (a list of strings), `topic` ('' if absent) and
            `prediction` (a summary by some system, None if absent), and `line`, the 1-based line of the row.
        skipped: the rows that were not used, in file order.
        name: the file's name, or `hub name:split`.
    """

    dataset: "datasets.Dataset"
    skipped: tuple[SkippedRow, ...]
    name: str

    def sample(self, size: int, seed: int) -> "Corpus":
        """Draw `size` rows without replacement, kept in the order of the corpus; all rows if it has fewer.

        Raises:
            CorpusError: `size` is below 1.
        """
        if size < 1:
            raise CorpusError(f"a sample must hold at least 1 row. Received: {size}")
        rows = sorted(random.Random(seed).sample(range(len(self.dataset)), min(size, len(self.dataset))))
        return Corpus(self.dataset.select(rows), self.skipped, self.name)


def load_corpus(
    source: str | Path,
    *,
    limit: int | None = None,
    split: str | None = None,
    require_summaries: bool = True,
    most_lines: int | None = None,
    most_bytes: int = _LARGEST,
) -> Corpus:
    """Read a corpus with the fields `dialogue` and `summary`, `summary1..3` or `references`.

    `id` (else the line number), `topic` and `prediction` are optional. If the references have their own field,
    `summary` is the prediction, so that the output of `evaluate` can be read again. Blank lines are ignored.

    Args:
        source: a local .jsonl, .jsonl.gz or .csv file, or a hub name such as `knkarthick/dialogsum`.
        limit: stop after this many usable rows; None reads all.
        split: split of a hub data set, "validation" unless named; a local file has none.
        require_summaries: skip rows without a summary; otherwise their `references` are empty.
        most_lines: of a local file, whether they can be used or not; None: any number.
        most_bytes: of a local file, unpacked.

    Raises:
        CorpusError: the source is missing, damaged, of another kind, without the needed columns, too large, or holds
            no usable row.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise CorpusError(f"limit must be an integer of at least 1. Received: limit={limit!r}")
    path = Path(source)
    extension = next((ending for ending in _EXTENSIONS if path.name.lower().endswith(ending)), None)
    try:
        exists = path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL
        raise CorpusError(
            say("the corpus {name!r} is no file name. Allowed: {allowed}", name=str(source)[:80], allowed=say(_ALLOWED))
        ) from None
    if not exists and extension is None and _HUB_NAME.fullmatch(str(source)):
        split = split or "validation"
        name, rows = f"{source}:{split}", _hub_rows(str(source), split, require_summaries)
    else:
        _check_file(path, extension, split)
        name, rows = path.name, _file_rows(path, str(extension), require_summaries, most_bytes)
        rows = _at_most(rows, most_lines)
    return _collect(name, rows, limit, require_summaries)


def _check_file(path: Path, extension: str | None, split: str | None) -> None:
    if not path.exists():
        raise CorpusError(
            say("the corpus '{path}' does not exist. Allowed: {allowed}", path=path, allowed=say(_ALLOWED))
        )
    if not path.is_file():
        raise CorpusError(
            say(
                "the corpus '{path}' is a folder or device, not a file. Allowed: {allowed}",
                path=path,
                allowed=say(_ALLOWED),
            )
        )
    if extension is None:
        raise CorpusError(
            say(
                "the corpus '{path}' has the ending '{ending}'. Allowed: {allowed}",
                path=path,
                ending=path.suffix,
                allowed=say(_ALLOWED),
            )
        )
    if split is not None:
        raise CorpusError(f"split={split!r} is only for hub data sets. Received: the local file '{path}'")


def _collect(name: str, rows: _Rows, limit: int | None, require_summaries: bool) -> Corpus:
    """Validate rows until `limit` are usable and build the data set."""
    usable: list[dict[str, Any]] = []
    skipped: list[SkippedRow] = []
    for line, row in rows:
        try:
            usable.append(_validated(line, row, require_summaries))
        except ValueError as error:
            skipped.append(SkippedRow(line, str(error)))
        if len(usable) == limit:
            break
    if not usable:
        raise _unusable(name, skipped, require_summaries)
    import datasets

    text = datasets.Value("string")
    features = {"id": text, "dialogue": text, "references": datasets.List(text), "topic": text, "prediction": text}
    features["line"] = datasets.Value("int64")
    dataset = datasets.Dataset.from_list(usable, features=datasets.Features(features))
    return Corpus(dataset, tuple(skipped), name)


def _unusable(name: str, skipped: Sequence[SkippedRow], require_summaries: bool) -> CorpusError:
    """Return the error for a corpus without a usable row."""
    why = say("it is empty")
    if skipped:
        why = say(
            "{count} skipped; line {line}: {reason}",
            count=len(skipped),
            line=skipped[0].line,
            reason=skipped[0].reason,
        )
    if require_summaries:
        return CorpusError(
            say(
                "the corpus '{name}' has no usable row ({why}). Needed: at least one row with a dialogue and a summary",
                name=name,
                why=why,
            )
        )
    return CorpusError(
        say(
            "the corpus '{name}' has no usable row ({why}). Needed: at least one row with a dialogue",
            name=name,
            why=why,
        )
    )


def _validated(line: int, row: Mapping[str, Any] | str, require_summaries: bool) -> dict[str, Any]:
    """Convert a row to our fields; raises ValueError with the reason why it cannot be used."""
    if isinstance(row, str):
        raise ValueError(row)
    dialogue = _text(row, "dialogue")
    if not dialogue:
        raise ValueError(_absent("dialogue", empty=row.get("dialogue") is not None))
    references = _references(row)
    if require_summaries and not references:
        present = any(row.get(name) is not None for name in ("references", *_SUMMARIES, "summary"))
        raise ValueError(_absent("summary", empty=present))
    number = row.get("id")
    if isinstance(number, int) and not isinstance(number, bool):
        row = {**row, "id": str(number)}
    return {
        "id": _text(row, "id") or str(line),
        "dialogue": dialogue,
        "references": references,
        "topic": _text(row, "topic"),
        "prediction": _prediction(row),
        "line": line,
    }


def _absent(name: str, *, empty: bool) -> str:
    return say("{name} is empty", name=name) if empty else say("{name} is missing", name=name)


def _references(row: Mapping[str, Any]) -> list[str]:
    """Return the first of `references`, `summary1..3` and `summary` that holds text; blank ones are left out."""
    listed = row.get("references")
    if isinstance(listed, list | tuple):
        texts = [_text({"references": item}, "references") for item in listed]
    else:
        texts = [_text(row, "references")]
    numbered = [_text(row, name) for name in _SUMMARIES]
    single = [_text(row, "summary")]
    for group in (texts, numbered, single):
        kept = [text for text in group if text]
        if kept:
            return kept
    return []


def _prediction(row: Mapping[str, Any]) -> str | None:
    """Return a system's summary, which may be empty: `prediction`, or `summary` if there are other references."""
    if row.get("prediction") is not None:
        return _text(row, "prediction")
    if row.get("summary") is not None and _references({**row, "summary": None}):
        return _text(row, "summary")
    return None


def _text(row: Mapping[str, Any], name: str) -> str:
    """Return a field's text unchanged, '' if it is absent or blank; raises ValueError if it is not text."""
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(say("{name} must be text, not {kind}", name=name, kind=type(value).__name__))
    most = limits().dialogue_characters
    if len(value) > most:
        raise ValueError(
            say("{name} has {length:,} characters, more than {most:,}", name=name, length=len(value), most=most)
        )
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(say("{name} holds half of a character pair (a lone surrogate)", name=name))
    return value if value.strip() else ""


def _at_most(rows: _Rows, most: int | None) -> _Rows:
    """Yield rows; raises CorpusError as soon as there are more lines than allowed."""
    for line, row in rows:
        if most is not None and line > most:
            raise CorpusError(
                say("the corpus has more than {most:,} lines. Allowed here: so many; split it", most=most)
            )
        if row != "":  # a blank line
            yield line, row


def _file_rows(path: Path, extension: str, require_summaries: bool, most: int) -> _Rows:
    """Read rows of a local file; raises CorpusError for damage or denied access."""
    try:
        opened: Any = gzip.open(path, "rb") if extension.endswith(".gz") else path.open("rb")
        with opened as stream:
            if path.stat().st_size and (reason := mistaken(path)):
                raise CorpusError(say("the corpus '{path}' cannot be read: {reason}", path=path, reason=reason))
            if extension == ".csv":
                yield from _csv_rows(path.name, stream, require_summaries)
            else:
                yield from _json_rows(stream, most)
    except _TooLargeError as error:
        raise CorpusError(
            say(
                "the corpus '{path}' has more than {most:,} bytes of text, unpacked. Allowed: so many; split it",
                path=path,
                most=error.most,
            )
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(
            say(
                "the corpus '{path}' is damaged or not gzip: {error}. Copy or download it again. Allowed: {allowed}",
                path=path,
                error=error,
                allowed=say(_ALLOWED),
            )
        ) from None
    except OSError as error:
        reason = cause(error)
        raise CorpusError(
            say(
                "the corpus '{path}' cannot be read: {reason}. Allowed: {allowed}",
                path=path,
                reason=reason,
                allowed=say(_ALLOWED),
            )
        ) from None


def _lines(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield lines, of one that is too long only its begin: a small .gz file may unpack to one without an end."""
    longest = _LINE * limits().dialogue_characters
    size = 0
    while line := stream.readline(longest):
        yield line
        while len(line) == longest and not line.endswith(b"\n"):
            line = stream.readline(longest)
            size += len(line)
            _check_size(size, most)
        size += len(line)
        _check_size(size, most)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise _TooLargeError(most)


class _TooLargeError(ValueError):
    """A corpus has more than `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


def _json_rows(stream: IO[bytes], most: int) -> _Rows:
    for line, raw in enumerate(_lines(stream, most), 1):
        if line == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if not raw.strip():
            yield line, ""
            continue
        try:
            row = json.loads(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            yield line, say("not UTF-8 (byte {byte} of the line)", byte=error.start + 1)
        except (ValueError, RecursionError) as error:
            reason = say("it is nested too deeply, or a number is too large")
            if isinstance(error, json.JSONDecodeError):
                reason = error.msg
            yield line, say("not valid JSON: {reason}", reason=reason)
        else:
            if isinstance(row, dict):
                yield line, row
            else:
                yield line, say("not a JSON object but {kind}", kind=type(row).__name__)


def _csv_rows(name: str, stream: IO[bytes], require_summaries: bool) -> _Rows:
    """Read rows of a CSV file with a header; quoted fields may span lines."""
    csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().dialogue_characters))
    with io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        header = _csv_header(name, next(_csv_values(reader), (1, []))[1], require_summaries)
        for line, values in _csv_values(reader):
            yield line, values if isinstance(values, str) else _csv_row(header, values)


def _csv_values(reader: "_csv.Reader") -> Iterator[tuple[int, list[str] | str]]:
    """Yield rows that are not blank, each with its first line; an unreadable row is the reason instead."""
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, say("not valid CSV: {error} (read to line {line})", error=error, line=reader.line_num)
            continue
        if values:
            yield line, values


def _csv_header(name: str, values: list[str] | str, require_summaries: bool) -> list[str]:
    if isinstance(values, str):
        raise CorpusError(
            say(
                "the header of the corpus '{name}' is {values}. Allowed: {allowed}",
                name=name,
                values=values,
                allowed=say(_ALLOWED),
            )
        )
    header = [column.strip() for column in values]
    _check_columns(say("the corpus '{name}'", name=name), header, require_summaries)
    return header


def _csv_row(header: list[str], values: list[str]) -> Mapping[str, Any] | str:
    if len(values) > len(header):
        return say("{fields} fields where the header has {wanted}", fields=len(values), wanted=len(header))
    if any("\udc80" <= character <= "\udcff" for value in values for character in value):
        return say("not UTF-8")
    row: dict[str, Any] = dict(zip(header, values, strict=False))
    if row.get("references", "").lstrip().startswith("["):
        try:
            row["references"] = json.loads(row["references"])
        except (ValueError, RecursionError):
            return say("{name} begins like a JSON list but is not one", name="references")
    return row


def _hub_rows(source: str, split: str, require_summaries: bool) -> _Rows:
    """Read rows of a hub data set, numbered from 1."""
    import datasets

    try:
        dataset = datasets.load_dataset(source, split=split)
    except Exception as error:  # the hub's client raises many kinds of errors: its own, of the network, of the system
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise CorpusError(
            say(
                "the hub data set '{source}' (split '{split}') cannot be loaded: {reason}. Allowed: a "
                "name that exists and a network connection, or a local .jsonl, .jsonl.gz or .csv file",
                source=source,
                split=split,
                reason=reason,
            )
        ) from None
    _check_columns(say("the hub data set '{source}'", source=source), dataset.column_names, require_summaries)
    yield from enumerate(dataset, 1)


def _check_columns(what: str, columns: list[str], require_summaries: bool) -> None:
    if "dialogue" not in columns or (require_summaries and not {"summary", "references", *_SUMMARIES} & set(columns)):
        found = ", ".join(columns)[:200] or say("none")
        needed = "dialogue"
        if require_summaries:
            needed = say(
                "{dialogue}, and {summaries} or {references}",
                dialogue="dialogue",
                summaries="summary, summary1",
                references="references",
            )
        raise CorpusError(
            say(
                "{what} lacks columns. Received: {found!a}. Needed (a CSV file has commas): {needed}",
                what=what,
                found=found,
                needed=needed,
            )
        )
