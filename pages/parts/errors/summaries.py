"""The summaries of some dialogues by one writer, and how far writing and scoring them is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from core import checkpoints
from core.config import DecodeSettings
from core.errors import CheckpointError, DialogueError, SettingsError
from core.evaluation import written
from core.evaluation.intake import BUNDLED, Data
from core.evaluation.judge import Measures, measured_by
from core.evaluation.rows import RowOrigin, ScoredSummary
from core.scoring.bertscore import BertScore
from core.scoring.rouge import ReferenceMode, rouge
from core.words import later, say
from pages.parts.errors.data import BY
from pages.shared.controls.choices import one_of, row
from pages.shared.model import loading, models, sweep
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice

if TYPE_CHECKING:
    from core.service import Summarizer

BATCH = 8
"""Rows that are written before the page draws again: as many as the model writes at once."""
SCORED = 32
"""Rows that are scored before the page draws again."""
FEW = 64
"""So few rows are written one at a time: what that needs is compiled already."""
Done = ScoredSummary | DialogueError
REFERENCES = Choice(
    "err_references",
    {"first": later("the first reference"), "mean": later("the mean of all"), "max": later("the best of all")},
)
LSUM = Choice("err_lsum", {"no": later("no"), "yes": later("yes")})
"""How several references are used, and whether ROUGE-Lsum is measured, too: of all scores of the page."""
FIELDS = (REFERENCES, LSUM)


@dataclass(frozen=True)
class Run:
    """Summaries of some data by one writer.

    Args:
        key: tells two runs apart; of the sweep that makes it.
        data: what is summarized.
        name: of the writer, plain text.
        checkpoint: name of the checkpoint that writes them; None for summaries that came with the data.
        summarizer: the loaded checkpoint; None while it loads, which what it wrote before does not wait for.
        settings: its decoding.
        done: by place in the data, the scored row, or why there is none.
        keep: whether summaries that came with the data are kept, and the model writes the others alone.
    """

    key: tuple[Any, ...]
    data: Data
    name: str
    checkpoint: str | None
    summarizer: "Summarizer | None"
    settings: DecodeSettings | None
    done: Mapping[int, Done]
    keep: bool = False

    @cached_property
    def rows(self) -> dict[int, ScoredSummary]:
        """Return the rows by place, in the order of the data, with every score that is known."""
        mode, lsum = cast(ReferenceMode, REFERENCES.value), LSUM.value == "yes"
        scores: Mapping[int, BertScore] = sweep.results(self.score_key) if sweep.known(self.score_key) else {}
        return {
            place: replace(own, bertscore=scores[place]) if place in scores else own
            for place, row in sorted(self.done.items())
            if isinstance(row, ScoredSummary) and (own := _rescored(row, mode, lsum))
        }

    @property
    def with_references(self) -> list[int]:
        """Return the places of the rows that can be scored."""
        return [place for place, row in self.rows.items() if row.references]

    @property
    def score_key(self) -> tuple[Any, ...]:
        """Return the key of the sweep that adds BERTScore."""
        return ("bertscore", REFERENCES.value, *self.key)

    @property
    def failed(self) -> dict[int, DialogueError]:
        """Return why rows could not be summarized, by place."""
        return {place: row for place, row in sorted(self.done.items()) if not isinstance(row, ScoredSummary)}

    @property
    def complete(self) -> bool:
        """Return whether every row was tried."""
        return len(self.done) == len(self.data.rows)

    @property
    def writer(self) -> str:
        """Return the hash of the weights that write the summaries, or the name of the file that they came with."""
        return self.data.name if self.checkpoint is None else models.file_hash(self.checkpoint)

    def place(self, id: str) -> int | None:
        """Return where the row with this id is; None where there is none."""
        return next((place for place, row in self.rows.items() if row.id == id), None)


@lru_cache(maxsize=4096)
def _rescored(row: ScoredSummary, mode: ReferenceMode, lsum: bool) -> ScoredSummary:
    """Return a row whose scores use its references in this way; a BERTScore that does not is left out."""
    own = dict(row.origin.measured).get("references", "first") if row.origin else "first"
    if not row.references or own == mode and not (lsum and row.rouge and row.rouge.rougeLsum is None):
        return row
    scores = rouge(row.summary, row.references, mode, lsum) if row.rouge else None
    measurement = dict(row.origin.measured if row.origin else ()) | {"references": mode}
    origin = replace(row.origin or RowOrigin(), measured=tuple(measurement.items()))
    return replace(row, rouge=scores, bertscore=row.bertscore if own == mode else None, origin=origin)


def measured(run: Run, bertscore: bool) -> dict[str, str]:
    """Return what the scores of a run depend on; a file that does not say it was measured as this page does."""
    encoder = None
    if bertscore:
        from core.scoring.bertscore import BertScorer

        encoder = BertScorer().fingerprint
    here = dict(measured_by(Measures(mode=cast(ReferenceMode, REFERENCES.value)), encoder))
    return (
        here
        | (dict(run.data.origin.measured) if run.checkpoint is None and run.data.origin else {})
        | {"references": REFERENCES.value}
    )


def of_file(data: Data) -> Run:
    """Return the summaries that came with the data."""
    key, name = ("errors", data.key, data.origins, "file"), say("the file {name}", name=data.name)
    if writer := writer_of(data):
        name = say("{writer}, from the file {name}", writer=writer, name=data.name)
    return Run(key, data, name, None, None, None, sweep.results(key))


def writer_of(data: Data) -> str:
    """Return the name of the model that wrote the summaries of a file, if all its rows say so; else ""."""
    return writer(data.origin) if data.origin else ""


def writer(origin: RowOrigin) -> str:
    """Return the name of the model, with its decoding, or of the file, that a summary comes from; "" if unknown."""
    if not origin.checkpoint:
        return say("the file {name}", name=origin.predictions) if origin.predictions else ""
    try:
        return described(origin.checkpoint, DecodeSettings.from_dict(dict(origin.settings)))
    except SettingsError:  # of another version
        return origin.checkpoint


def with_origin(run: Run) -> dict[int, ScoredSummary]:
    """Return the rows of a run by place, each with where it comes from, for a file."""
    if run.checkpoint is None or run.settings is None:
        return run.rows
    own = RowOrigin.today(run.data.name, run.settings, checkpoint=run.checkpoint, weights=run.writer)
    scored = measured(run, sweep.known(run.score_key) and bool(sweep.results(run.score_key)))
    own = replace(own, measured=tuple(scored.items()))
    return {
        place: row if run.keep and run.data.given[place] else replace(row, origin=replace(own, row=place + 1))
        for place, row in run.rows.items()
    }


def of_model(
    data: Data, checkpoint: str, summarizer: "Summarizer | None", settings: DecodeSettings, keep: bool = False
) -> Run:
    """Return the summaries of a model, loaded or not; with `keep` it writes only those that the data lacks."""
    key = ("errors", data.key, data.origins, models.identity(checkpoint), tuple(settings.to_dict().items()), keep)
    name = described(checkpoint, settings)
    if keep:
        name = say("the file {name}, else {writer}", name=data.name, writer=name)
    done = sweep.results(key)
    if not done and data.key == BUNDLED:
        done.update(_written(checkpoint, settings))
    return Run(key, data, name, checkpoint, summarizer, settings, done, keep)


def _written(checkpoint: str, settings: DecodeSettings) -> Mapping[int, ScoredSummary]:
    """Return what a checkpoint wrote of the bundled dialogues before, if it was kept; a damaged file is said."""
    try:
        return written.read(checkpoints.read_written(checkpoint), models.file_hash(checkpoint), settings)
    except CheckpointError as error:
        notices.show_failure(error, say("What the model wrote before cannot be read"))
        return {}


def described(checkpoint: str, settings: DecodeSettings) -> str:
    """Return the name of a writer: dialoscope, beam 4."""
    if settings.strategy == "beam":
        return say("{checkpoint}, beam {beams}", checkpoint=checkpoint, beams=settings.beam_size)
    if settings.strategy == "greedy":
        return say("{checkpoint}, greedy", checkpoint=checkpoint)
    return say("{checkpoint}, sampled with seed {seed}", checkpoint=checkpoint, seed=settings.seed)


def current(data: Data) -> Run | None:
    """Draw the choice of the writer; return its run, or None while the model loads."""
    choices = {"model": say("The model of the sidebar")}
    if any(data.given):
        choices = {"file": say("The file") if all(data.given) else say("The file, else the model")} | choices
    by = BY.fit(choices, say("the writer"))
    if len(choices) > 1:
        with row():
            one_of(say("Summaries by"), choices, BY)
    if by == "file" and all(data.given):
        return of_file(data)
    return of_current(data, decoding.CHECKPOINT.value, decoding.settings(), by == "file")


def of_current(data: Data, checkpoint: str, settings: DecodeSettings, keep: bool = False) -> Run | None:
    """Return the summaries of a model; None while it loads and has more to write."""
    run = of_model(data, checkpoint, models.loaded(checkpoint), settings, keep)
    if run.complete:  # all is kept: the model may load when the page has been drawn
        return run
    job = models.job(checkpoint)
    run = replace(run, summarizer=job.summarizer)
    return run if loading.ready(job) and run.summarizer else None


def controls(run: Run, name: str = "errors") -> None:
    """Draw how far the run is, with a button that starts or stops it; a new run starts by itself."""
    if not run.done and not sweep.running(run.key):
        sweep.start(run.key)
    if not run.complete:
        places = range(len(run.data.rows))
        sweep.controls(name, run.key, places, say("Write and score the summaries"), say("summaries"))
    for place in list(run.failed)[:5]:
        reason = notices.literal(str(_refusal(run, place)))
        st.warning(f"{notices.literal(run.data.rows[place].id)}: {reason}", icon=":material/block:")


def _refusal(run: Run, place: int) -> DialogueError:
    """Return why a row cannot be summarized, in the language of the page: another visitor may have met it first."""
    try:
        if run.summarizer and run.settings:
            run.summarizer.encode(run.data.rows[place].dialogue, run.settings.truncation)
    except DialogueError as error:
        return error
    return run.failed[place]


def advance(run: Run) -> None:
    """Write and score the next rows of a run; the last call of the page's fragment."""
    sweep.advance(run.key, range(len(run.data.rows)), BATCH, lambda places: _measure(run, places))


