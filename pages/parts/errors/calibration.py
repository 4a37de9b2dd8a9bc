"""Calibration: does a token's probability say how often its word is supported by the dialogue?"""

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.errors import DialoscopeError
from core.evaluation.rows import ScoredSummary
from core.faults import calibration
from core.faults.calibration import Calibration, Scheme
from core.figures import runs as figures
from core.text.dialogue import parse_dialogue
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.frame import sweep
from pages.shared.frame.fields import Choice

if TYPE_CHECKING:
    from core.service import Summarizer

CURVE = "errors_reliability_picture"
BATCH = 8
MANY, FEW_BINS = 1500, 5
"""With fewer tokens there are fewer bins."""
QUESTIONS = {
    "support": "The summaries: is the word in the dialogue?",
    "reference": "The references: is the best token right?",
}
QUESTION = Choice("err_calibration", list(QUESTIONS))
FIELDS = (QUESTION,)
SCHEMES: Mapping[Scheme, str] = {"equal width": "bins of equal width", "equal mass": "bins of equally many tokens"}
Tokens = tuple[tuple[float, ...], tuple[bool, ...]]
"""Probabilities, and whether each was right."""


def draw(run: Run) -> None:
    """Draw how often tokens of a probability were right."""
    if run.summarizer is None and not any(row.tokens for row in run.rows.values()):
        st.info(
            "Only our own models tell how probable each token was. Choose the model of the sidebar above.",
            icon=":material/info:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = one_of("Question", QUESTIONS, QUESTION) if run.summarizer else "support"
        scheme = st.selectbox(
            "Bins",
            list(SCHEMES),
            format_func=SCHEMES.__getitem__,
            key="errors_bins",
            persist_state="session",
            width=240,
        )
    if asked == "support":
        st.markdown(
            "Every token of a content word that the model wrote, by the probability that it got: is a word of its stem "
            "somewhere in the dialogue? That is support, not truth: a word of the dialogue can be in the wrong place."
        )
        found = {place: _support(row) for place, row in run.rows.items()}
        _show(found, scheme, "its word is in the dialogue")
    else:
        st.markdown(
            "The first reference under teacher forcing: at every step, the probability of the model's best token, and "
            "whether it is the reference's token. (In free writing there is no right next token.)"
        )
        _forced(run, scheme)


def _forced(run: Run, scheme: Scheme) -> None:
    places = [place for place, row in run.rows.items() if row.references]
    if not places or run.summarizer is None:
        st.info("These dialogues have no references.", icon=":material/info:")
        return
    key = ("calibration", *run.key)
    sweep.controls("calibration", key, places, "Read the references", "references")
    _show(sweep.results(key), scheme, "it is the reference's token")
    summarizer = run.summarizer
    sweep.advance(key, places, BATCH, lambda some: _next_tokens(summarizer, run, some))


def _next_tokens(summarizer: "Summarizer", run: Run, places: Sequence[int]) -> dict[Hashable, Tokens]:
    """Return for each reference the probability of the best token at every step, and whether it is the reference's."""
    found: dict[Hashable, Tokens] = {}
    for place in places:
        row = run.rows[place]
        try:
            forced = summarizer.force(row.dialogue, row.references[0])
        except DialoscopeError:  # longer than the model's positions
            found[place] = ((), ())
            continue
        best = [step.alternatives[0] for step in forced.steps]
        right = tuple(one.id == step.token.id for one, step in zip(best, forced.steps, strict=True))
        found[place] = (tuple(one.probability for one in best), right)
    return found


def _show(found: Mapping[Any, Tokens], scheme: Scheme, event: str) -> None:
    measured = _measured(tuple(found.values()), scheme)
    if measured is None:
        st.info("No tokens yet.", icon=":material/info:")
        return
    bins = [each for each in measured.bins if each.count >= calibration.SHOWN]
    if not bins:
        st.info(f"No bin holds {calibration.SHOWN} tokens yet: too few to draw.", icon=":material/info:")
        return
    picture = figures.reliability(
        [each.confidence for each in bins],
        [each.accuracy for each in bins],
        [each.count for each in bins],
        (measured.error, measured.low, measured.high),
        measured.signed,
        measured.count,
        event,
    )
    pictures.show(picture, CURVE)
    hidden = len(measured.bins) - len(bins)
    few = f"{hidden} bins of fewer than {calibration.SHOWN} tokens are not drawn; they count in the error."
    st.caption(
        f"Brier score {measured.brier:.3f}. For the interval whole dialogues are drawn again and again. "
        + (few if hidden else "")
    )


@lru_cache(maxsize=16)
def _measured(found: tuple[Tokens, ...], scheme: Scheme) -> Calibration | None:
    probabilities = [each for one, _ in found for each in one]
    if not probabilities:
        return None
    right = [each for _, one in found for each in one]
    owners = np.repeat(np.arange(len(found)), [len(one) for one, _ in found]).tolist()
    bins = calibration.BINS if len(probabilities) >= MANY else FEW_BINS
    return calibration.calibrate(probabilities, right, owners, scheme, bins)


@lru_cache(maxsize=4096)
def _support(row: ScoredSummary) -> Tokens:
    return calibration.support(parse_dialogue(row.dialogue), row.summary, row.tokens)
