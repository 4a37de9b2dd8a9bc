"""Corpora: local files or hub data sets, validated row by row.

Files are read by our own readers: those of `datasets` refuse a whole file for one bad line and guess types ("002"
becomes 2, "NA" becomes null). Rows that cannot be used are reported, never dropped silently.
"""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.errors import CorpusError
from core.runtime.imports import without
from core.text.corpora.columns import CHOICE, UnknownColumnsError, check_columns, columns_of, named, no_column
from core.text.corpora.files import LARGEST, Reading, allowed, ending_of, reading
from core.text.corpora.rows import RowReader
from core.text.corpora.tables import Rows
from core.text.formats import registry
from core.words import count, first_few, say

if TYPE_CHECKING:
    import datasets

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_TWICE = 5
"""Ids of several dialogues that are named."""


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that was not used.

    Args:
        line: 1-based line of the file where the row begins, or its 1-based number.
        reason: what is wrong with it, in one line.
        unit: what `line` counts: of JSON documents, Parquet files and hub data sets it is rows.
    """

    line: int
    reason: str
    unit: Literal["line", "row"] = "line"

    @property
    def place(self) -> str:
        """Say where the row is."""
        return say("row {number}", number=self.line) if self.unit == "row" else say("line {number}", number=self.line)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Dialogues with reference summaries.

    Args:
        dataset: string features `id`, `dialogue`, `references` (a list of strings), `topic` ('' if absent) and
            `prediction` (a summary by some system, None if absent), `columns` (the short values of its other columns,
            a JSON object), and `line`, the 1-based line of the row.
        skipped: the rows that were not used, in file order.
        name: the file's name, or `hub name:split`.
        sources: for each row that was used, its id and the place of its dialogue in `dataset`; () where nobody counted.
        notes: what else is to be said of how it was read, in sentences.
        unit: what the lines of its rows count.
    """

    dataset: "datasets.Dataset"
    skipped: tuple[SkippedRow, ...]
    name: str
    sources: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    unit: Literal["line", "row"] = "line"

    @property
    def joined(self) -> int:
        """Return how many rows were joined to an earlier row of the same dialogue."""
        return max(len(self.sources) - len(self.dataset), 0)

    @property
    def told(self) -> str:
        """Say how many rows were taken, joined and left out."""
        taken = max(len(self.sources), len(self.dataset))
        return say(
            "{rows} taken, {joined:,} of them joined to an earlier row of the same dialogue, {skipped:,} skipped",
            rows=count(taken, "row"),
            joined=self.joined,
            skipped=len(self.skipped),
        )

    def sample(self, size: int, seed: int) -> "Corpus":
        """Draw `size` rows without replacement, kept in the order of the corpus; all rows if it has fewer.

        Raises:
            CorpusError: `size` is below 1.
        """
        if size < 1:
            raise CorpusError(f"a sample must hold at least 1 row. Received: {size}")
        rows = sorted(random.Random(seed).sample(range(len(self.dataset)), min(size, len(self.dataset))))
        new = {old: place for place, old in enumerate(rows)}
        sources = tuple((id, new[place]) for id, place in self.sources if place in new)
        return replace(self, dataset=self.dataset.select(rows), sources=sources)

    def apart(self) -> "Corpus":
        """Return a row for each reference of a dialogue that was joined of several rows: pairs to train on."""
        if not self.joined:
            return self
        places = [place for _, place in self.sources]
        several = {place for place, times in Counter(places).items() if times > 1}
        rows = []
        for place, row in enumerate(self.dataset):
            apart = place in several and len(row["references"]) > 1
            rows += [{**row, "references": [reference]} for reference in row["references"]] if apart else [row]
        return replace(self, dataset=_dataset(rows), sources=())


