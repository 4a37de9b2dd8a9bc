"""The button that saves a report of the summary: one web page, with the head that is open on Attention."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import CheckpointError, ScoringError
from core.explain.shared import cross
from core.limits import limits
from core.report import contents, page, scores
from core.scoring.encoders import EMBEDDED, find
from core.trace import Summary
from core.words import say
from pages.parts.summarize import own_words
from pages.shared.controls import open_head
from pages.shared.model import models
from pages.shared.model.answers import answer
from pages.shared.session import selection

if TYPE_CHECKING:
    from core.service import Summarizer

BERTSCORE = "report_bertscore"


def draw(summary: Summary, again: "Callable[[], tuple[Summarizer, Summary]]") -> None:
    """Draw the button; the report is made when it is clicked.

    Args:
        summary: the current one.
        again: gives it then, with its model.
    """
    references = selection.current().references[: limits().report_references]
    opened = open_head.of_cross(summary.attention)
    can_score = bool(references) and _can_score()
    scored = can_score and st.session_state.get(BERTSCORE, False)
    st.download_button(
        say("Report: a web page that works offline"),
        partial(_report, again, references, opened, scored, own_words.shown(summary)),
        "report.html",
        "text/html",
        key="save_report",
        on_click="ignore",
        help=_contents(opened),
    )
    if can_score:
        st.checkbox(say("The report has BERTScore, too"), key=BERTSCORE)


def _contents(opened: str | None) -> str:
    """Say what the report holds; `opened` is one of `cross.choices`."""
    if opened is None:
        return say("Dialogue, summary, steps, heads, scores, hints and settings.")
    return say(
        "Dialogue, summary, steps, heads, scores, hints and settings; with the head that is open on Attention, {head}.",
        head=cross.label(opened),
    )


def _report(
    again: "Callable[[], tuple[Summarizer, Summary]]",
    references: Sequence[str],
    opened: str | None,
    scored: bool,
    methods: Sequence[str],
) -> str:
    """Return the text of the report's file."""
    from core.explain.attribution import maps

    summarizer, summary = again()
    checkpoint = summarizer.checkpoint
    try:
        measured, _ = models.measured_heads(checkpoint.name, checkpoint.identity)
    except CheckpointError:  # the catalogue is damaged: Attention says so
        measured = None
    heads = dict.fromkeys([*([opened] if opened else []), *contents.usual_heads(summary, measured)])
    return page.to_html(
        contents.collect(
            summary,
            checkpoint.name,
            checkpoint.card,
            summarizer.tokenizer,
            measured,
            heads=list(heads)[: limits().report_heads],
            references=references,
            bertscore=scores.bertscore(summary.text, references, EMBEDDED) if scored else None,
            maps=maps.chosen(summarizer, summary, heads),
            owed=[answer(summarizer, summary, method, None, None, "turn") for method in methods if summary.steps],
        )
    )


def _can_score() -> bool:
    """Return whether the encoder of BERTScore is on this machine."""
    try:
        find(EMBEDDED)
    except ScoringError:
        return False
    return True
