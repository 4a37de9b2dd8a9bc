"""The view that edits: change a word of the candidate and see the score move, or see that it does not."""

import streamlit as st

from core.errors import ScoringError
from core.faults.alternatives import Alternative, alternatives
from core.figures import bertscore_scale as figures
from core.figures.bertscore_scale import ScoredText
from core.figures.wording import capital
from core.text.dialogue import parse_dialogue
from pages.parts.bertscore.candidates import Candidate, References
from pages.parts.bertscore.scored import Scoring
from pages.shared import components, errors, pictures, state
from pages.shared.errors import literal
from pages.shared.state import Key

LONGEST = 1200
"""Characters of an edited text: what a link carries."""
TRIED = 8
"""Changes of fact that are tried by themselves."""


def draw(chosen: Candidate, place: int, against: References, scoring: Scoring) -> None:
    """Draw the view; arguments as in `matrix.draw`."""
    reference = chosen.references[place]
    edited = _box(chosen)
    st.caption(literal(f"{against.names[place].capitalize()}: {reference}"))
    if len(edited) > LONGEST:
        errors.show(ScoringError(f"the text is too long. Received: {len(edited):,} characters; allowed: {LONGEST:,}"))
        return
    if not edited.strip():
        st.info("The text is blank: it scores 0.", icon=":material/info:")
    before, after = scoring.scores(chosen.text, reference), scoring.scores(edited, reference)
    with st.container(horizontal=True):
        for name, old, new in zip(("Precision", "Recall", "F1"), before, after, strict=True):
            st.metric(name, f"{new:.4f}", f"{new - old:+.4f}" if new != old else None, width=130)
    if edited != chosen.text:
        components.diff(chosen.text, edited, key="bert_diff")
        rows = [
            ScoredText(name, text, values, f"against {against.names[place]}")
            for name, text, values in (("Before", chosen.text, before), ("After", edited, after))
        ]
        base = scoring.shown_baseline
        picture = figures.candidates(rows, scoring.anchors, base.f1 if base else None)
        pictures.show(picture, "bertscore_edit_picture")
    _facts(chosen, reference, scoring)


def _box(chosen: Candidate) -> str:
    """The text to edit; a link brings its own, another candidate starts anew."""
    session = st.session_state
    about = (session.get(Key.JUMPS, 0), chosen.text)
    seen = session.get(Key.BERT_EDITED)
    if seen != about:
        if seen is not None and seen[0] == about[0]:
            session[Key.BERT_EDIT] = ""
        session[Key.BERT_BOX] = session[Key.BERT_EDIT] or chosen.text
        session[Key.BERT_EDITED] = about
    edited = st.text_area(
        "Edit the candidate", key=Key.BERT_BOX, persist_state="session", height=110,
        help="Press Ctrl and Enter to score it.",
    )  # fmt: skip
    session[Key.BERT_EDIT] = edited if edited != chosen.text and len(edited) <= LONGEST else ""
    if edited != chosen.text:
        st.button("Take the edits back", icon=":material/undo:", key="bert_undo", on_click=_put, args=(chosen.text,))
    return edited


def _put(text: str) -> None:
    st.session_state[Key.BERT_BOX] = text


def _facts(chosen: Candidate, reference: str, scoring: Scoring) -> None:
    """One fact changed at a time: the score barely moves."""
    st.subheader("One fact changed", anchor=False)
    dialogue = parse_dialogue(state.selection().text)
    found = alternatives(dialogue, chosen.text, TRIED) if chosen.text.strip() else ()
    if not found:
        st.caption("This text names no speaker, number or negation that could be exchanged. Edit a word above.")
        return
    base = scoring.scores(chosen.text, reference)[2]
    moved = [scoring.scores(each.summary, reference)[2] - base for each in found]
    largest = max(map(abs, moved))
    st.markdown(
        "**BERTScore compares vectors, not facts.** Each line says something else about the dialogue: other people, "
        f"other numbers, the opposite. The largest move of F1 is {largest:.3f}, from {base:.3f}."
        + (f" Between BART-large and a second human lie {_gap(scoring):.3f}." if scoring.anchors else "")
    )
    for place, (each, change) in enumerate(zip(found, moved, strict=True)):
        _line(place, each, change)


def _gap(scoring: Scoring) -> float:
    return scoring.anchors[2].f1 - scoring.anchors[1].f1


def _line(place: int, each: Alternative, change: float) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"bert_fact_{place}"):
        label, tip = f"F1 {change:+.4f}".replace("-", "−"), "Put it into the box above"
        st.button(label, key=f"bert_try_{place}", on_click=_put, args=(each.summary,), help=tip)
        st.markdown(literal(capital(each.change)), width="stretch")
