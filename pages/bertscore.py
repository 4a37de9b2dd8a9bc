"""BERTScore: how alike two summaries are, cell by cell, and what the number does not say."""

import streamlit as st

from pages.parts.bertscore import candidates, edit, encoder, matrix, scored, scores
from pages.parts.bertscore.candidates import Candidate, References
from pages.parts.bertscore.scored import Scoring
from pages.shared import address, errors, picker, state
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "scores": ":material/leaderboard: All candidates",
    "matrix": ":material/grid_on: One pair",
    "edit": ":material/edit: Edit it",
}
WEIGHTS = {"plain": "All the same", "idf": "By idf"}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("How alike are two summaries?", anchor=False)
    picker.bar()
    state.require_trace()
    before = state.notes()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = encoder.choose()
        weights = one_of("Tokens count", WEIGHTS, Key.BERT_IDF, "By idf: a token that few references have counts more.")
        others = candidates.other_checkpoints()
        _known(Key.BERT_OTHER, others, "checkpoint")
        st.selectbox("Also written by", others, format_func=others.get, key=Key.BERT_OTHER, persist_state="session",
                     width=240)  # fmt: skip
    st.caption(encoder.ABOUT[wanted])
    name = encoder.ready(wanted)
    if name is None:
        return
    with errors.boundary("view"):
        _score(name, weights == "idf")
    address.write()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page


def _score(name: str, idf: bool) -> None:
    """Gather candidates and references, and draw the chosen view of them."""
    written = candidates.written()
    against = candidates.references(written["greedy"])
    texts = encoder.idf_references(() if against.stand_in else against.texts) if idf else None
    scoring = scored.scoring(name, texts)
    found = candidates.candidates(written, against)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = _candidate(found)
        place = _reference(chosen, against, scoring)
    left, right = st.columns(2, gap="medium")
    with left:
        candidates.type_text()
    with right:
        candidates.type_references(against)
    view = one_of("View", VIEWS, Key.BERT_VIEW, hidden=True)
    _draw(view, found, chosen, place, against, scoring)


def _draw(
    view: str, found: dict[str, Candidate], chosen: Candidate, place: int, against: References, scoring: Scoring
) -> None:
    if view == "matrix":
        matrix.draw(chosen, place, against, scoring)
    elif view == "edit":
        edit.draw(chosen, place, against, scoring)
    else:
        scores.draw(found, chosen, against, scoring)


def _candidate(found: dict[str, Candidate]) -> Candidate:
    """The candidate that is looked at closely."""
    _known(Key.BERT_CANDIDATE, found, "candidate")
    key = st.selectbox(
        "Candidate", list(found), format_func=lambda key: found[key].name, key=Key.BERT_CANDIDATE,
        persist_state="session", width=330,
    )  # fmt: skip
    return found[key]


def _reference(chosen: Candidate, against: References, scoring: Scoring) -> int:
    """The reference that it is held against: the one that wins, or a chosen one."""
    winner = scoring.winner(chosen)
    names = {0: f"The one that wins: {against.names[winner]}"}
    names |= {place + 1: against.names[place].capitalize() for place in range(len(chosen.references))}
    _known(Key.BERT_REFERENCE, names, "reference")
    number = st.selectbox(
        "Against", list(names), format_func=names.get, key=Key.BERT_REFERENCE, persist_state="session", width=260
    )
    return winner if number == 0 else number - 1


def _known(key: Key, options: dict[object, object], what: str) -> None:
    """Put the first option in the place of one that is not there; a link may ask for it."""
    asked = st.session_state[key]
    if asked not in options:
        state.note(f"There is no {what} {str(asked)[:40]} here, so the first one is shown.")
        st.session_state[key] = next(iter(options))


draw()
