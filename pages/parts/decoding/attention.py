"""The cross-attention of a step: to the turns of the dialogue, then to the tokens of one of them."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.explain import cross
from core.explain.rollup import Group, groups, sum_columns
from core.figures import turns as turn_figures
from core.figures.wording import capital, turn_ranges
from core.trace import Array, AttentionTrace, Summary
from core.words import say
from pages.parts.decoding.runs import TURN, Run
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.frame import family
from pages.shared.frame.fields import Text

HEADS = Text("heads", 12)
FIELDS = (HEADS,)
TALLEST = 700
"""Pixels of a chart with a row for each turn; a chart of more turns scrolls."""


def heads(attention: AttentionTrace) -> str:
    """Return whose attention is shown, one of `cross.choices`; "" if the trace holds no cross-attention."""
    options = cross.choices(attention)
    if HEADS.value:
        HEADS.fit(options, say("cross-attention"))
    return HEADS.value or (options[0] if options else "")


def draw(run: Run, summary: Summary, below: DeltaGenerator) -> None:
    """Draw the attention of a step to each turn and, in the place `below`, to each token of the opened turn."""
    st.header(say("Where the model looks"), anchor=False)
    chosen, options = heads(summary.attention), cross.choices(summary.attention)
    if not chosen:
        said = say(family.NO_ATTENTION) if run.summarizer else say("This saved run holds no cross-attention.")
        st.info(said, icon=":material/info:")
        return
    select(
        say("Cross-attention of"),
        {each: capital(cross.label(each)) for each in options},
        HEADS,
        say("Decoder layers from 1, the last one first. It shows where the model looks, not why it wrote the token."),
        usual=options[0],
    )
    row, what = cross.weights(summary.attention, chosen)[run.step], cross.label(chosen)
    opened = _turns(row, summary, what)
    with below:
        _tokens(row, summary, opened, what)


def _turns(row: Array, summary: Summary, what: str) -> Group:
    """Draw the attention to each turn, and return the opened one: the chosen turn, or that with the most attention."""
    parts = groups(summary.source, "turn")
    said = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in summary.dialogue.turns]
    shares = dict(zip(parts, sum_columns(row, parts), strict=True))
    read = {each.turn: each for each in parts if each.turn is not None}
    opened = read.get(TURN.value - 1) or max(read.values(), key=shares.__getitem__)
    picture = turn_figures.attention_by_turn(row, said, parts, opened.turn, what)
    pictures.show(picture, "looks_at", on_select=_clicked, tallest=TALLEST)
    if summary.omitted:
        turns = turn_ranges(summary.omitted)
        st.caption(say("Too long for this model: it did not read turns {turns}.", turns=turns))
    return opened


def _tokens(row: Array, summary: Summary, opened: Group, what: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(say("Turn {turn}, token by token", turn=opened.label), anchor=False)
        if TURN.value - 1 == opened.turn:
            st.button(say("Follow the most attention"), on_click=TURN.clear, icon=":material/my_location:")
        else:
            st.caption(say("The turn with the most attention. Click another turn to see its tokens."))
    members = list(opened.members)
    tokens = [summary.source[index] for index in members]
    pictures.show(turn_figures.attention_in_turn(row[members], tokens, what), "in_turn")


def _clicked() -> None:
    turn = pictures.clicked("looks_at")
    if turn is not None and turn >= 0:
        TURN.value = turn + 1