def _measure(run: Run, places: Sequence[int]) -> Mapping[int, Done]:
    from core.evaluation.local import fill_rows

    rows = {place: run.data.rows[place] for place in places}
    own = {place for place in places if run.summarizer and not (run.keep and run.data.given[place])}
    return fill_rows(rows, own, run.summarizer, run.settings, alone=len(run.data.rows) <= FEW)


def score_controls(run: Run) -> None:
    """Draw a button that scores the summaries with BERTScore; its encoder takes seconds to load."""
    if run.complete and any(run.rows[place].bertscore is None for place in run.with_references):
        sweep.controls("bertscore", run.score_key, run.with_references, say("Score with BERTScore"), say("scores"))


def advance_scores(run: Run) -> None:
    """Score the next rows with BERTScore; the last call of the page's fragment."""
    sweep.advance(run.score_key, run.with_references, SCORED, lambda some: _score(run, some))


def _score(run: Run, places: Sequence[int]) -> Mapping[int, BertScore]:
    from core.scoring.bertscore import BertScorer

    rows, scorer = [run.rows[place] for place in places], BertScorer()
    mode = cast(ReferenceMode, REFERENCES.value)
    for place, scored in zip(places, rows, strict=True):
        if scorer.count([scored.summary], [scored.references], mode).cut:
            sweep.results(_cut_key(run))[place] = True
    scores = scorer.score([row.summary for row in rows], [row.references for row in rows], mode)
    return dict(zip(places, scores, strict=True))


def cut(run: Run) -> int:
    """Return how many rows have a text that BERTScore did not read to its end."""
    return len(sweep.results(_cut_key(run))) if sweep.known(_cut_key(run)) else 0


def _cut_key(run: Run) -> tuple[Any, ...]:
    return ("bertscore cut", *run.key)
