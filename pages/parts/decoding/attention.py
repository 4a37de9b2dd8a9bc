"""The cross-attention of a step: to the turns of the dialogue, then to the tokens of one of them."""

import numpy as np
import streamlit as st

from core.explain.shared import cross
from core.explain.shared.rollup import Group, groups, sum_columns
from core.figures.decoding import turns as turn_figures
from core.figures.shared.picture import Picture
from core.figures.shared.wording import capital, turn_ranges
from core.trace import Array, AttentionTrace, Summary
from core.words import say
from pages.parts.decoding.runs import TURN, Run
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.model import model_parts
from pages.shared.session.fields import Text

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


def draw(run: Run, summary: Summary) -> None:
    """Draw the attention of a step to each turn, and to each token of the opened turn."""
    st.header(say("Where the model looks"), anchor=False)
    chosen, options = heads(summary.attention), cross.choices(summary.attention)
    if not chosen:
        message = say(model_parts.NO_ATTENTION) if run.summarizer else say("This saved run holds no cross-attention.")
        st.info(message, icon=":material/info:")
        return
    select(
        say("Cross-attention of"),
        {choice: capital(cross.label(choice)) for choice in options},
        HEADS,
        say("Decoder layers from 1, the last one first. It shows where the model looks, not why it wrote the token."),
        usual=options[0],
    )
    _tokens(run, summary, _turns(run, summary, chosen), chosen)


def _turns(run: Run, summary: Summary, chosen: str) -> Group:
    """Draw the attention to each turn, and return the opened one: the chosen turn, or that with the most attention."""
    parts = groups(summary.source, "turn")
    shares = dict(zip(parts, sum_columns(_row(summary, chosen, run.step), parts), strict=True))
    read = {part.turn: part for part in parts if part.turn is not None}
    opened = read.get(TURN.value - 1) or max(read.values(), key=shares.__getitem__)
    picture = run.picture(_by_turn, summary, chosen, run.step, opened.turn)
    pictures.show(picture, "looks_at", on_select=_clicked, tallest=TALLEST)
    if summary.omitted:
        turns = turn_ranges(summary.omitted)
        st.caption(say("Too long for this model: it did not read turns {turns}.", turns=turns))
    return opened


def _by_turn(summary: Summary, chosen: str, step: int, turn: int | None) -> Picture:
    turns = [(str(each.index + 1), each.speaker or "", each.text) for each in summary.dialogue.turns]
    row, parts = _row(summary, chosen, step), groups(summary.source, "turn")
    return turn_figures.attention_by_turn(row, turns, parts, turn, cross.label(chosen))


def _row(summary: Summary, chosen: str, step: int) -> Array:
    """Return the attention of a step to the S source tokens."""
    return np.asarray(cross.weights(summary.attention, chosen)[step])


def _tokens(run: Run, summary: Summary, opened: Group, chosen: str) -> None:
    picked = TURN.value - 1 == opened.turn
    with st.expander(say("One turn, token by token"), expanded=picked):  # with the turn in its name it would close
        with st.container(horizontal=True, vertical_alignment="center", key="opened_turn"):
            st.markdown(say("**Turn {turn}**", turn=opened.label), width="content")
            if picked:
                st.button(say("Follow the most attention"), on_click=TURN.clear, icon=":material/my_location:")
            else:
                st.caption(say("The turn with the most attention. Click another turn to see its tokens."))
        pictures.show(run.picture(_in_turn, summary, chosen, run.step, opened.members), "in_turn")


def _in_turn(summary: Summary, chosen: str, step: int, members: tuple[int, ...]) -> Picture:
    tokens = [summary.source[index] for index in members]
    return turn_figures.attention_in_turn(_row(summary, chosen, step)[list(members)], tokens, cross.label(chosen))


def _clicked() -> None:
    turn = pictures.clicked("looks_at")
    if turn is not None and turn >= 0:
        TURN.value = turn + 1