def load_corpus(
    source: str | Path,
    *,
    limit: int | None = None,
    split: str | None = None,
    require_summaries: bool = True,
    most_lines: int | None = None,
    most_bytes: int = LARGEST,
    columns: Mapping[str, str] | None = None,
    encoding: str = "",
) -> Corpus:
    """Read a corpus: dialogues, with summaries where there are any.

    docs/corpora.md has the forms, and the names of columns that are known. If the references have their own column,
    `summary` is the prediction, so that the output of `evaluate` can be read again. Rows of the same dialogue (and
    prediction) become one with several references. Blank lines are ignored.

    Args:
        source: a local file with one of `corpora.files.ENDINGS`, or a hub name such as `knkarthick/dialogsum`.
        limit: stop after this many dialogues; None reads all.
        split: split of a hub data set, "validation" unless named; a local file has none.
        require_summaries: skip rows without a summary; otherwise their `references` are empty.
        most_lines: of a local file, whether they can be used or not; None: any number.
        most_bytes: of a local file, unpacked.
        columns: column by field, where somebody chose them; see `corpora.columns.NAMES`.
        encoding: name of a local file's encoding; "" for the one that its bytes tell.

    Raises:
        UnknownColumnsError: no column is known to hold what is needed.
        CorpusError: the source is missing, damaged, of another kind, too large, or holds no usable row.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise CorpusError(f"limit must be an integer of at least 1. Received: limit={limit!r}")
    path, chosen = Path(source), columns or {}
    try:
        exists = path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL
        raise CorpusError(
            "the corpus {name!r} is no file name. Allowed: {allowed}", name=str(source)[:80], allowed=allowed()
        ) from None
    if not exists and not ending_of(path.name) and _HUB_NAME.fullmatch(str(source)):
        split = split or "validation"
        name, table = f"{source}:{split}", _of_hub(str(source), split)
        what = say("the hub data set '{source}'", source=source)
    else:
        _check_file(path, split)
        name, table = path.name, reading(path, most_bytes, bool(chosen), encoding)
        table.rows = _at_most(table.rows, most_lines)
        what = say("the corpus '{name}'", name=path.name)
    with table:
        if table.names is not None:
            check_columns(what, table.names, chosen, require_summaries)
        return _collect(name, table, RowReader(chosen, require_summaries), limit, require_summaries)


def _check_file(path: Path, split: str | None) -> None:
    if not path.exists():
        raise CorpusError("the corpus '{path}' does not exist. Allowed: {allowed}", path=path, allowed=allowed())
    if not path.is_file():
        raise CorpusError(
            "the corpus '{path}' is a folder or device, not a file. Allowed: {allowed}", path=path, allowed=allowed()
        )
    if not ending_of(path.name):
        raise CorpusError(
            "the corpus '{path}' has the ending '{ending}'. Allowed: {allowed}",
            path=path,
            ending=path.suffix,
            allowed=allowed(),
        )
    if split is not None:
        raise CorpusError(f"split={split!r} is only for hub data sets. Received: the local file '{path}'")


def _collect(name: str, table: Reading, reader: RowReader, limit: int | None, require_summaries: bool) -> Corpus:
    """Validate rows until `limit` dialogues are usable, join those of one dialogue, and build the data set."""
    usable: list[dict[str, Any]] = []
    skipped: list[SkippedRow] = []
    places: dict[tuple[str, str | None], int] = {}
    sources: list[tuple[str, int]] = []
    for line, raw in table.rows:
        try:
            row = reader.read(line, raw)
        except (ValueError, RecursionError) as error:
            skipped.append(SkippedRow(line, str(error), table.unit))
            continue
        key = ("\n".join(row["dialogue"].split("\r\n")).strip(), row["prediction"])
        if key not in places and len(usable) == limit:
            break
        place = places.setdefault(key, len(usable))
        sources.append((row["id"], place))
        if place == len(usable):
            usable.append(row)
        else:
            _join(usable[place], row)
    if reader.unmet and reader.names:
        what = say("the corpus '{name}'", name=name)
        raise UnknownColumnsError(no_column(what, min(reader.unmet), list(reader.names)), list(reader.names))
    if not usable:
        raise _unusable(name, skipped, require_summaries, list(reader.names))
    notes = [*table.notes, *reader.columns.notes()]
    if twice := [name for name in table.names or () if name.endswith(" (again)")]:
        notes.append(say("columns whose name stands twice are left out: {columns}", columns=named(twice)))
    for name_of_format, times in reader.formats.items():
        title = say(registry.BY_NAME[name_of_format].title)
        notes.append(say("{dialogues} read as: {format}", dialogues=count(times, "dialogue"), format=title))
    if reader.answers:
        notes.append(
            say("{answers} to questions about a part of a meeting left out: no summary of it",
                answers=count(reader.answers, "answer"))
        )  # fmt: skip
    if twice := [id for id, times in Counter(row["id"] for row in usable).items() if times > 1]:
        notes.append(say("several dialogues have one id: {ids}", ids=first_few(map(repr, twice), _TWICE)))
    return Corpus(_dataset(usable), tuple(skipped), name, tuple(sources), tuple(notes), table.unit)


def _join(row: dict[str, Any], other: Mapping[str, Any]) -> None:
    """Add what another row of the same dialogue says to a row."""
    row["references"] += [reference for reference in other["references"] if reference not in row["references"]]
    if other["topic"] not in ("", *row["topic"].split("; ")):
        row["topic"] = "; ".join(filter(None, (row["topic"], other["topic"])))


def _dataset(rows: list[dict[str, Any]]) -> "datasets.Dataset":
    import datasets

    text = datasets.Value("string")
    features = {"id": text, "dialogue": text, "references": datasets.List(text), "topic": text, "prediction": text}
    features["columns"] = text
    typed = datasets.Features(features | {"line": datasets.Value("int64")})
    with without():  # it asks for JAX, which another thread may be hiding: its import has to end first
        return datasets.Dataset.from_list(rows, features=typed)


def _unusable(name: str, skipped: Sequence[SkippedRow], require_summaries: bool, seen: Sequence[str]) -> CorpusError:
    """Return the error for a corpus without a usable row."""
    why = say("it is empty")
    if skipped:
        first = skipped[0]
        why = say("{count} skipped; {place}: {reason}", count=len(skipped), place=first.place, reason=first.reason)
    known = columns_of(seen, {})
    if seen and not known.dialogue:
        return UnknownColumnsError(
            say(
                "the corpus '{name}' has no usable row ({why}). Columns: {found}. Needed: one of dialogues, "
                "which you can choose: {choice}",
                name=name,
                why=why,
                found=named(seen),
                choice=CHOICE,
            ),
            seen,
        )
    if require_summaries:
        return CorpusError(
            "the corpus '{name}' has no usable row ({why}). Needed: at least one row with a dialogue and a summary",
            name=name,
            why=why,
        )
    return CorpusError(
        "the corpus '{name}' has no usable row ({why}). Needed: at least one row with a dialogue", name=name, why=why
    )


def _at_most(rows: Rows, most: int | None) -> Rows:
    """Yield rows; raises CorpusError as soon as there are more lines than allowed."""
    for line, row in rows:
        if most is not None and line > most:
            raise CorpusError("the corpus has more than {most:,} lines. Allowed here: so many; split it", most=most)
        if row != "":  # a blank line
            yield line, row


def _of_hub(source: str, split: str) -> Reading:
    import datasets

    try:
        dataset = datasets.load_dataset(source, split=split)
    except Exception as error:  # the hub's client raises many kinds of errors: its own, of the network, of the system
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise CorpusError(
            "the hub data set '{source}' (split '{split}') cannot be loaded: {reason}. Allowed: a "
            "name that exists and a network connection, or {allowed}",
            source=source,
            split=split,
            reason=reason,
            allowed=allowed(),
        ) from None
    return Reading(enumerate(dataset, 1), list(dataset.column_names), unit="row")
