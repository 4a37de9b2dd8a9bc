"""Calibration: does a token's probability say how often its word is supported by the dialogue?"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.faults import token_calibration
from core.faults.token_calibration import Scheme, Tokens
from core.figures.errors import runs as figures
from core.text.dialogue import parse_dialogue
from core.words import later, say
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import one_of, row
from pages.shared.figures import pictures
from pages.shared.model import loading, models, sweep
from pages.shared.session import option_labels
from pages.shared.session.fields import Choice

BATCH = 8
QUESTIONS = {
    "support": later("The summaries"),
    "reference": later("The references"),
}
QUESTION = Choice("err_calibration", QUESTIONS)
FIELDS = (QUESTION,)
SUPPORT = later(
    "Every token of a content word that the model wrote, by the probability that it got: is a word of its stem "
    "somewhere in the dialogue? That is support, not truth: a word of the dialogue can be in the wrong place."
)
FORCED = later(
    "The first reference under teacher forcing: at every step, the probability of the model's best token, and whether "
    "it is the reference's token. (In free writing there is no right next token.)"
)
BINS = "errors_bins"
SCHEMES: Mapping[Scheme, str] = {
    "equal width": later("bins of equal width"),
    "equal mass": later("bins of equally many tokens"),
}


def draw(run: Run) -> None:
    """Draw how often tokens of a probability were right."""
    if run.checkpoint is None and not any(row.tokens for row in run.rows.values()):
        silent = say(
            "Only a model that writes here tells how probable each token was. Choose “The model of the sidebar” above."
        )
        st.info(silent, icon=":material/info:")
        return
    with row():
        asked = one_of(say("Question"), QUESTION) if run.checkpoint else "support"
        schemes = {name: say(label) for name, label in SCHEMES.items()}
        option_labels.follow(BINS, schemes)
        scheme = st.selectbox(
            say("Bins"),
            list(schemes),
            format_func=schemes.__getitem__,
            key=BINS,
            persist_state="session",
            width=240,
        )
    if asked == "support":
        tokens = {place: _support(summary) for place, summary in run.rows.items()}
        _show(tokens, scheme, say("its word is in the dialogue"), say(SUPPORT))
    else:
        _forced(run, scheme)


def _forced(run: Run, scheme: Scheme) -> None:
    places = [place for place, row in run.rows.items() if row.references]
    if not places:
        st.info(say("These dialogues have no references."), icon=":material/info:")
        return
    if run.checkpoint is None or not loading.ready(models.job(run.checkpoint)) or run.summarizer is None:
        return
    key = ("calibration", *run.key)
    sweep.controls("calibration", key, places, say("Read the references"), say("references"))
    _show(sweep.results(key), scheme, say("it is the reference's token"), say(FORCED))
    force = partial(token_calibration.next_tokens, run.summarizer)
    rows = run.rows
    measure = {place: (rows[place].dialogue, rows[place].references[0]) for place in places}
    sweep.advance(key, places, BATCH, lambda some: {place: force(*measure[place]) for place in some})


def _show(tokens: Mapping[Any, Tokens], scheme: Scheme, event: str, about: str) -> None:
    """Draw how often tokens were right, and what that means."""
    measured = token_calibration.calibrate(tuple(tokens.values()), scheme)
    if measured is None:
        st.info(say("No tokens yet."), icon=":material/info:")
        st.markdown(about)
        return
    if not measured.shown:
        few = say("No bin holds {tokens} tokens yet: too few to draw.", tokens=token_calibration.SHOWN)
        st.info(few, icon=":material/info:")
        return
    pictures.show(figures.reliability(measured, event), "errors_reliability_picture")
    st.markdown(about)
    text = say(
        "Brier score {score:.3f}. For the confidence interval, whole dialogues are drawn again and again.",
        score=measured.brier,
    )
    st.caption(f"{text} {figures.not_drawn(measured)}")


@lru_cache(maxsize=4096)
def _support(row: ScoredSummary) -> Tokens:
    return token_calibration.support(parse_dialogue(row.dialogue), row.summary, row.tokens)
