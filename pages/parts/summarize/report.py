"""The button that saves a report of the summary: one web page, with the head that is open on Attention."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import streamlit as st

from core.errors import CheckpointError, ScoringError, SettingsError
from core.explain.attribution.methods import METHODS
from core.explain.shared import cross
from core.figures.shared.picture import Picture, unpictured
from core.limits import limits
from core.report import contents, page, scores
from core.scoring.encoders import EMBEDDED, find
from core.trace import Summary
from core.words import say
from pages.parts.summarize import own_words
from pages.shared.controls import open_head
from pages.shared.guard import demo
from pages.shared.model import model_parts, models
from pages.shared.model.answers import answer, refused
from pages.shared.session import option_labels, selection
from pages.shared.session.notices import sentence

if TYPE_CHECKING:
    from core.notebook import ShownSummary
    from core.service import Summarizer

BERTSCORE, EXPLAINS = "report_bertscore", "report_explains"
OF_BLOCKS = ("contributions", "votes", "patching")
"""Explanations of models with blocks of attention."""
LONG = ("patching", "curves")
"""Explanations that a demonstration does not compute."""


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
    asked = _explanations(summary) if summary.steps else []
    st.download_button(
        say("Report: a web page that works offline"),
        partial(_report, again, references, opened, scored, asked),
        "report.html",
        "text/html",
        key="save_report",
        on_click="ignore",
        help=_contents(opened),
    )
    if can_score:
        st.checkbox(say("The report has BERTScore, too"), key=BERTSCORE)


def _explanations(summary: Summary) -> list[str]:
    """Draw the choice of what the report explains beside what is shown; return all of it, in the order of the list."""
    titles = {name: say(METHODS[name].title) for name in contents.METHODS} | {
        name: say("{explanation} (up to a minute)", explanation=say(title)) if name in LONG else say(title)
        for name, title in contents.EXPLAINED.items()
    }
    shown, blocks = own_words.shown(summary), model_parts.has("blocks")
    offered = [
        name
        for name in titles
        if name not in shown
        and (blocks or name not in OF_BLOCKS)
        and not (name in LONG and demo.on() or refused(name, summary))
    ]
    option_labels.follow(EXPLAINS, {name: titles[name] for name in offered})
    kept = option_labels.meant(EXPLAINS, st.session_state.get(EXPLAINS, []))
    st.session_state[EXPLAINS] = [name for name in kept if name in offered]  # what the page shows now is in it anyway
    chosen = st.multiselect(say("The report explains, too"), offered, format_func=titles.__getitem__, key=EXPLAINS)
    return [name for name in titles if name in (*shown, *chosen)]


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
    explanations: Sequence[str],
) -> str:
    """Return the text of the report's file."""
    from core.explain.attribution import maps
    from core.notebook import ShownSummary

    summarizer, summary = again()
    checkpoint = summarizer.checkpoint
    try:
        measured, _ = models.measured_heads(checkpoint.name, checkpoint.identity)
    except CheckpointError:  # the catalogue is damaged: Attention says so
        measured = None
    shown = ShownSummary(summary, "", summarizer)
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
            owed=[answer(summarizer, summary, name, None, None, "turn") for name in explanations if name in METHODS],
            explained=[_explained(shown, name) for name in explanations if name in contents.EXPLAINED],
        )
    )


def _explained(shown: "ShownSummary", name: str) -> Picture:
    """Return the picture of an explanation, or why there is none."""
    try:
        return cast(Picture, getattr(shown, name)().picture())
    except SettingsError as error:
        return unpictured(name, f"{sentence(error)}.")


def _can_score() -> bool:
    """Return whether the encoder of BERTScore is on this machine."""
    try:
        find(EMBEDDED)
    except ScoringError:
        return False
    return True
