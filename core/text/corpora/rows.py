"""One row of a corpus: any values that a file may hold in, our fields out, or the reason why it cannot be used."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from core.errors import DialogueError
from core.limits import limits
from core.text.corpora.columns import Columns, columns_of, same_name
from core.text.formats import registry
from core.text.formats.content import Content
from core.words import say

SPEAKERS = ("speaker", "name", "author", "sender", "role", "from", "user", "participant")
TEXTS = ("text", "content", "message", "utterance", "utt", "value", "sentence")
MOST_NAMES = 100
MOST_OWN, LONGEST_OWN = 40, 100
"""Most columns of a row that are kept beside our fields, and most characters of a value: longer ones are texts."""
_NAMED = re.compile(r"[ \t]*[^\W\d_][^:\n\[\]<>()]{0,47}:[ \t]")
"""A line as every dialogue has them: where all are such, no other format is looked for."""
_HALF = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"\b(whole|entire) meeting\b|\bsummari[sz]e the meeting\b", re.IGNORECASE)
"""General questions of QMSum whose answer is about all of a meeting."""


class RowReader:
    """Turns rows of one corpus into our fields.

    Args:
        chosen: column by field, as somebody chose it.
        summaries: whether a row without a summary is of no use.

    Attributes:
        columns: those of the last row.
        answers: answers about a part of a dialogue, which are no summaries of it, and were left out.
        names: of columns that were met, the first `MOST_NAMES`.
        unmet: columns that somebody chose, and that no row had.
        formats: how many dialogues were read in a format of `core.text.formats`, by its name.
    """

    def __init__(self, chosen: Mapping[str, str], summaries: bool) -> None:
        self.columns = Columns()
        self.answers = 0
        self.names: dict[str, None] = {}
        self.unmet = set(chosen.values())
        self.formats = Counter[str]()
        self._summaries = summaries
        self._columns = lru_cache(maxsize=256)(lambda names: columns_of(names, chosen))

    def read(self, line: int, row: Mapping[str, Any] | str) -> dict[str, Any]:
        """Return the fields `id`, `dialogue`, `references`, `topic`, `prediction`, `columns` and `line` of a row.

        Args:
            line: where it begins; its id if it has none.
            row: its values by column, or the reason why it could not be read.

        Raises:
            ValueError: it cannot be used; the message is the reason.
        """
        if isinstance(row, str):
            raise ValueError(row)
        row = self._released(row)
        columns = self.columns = self._columns(tuple(row))
        if len(self.names) < MOST_NAMES:
            self.names |= dict.fromkeys(row)
        if self.unmet:
            self.unmet -= {*row, *(name for name in self.unmet if same_name(name, row))}
        given = row.get(columns.dialogue)
        dialogue = _text("dialogue", spoken(given))
        if not dialogue:
            raise ValueError(_absent("dialogue", empty=given is not None))
        if isinstance(given, str):
            dialogue = self._read_as_it_is(dialogue)
        references, single = _references(row, columns)
        if self._summaries and not references:
            names = (columns.references, *columns.numbered, columns.summary)
            raise ValueError(_absent("summary", empty=any(row.get(name) is not None for name in names)))
        topics = (_text("topic", _line_of(row.get(name))) for name in columns.topics)
        return {
            "id": _text("id", _identity(row.get(columns.id))) or str(line),
            "dialogue": dialogue,
            "references": references,
            "topic": "; ".join(dict.fromkeys(topic for topic in topics if topic)),
            "prediction": _prediction(row, columns, single),
            "columns": json.dumps(_own(row, columns), ensure_ascii=False),
            "line": line,
        }

    def _read_as_it_is(self, text: str) -> str:
        """Return the turns of a text in a format that a tool writes; a dialogue as it is."""
        if all(map(_NAMED.match, filter(str.strip, text.splitlines()))):
            return text
        try:
            transcript = registry.read(Content("", text))
        except DialogueError:
            return text
        if transcript.format in (registry.DIALOGUE.name, "json"):
            return text
        self.formats[transcript.format] += 1
        return transcript.text

    def _released(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the row of a data set whose authors hand it out in a form of its own in the form of all others."""
        if "meeting_transcripts" in row:  # QMSum
            general = [each for each in row.get("general_query_list") or () if isinstance(each, Mapping)]
            about_all = [each for each in general if _WHOLE.search(str(each.get("query")))] or general[:1]
            self.answers += len(general) - len(about_all) + len(row.get("specific_query_list") or ())
            topics = [each.get("topic") for each in row.get("topic_list") or () if isinstance(each, Mapping)]
            answers = [each.get("answer") for each in about_all]
            kept = {name: value for name, value in row.items() if not name.endswith("_list")}
            return {**kept, "references": answers, "topic": topics}
        if "dst" in row and isinstance(turns := row.get("text"), list):  # TODSum: the user speaks first
            lines = [f"{'System' if at % 2 else 'User'}: {_one_line(turn)}" for at, turn in enumerate(turns)]
            summary = row.get("summary")
            whole = " ".join(map(str, summary)) if isinstance(summary, list) else summary
            return {**row, "text": lines, "summary": whole}
        if isinstance(row.get("utt"), list) and isinstance(row.get("speaker"), list):  # MediaSum
            return {**row, "dialogue": {"speaker": row["speaker"], "text": row["utt"]}}
        return row


