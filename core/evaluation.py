"""A corpus in, a table of scored summaries out."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.config import DecodeSettings
from core.errors import CorpusError, DialogueError
from core.scoring.rouge import ReferenceMode, Rouge, mean_rouge, rouge
from core.text.corpus import Corpus, SkippedRow

if TYPE_CHECKING:
    from core.service import Summarizer


@dataclass(frozen=True, slots=True)
class ScoredSummary:
    """One row of an evaluation.

    Args:
        id: of the dialogue.
        dialogue: its text.
        references: its reference summaries.
        summary: what was written.
        rouge: its scores.
        log_probability: summed over the summary's tokens; None for another system's summary.
        entropy: mean over the tokens, in nats; None for another system's summary.
        truncated: whether the model did not read the whole dialogue.
    """

    id: str
    dialogue: str
    references: tuple[str, ...]
    summary: str
    rouge: Rouge
    log_probability: float | None = None
    entropy: float | None = None
    truncated: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The row as plain JSON types."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scored rows and what was left out.

    Args:
        rows: one a usable dialogue.
        skipped: rows that could not be used, with line and reason.
        seconds: wall time of decoding and scoring.
    """

    rows: tuple[ScoredSummary, ...]
    skipped: tuple[SkippedRow, ...]
    seconds: float

    @property
    def rouge(self) -> Rouge:
        """Mean over the rows."""
        return mean_rouge([row.rouge for row in self.rows])


def evaluate(
    corpus: Corpus,
    summarizer: "Summarizer",
    settings: DecodeSettings | None = None,
    mode: ReferenceMode = "first",
    report: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Summarise and score every dialogue of a corpus.

    Args:
        corpus: dialogues with references.
        summarizer: the model.
        settings: decoding; None means what the checkpoint's card names.
        mode: how several references are used.
        report: called with rows done and rows in all.

    Raises:
        CorpusError: no row could be summarised.
    """
    started = time.perf_counter()
    rows: list[ScoredSummary] = []
    skipped = list(corpus.skipped)
    for number, item in enumerate(_items(corpus), 1):
        try:
            summary = summarizer.summarize(item["dialogue"], settings)
        except DialogueError as error:
            skipped.append(SkippedRow(number, f"row {number} ({item['id']}): {error}"))
            continue
        steps = summary.steps
        rows.append(
            ScoredSummary(
                item["id"],
                item["dialogue"],
                tuple(item["references"]),
                summary.text,
                rouge(summary.text, item["references"], mode),
                summary.log_probability,
                sum(step.entropy for step in steps) / len(steps),
                bool(summary.omitted or summary.shortened),
            )
        )
        if report:
            report(number, len(corpus.dataset))
    return _finish(rows, skipped, started)


def score_predictions(corpus: Corpus, predictions: Sequence[str], mode: ReferenceMode = "first") -> Evaluation:
    """Score another system's summaries, one for each row of the corpus, in its order."""
    started = time.perf_counter()
    rows = [
        ScoredSummary(
            item["id"], item["dialogue"], tuple(item["references"]), text, rouge(text, item["references"], mode)
        )
        for item, text in zip(_items(corpus), predictions, strict=True)
    ]
    return _finish(rows, list(corpus.skipped), started)


def read_predictions(path: Path, corpus: Corpus) -> list[str]:
    """Read another system's summaries for a corpus.

    Args:
        path: plain lines in the order of the data, or JSONL with `id` and `summary`.
        corpus: what they summarise.

    Returns:
        One summary a row of the corpus.

    Raises:
        CorpusError: the file cannot be read, the number of plain lines differs, or an id has no summary.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"the predictions cannot be read: {error}") from None
    lines = text.splitlines()
    ids = [item["id"] for item in _items(corpus)]
    if path.suffix != ".jsonl":
        if len(lines) != len(ids):
            raise CorpusError(
                f"plain predictions need one line a usable row. Received: {len(lines)} lines; rows: {len(ids)}"
            )
        return lines
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            found[str(row["id"])] = str(row["summary"])
        except (ValueError, KeyError, TypeError):
            raise CorpusError(
                f"predictions line {number} must be a JSON object with id and summary. Received: {line[:60]!r}"
            ) from None
    missing = [each for each in ids if each not in found]
    if missing:
        raise CorpusError(f"the predictions lack {len(missing)} of {len(ids)} ids, {missing[0]!r} for instance")
    return [found[each] for each in ids]


def write_rows(path: Path, evaluation: Evaluation) -> None:
    """Write the rows as JSONL, beside and then renamed."""
    fresh = path.with_name(path.name + ".part")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            for row in evaluation.rows:
                file.write(json.dumps(row.to_dict(), ensure_ascii=False) + "\n")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CorpusError(f"the predictions cannot be written: {error}") from None


def _items(corpus: Corpus) -> Iterator[dict[str, Any]]:
    yield from corpus.dataset


def _finish(rows: list[ScoredSummary], skipped: list[SkippedRow], started: float) -> Evaluation:
    if not rows:
        raise CorpusError("no row could be summarised" + (f": {skipped[0].reason}" if skipped else ""))
    return Evaluation(tuple(rows), tuple(skipped), time.perf_counter() - started)
