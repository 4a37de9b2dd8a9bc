"""A session of the Errors page as one JSON file: data sets, labels, choices, summaries, behaviour; and from one.

The file holds all that the labels are about, so it opens where the data sets are not. Opening it runs no code.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.behaviour.run import Trial
from core.errors import CorpusError, SettingsError
from core.evaluation import label_file, verdicts
from core.evaluation.intake import BUNDLED, Data, digest, shipped
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Books, Entry, Subject
from core.files import fault, parsed
from core.limits import check
from core.text.corpus import SkippedRow
from core.words import later, say

FORMAT = 2
"""Rises when a file can no longer be read by what read it before."""
KIND = "dialoscope errors session"
_PARTS = ("kind", "format", "data", "shown", "labels", "choices", "scored", "behaviour")
_AGAIN = later("Save the session again, or use another copy of the file")
_SET = later("data set {number} of the session is damaged: {reason}.")
_LABEL = later("label {number} of the session is damaged: {reason}.")
_SUMMARIES = later("list of summaries {number} of the session is damaged: {reason}.")
_BEHAVIOUR = later("the changed dialogues of the session are damaged: {reason}.")
"""What is damaged of a session."""
T = TypeVar("T")


@dataclass(frozen=True)
class Scored:
    """Scored summaries of the shown data set.

    Args:
        weights: hash of the weights that wrote them; "" if they came with the data set.
        keep: whether the model wrote only those that the data set lacks.
        rows: by place in the data set.
    """

    weights: str
    keep: bool
    rows: Mapping[int, ScoredSummary]


@dataclass(frozen=True)
class Behaved:
    """What changes of the dialogues of the shown data set did to their summaries.

    Args:
        weights: hash of the weights that wrote the summaries; they were decoded as the choices of the session say.
        rows: the trials of a dialogue, by place in the data set.
    """

    weights: str
    rows: Mapping[int, tuple[Trial, ...]]


@dataclass(frozen=True)
class Session:
    """All that a session of the Errors page holds.

    Args:
        data: data sets that somebody brought.
        shown: key of the data set that is shown; `BUNDLED`, or of one of `data`.
        labels: of every summary, shown or not, by reader.
        choices: filters, columns, place and decoding: plain values by name.
        scored: the scored summaries of the shown data set; None if there are none yet.
        left_out: parts of a file that this version does not know.
        behaved: the changed dialogues of the shown data set; None if none was changed.
    """

    data: tuple[Data, ...] = ()
    shown: str = BUNDLED
    labels: Books = field(default_factory=dict)
    choices: Mapping[str, Any] = field(default_factory=dict)
    scored: Scored | None = None
    left_out: tuple[str, ...] = ()
    behaved: Behaved | None = None

    def to_json(self) -> str:
        """Return the file; the same session gives the same one."""
        labels = [
            {"dialogue": about[1], **line}
            for name, book in self.labels.items()
            for about, line in zip(book, label_file.to_lines(book, name), strict=True)
        ]
        scored = self.scored and {
            "weights": self.scored.weights,
            "keep": self.scored.keep,
            "rows": {str(place): row.to_dict() for place, row in self.scored.rows.items()},
        }
        data = [_kept(data_set) for data_set in self.data]
        behaved = self.behaved and {
            "weights": self.behaved.weights,
            "rows": {str(place): list(map(_written, trials)) for place, trials in self.behaved.rows.items()},
        }
        values = (KIND, FORMAT, data, self.shown, labels, dict(self.choices), scored, behaved)
        return json.dumps(dict(zip(_PARTS, values, strict=True)), ensure_ascii=False)

    @property
    def characters(self) -> int:
        """Return about how long the file is, without making it."""
        rows = [row for each in self.data for row in each.rows] + list(self.scored.rows.values() if self.scored else ())
        texts = (len(row.dialogue) + len(row.summary) + 200 * len(row.tokens) for row in rows)
        labels = ((about, said) for book in self.labels.values() for about, said in book.items())
        trials = (each for tries in (self.behaved.rows if self.behaved else {}).values() for each in tries)
        changed = (len(each.text) + len(each.before) + len(each.after) + len(each.expected) + 200 for each in trials)
        return sum(texts) + sum(changed) + sum(len(about[1]) + len(about[2]) + len(said.note) for about, said in labels)


def is_session(content: bytes) -> bool:
    """Return whether a file claims to be a session."""
    return content[:200].lstrip().startswith(b"{") and KIND.encode() in content[:200]


def read(content: bytes) -> Session:
    """Read what `Session.to_json` wrote.

    Raises:
        CorpusError: it is something else, damaged, changed by hand, of a newer version, or too large.
    """
    check("session_file", len(content), say("The session"), CorpusError)
    try:
        values = parsed(content.decode())
    except (ValueError, RecursionError) as error:
        reason = fault(content, error, say(_AGAIN))
        raise CorpusError("the session cannot be read: {reason}", reason=reason) from None
    if not isinstance(values, dict) or values.get("kind") != KIND:
        got = repr(values.get("kind"))[:60] if isinstance(values, dict) else type(values).__name__
        known = {"got": got, "allowed": repr(KIND)}
        message = say("the file is no session of this page. Received: kind {got}; allowed: {allowed}", **known)
        raise CorpusError(message)
    _check_format(values.get("format"))
    data = tuple(_each(_SET, _list(values, "data"), _data))
    check("corpus_files", len(data), say("The list of data sets"), CorpusError)
    shown = next((data_set for data_set in (*shipped().values(), *data) if data_set.key == values.get("shown")), None)
    if shown is None:
        got = repr(values.get("shown"))[:40]
        raise CorpusError("the session shows a data set that it lacks. Received: {got}", got=got)
    lines = _list(values, "labels")
    check("labelled_summaries", len(lines), say("The list of labels"), CorpusError)
    labels: dict[str, dict[Subject, Entry]] = {}
    for name, about, entry in _each(_LABEL, lines, _label):
        labels.setdefault(name, {})[about] = entry
    choices, scored = values.get("choices"), values.get("scored")
    if sum(map(len, labels.values())) < len(lines) or not isinstance(choices, dict):
        damage = say("the session has two labels of one summary, or choices that are no JSON object.")
        raise CorpusError(f"{damage} {say(_AGAIN)}")
    left_out = tuple(sorted(values.keys() - set(_PARTS)))
    own = _optional(_SUMMARIES, scored, lambda it: _scored(it, shown))
    behaved = _optional(_BEHAVIOUR, values.get("behaviour"), lambda it: _behaved(it, shown))
    return Session(data, shown.key, labels, choices, own, left_out, behaved)


def _check_format(version: object) -> None:
    """Raise CorpusError for a format that this version cannot read."""
    whole = isinstance(version, int) and not isinstance(version, bool)
    if not (whole and 1 <= version <= FORMAT):  # type: ignore[operator]
        bounds = {"most": FORMAT, "got": repr(version)[:40]}
        sentences = [say("the session's format must be 1 to {most}. Received: {got}.", **bounds)]
        if whole and version > FORMAT:  # type: ignore[operator]
            sentences.append(say("A newer version of this app saved it."))
        raise CorpusError(" ".join(sentences))


def _list(values: Mapping[str, Any], name: str) -> list[Any]:
    part = values.get(name)
    if not isinstance(part, list):
        got = {"name": name, "got": type(part).__name__}
        damage = say("the session's {name} must be a list. Received: {got}.", **got)
        raise CorpusError(f"{damage} {say(_AGAIN)}")
    return part


def _each(damaged: str, values: Sequence[Any], read_one: Callable[[Any], T]) -> list[T]:
    """Read the parts of a list; raises CorpusError, the message `damaged` with the number of the first such part."""
    parts = []
    for number, value in enumerate(values, 1):
        try:
            parts.append(read_one(value))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, SettingsError) as error:
            reason = " ".join(f"{type(error).__name__} {error}".split())[:200]
            raise CorpusError(f"{say(damaged, number=number, reason=reason)} {say(_AGAIN)}") from None
    return parts


def _optional(damaged: str, values: Any, read_one: Callable[[Any], T]) -> T | None:
    return None if values is None else _each(damaged, [values], read_one)[0]


def _kept(data: Data) -> dict[str, Any]:
    return {
        "name": data.name,
        "hash": data.key,
        "rows": [row.to_dict() for row in data.rows],
        "given": list(data.given),
        "skipped": [{"line": skipped.line, "reason": skipped.reason, "unit": skipped.unit} for skipped in data.skipped],
        "left_out": data.left_out,
        "renamed": [list(pair) for pair in data.renamed],
        "notes": list(data.notes),
    }


def _data(values: Mapping[str, Any]) -> Data:
    rows, given = tuple(map(ScoredSummary.from_dict, values["rows"])), tuple(map(_flag, values["given"]))
    check("corpus_rows", len(rows), say("A data set of the session"), CorpusError)
    for row in rows:
        what = say("The dialogue {id}", id=repr(row.id[:40]))
        check("dialogue_characters", len(row.dialogue), what, CorpusError)
    if len(given) != len(rows) or not rows:
        got = {"got": len(given), "rows": len(rows)}
        raise ValueError(say("needed: for each row whether it came with a summary. Received: {got} of {rows}", **got))
    if len({row.id for row in rows}) < len(rows):
        raise ValueError(say("two rows have one id"))
    if (key := digest(rows, given)) != values["hash"]:
        hashes = {"got": key, "saved": repr(values["hash"])[:20]}
        raise ValueError(say("its rows are not those that were saved. Received: hash {got}; saved: {saved}", **hashes))
    skipped = tuple(map(_skipped, values["skipped"]))
    notes = tuple(str(note)[:500] for note in values.get("notes", ())[:20])  # other versions did not keep them
    renamed = tuple((str(old), str(new)) for old, new in values["renamed"])
    left_out = int(values["left_out"])
    return Data(key, str(values["name"])[-80:], rows, given, skipped, left_out, renamed, notes=notes)


def _skipped(values: Mapping[str, Any]) -> SkippedRow:
    return SkippedRow(int(values["line"]), str(values["reason"]), "row" if values.get("unit") == "row" else "line")


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(say("true or false is needed. Received: {got}", got=repr(value)[:40]))
    return value


def _label(values: Mapping[str, Any]) -> tuple[str, Subject, Entry]:
    about = (str(values["id"]), str(values["dialogue"]), str(values["summary"]))
    verdicts.check_tags(values["tags"])
    entry = label_file.entry_of(values, about[2], about[1])
    if (entry.tags, entry.note, entry.correct) != (tuple(values["tags"]), values["note"], values["correct"]):
        got = repr(values)[:100]
        raise ValueError(say("tags, note and “correct” contradict each other or are too long: {got}", got=got))
    return label_file.annotator_of(values), about, entry


def _scored(values: Mapping[str, Any], data: Data) -> Scored:
    rows = {int(place): ScoredSummary.from_dict(row) for place, row in values["rows"].items()}
    for place, row in rows.items():
        of = _row(data, place)
        if (row.id, row.dialogue) != (of.id, of.dialogue):
            raise _no_row(data, place)
    return Scored(str(values["weights"]), _flag(values["keep"]), rows)


def _written(trial: Trial) -> dict[str, Any]:
    """Return a trial without what its row has."""
    return {name: value for name, value in trial.to_dict().items() if name not in ("id", "dialogue")}


def _behaved(values: Mapping[str, Any], data: Data) -> Behaved:
    rows = {}
    for key, trials in values["rows"].items():
        row = _row(data, int(key))
        about = {"id": row.id, "dialogue": row.dialogue}
        rows[int(key)] = tuple(Trial.from_dict(trial | about) for trial in trials)
    return Behaved(str(values["weights"]), rows)


def _row(data: Data, place: int) -> ScoredSummary:
    if not 0 <= place < len(data.rows):
        raise _no_row(data, place)
    return data.rows[place]


def _no_row(data: Data, place: int) -> ValueError:
    return ValueError(say("row {row} is not of the data set {name}", row=place, name=repr(data.name)))
