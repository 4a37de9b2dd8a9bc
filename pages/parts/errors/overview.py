"""What every view of the Errors page has: the choice of dialogues and the progress; below, the opened row and means."""

from typing import cast

import streamlit as st

from core.evaluation.measures import MEASURES, interval, values
from core.evaluation.rows import RowOrigin
from core.figures.shared.wording import count, number
from core.scoring.rouge import ReferenceMode, scores_zero_though_equal, tokenizer_name, used_references
from core.words import later, say
from pages.parts.errors import asking, behaviour, column_choice, data, detail, hints, labels, rivals, saved, summaries
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import one_of
from pages.shared.place import page_description
from pages.shared.session import notices

JUDGED = later("A summary is judged when it has a tag or a confirmed hint, or is marked as without error.")
LISTED = 3
"""Writers of a file that are named."""
SCORES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "bertscore_f1")


def head() -> None:
    """Draw the choice of dialogues."""
    data.draw(saved.take)


def prepare() -> Run | None:
    """Draw the choice of the writer and the progress; return the run, or None before there is one."""
    chosen = data.chosen()
    notices.show_complaint()
    column_choice.draw(data.keep)
    data.show_notes(chosen)
    run = summaries.current(chosen)
    if run is None:
        saved.draw(chosen, None)
        return None
    summaries.controls(run)
    if not run.rows:
        saved.draw(chosen, run)
        summaries.advance(run)
        return None
    page_description.describe(detail=data.ROW.value)
    return run


def footer(run: Run) -> None:
    """Draw the keys and the opened row below every view, the means, and let writing, scoring and asking go on."""
    st.divider()
    detail.draw(run)
    saved.draw(data.chosen(), run)
    _means(run)
    summaries.score_controls(run)
    summaries.advance(run)
    summaries.advance_scores(run)
    rivals.advance(run)
    asking.advance(run)
    behaviour.advance(run)


def _means(run: Run) -> None:
    known = {name: found for name in SCORES if (found := values(name, run.rows.values()))}
    with st.container(horizontal=True, key="errors_overview"):
        st.metric(say("Summaries"), f"{len(run.rows):,}", width="content")
        for name, found in known.items():
            mean = interval(found)
            ends = say("{low} to {high}", low=number(mean.low), high=number(mean.high))
            tip = say("Mean, and its 95 % interval: the dialogues are resampled.")
            st.metric(say(MEASURES[name].label), number(mean.mean), ends, delta_color="off", delta_arrow="off",
                      width="content", help=tip)  # fmt: skip
        hinted = sum(bool(found) for found in hints.of_rows(run).values())
        st.metric(say("With a hint"), f"{hinted:,}", width="content")
        st.metric(say("Judged"), f"{labels.judged(run.rows.values()):,}", width="content", help=say(JUDGED))
    if any(row.references for row in run.rows.values()):
        _scored_by(run)
    sentence = say("The summaries come from {writer}.", writer=notices.literal(run.name))
    about = _about_scores(run) if known else [say("These dialogues have no references, so no scores.")]
    origins = map(notices.literal, _told_origins(run) if run.checkpoint is None else ())
    st.caption("  \n".join([" ".join([sentence, *about]), *origins]))


def _scored_by(run: Run) -> None:
    """Draw how several references are used, and whether ROUGE-Lsum is measured."""
    with st.container(horizontal=True, key="errors_references"):
        if any(len(row.references) > 1 for row in run.rows.values()) or summaries.REFERENCES.value != "first":
            one_of(say("Scores with"), summaries.REFERENCES)
        tip = say("Each line of a text counts as a sentence: ROUGE-L where all texts have one line.")
        one_of(say("ROUGE-Lsum"), summaries.LSUM, tip=tip)


def _told_origins(run: Run) -> list[str]:
    """Say where the rows of a file come from, each writer once: model, weights, all settings, data, day and version."""
    origins = {
        row.origin.writer: row.origin for row in run.rows.values() if row.origin and summaries.writer(row.origin)
    }
    silent = sum(not (row.origin and summaries.writer(row.origin)) for row in run.rows.values())
    lines = [_told(origin) for origin in list(origins.values())[:LISTED]]
    if len(origins) > LISTED:
        lines.append(say("and {count:,} more writers", count=len(origins) - LISTED))
    if silent:
        lines.append(say("Of {rows} the file does not say who wrote them.", rows=count(silent, "summary")))
    return lines


def _told(origin: RowOrigin) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in origin.settings)
    return say(
        "Written by {writer} · weights {weights} · {settings} · data {source} · {date}, version {version}",
        writer=summaries.writer(origin), weights=origin.weights[:12] or "–", settings=settings or "–",
        source=origin.source or "–", date=origin.date or "–", version=origin.version or "–",
    )  # fmt: skip


def _about_scores(run: Run) -> list[str]:
    """Say which rows have no scores, and which have others than they seem to."""
    mode = cast(ReferenceMode, summaries.REFERENCES.value)
    scored = [row for row in run.rows.values() if row.references]
    used = [(row, used_references(row.references, mode)) for row in scored if row.rouge]
    letters = sum(tokenizer_name(row.summary, texts) != "a-z 0-9" for row, texts in used)
    equal = sum(scores_zero_though_equal(row.rouge, row.summary, texts) for row, texts in used if row.rouge)
    cut = summaries.cut(run)
    sentences = []
    if without := len(run.rows) - len(scored):
        sentences.append(say("{rows} without a reference: they have no scores.", rows=count(without, "row")))
    if letters:
        sentences.append(
            say("{rows} with letters beyond a–z: ROUGE counts words of all scripts there.", rows=count(letters, "row"))
        )
    if equal:
        sentences.append(
            say(
                "{rows} the same as the reference, and yet a ROUGE of 0: without a word, or for ROUGE-2 without two.",
                rows=count(equal, "row"),
            )
        )
    if cut:
        sentences.append(
            say(
                "{rows} with a text longer than the encoder of BERTScore reads: the rest of it is not scored.",
                rows=count(cut, "row"),
            )
        )
    return sentences
