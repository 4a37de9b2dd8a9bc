"""Take in dialogues to look at: those that ship with the app, or a file of any kind, with or without summaries."""

import hashlib
import json
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from core.errors import CorpusError, SettingsError
from core.evaluation import label_file
from core.evaluation.rows import RowOrigin, ScoredSummary, given_items, read_rows
from core.evaluation.verdicts import Books
from core.limits import limits
from core.text.corpora.columns import UnknownColumnsError
from core.text.corpora.files import ending_of, reading
from core.text.corpus import Corpus, SkippedRow, load_corpus
from core.text.examples import load_examples
from core.words import say

BUNDLED, EVERYDAY, GROUPS = "bundled", "everyday", "groups"


@dataclass(frozen=True)
class Data:
    """Dialogues to look at.

    Args:
        key: tells two apart: `digest` of the rows.
        name: as it is shown.
        rows: without scores where only a dialogue is known; `summary` is "" where `given` is False. No two ids are
            the same.
        given: for each row, whether a summary came with it.
        skipped: rows that could not be used, with line and reason.
        left_out: usable rows beyond the most that are kept.
        renamed: ids that two rows had, each with the new id of the later row.
        labels: those that were saved with the rows, by reader.
        notes: how many rows were taken, joined and left out, and what else is to be said of the file, in sentences.
    """

    key: str
    name: str
    rows: tuple[ScoredSummary, ...]
    given: tuple[bool, ...]
    skipped: tuple[SkippedRow, ...] = ()
    left_out: int = 0
    renamed: tuple[tuple[str, str], ...] = ()
    labels: Books = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summarized(self) -> dict[str, ScoredSummary]:
        """Return the rows that came with a summary, by id."""
        return {row.id: row for row, has in zip(self.rows, self.given, strict=True) if has}

    @cached_property
    def origin(self) -> RowOrigin | None:
        """Return where the first row comes from, if all rows say so of the same writer; else None."""
        writers = {row.origin.writer if row.origin else None for row in self.rows}
        return self.rows[0].origin if len(writers) == 1 else None

    @cached_property
    def origins(self) -> int:
        """Return what tells the origins of the rows from those of the same rows in another file."""
        return hash(tuple(row.origin for row in self.rows))

    def of_the_dialogues(self, other: "Data") -> "Data":
        """Return the summaries of this data for the dialogues of another, in its order; other rows are left out."""
        theirs = self.summarized
        matches = [theirs[row.id] for row in other.rows if row.id in theirs and theirs[row.id].dialogue == row.dialogue]
        strange = sum(row.id in theirs and theirs[row.id].dialogue != row.dialogue for row in other.rows)
        notes: tuple[str, ...] = ()
        if len(matches) < len(theirs):
            note = say(
                "{name} has {rows:,} rows that cannot be compared: of other dialogues, {strange:,} of them under the "
                "same id.",
                name=self.name, rows=len(theirs) - len(matches), strange=strange,
            )  # fmt: skip
            notes = (note,)
        return Data(f"{self.key}/{other.key}", self.name, tuple(matches), (True,) * len(matches), notes=notes)


@cache
def bundled() -> Data:
    """Return the dialogues that ship with the project; they have no summaries."""
    rows = tuple(ScoredSummary(each.id, each.dialogue, each.references, each.topic, "") for each in load_examples())
    return Data(BUNDLED, "bundled", rows, (False,) * len(rows))


@cache
def texts(key: str) -> Data:
    """Return the everyday texts or the dialogues of groups, which ship with references; nobody trains on them."""
    file = Path(__file__).resolve().parents[1] / "text" / f"{key}.jsonl"
    return replace(of_corpus(load_corpus(file), file.name), key=key, notes=())  # no visitor brings it: no limits


def shipped() -> dict[str, Data]:
    """Return the data sets that ship with the project, by key."""
    return {BUNDLED: bundled(), EVERYDAY: texts(EVERYDAY), GROUPS: texts(GROUPS)}


