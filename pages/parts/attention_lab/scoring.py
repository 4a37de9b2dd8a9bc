"""Four ways to score how well a key fits a query, on the same matrices."""

import streamlit as st

from core.errors import SettingsError
from core.explain.attention_lab.lab import attention
from core.explain.attention_lab.steps import Step
from core.figures.attention_lab import words
from core.figures.attention_lab.board import Grid, Group
from core.words import say
from pages.parts.attention_lab import boards, matrices
from pages.shared.controls.choices import row
from pages.shared.session.notices import literal

HIDDEN = ("query", "key", "value", "mask", "masked", "output")
"""Stages that are the same for every score; the view Attention shows them."""


def draw() -> None:
    """Draw the scores and weights of the same matrices by each of the four scores."""
    with row():
        matrices.choose_preset()
        matrices.choose_convention()
    inputs = matrices.current()
    parameters = matrices.parameters(inputs, draw=True)
    groups: list[Group] = []
    by_score: dict[str, tuple[Step, ...]] = {}
    for scoring, texts in matrices.SCORINGS.items():
        name = say(texts["name"])
        try:
            steps = by_score[say(texts["inside"])] = attention(inputs, scoring, parameters, group=scoring)
        except SettingsError as error:
            st.warning(f"{name}: {literal(str(error))}.", icon=":material/block:")
            continue
        grids = [Grid(step, scoring) for step in steps if step.stage not in HIDDEN]
        groups.append(Group(name, grids, say(texts["about"])))
    if groups:
        everything = [step for steps in by_score.values() for step in steps]
        drawn = boards.parts(groups, row(), most=2)
        boards.show(drawn, "scoring", words.scoring_caption(by_score), everything, beside=drawn is not groups)
    about = say("The matrices are those of the view Attention, with their mask. Here the learnt parts can be edited.")
    st.caption(about)
