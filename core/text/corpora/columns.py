"""Which column of a corpus is which: the names that data sets use, and those that somebody chose."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import CorpusError
from core.files import table
from core.words import first_few, say

NAMES: Mapping[str, tuple[str, ...]] = {field: tuple(names) for field, names in table(__file__).items()}
"""Of each field the names of its column, likeliest first; case, spaces, "_" and "-" do not count."""
_NUMBERED = {
    "references": re.compile(r"(?:summary|reference|highlights|target|humansummary|annotation)(\d{1,2})"),
    "topic": re.compile(r"topic(\d{1,2})"),
}

CHOICE = "--columns dialogue=…,summary=…"
"""How columns are chosen on the command line."""


class UnknownColumnsError(CorpusError):
    """No column of a corpus is known to hold the dialogues, or the summaries; `columns` are those that it has."""

    def __init__(self, message: str, columns: Sequence[str], **values: Any) -> None:
        super().__init__(message, **values)
        self.columns = tuple(columns)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of each field, by their names in the file; "" and () where there is none."""

    dialogue: str = ""
    summary: str = ""
    references: str = ""
    numbered: tuple[str, ...] = ()
    prediction: str = ""
    id: str = ""
    topics: tuple[str, ...] = ()

    @property
    def has_summary(self) -> bool:
        """Return whether a column may hold a reference."""
        return bool(self.summary or self.references or self.numbered)

    def notes(self) -> list[str]:
        """Say which columns were taken for dialogue and summary, where their names are others."""
        taken = {field: name for field in ("dialogue", "summary") if (name := getattr(self, field))}
        other = {field: name for field, name in taken.items() if field != _plain(name)}
        columns = ", ".join(f"{field} = {name!r}" for field, name in other.items())
        return [say("columns taken: {columns}", columns=columns)] if other else []


def read_choice(texts: Iterable[str]) -> dict[str, str]:
    """Read what `--columns` gives: field=column, several with commas between them.

    Raises:
        CorpusError: another form, or an unknown field.
    """
    chosen = {}
    for part in (part for text in texts for part in text.split(",")):
        field, equals, column = part.partition("=")
        if not equals or field.strip() not in NAMES or not column.strip():
            raise CorpusError(
                "columns are given as dialogue=COLUMN,summary=COLUMN; fields are {fields}. Received: {got}",
                fields=", ".join(NAMES),
                got=repr(part)[:60],
            )
        chosen[field.strip()] = column.strip()
    return chosen


def columns_of(names: Sequence[str], chosen: Mapping[str, str]) -> Columns:
    """Find the columns of all fields.

    Args:
        names: of the columns of a file, or of the fields of a row.
        chosen: column by field; for other fields the names that data sets use count.
    """
    by_name = {_plain(name): name for name in reversed(names)} | {name: name for name in names}
    taken = set(chosen.values())
    by_field = {field: by_name.get(name) or by_name.get(_plain(name), "") for field, name in chosen.items()}
    for field, known in NAMES.items():
        if field not in chosen:
            free = (by_name[_plain(name)] for name in known if by_name.get(_plain(name), "") not in {"", *taken})
            by_field[field] = next(free, "")
            taken.add(by_field[field])
    numbered: dict[str, list[tuple[int, str]]] = {field: [] for field in _NUMBERED}
    for field, pattern in _NUMBERED.items():
        if field not in chosen:
            matches = ((pattern.fullmatch(_plain(name)), name) for name in names)
            numbered[field] = sorted((int(match[1]), name) for match, name in matches if match and name not in taken)
    topic = by_field.pop("topic")
    topics = (*([topic] if topic else []), *(name for _, name in numbered["topic"]))
    return Columns(**by_field, numbered=tuple(name for _, name in numbered["references"]), topics=topics)


def check_columns(what: str, names: Sequence[str], chosen: Mapping[str, str], summaries: bool) -> None:
    """Refuse a file without the columns that are needed; raises UnknownColumnsError.

    Args:
        what: is refused, said.
        names: of its columns.
        chosen: as `columns_of` takes it.
        summaries: whether it must have some.
    """
    known = columns_of(names, chosen)
    absent = [column for field, column in chosen.items() if not getattr(known, "topics" if field == "topic" else field)]
    if known.dialogue and (known.has_summary or not summaries) and not absent:
        return
    received = named(names) or say("none")
    if absent:
        message = no_column(what, absent[0], names)
    else:
        needed = "dialogue"
        if summaries:
            needed = say("{dialogue}, and {summaries} or {references}", dialogue="dialogue", summaries="summary",
                         references="references")  # fmt: skip
        message = say(
            "{what} lacks columns. Received: {found}. Needed: {needed}, by these names or by those that you choose: "
            "{choice}",
            what=what,
            found=received,
            needed=needed,
            choice=CHOICE,
        )
    raise UnknownColumnsError(message, names)


def no_column(what: str, name: str, names: Iterable[str]) -> str:
    """Say that a column that somebody chose is not among those that there are."""
    return say("{what} has no column {name}. Received: {found}", what=what, name=repr(name)[:60], found=named(names))


def same_name(name: str, names: Iterable[str]) -> bool:
    """Return whether a name is among others, case and signs apart."""
    return _plain(name) in map(_plain, names)


def named(names: Iterable[str]) -> str:
    """Return the first names of columns, each in quotation marks and not too long."""
    return first_few(repr(str(name)[:40]) for name in names)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
