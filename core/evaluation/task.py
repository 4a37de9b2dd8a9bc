"""The task of an evaluation: small and plain, so that it can be sent to a worker."""

from dataclasses import dataclass

from core.config import DecodeSettings
from core.evaluation.judge import Judge, Measures
from core.evaluation.local import MakeRows, given_rows, own_rows


@dataclass(frozen=True, slots=True)
class Task:
    """The work on every row of a corpus.

    Args:
        measures: the measures.
        checkpoint: name or folder of the model; None if summaries are given and swaps are not measured.
        settings: of decoding; None: the rows' predictions are judged.
    """

    measures: Measures
    checkpoint: str | None = None
    settings: DecodeSettings | None = None

    def maker(self) -> MakeRows:
        """Load the model and encoder of the task, and return the function that makes rows.

        Raises:
            CheckpointError: the checkpoint is missing or damaged.
            ScoringError: the encoder is missing or damaged.
        """
        if self.checkpoint is None:
            return given_rows(Judge(self.measures))
        from core.service import Summarizer

        summarizer = Summarizer.load(self.checkpoint)
        judge = Judge(self.measures, summarizer, self.settings.truncation if self.settings else None)
        return own_rows(summarizer, self.settings, judge) if self.settings else given_rows(judge)
