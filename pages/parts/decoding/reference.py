"""The reference under teacher forcing: its token at the shown step, and the rank of each of its tokens."""

import streamlit as st

from core.errors import SettingsError
from core.figures.decoding import steps as step_figures
from core.text.glossary import definition
from core.trace import Summary
from core.words import say
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared.figures import pictures
from pages.shared.model import models
from pages.shared.session import notices


def token(run: Run) -> int | None:
    """Return the id of the reference's token at the shown step, or None if it has none there."""
    forced = _forced(run)
    return forced.steps[run.step].token.id if forced and run.step < len(forced.steps) else None


def draw(run: Run) -> None:
    """Draw the reference's token at the shown step, and the ranks of all its tokens."""
    forced = _forced(run)
    if forced is None:
        if run.references and run.summarizer is not None:
            st.caption(say("The reference is longer than this model can write, so it is not compared."))
        return
    with st.expander(say("The reference under teacher forcing"), key="reference"):
        st.text(forced.text, help=definition("teacher forcing"))
        logits = run.summary(run.branch.path).logits
        st.markdown(notices.literal(step_figures.reference_here(forced.steps, run.step, run.branch.ids, logits)))
        current = run.step if run.step < len(forced.steps) else None
        pictures.show(run.picture(step_figures.reference_ranks, forced, current), "reference_ranks")
        ids = [step.token.id for step in forced.steps]

        def make_branch() -> None:
            notices.attempt(lambda: runs.branch_off(run.branches.items[0], 0, ids, say("Reference")))

        st.button(
            say("Make it a branch"),
            icon=":material/alt_route:",
            key="branch_reference",
            on_click=make_branch,
            help=say("The words of the reference with the probabilities of this model, to compare with the summary."),
        )


def _forced(run: Run) -> Summary | None:
    """Return the first reference under teacher forcing; None if there is none, or none that the model could write."""
    if not run.references or run.summarizer is None:
        return None
    try:
        return models.forced(run.summarizer, run.text, run.references[0], run.settings)
    except SettingsError:
        return None
