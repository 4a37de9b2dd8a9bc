"""Summarize and judge a corpus in this process, a batch at a time."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.config import DecodeSettings
from core.errors import DialogueError
from core.evaluation.judge import Judge, Measures
from core.evaluation.plan import Plan, items_of, plan_by_length
from core.evaluation.rows import ScoredSummary, WrittenToken, given_items, mean, rounded, row_of
from core.faults.run import turn_attention
from core.text.corpus import Corpus, SkippedRow

if TYPE_CHECKING:
    from core.decoding.results import Draft
    from core.service import Summarizer
    from core.text.encoded import EncodedDialogue

Item = Mapping[str, Any]
"""A row of `Corpus.dataset`."""
MakeRows = Callable[[Sequence[Item]], list[ScoredSummary]]
"""Makes scored rows of the rows of one batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some scored rows.

    Args:
        number: of the batch in its plan.
        places: indices of the rows in the data set.
        rows: scored, in the order of `places`.
        skipped: rows that the model cannot read, all in the first batch.
    """

    number: int
    places: tuple[int, ...]
    rows: tuple[ScoredSummary, ...]
    skipped: tuple[SkippedRow, ...] = ()


def summarize_corpus(
    corpus: Corpus,
    summarizer: "Summarizer",
    settings: DecodeSettings | None = None,
    measures: Measures | None = None,
) -> Iterator[Batch]:
    """Summarize and judge a corpus batch by batch; the caller may show progress, and stop.

    Args:
        corpus: dialogues, with references where there are any.
        summarizer: the model.
        settings: decoding; None means what the checkpoint's card names.
        measures: the measures; None means ROUGE by the first reference.

    Returns:
        The batches, dialogues of similar length together; `in_order` sorts them.

    Raises:
        CorpusError: no row can be summarized.
        ScoringError: the encoder of BERTScore is not installed.
    """
    settings = settings or summarizer.settings
    plan = plan_by_length(corpus, summarizer.checkpoint, settings.truncation)
    make = own_rows(summarizer, settings, Judge(measures or Measures(), summarizer, settings.truncation))
    for batch in run_plan(corpus, plan, make):
        yield batch if batch.number else Batch(batch.number, batch.places, batch.rows, plan.skipped)


def run_plan(corpus: Corpus, plan: Plan, make: MakeRows, done: Collection[int] = ()) -> Iterator[Batch]:
    """Make the rows of every batch of a plan that is not done."""
    for number, places in enumerate(plan.batches):
        if number not in done:
            yield Batch(number, places, tuple(make(list(items_of(corpus, places)))))


def in_order(batches: Sequence[Batch]) -> list[ScoredSummary]:
    """Return the rows of some batches in the order of the corpus."""
    rows = {place: row for batch in batches for place, row in zip(batch.places, batch.rows, strict=True)}
    return [rows[place] for place in sorted(rows)]


def own_rows(summarizer: "Summarizer", settings: DecodeSettings, judge: Judge, alone: bool = False) -> MakeRows:
    """Return a function that lets our model summarize the rows of a batch.

    Args:
        summarizer: the model.
        settings: decoding.
        judge: the measures.
        alone: one dialogue at a time. This is slower for many rows, but needs no further compilation in the app.
    """

    def make(items: Sequence[Item]) -> list[ScoredSummary]:
        encoded = [summarizer.encode(item["dialogue"], settings.truncation) for item in items]
        if alone:
            drafts = [summarizer.draft(each, settings) for each in encoded]
        else:
            drafts = summarizer.write_batch(encoded, settings)
        return judge.judge([_own_row(*each) for each in zip(items, encoded, drafts, strict=True)])

    return make


def given_rows(judge: Judge) -> MakeRows:
    """Return a function that judges another system's summaries, the items' predictions."""
    return lambda items: judge.judge(given_items(items))


def fill_rows(
    rows: Mapping[int, ScoredSummary],
    own: Collection[int],
    summarizer: "Summarizer | None",
    settings: DecodeSettings | None,
    alone: bool,
) -> dict[int, ScoredSummary | DialogueError]:
    """Score some rows; our model writes the summaries of some of them.

    Args:
        rows: by place; those that have scores or hints already are left as they are.
        own: the places that our model writes for; without a model none.
        summarizer: the model.
        settings: decoding.
        alone: as `own_rows` takes it.

    Returns:
        The scored rows by place, or why the model cannot read a dialogue.
    """
    judge = Judge(Measures())
    outcomes: dict[int, ScoredSummary | DialogueError] = {place: row for place, row in rows.items() if place not in own}
    fresh = {place: row for place, row in rows.items() if place in outcomes and not row.faults and row.rouge is None}
    outcomes |= dict(zip(fresh, judge.judge(list(fresh.values())), strict=True))
    if summarizer is None or settings is None:
        return outcomes
    readable = {}
    for place in own:
        try:
            summarizer.encode(rows[place].dialogue, settings.truncation)
            readable[place] = rows[place].to_dict()
        except DialogueError as error:
            outcomes[place] = error
    if readable:
        made = own_rows(summarizer, settings, judge, alone)(list(readable.values()))
        outcomes |= dict(zip(readable, made, strict=True))
    return outcomes


def _own_row(item: Item, encoded: "EncodedDialogue", draft: "Draft") -> ScoredSummary:
    probabilities = np.exp(draft.log_probabilities.astype(np.float64))
    return row_of(
        item,
        draft.text,
        log_probability=rounded(draft.log_probabilities.astype(np.float64).sum()),
        entropy=rounded(mean(draft.entropies.astype(np.float64).tolist())),
        truncated=bool(encoded.omitted or encoded.shortened),
        tokens=tuple(
            WrittenToken(token.text, token.start, token.end, rounded(probability), rounded(entropy))
            for token, probability, entropy in zip(draft.tokens, probabilities, draft.entropies, strict=True)
        ),
        attention=tuple(map(rounded, turn_attention(draft.attention, encoded.dialogue))),
    )


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
