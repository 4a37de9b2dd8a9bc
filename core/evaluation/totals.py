"""Add up the numbers of a corpus row by row."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.evaluation.rows import ScoredSummary, mean
from core.explain.shared.repetition import repeated_trigrams, words_of
from core.faults.words import TAG
from core.scoring.bertscore import BertScore
from core.scoring.rouge import (
    ReferenceMode,
    Rouge,
    mean_rouge,
    rouge,
    scores_zero_though_equal,
    tokenizer_name,
    used_references,
)

INVENTED = ("novel_name", "novel_number")
"""Hints for names and numbers that are not in the dialogue."""


@dataclass(slots=True)
class Totals:
    """Counts and scores of the rows so far.

    Attributes:
        count: rows.
        scored: rows with a reference; the others have a summary and no scores.
        truncated: rows whose dialogue was not read whole.
        empty: rows whose summary is blank: they score 0.
        repeated: rows whose summary repeats a sequence of three words.
        invented: rows whose summary has a name or a number that the dialogue lacks, by the hints of the row.
        tokenizers: rows by the tokenizer of ROUGE that their texts got.
        lined: rows with texts of several lines, of which ROUGE-Lsum was not measured.
        equal: rows whose summary is the reference while a measure of ROUGE is 0: it has no word, or no two.
    """

    count: int = 0
    scored: int = 0
    truncated: int = 0
    empty: int = 0
    repeated: int = 0
    invented: int = 0
    tokenizers: Counter[str] = field(default_factory=Counter)
    lined: int = 0
    equal: int = 0
    _rouge: list[Rouge] = field(default_factory=list)
    _untagged: list[Rouge] = field(default_factory=list)
    _bertscore: list[BertScore] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[ScoredSummary], mode: ReferenceMode = "first") -> "Totals":
        """Add up rows, in the order of the corpus: a sum in another order may differ in the last bit.

        Args:
            rows: scored.
            mode: use of several references.
        """
        totals = cls()
        for row in rows:
            totals.count += 1
            totals.scored += bool(row.references)
            totals.truncated += row.truncated
            totals.empty += not row.summary.strip()
            totals.repeated += bool(repeated_trigrams(words_of(row.summary)))
            totals.invented += any(fault.kind in INVENTED for fault in row.faults)
            if row.rouge:
                totals._rouge.append(row.rouge)
                used = used_references(row.references, mode)
                totals.tokenizers[tokenizer_name(row.summary, used)] += 1
                lsum = row.rouge.rougeLsum is not None
                totals.lined += not lsum and any("\n" in text.strip() for text in (row.summary, *used))
                totals.equal += scores_zero_though_equal(row.rouge, row.summary, used)
                plain = [TAG.sub(" ", text) for text in row.references]
                totals._untagged.append(rouge(TAG.sub(" ", row.summary), plain, mode, lsum))
            if row.bertscore:
                totals._bertscore.append(row.bertscore)
        return totals

    @property
    def rouge(self) -> Rouge | None:
        """The mean, or None if nothing was scored."""
        return mean_rouge(self._rouge) if self._rouge else None

    @property
    def untagged(self) -> Rouge | None:
        """The mean of ROUGE without the speakers' tags, which are an eighth of the words and easily right."""
        return mean_rouge(self._untagged) if self._untagged else None

    @property
    def bertscore(self) -> BertScore | None:
        """The mean, or None if nothing was scored."""
        if not self._bertscore:
            return None
        names = ("precision", "recall", "f1")
        return BertScore(*(mean([getattr(score, name) for score in self._bertscore]) for name in names))
