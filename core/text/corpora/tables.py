"""Tables: CSV with any of comma, semicolon, tab or bar between the fields, and Parquet."""

import csv
import io
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from core.limits import limits
from core.text.corpora.columns import columns_of
from core.text.corpora.encodings import Encoding
from core.words import say

if TYPE_CHECKING:
    import _csv

Rows = Iterator[tuple[int, "Mapping[str, Any] | str"]]
"""Rows with the line, or the number, of each; a text is the reason why one could not be read."""
_DELIMITERS = ",;\t|"
_BATCH = 64
"""Rows of a Parquet file that are unpacked at once."""


def csv_table(stream: IO[bytes], encoding: Encoding, ending: str) -> tuple[list[str] | str, Rows]:
    """Return the names of the columns of a CSV file, or what is wrong with them, and its rows."""
    csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().dialogue_characters))
    lines = _Lines(io.TextIOWrapper(stream, encoding=encoding.name, errors=encoding.errors, newline=""))
    delimiter = "\t" if ending == ".tsv" else ","
    for line in lines:
        if line.casefold().startswith("sep=") and len(line.strip("\r\n")) == 5:  # Excel's own hint
            delimiter = line[4]
            lines.next_row()
        elif line.strip():
            delimiter = _delimiter(line, delimiter)
            lines.again()
            break
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    escaped = csv.reader(lines, delimiter=delimiter, strict=True, escapechar="\\")
    values = _values(reader, escaped, lines)
    _, header, _ = next(values, (1, [], True))
    if isinstance(header, str):
        return header, iter(())
    names = [column.strip() for column in header]
    names = [f"{name} (again)" if name and name in names[:at] else name for at, name in enumerate(names)]
    return names, ((line, _row(names, fields, sound, encoding)) for line, fields, sound in values)


class _Lines:
    """Lines that can be read again from the second of a row on, when the row turns out to be broken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines, self._back, self._taken = iter(lines), deque[str](), deque[str]()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._lines)
        self.number += 1
        self._taken.append(line)
        return line

    def next_row(self) -> int:
        """Begin a row; return the number of its first line."""
        self._taken.clear()
        return self.number + 1

    def escapes(self) -> bool:
        """Return whether this row has a backslash before a quotation mark, and go back to its first line if so."""
        if not any('\\"' in line for line in self._taken):
            return False
        self.again()
        return True

    def again(self, after: int = 0) -> None:
        """Go back to the line that comes `after` so many of this row."""
        back = list(self._taken)[after:]
        self._back.extendleft(reversed(back))
        self.number -= len(back)
        self._taken.clear()


def _delimiter(header: str, usual: str) -> str:
    """Return what stands between the names of the columns: what gives most names that are known, else most names."""

    def gain(delimiter: str) -> tuple[int, int, bool]:
        try:
            names = next(csv.reader([header], delimiter=delimiter))
        except csv.Error:
            return 0, 0, False
        columns = columns_of([name.strip(' \ufeff"') for name in names], {})
        return bool(columns.dialogue) + columns.has_summary, len(names), delimiter == usual

    return max(_DELIMITERS, key=gain)


def _values(
    reader: "_csv.Reader", escaped: "_csv.Reader", lines: _Lines
) -> Iterator[tuple[int, list[str] | str, bool]]:
    """Yield rows that are not blank, each with its first line, and whether no broken row came before.

    A row that cannot be read may have a backslash before its quotation marks, as Spark writes it. If it has not, the
    reason is yielded, and reading goes on at its second line: one quotation mark that is never closed would take all
    rows after it along.
    """
    sound = True
    while True:
        line = lines.next_row()
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if lines.escapes():
                try:
                    yield line, next(escaped), sound
                    continue
                except csv.Error:
                    pass
            yield line, say("not valid CSV: {error} (read to line {line})", error=error, line=lines.number), sound
            lines.again(1)
            sound = False
            continue
        if values:
            yield line, values, sound


def _row(names: list[str], values: list[str] | str, sound: bool, encoding: Encoding) -> Mapping[str, Any] | str:
    if isinstance(values, str):
        return values
    if not sound and (len(values) < len(names) or any(value.count('"') % 2 for value in values)):
        return say("the rest of a broken row, with {fields} of {wanted} fields", fields=len(values), wanted=len(names))
    if len(values) > len(names):
        return say("{fields} fields where the header has {wanted}", fields=len(values), wanted=len(names))
    if any(encoding.broken(value) for value in values):
        return say("not {encoding}", encoding=encoding.shown)
    row: dict[str, Any] = dict(zip(names, values, strict=False))
    if row.get("references", "").lstrip().startswith("["):
        try:
            row["references"] = json.loads(row["references"])
        except (ValueError, RecursionError):
            return say("{name} begins like a JSON list but is not one", name="references")
    return row


def parquet_table(path: Path, most: int) -> tuple[list[str], Rows]:
    """Return the names of the columns of a Parquet file, and its rows; texts beyond `most` characters in all end it.

    Raises:
        OSError, ValueError: it is damaged, or something else.
    """
    import pyarrow.parquet

    try:
        columns = pyarrow.parquet.ParquetFile(path).schema_arrow
        texts = [each.name for each in columns if pyarrow.types.is_string(each.type)]
        file = pyarrow.parquet.ParquetFile(path, read_dictionary=texts)  # a text that is often there is kept once
        if sum(file.metadata.row_group(each).total_byte_size for each in range(file.num_row_groups)) > most:
            raise TooLargeError(most)
    except pyarrow.ArrowException as error:
        raise ValueError(" ".join(str(error).split())[:200]) from None
    return list(columns.names), _parquet_rows(file, most)


def _parquet_rows(file: Any, most: int) -> Rows:
    import pyarrow

    number = size = 0
    try:
        for batch in file.iter_batches(_BATCH):
            for at in range(batch.num_rows):
                row = batch.slice(at, 1).to_pylist()[0]
                number += 1
                size += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
                if size > most:
                    raise TooLargeError(most)
                yield number, row
    except pyarrow.ArrowException as error:
        raise ValueError(" ".join(str(error).split())[:200]) from None


class TooLargeError(ValueError):
    """A corpus has more than `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most
