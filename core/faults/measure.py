"""Measure on a labelled set how often each detector is right, and how often summaries are wrong."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import CheckpointError, CorpusError
from core.faults.detectors import DETECTORS
from core.faults.fault import Fault, Kind
from core.faults.labels import LabelledSummary
from core.faults.run import forced_faults
from core.faults.sureness import Sureness, thirds
from core.files import fault, read_text
from core.scoring.wilson import wilson

if TYPE_CHECKING:
    from core.service import Summarizer

MEASURED_FILE = Path(__file__).with_name("measured.json")
"""Output of `python -m core faults measure --output` for the labelled set that ships."""
MIN_POSITIVES = 10
"""Labelled errors that a detector must be able to find at least, for its precision and recall to be given."""


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one detector; counts are of summaries, not of hints.

    Args:
        kind: the detector.
        count: number of labelled summaries.
        flagged: number with at least one of its hints.
        right: number of flagged ones with a label that confirms it.
        positives: number with such a label, flagged or not.
    """

    kind: Kind
    count: int
    flagged: int
    right: int
    positives: int

    @property
    def measured(self) -> bool:
        """Return whether there are enough labels for a measurement."""
        return self.positives >= MIN_POSITIVES

    @property
    def precision(self) -> float | None:
        """Share of the flagged ones that are right, None if none is flagged."""
        return self.right / self.flagged if self.flagged else None

    @property
    def recall(self) -> float | None:
        """Share of the positives that are flagged, None if there are none."""
        return self.right / self.positives if self.positives else None

    @property
    def base_rate(self) -> float:
        """Share of all summaries that are positives: the precision of flagging at random."""
        return self.positives / self.count if self.count else 0.0

    @property
    def default(self) -> bool:
        """Return whether the detector is on by default: not if it was measured and is at chance."""
        return not self.measured or self.precision is None or self.precision > self.base_rate

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return the 95 % Wilson intervals of precision, recall and base rate."""
        return {
            "precision": wilson(self.right, self.flagged),
            "recall": wilson(self.right, self.positives),
            "base_rate": wilson(self.positives, self.count),
        }


@dataclass(frozen=True)
class Measured:
    """The scores of all detectors on a labelled set.

    Args:
        scores: one for each detector, in the order of `DETECTORS`.
        count: number of labelled summaries.
        labels: number of summaries with each type of label.
        checkpoint: sha256 of the weights that wrote them.
        data: name of the data set.
        sureness: summaries in thirds, from the least sure third up; () in a file from before it was measured.
    """

    scores: tuple[Score, ...]
    count: int
    labels: Mapping[str, int]
    checkpoint: str
    data: str
    sureness: tuple[Sureness, ...] = ()

    def about_as_sure(self, mean: float) -> Sureness | None:
        """Return the third that a summary would be in, by `mean`, the mean log-probability of its tokens in nats."""
        return next((third for third in self.sureness if mean <= third.high), (self.sureness or (None,))[-1])

    @property
    def off(self) -> frozenset[Kind]:
        """The detectors that are off by default: measured, and not more precise than the base rate."""
        return frozenset(score.kind for score in self.scores if not score.default)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain JSON types, with the ratios and their intervals."""
        return {
            "data": self.data,
            "checkpoint": self.checkpoint,
            "count": self.count,
            "labels": dict(self.labels),
            "sureness": [asdict(third) for third in self.sureness],
            "detectors": [
                asdict(score)
                | {"precision": score.precision, "recall": score.recall, "base_rate": score.base_rate}
                | {"intervals": score.intervals(), "measured": score.measured, "default": score.default}
                for score in self.scores
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Measured":
        """Build from what `to_dict` returned; raises KeyError, TypeError or ValueError."""
        names = ("count", "flagged", "right", "positives")
        scores = tuple(
            Score(row["kind"], *(int(row[name]) for name in names))
            for row in values["detectors"]
            if row["kind"] in DETECTORS
        )
        labels = {str(name): int(count) for name, count in values["labels"].items()}
        sureness = tuple(
            Sureness(float(row["low"]), float(row["high"]), int(row["count"]), int(row["wrong"]))
            for row in values.get("sureness", ())
        )
        return cls(scores, int(values["count"]), labels, str(values["checkpoint"]), str(values["data"]), sureness)


@cache
def shipped() -> Measured | None:
    """Read the measurement that ships, None if there is none; it is read once.

    A detector that is newer than the measurement counts as not measured.
    """
    try:
        measured = Measured.from_dict(json.loads(read_text(MEASURED_FILE)))
        known = {score.kind: score for score in measured.scores}
        scores = tuple(known.get(kind) or Score(kind, measured.count, 0, 0, 0) for kind in DETECTORS)
        return replace(measured, scores=scores)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        remedy = "measure again with python -m core faults measure, or bring it back with git restore"
        raise CorpusError(f"{MEASURED_FILE.name} is damaged: {fault(MEASURED_FILE, error, remedy)}") from None


def known() -> Measured | None:
    """Return the measurement that ships; None where it is missing or damaged, for those who can do without."""
    try:
        return shipped()
    except CorpusError:
        return None


def score_detectors(rows: Sequence[LabelledSummary], faults: Sequence[Sequence[Fault]]) -> tuple[Score, ...]:
    """Count for each detector the summaries that it flags, and those that it flags rightly."""
    found = [{fault.kind for fault in group} for group in faults]
    named = [{label.type for label in row.labels} for row in rows]
    scores = []
    for kind in DETECTORS:
        positive = [not types.isdisjoint(DETECTORS[kind].confirmed_by) for types in named]
        flagged = [kind in kinds for kinds in found]
        right = sum(yes and hit for yes, hit in zip(positive, flagged, strict=True))
        scores.append(Score(kind, len(rows), sum(flagged), right, sum(positive)))
    return tuple(scores)


def measure(
    rows: Sequence[LabelledSummary],
    dialogues: Mapping[str, tuple[str, Sequence[str]]],
    summarizer: "Summarizer",
    data: str,
    report: Callable[[int, int], None] | None = None,
) -> Measured:
    """Run every detector on a labelled set, and sort its summaries by how sure the model is of them.

    Args:
        rows: the labelled set; rows without labels yet are left out.
        dialogues: text and references of each dialogue, by id.
        summarizer: the model that wrote the summaries.
        data: name of the data set.
        report: called with finished rows and all rows.

    Raises:
        CheckpointError: the labels are about summaries of another checkpoint.
        CorpusError: a dialogue is missing, or nothing is labelled.
    """
    done = [row for row in rows if not row.todo]
    if not done:
        raise CorpusError(f"no summary is labelled yet. Received: {len(rows)} rows, all of them to do")
    check_ids(done, dialogues)
    weights = weights_hash(summarizer)
    if others := sorted({row.checkpoint for row in done} - {weights}):
        raise CheckpointError(
            f"the labels are about summaries of the weights {others[0][:12]}. Received: {summarizer.checkpoint.name} "
            f"with {weights[:12]}. Allowed: that checkpoint, or labels of this one (python -m core faults sheet)"
        )
    faults, means = [], []
    for number, row in enumerate(done, 1):
        text, references = dialogues[row.id]
        encoded = summarizer.encode(text)
        forced = summarizer.force(encoded, row.summary)
        faults.append(forced_faults(summarizer, encoded, row.summary, forced, references))
        means.append(forced.mean_log_probability)
        if report:
            report(number, len(done))
    named = Counter(name for row in done for name in {label.type for label in row.labels})
    scores = score_detectors(done, faults)
    return Measured(scores, len(done), dict(sorted(named.items())), weights, data, thirds(done, means))


def check_ids(rows: Sequence[LabelledSummary], dialogues: Mapping[str, Any]) -> None:
    """Check that the data have every labelled dialogue; raises CorpusError."""
    missing = [row.id for row in rows if row.id not in dialogues]
    if missing:
        raise CorpusError(f"the data lack {len(missing)} of {len(rows)} labelled ids, {missing[0]!r} for instance")


def weights_hash(summarizer: "Summarizer") -> str:
    """Return the sha256 of a checkpoint's weights from its card."""
    return str(summarizer.checkpoint.card["sha256"]["weights.safetensors"])
