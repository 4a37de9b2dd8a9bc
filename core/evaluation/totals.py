"""The numbers of a whole corpus, from its rows one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.evaluation.rows import ScoredSummary, mean
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge, mean_rouge


@dataclass(slots=True)
class Totals:
    """Counts and scores of the rows so far.

    Attributes:
        count: rows.
        truncated: rows whose dialogue was not read whole.
        empty: rows whose summary is blank: they score 0.
    """

    count: int = 0
    truncated: int = 0
    empty: int = 0
    _rouge: list[Rouge] = field(default_factory=list)
    _bertscore: list[BertScore] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[ScoredSummary]) -> "Totals":
        """Of some rows, in the order of the corpus: a sum in another order may differ in the last bit."""
        totals = cls()
        for row in rows:
            totals.count += 1
            totals.truncated += row.truncated
            totals.empty += not row.summary.strip()
            if row.rouge:
                totals._rouge.append(row.rouge)
            if row.bertscore:
                totals._bertscore.append(row.bertscore)
        return totals

    @property
    def rouge(self) -> Rouge | None:
        """The mean, or None where nothing was scored."""
        return mean_rouge(self._rouge) if self._rouge else None

    @property
    def bertscore(self) -> BertScore | None:
        """The mean, or None where nothing was scored."""
        if not self._bertscore:
            return None
        names = ("precision", "recall", "f1")
        return BertScore(*(mean([getattr(score, name) for score in self._bertscore]) for name in names))
