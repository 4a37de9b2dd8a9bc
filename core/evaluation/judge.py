"""Measure summaries: scores against the references, and hints."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from core.config import Truncation
from core.errors import DialogueError, SettingsError
from core.evaluation.rows import ScoredSummary, rounded
from core.faults.detectors import find_faults
from core.faults.fault import Fault
from core.faults.source import written_tags
from core.faults.swaps import swap_faults
from core.scoring.bertscore import BertScore, BertScorer, Counts
from core.scoring.encoders import EMBEDDED
from core.scoring.rouge import LSUM, ReferenceMode, fingerprint, rouge
from core.text.dialogue import parse_dialogue

if TYPE_CHECKING:
    from core.service import Summarizer

Metric = Literal["rouge", "rougeLsum", "bertscore"]


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of an evaluation.

    Args:
        metrics: scores against the references; "rougeLsum" measures the others of ROUGE, too.
        mode: use of several references.
        encoder: of BERTScore.
        swaps: whether our model also compares each summary with swapped alternatives.
    """

    metrics: tuple[Metric, ...] = ("rouge",)
    mode: ReferenceMode = "first"
    encoder: str = EMBEDDED
    swaps: bool = False


def measured_by(measures: Measures, encoder: dict[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """Return what scores depend on, for `RowOrigin`; `encoder` is BERTScore's fingerprint, None where it is not used.

    Scores can be compared if these are the same.
    """
    basis = {"references": measures.mode, "rouge": fingerprint({})["library"]}
    if encoder:
        digest = sha256(json.dumps(encoder, sort_keys=True).encode()).hexdigest()
        basis["bertscore"] = f"{encoder['encoder']} {digest[:12]}"
    return tuple(basis.items())


class Judge:
    """Measures summaries; several threads may use it.

    Args:
        measures: the measures.
        summarizer: our model, needed for swaps, and to know the tags that it writes for speakers.
        truncation: of a too long dialogue; None means what its card names.

    Raises:
        ScoringError: the encoder is not installed.
        SettingsError: swaps are asked for without a model.
    """

    def __init__(
        self, measures: Measures, summarizer: "Summarizer | None" = None, truncation: Truncation | None = None
    ) -> None:
        if measures.swaps and summarizer is None:
            raise SettingsError("swaps need a model. Received: no model")
        self.measures = measures
        self._summarizer = summarizer
        self._truncation = truncation
        self._scorer = BertScorer(measures.encoder) if "bertscore" in measures.metrics else None

    @property
    def fingerprint(self) -> dict[str, Any] | None:
        """Fingerprint of BERTScore's settings, or None if BERTScore is not measured."""
        return self._scorer.fingerprint if self._scorer else None

    def judge(self, rows: Sequence[ScoredSummary]) -> list[ScoredSummary]:
        """Add scores and hints to rows; a row without reference gets no scores."""
        with_references = [row for row in rows if row.references]
        bert = iter(self._bertscores(with_references))
        return [
            replace(
                row,
                rouge=self._rouge(row),
                bertscore=next(bert, None) if row.references else None,
                faults=tuple(map(_rounded, self._faults(row))),
            )
            for row in rows
        ]

    def counts(self, row: ScoredSummary) -> Counts:
        """Return whether BERTScore cannot score the row as it is: a text is blank, or longer than the encoder reads."""
        if self._scorer is None or not row.references:
            return Counts(0, 0)
        return self._scorer.count([row.summary], [row.references], self.measures.mode)

    def _rouge(self, row: ScoredSummary) -> Any:
        lsum = LSUM in self.measures.metrics
        if not (lsum or "rouge" in self.measures.metrics) or not row.references:
            return None
        return rouge(row.summary, row.references, self.measures.mode, lsum)

    def _bertscores(self, rows: Sequence[ScoredSummary]) -> list[BertScore]:
        if self._scorer is None:
            return []
        return self._scorer.score([row.summary for row in rows], [row.references for row in rows], self.measures.mode)

    def _faults(self, row: ScoredSummary) -> tuple[Fault, ...]:
        dialogue = parse_dialogue(row.dialogue)
        hints = find_faults(
            dialogue,
            row.summary,
            references=row.references,
            tokens=[token for token in row.tokens if token.end > token.start],
            attention=row.attention,
            ended=row.tokens[-1].end == row.tokens[-1].start if row.tokens else None,
            tags=written_tags(self._summarizer.tokenizer, dialogue) if self._summarizer else {},
        )
        if not self.measures.swaps or self._summarizer is None:
            return hints
        try:
            encoded = self._summarizer.encode(row.dialogue, self._truncation)
        except DialogueError:  # another system could read it
            return hints
        return hints + swap_faults(self._summarizer, encoded, row.summary)


def _rounded(fault: Fault) -> Fault:
    return fault if fault.value is None else replace(fault, value=rounded(fault.value))
