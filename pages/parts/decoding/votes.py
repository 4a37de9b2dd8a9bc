"""Votes: which parts of the network wrote a token, and not another one."""

from typing import TYPE_CHECKING

import streamlit as st

from core.explain.shared.rollup import groups
from core.figures.decoding import votes as figures
from core.figures.shared.wording import quoted
from core.trace import Summary
from core.words import later, say
from pages.parts.decoding.runs import Run
from pages.shared.controls.choices import one_of, select
from pages.shared.controls.foils import foils
from pages.shared.figures import pictures
from pages.shared.model import model_parts
from pages.shared.model.cache import cached
from pages.shared.session.fields import Choice, Number

if TYPE_CHECKING:
    from core.explain.attribution.votes import Votes
    from core.service import Summarizer

BY = {"layer": later("Layers"), "head": later("Heads"), "turn": later("Turns")}
VOTERS = Choice("voters", BY)
AGAINST = Number("against", 0, 999999, 0, of_dialogue=True)
FIELDS = (VOTERS, AGAINST)
BOX = "votes_box"
WHAT = later(
    "The last state of the decoder is a sum of what each part added, with the spread of every normalisation kept. Each "
    "part's dot product with the output vectors of the two tokens is its vote: what it **carries**, not a reason. By "
    "turn: what the heads of cross-attention took from it."
)


def draw(run: Run, summary: Summary) -> None:
    """Draw the votes for the written token of the step against another one, or say what the model lacks for them."""
    if run.summarizer is None:
        return
    asked = any(field.value != field.default for field in FIELDS)  # by a link
    label = say("Votes: which parts wrote this token, and not another one?")
    box = st.expander(label, asked, key=BOX, on_change="rerun")
    if box.open:  # they take as long as all else of a step
        with box:
            if model_parts.has_or_note("blocks", say("stack of layers whose vectors could be followed")):
                _votes_of(run, run.summarizer, summary)


def _votes_of(run: Run, summarizer: "Summarizer", summary: Summary) -> None:
    step = summary.steps[run.step]
    others = foils(summarizer, summary, run.step, run.references)
    first = next(iter(others))
    AGAINST.fit((0, *others), say("token id"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = say("Why {token}, and not", token=quoted(step.token))
        against = int(select(label, others, AGAINST, usual=first, width=230))
        by: figures.By = one_of(say("Who votes"), VOTERS)
    text, turns = run.labels(summary), groups(summary.source, "turn")
    answer = _votes(summarizer, summary, run.step, against)
    pictures.show(figures.votes(answer, by, turns, text(step.token.id), text(against)), "votes")
    st.caption(say(WHAT))


@cached(32, worded=True)
def _votes(summarizer: "Summarizer", summary: Summary, step: int, against: int) -> "Votes":
    from core.explain.attribution.votes import votes

    return votes(summarizer, summary, step, against, groups(summary.source, "turn"))
