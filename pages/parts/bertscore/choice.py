"""The choices that all views of the page share: encoder, weights, candidate and reference."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from core.figures.shared.wording import capital
from core.scoring.pairs import Scoring
from core.words import later, say
from pages.parts.bertscore import candidates, encoder
from pages.parts.bertscore.candidates import Candidate, References
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.model import loading
from pages.shared.session.fields import Choice as Words
from pages.shared.session.fields import Number

IDF = Words("bert_idf", {"plain": later("All the same"), "idf": later("By idf")})
CANDIDATE = Words("bert_candidate", ("set", "greedy", "beam", "sample", "other", "turns", "human", "floor", "own"))
REFERENCE = Number("bert_reference", 0, 3, 0, of_dialogue=True)
FIELDS = (encoder.ENCODER, IDF, CANDIDATE, REFERENCE, *candidates.FIELDS)


@dataclass(frozen=True)
class Choice:
    """The choices that all views share.

    Args:
        found: every candidate, by key.
        chosen: the candidate that is looked at closely.
        place: of the reference that it is compared with.
        against: the references.
        scoring: with the chosen encoder and weights.
    """

    found: Mapping[str, Candidate]
    chosen: Candidate
    place: int
    against: References
    scoring: Scoring

    @property
    def reference(self) -> str:
        """Return the reference that the candidate is compared with."""
        return self.chosen.references[self.place]

    @property
    def reference_name(self) -> str:
        """Return what it is called, inside a sentence."""
        return self.against.names[self.place]


def draw() -> Choice | None:
    """Draw the choices; return them, or None while an encoder is read."""
    loading.require_trace()
    with options():
        wanted = encoder.choose()
        st.caption(say(encoder.ABOUT[wanted]))
        tip = say("By idf: a token that few references have counts more.")
        weights = one_of(say("Tokens count"), IDF, tip=tip)
        others = candidates.other_checkpoints()
        candidates.OTHER.fit(others, say("the checkpoint"))
        select(say("Also written by"), others, candidates.OTHER, width=240)
    name = encoder.ready(wanted)
    return None if name is None else _scored(name, weights == "idf")


def _scored(name: str, idf: bool) -> Choice:
    written = candidates.written()
    against = candidates.references(written["greedy"])
    scoring = Scoring(name, candidates.idf_references(() if against.stand_in else against.texts) if idf else None)
    every = candidates.candidates(written, against)
    with row():
        CANDIDATE.fit(every, say("the candidate"))
        names = {key: candidate.name for key, candidate in every.items()}
        chosen = every[select(say("Candidate"), names, CANDIDATE, width=360)]
        place = _reference(chosen, against, scoring)
    with options():
        candidates.type_texts()
    if against.stand_in:
        message = say(
            "This dialogue has no reference summary. Until you give one under Options, the greedy summary stands in "
            "for it: the numbers say how alike the candidates are, not how good."
        )
        st.info(message, icon=":material/info:")
    return Choice(every, chosen, place, against, scoring)


def _reference(chosen: Candidate, against: References, scoring: Scoring) -> int:
    """Draw the choice of the reference that the candidate is compared with: the closest one, or a certain one."""
    winner = scoring.winner(chosen.text, chosen.references)
    names = {0: say("The closest one: {reference}", reference=against.names[winner])}
    names |= {place + 1: capital(against.names[place]) for place in range(len(chosen.references))}
    REFERENCE.fit(names, say("reference"))
    number = int(select(say("Against"), names, REFERENCE, width=260))
    return winner if number == 0 else number - 1


def questions(answers: list[tuple[str, str]]) -> None:
    """Draw questions with their answers, behind one heading."""
    with st.expander(say("Questions about these numbers"), icon=":material/help:"):
        for question, answer in answers:
            st.markdown(f"**{question}**  \n{answer}")