def read(name: str, content: bytes, columns: Mapping[str, str] | None = None, encoding: str = "") -> Data:
    """Read a file: a corpus, predictions of any system, or what `evaluate` or the Errors page wrote.

    Args:
        name: its ending says which form it has.
        content: its bytes.
        columns: column by field, where somebody chose them.
        encoding: of the file; "" for the one that its bytes tell.

    Raises:
        UnknownColumnsError: nobody knows which column holds the dialogues.
        CorpusError: another kind of file, a damaged one, or no usable row.
    """
    with _on_disk(name, content) as (path, name):
        first = _first_line(path)
        if {"labels", "summary"} <= first.keys() and "dialogue" not in first:
            raise CorpusError(
                "'{name}' holds labels and no dialogues. Read it under “Save or read labels” below the table of "
                "examples",
                name=name,
            )
        if _is_scored(first):
            rows = read_rows(path)
            data = _data(name, rows, [True] * len(rows), ())
            return replace(data, labels=label_file.read(content.decode(), data.rows)[0])
        lines, size = limits().corpus_lines, limits().unpacked_file
        corpus = load_corpus(
            path, require_summaries=False, most_lines=lines, most_bytes=size, columns=columns, encoding=encoding
        )
        return of_corpus(corpus, name)


def columns_in(name: str, content: bytes) -> list[str]:
    """Return the names of the columns of a corpus file, or of the fields of its first row; raises CorpusError."""
    with _on_disk(name, content) as (path, name):
        if not ending_of(path.name):
            return []
        with reading(path, limits().unpacked_file, plain=True) as file:
            return file.names or next((list(row) for _, row in file.rows if not isinstance(row, str)), [])


@contextmanager
def _on_disk(name: str, content: bytes) -> Iterator[tuple[Path, str]]:
    """Yield a file with this content, and its name as it is shown; an error of reading it has that name, no path."""
    shown, ending = Path(name).name[-80:], re.search(r"(\.\w{1,8}){0,2}$", name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{ending[0] if ending else ''}"  # a visitor's own name may be none for this machine
        path.write_bytes(content)
        try:
            yield path, shown
        except CorpusError as error:
            message = str(error).replace(f"{path}", shown).replace(path.name, shown)
            if isinstance(error, UnknownColumnsError):
                raise UnknownColumnsError(message, error.columns) from None
            raise CorpusError(message) from None


def of_corpus(corpus: Corpus, name: str) -> Data:
    """Take in a corpus; its predictions, if it has any, are the summaries."""
    items = list(corpus.dataset)
    rows = given_items(items)
    data = _data(name, rows, [item["prediction"] is not None for item in items], corpus.skipped)
    return replace(data, notes=(corpus.told, *corpus.notes))


def unique(ids: Sequence[str]) -> list[str]:
    """Return ids of which no two are the same: the second "a" becomes "a (2)", or the next number that is free."""
    taken, new_ids, numbers = set(ids), [], dict.fromkeys(ids, 0)
    for id in ids:
        numbers[id] += 1
        new = id
        while numbers[id] > 1 and (new := f"{id} ({numbers[id]})") in taken:
            numbers[id] += 1
        taken.add(new)
        new_ids.append(new)
    return new_ids


def _first_line(path: Path) -> Mapping[str, object]:
    """Return the first object of a JSONL file; {} of anything else."""
    if path.suffix != ".jsonl":
        return {}
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
        return first if isinstance(first, dict) else {}
    except (ValueError, RecursionError):
        return {}


def _is_scored(line: Mapping[str, object]) -> bool:
    """Return whether a line is a row that `evaluate` or the Errors page wrote."""
    try:
        return {"rouge", "faults"} <= line.keys() and bool(ScoredSummary.from_dict(line))
    except SettingsError:
        return False


def _data(name: str, rows: Sequence[ScoredSummary], given: Sequence[bool], skipped: Collection[SkippedRow]) -> Data:
    kept = rows[: limits().corpus_rows]
    ids = unique([row.id for row in kept])
    renamed = tuple((row.id, id) for row, id in zip(kept, ids, strict=True) if row.id != id)
    named = tuple(replace(row, id=id) for row, id in zip(kept, ids, strict=True))
    own = tuple(given[: len(kept)])
    return Data(digest(named, own), name, named, own, tuple(skipped), len(rows) - len(kept), renamed)


def digest(rows: Sequence[ScoredSummary], given: Sequence[bool]) -> str:
    """Return a hash of all that rows say, scores and hints too: sessions share what was computed of it."""
    hasher = hashlib.sha256()
    for row, has in zip(rows, given, strict=True):
        own = f" {row.columns!r}" if row.columns else ""  # the hash of rows without is that of other versions
        hasher.update(f"{row!r} {has}{own}\n".encode("utf-8", "replace"))
    return hasher.hexdigest()[:16]
