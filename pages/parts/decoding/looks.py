"""Where the cross-attention of a step looks: the turns of the dialogue, then the tokens of one of them."""

import streamlit as st

from core.explain import cross
from core.explain.rollup import Group, groups, sum_columns
from core.figures import turns as turn_figures
from core.text.dialogue import parse_dialogue
from core.trace import Array, Summary
from pages.parts.decoding.runs import Run
from pages.shared import components, family, pictures
from pages.shared.state import Key


def turns(run: Run, summary: Summary) -> Group | None:
    """Draw the attention to each turn; the opened turn, or None where the trace holds no cross-attention."""
    st.subheader("Where the model looks", anchor=False)
    options = cross.choices(summary.attention)
    if not options:
        said = family.NO_ATTENTION if run.summarizer else "This saved run holds no cross-attention."
        st.info(said, icon=":material/info:")
        return None
    st.selectbox(
        "Cross-attention of",
        ["", *options[1:]],
        format_func=lambda choice: cross.label(choice or options[0]).capitalize(),
        key=Key.HEADS,
        persist_state="session",
        help="Decoder layers from 1, the last one first. It shows where the model looks, not why it wrote the token.",
    )
    row, what = _row(run, summary)
    parts = groups(summary.source, "turn")
    said = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in parse_dialogue(run.text).turns]
    shares = sum_columns(row, parts)
    best = max((index for index, each in enumerate(parts) if each.turn is not None), key=lambda index: shares[index])
    read = {each.turn: each for each in parts if each.turn is not None}
    opened = read.get(st.session_state[Key.TURN] - 1, parts[best])
    pictures.show(
        turn_figures.attention_by_turn(row, said, parts, opened.turn, what), "looks_at", on_select=_clicked
    )
    if summary.omitted:
        st.caption(f"Too long for this model: it did not read turns {components.spans(summary.omitted)}.")
    return opened


def tokens(run: Run, summary: Summary, opened: Group) -> None:
    """Draw the attention to each token of a turn."""
    follows = st.session_state[Key.TURN] - 1 != opened.turn
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"Turn {opened.label}, token by token", anchor=False)
        if follows:
            st.caption("The turn with the most attention. Click another turn to see its tokens.")
        else:
            st.button("Follow the most attention", on_click=_open_turn, args=(-1,), icon=":material/my_location:")
    row, what = _row(run, summary)
    members = list(opened.members)
    pictures.show(
        turn_figures.attention_in_turn(row[members], [summary.source[index] for index in members], what), "in_turn"
    )


def _row(run: Run, summary: Summary) -> tuple[Array, str]:
    """The attention of the step to every source token, and whose it is."""
    chosen = st.session_state[Key.HEADS] or cross.choices(summary.attention)[0]
    row: Array = cross.weights(summary.attention, chosen)[run.step]
    return row, cross.label(chosen)


def _clicked() -> None:
    turn = pictures.clicked("looks_at")
    if turn is not None and turn >= 0:
        _open_turn(turn)


def _open_turn(turn: int) -> None:
    st.session_state[Key.TURN] = turn + 1
