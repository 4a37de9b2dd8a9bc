"""One row of an evaluation, and the JSON lines that store it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from core.config import DecodeSettings
from core.errors import CorpusError, SettingsError
from core.faults.fault import Fault
from core.files import fault, finite, parsed, read_text
from core.runtime.version import version
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge
from core.text.corpora.rows import LONGEST_OWN, MOST_OWN, own_value
from core.words import later, say

MOST_BYTES = 2_000_000_000
"""Most bytes of a file of rows."""
_AGAIN = later("use another copy of the file, or evaluate again")


@dataclass(frozen=True, slots=True)
class WrittenToken:
    """A token that our model wrote.

    Args:
        text: its characters, without a leading space; [EOS] as the tokenizer names it.
        start: first character in the summary.
        end: one past its last character; equal to `start` for [EOS].
        probability: over the whole vocabulary, 0 to 1.
        entropy: of the next-token distribution, in nats.
    """

    text: str
    start: int
    end: int
    probability: float
    entropy: float


@dataclass(frozen=True, slots=True)
class RowOrigin:
    """Where a row comes from.

    Args:
        checkpoint: name of the model that wrote the summary; "" for another system's.
        weights: SHA-256 of that model's weights, or "".
        settings: of its decoding, by name; empty for another system's.
        source: name of the file or data set with the dialogue.
        row: line of that file, or row of that data set, from 1.
        predictions: name of the file with another system's summaries, or "".
        date: of the evaluation, in the form 2026-03-01, in UTC.
        version: of this project.
        measured: what scores depend on, by name: "references", the mode; "rouge" and "bertscore", what computed them.
    """

    checkpoint: str = ""
    weights: str = ""
    settings: tuple[tuple[str, str | int | float | bool], ...] = ()
    source: str = ""
    row: int = 0
    predictions: str = ""
    date: str = ""
    version: str = ""
    measured: tuple[tuple[str, str], ...] = ()

    @classmethod
    def today(
        cls,
        source: str,
        settings: DecodeSettings | None = None,
        *,
        checkpoint: str = "",
        weights: str = "",
        predictions: str = "",
    ) -> "RowOrigin":
        """Return where rows come from that are made now, without their places; arguments as the class has them."""
        values = tuple(settings.to_dict().items()) if settings else ()
        day = datetime.now(UTC).date().isoformat()
        return cls(checkpoint, weights, values, source, predictions=predictions, date=day, version=version())

    @property
    def writer(self) -> tuple[Any, ...]:
        """Return what tells the writer of the summary from others."""
        return self.checkpoint, self.weights, self.settings, self.predictions

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self) | {"settings": dict(self.settings), "measured": dict(self.measured)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "RowOrigin":
        """Build from what `to_dict` returned; raises TypeError for anything else."""
        settings = _typed(values["settings"], dict)
        if not all(isinstance(value, str | int | float | bool) for value in settings.values()):
            raise TypeError("a setting must be a text, a number, true or false")
        texts = {name: _typed(values[name], str) for name in _TEXTS}
        measured = tuple((name, _typed(text, str)) for name, text in _typed(values.get("measured", {}), dict).items())
        return cls(settings=tuple(settings.items()), row=_typed(values["row"], int), measured=measured, **texts)


_TEXTS = ("checkpoint", "weights", "source", "predictions", "date", "version")


@dataclass(frozen=True, slots=True)
class ScoredSummary:
    """One row of an evaluation.

    Args:
        id: of the dialogue.
        dialogue: its text.
        references: its reference summaries.
        topic: '' if the data has none.
        summary: the summary that is scored.
        rouge: its scores; None if ROUGE was not measured.
        bertscore: the same for BERTScore.
        log_probability: summed over the summary's tokens, the end token included; None for another system's summary.
        entropy: mean over the tokens, in nats; None for another system's summary.
        truncated: whether the model did not read the whole dialogue.
        tokens: the tokens that our model wrote; empty for another system's summary.
        attention: for each turn of the dialogue, its share of the attention of all tokens (the copy distribution, else
            the mean over the heads of the last layer's cross-attention); empty for another system's summary.
        faults: hints.
        origin: where it comes from; None where no evaluation has written it.
        columns: short values of the data's own columns, by name.
    """

    id: str
    dialogue: str
    references: tuple[str, ...]
    topic: str
    summary: str
    rouge: Rouge | None = None
    bertscore: BertScore | None = None
    log_probability: float | None = None
    entropy: float | None = None
    truncated: bool = False
    tokens: tuple[WrittenToken, ...] = ()
    attention: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    origin: RowOrigin | None = field(default=None, repr=False)  # `intake.digest` is one of the others
    columns: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain JSON types."""
        values = asdict(self)
        for name in ("references", "tokens", "attention"):
            values[name] = list(values[name])
        values["rouge"] = self.rouge and self.rouge.to_dict()
        faults = [fault.to_dict() for fault in self.faults]
        origin = self.origin.to_dict() if self.origin else None
        return values | {"faults": faults, "origin": origin, "columns": dict(self.columns)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ScoredSummary":
        """Build from what `to_dict` returned; raises SettingsError for anything else."""
        try:
            return cls(
                id=_typed(values["id"], str),
                dialogue=_typed(values["dialogue"], str),
                references=tuple(_typed(text, str) for text in _typed(values["references"], list)),
                topic=_typed(values.get("topic", ""), str),
                summary=_typed(values["summary"], str),
                rouge=_optional(values.get("rouge"), Rouge),
                bertscore=_optional(values.get("bertscore"), BertScore),
                log_probability=_optional(values.get("log_probability"), float),
                entropy=_optional(values.get("entropy"), float),
                truncated=_typed(values.get("truncated", False), bool),
                tokens=tuple(_token(token) for token in _typed(values.get("tokens", []), list)),
                attention=tuple(finite(share) for share in _typed(values.get("attention", []), list)),
                faults=tuple(Fault.from_dict(fault) for fault in _typed(values.get("faults", []), list)),
                origin=RowOrigin.from_dict(values["origin"]) if values.get("origin") is not None else None,
                columns=own_columns(values.get("columns")),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            got = f"{type(error).__name__} {error}"
            raise SettingsError("not a row that `evaluate` writes. Received: {got}", got=got) from None


def own_columns(values: Any) -> tuple[tuple[str, str], ...]:
    """Return the own columns of a row: of a mapping, or of JSON with one; raises ValueError or TypeError."""
    columns = _typed(parsed(values) if isinstance(values, str) else values or {}, dict)
    kept = ((str(name)[:LONGEST_OWN], own_value(value)) for name, value in islice(columns.items(), MOST_OWN))
    return tuple((name, value) for name, value in kept if value)


def row_of(item: Mapping[str, Any], summary: str, **own: Any) -> ScoredSummary:
    """Return a row with a summary of a row of `Corpus.dataset`; `own` are further fields."""
    own["columns"] = own_columns(item.get("columns"))
    return ScoredSummary(item["id"], item["dialogue"], tuple(item["references"]), item["topic"], summary, **own)


def given_items(items: Iterable[Mapping[str, Any]]) -> list[ScoredSummary]:
    """Return rows with the summaries that came with them, or none, before anything is measured."""
    return [row_of(item, item["prediction"] or "") for item in items]


def to_line(row: ScoredSummary) -> str:
    """Return a row as one line of JSON."""
    return json.dumps(row.to_dict(), ensure_ascii=False)


def from_line(line: str) -> ScoredSummary:
    """Read a line that `to_line` wrote; raises SettingsError."""
    try:
        return ScoredSummary.from_dict(parsed(line))
    except (ValueError, RecursionError) as error:
        raise SettingsError(str(error)) from None


def read_rows(path: Path) -> list[ScoredSummary]:
    """Read a file that `evaluate --output` wrote.

    Raises:
        CorpusError: the file cannot be read, or a line is something else.
    """
    try:
        lines = read_text(path, MOST_BYTES).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = fault(path, error, say(_AGAIN))
        message = say("the rows {name} cannot be read: {reason}", name=repr(path.name), reason=reason)
        raise CorpusError(message) from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(from_line(line))
        except SettingsError as error:
            where = {"number": number, "name": path.name}
            message = say("line {number} of '{name}': {reason}", **where, reason=fault(path, error, say(_AGAIN)))
            raise CorpusError(message) from None
    return rows


def _token(values: Mapping[str, Any]) -> WrittenToken:
    return WrittenToken(
        _typed(values["text"], str),
        int(values["start"]),
        int(values["end"]),
        finite(values["probability"]),
        finite(values["entropy"]),
    )


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:60]!r} is no {kind.__name__}")
    return value


def _optional(value: Any, kind: type) -> Any:
    """Convert a number or a mapping of numbers; None stays None."""
    if value is None:
        return None
    return finite(value) if kind is float else kind(**{name: finite(number) for name, number in value.items()})


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def rounded(value: float) -> float:
    """Round to six significant digits: further ones depend on the order of a sum in float32."""
    return float(f"{value:.6g}")