def _own(row: Mapping[str, Any], columns: Columns) -> dict[str, str]:
    """Return the short values of the columns that are none of our fields; of a row that `evaluate` wrote, its own."""
    if {"rouge", "faults"} <= row.keys():
        row = row["columns"] if isinstance(row.get("columns"), Mapping) else {}
    taken = {
        columns.dialogue,
        columns.summary,
        columns.references,
        columns.prediction,
        columns.id,
        *columns.numbered,
        *columns.topics,
    }
    kept = ((name, own_value(value)) for name, value in row.items() if name not in taken)
    return dict(islice(((name, value) for name, value in kept if value), MOST_OWN))


def own_value(value: Any) -> str:
    """Return a short value as text on one line; "" of a long one, of one that is none, and of anything else."""
    if not isinstance(value, str | int | float) or isinstance(value, float) and value != value:
        return ""
    text = " ".join(str(value).split()) if not isinstance(value, str) or len(value) <= 10 * LONGEST_OWN else ""
    return _HALF.sub("\ufffd", text) if len(text) <= LONGEST_OWN else ""


def spoken(value: Any) -> Any:
    """Return turns as lines of text, speakers in front; any other value as it is."""
    if isinstance(value, Mapping) and value and all(isinstance(each, list) for each in value.values()):
        if len({len(each) for each in value.values()}) != 1:
            return value
        value = [dict(zip(value, turn, strict=True)) for turn in zip(*value.values(), strict=True)]
    if not isinstance(value, list):
        return value
    lines = [_turn(each) for each in value]
    return value if None in lines else "\n".join(line for line in lines if line)


def is_turn(value: Any) -> bool:
    """Return whether a value is one turn of a dialogue: somebody, and what they said."""
    return isinstance(value, Mapping) and _first(value, SPEAKERS) is not None and _first(value, TEXTS) is not None


def _turn(value: Any) -> str | None:
    """Return a turn as one line; None if it is no turn."""
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value):
        value = {"speaker": value[0], "text": value[1]}
    if not isinstance(value, Mapping) or not isinstance(text := _first(value, TEXTS), str):
        return None
    speaker = _first(value, SPEAKERS)
    name = _one_line(str(speaker).replace(":", " ")) if isinstance(speaker, str | int) else ""
    return f"{name}: {_one_line(text)}" if name else _one_line(text)


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _one_line(text: str) -> str:
    return " ".join(str(text).split())


def _line_of(value: Any) -> Any:
    """Return a list of words, or a number, as text; any other value as it is."""
    if isinstance(value, list | tuple):
        return "; ".join(str(word) for word in value if word is not None)
    return _identity(value)


def _identity(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _absent(name: str, *, empty: bool) -> str:
    return say("{name} is empty", name=name) if empty else say("{name} is missing", name=name)


def _references(row: Mapping[str, Any], columns: Columns) -> tuple[list[str], bool]:
    """Return the references of a row, and whether its single summary is among them; blank ones are left out.

    The first of the lists, the numbered ones and the single one that holds text counts.
    """
    most = limits().summary_characters
    groups = (row.get(columns.references), [row.get(name) for name in columns.numbered])
    for name, value in zip(("references", "summary"), groups, strict=True):
        kept = [text for reference in _listed(value) if (text := _text(name, reference, most))]
        if kept:
            return kept, False
    value = row.get(columns.summary)
    if columns.summary.casefold() != "summary" and not isinstance(value, str | list):
        value = None  # a number under "label" is no summary
    return [text for reference in _listed(value) if (text := _text("summary", reference, most))], True


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _prediction(row: Mapping[str, Any], columns: Columns, single: bool) -> str | None:
    """Return a system's summary, which may be empty: its own column, or the summary if there are other references."""
    if row.get(columns.prediction) is not None:
        return _text("prediction", row[columns.prediction])
    if not single and row.get(columns.summary) is not None and columns.summary.casefold() == "summary":
        return _text("summary", row[columns.summary])
    return None


def _text(name: str, value: Any, most: int | None = None) -> str:
    """Return a field's text unchanged, "" if it is absent or blank; raises ValueError if it is not text."""
    if value is None or (isinstance(value, float) and value != value):  # NaN: pandas writes it for what is missing
        return ""
    if not isinstance(value, str):
        raise ValueError(say("{name} must be text, not {kind}", name=name, kind=type(value).__name__))
    most = limits().dialogue_characters if most is None else most
    if len(value) > most:
        raise ValueError(
            say("{name} has {length:,} characters, more than {most:,}", name=name, length=len(value), most=most)
        )
    if not value.isascii() and _HALF.search(value):
        raise ValueError(say("{name} holds half of a character pair (a lone surrogate)", name=name))
    return value if value.strip() else ""
