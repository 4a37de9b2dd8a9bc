"""Training histories: read any history.csv, one row for each epoch, and describe its overfitting.

Losses are in nats per token, scores from 0 to 100.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import CheckpointError
from core.files import mistaken
from core.limits import check, limits
from core.words import say

LOSSES = ("train_loss", "validation_loss")
SCORES = ("rouge1", "rouge2", "rougeL")
MEASURES = (*LOSSES, "learning_rate", "tokens_per_second", "seconds", *SCORES)
"""Known columns beside `epoch`."""


@dataclass(frozen=True, eq=False)
class History:
    """The history of one training.

    Args:
        name: of the run.
        rows: one for each epoch, at least one; `epoch` and the measured keys of `MEASURES`.
        kept: the epoch whose weights are kept, None if unknown.
        ignored: unknown columns of the file.
    """

    name: str
    rows: tuple[Mapping[str, float], ...]
    kept: int | None
    ignored: tuple[str, ...] = ()

    def values(self, measure: str) -> tuple[list[int], list[float]]:
        """Return epochs and values of a measure, where it was measured."""
        rows = [row for row in self.rows if measure in row]
        return [int(row["epoch"]) for row in rows], [row[measure] for row in rows]

    def at(self, epoch: int | None, measure: str) -> float | None:
        """Return a measure after an epoch; None if it was not measured."""
        return next((row.get(measure) for row in self.rows if row["epoch"] == epoch), None)

    def gap(self, epoch: int) -> float | None:
        """Return validation loss minus training loss after an epoch; None if one was not measured."""
        train, validation = (self.at(epoch, name) for name in LOSSES)
        return None if train is None or validation is None else validation - train

    @property
    def last(self) -> int:
        """The last epoch."""
        return int(self.rows[-1]["epoch"])


def best_epoch(rows: Sequence[Mapping[str, float]]) -> int | None:
    """Return the epoch of the highest sum of ROUGE if every row has it, else of the lowest validation loss, or None.

    Of equal epochs the first one, as in `core.training.loop`.
    """
    if rows and all(name in row for row in rows for name in SCORES):
        return int(max(rows, key=lambda row: sum(row[name] for name in SCORES))["epoch"])
    measured = [row for row in rows if "validation_loss" in row]
    return int(min(measured, key=lambda row: row["validation_loss"])["epoch"]) if measured else None


def history(name: str, rows: Sequence[Mapping[str, float]], epochs: object = None) -> History:
    """Make a history of rows.

    Args:
        name: of the run.
        rows: at least one.
        epochs: epochs of the kept weights from a card; any other value: the rule of `best_epoch`.
    """
    told = epochs if isinstance(epochs, int) and any(row["epoch"] == epochs for row in rows) else None
    return History(name, tuple(rows), told if told is not None else best_epoch(rows))


def parse(name: str, content: bytes) -> History:
    """Read an uploaded history.csv.

    Raises:
        CheckpointError: too large, no CSV text, missing or double columns, a value that is no finite number, epochs
            that do not increase, or no row.
    """
    check("history_file", len(content), repr(name), CheckpointError)
    if reason := mistaken(content):
        raise CheckpointError("{file} is no history of a training: {reason}", file=repr(name), reason=reason)
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CheckpointError(
            "{file} is no CSV text: {error}. Allowed: UTF-8 text with commas", file=repr(name), error=error
        ) from None
    columns = [column.strip() for column in lines[0]] if lines else []
    _check_columns(name, columns)
    filled = [(number, line) for number, line in enumerate(lines[1:], 2) if any(cell.strip() for cell in line)]
    most = limits().history_rows
    if not 0 < len(filled) <= most:
        raise CheckpointError(
            "{file} must have 1 to {most:,} rows, one an epoch. Received: {count:,}",
            file=repr(name),
            most=most,
            count=len(filled),
        )
    rows = [_row(name, number, columns, line) for number, line in filled]
    for (number, _), row, before in zip(filled, rows, [None, *rows], strict=False):
        if row["epoch"] != int(row["epoch"]) or row["epoch"] < 0 or before and row["epoch"] <= before["epoch"]:
            raise CheckpointError(
                "{file} line {line}: epochs must be whole numbers that count up. Received: {epoch:g}",
                file=repr(name),
                line=number,
                epoch=row["epoch"],
            )
    ignored = tuple(column for column in columns if column not in ("epoch", *MEASURES))
    return History(name, tuple(rows), best_epoch(rows), ignored)


def _check_columns(name: str, columns: Sequence[str]) -> None:
    if "epoch" not in columns or not set(columns) & set(MEASURES):
        raise CheckpointError(
            "{file} must begin with a line of column names: epoch and at least one of {columns}. Received: {found}",
            file=repr(name),
            columns=", ".join(MEASURES),
            found=", ".join(columns)[:200] or say("nothing"),
        )
    if twice := sorted({column for column in columns if columns.count(column) > 1}):
        raise CheckpointError(
            "{file} must have every column once. Received twice: {column}", file=repr(name), column=twice[0][:40]
        )


def _row(name: str, number: int, columns: Sequence[str], line: Sequence[str]) -> dict[str, float]:
    """Read the numbers of one line; an empty cell was not measured, except the epoch."""
    if len(line) != len(columns):
        raise CheckpointError(
            "{file} line {line} must have {count} values. Received: {received}",
            file=repr(name),
            line=number,
            count=len(columns),
            received=len(line),
        )
    row = {}
    for column, cell in zip(columns, line, strict=True):
        if column not in ("epoch", *MEASURES) or not cell.strip() and column != "epoch":
            continue
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise CheckpointError(
                "{file} line {line}: {column} must be a number. Received: {value}",
                file=repr(name),
                line=number,
                column=column,
                value=repr(cell[:40]),
            )
        row[column] = value
    return row


def reading(found: History) -> str:
    """Describe the overfitting of a history in one or two sentences with its numbers."""
    epochs, losses = found.values("validation_loss")
    if not losses:
        return say("No validation loss was recorded: overfitting cannot be seen.")
    lowest = min(range(len(losses)), key=lambda place: losses[place])
    places = {"epoch": epochs[lowest], "loss": f"{losses[lowest]:.2f}"}
    at_lowest, at_end = found.gap(epochs[lowest]), found.gap(found.last)
    if at_lowest is None or at_end is None:
        return say(
            "Its validation loss is lowest after epoch {epoch}, {loss} nats a token; no training loss was recorded for "
            "it.",
            **places,
        )
    if lowest == len(losses) - 1:
        return say(
            "Its validation loss is lowest after epoch {epoch}, {loss} nats a token, its last epoch; there the gap to "
            "the training loss is {gap}. It was still falling: the loss shows no overfitting.",
            gap=_number(at_end),
            **places,
        )
    return say(
        "Its validation loss is lowest after epoch {epoch}, {loss} nats a token, and {last_loss} at the end, after "
        "epoch {last}. Meanwhile the training loss went from {training} to {last_training}, so the gap between the two "
        "grew from {gap} to {last_gap}: what it learnt in between helps on the training dialogues alone. That is "
        "overfitting.",
        last_loss=_number(losses[-1]),
        last=found.last,
        training=_number(found.at(epochs[lowest], "train_loss")),
        last_training=_number(found.at(found.last, "train_loss")),
        gap=_number(at_lowest),
        last_gap=_number(at_end),
        **places,
    )


def _number(value: float | None) -> str:
    """Write two decimals with a minus sign; a loss that a gap was computed from is never None."""
    return f"{value or 0.0:.2f}".replace("-", "−")
