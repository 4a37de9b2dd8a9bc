"""Get the model and what it writes, and say what happens while it loads."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import CheckpointError
from core.trace import Summary
from core.words import say
from pages.shared.model import models
from pages.shared.place import page_description
from pages.shared.session import decoding, notices, selection

if TYPE_CHECKING:
    from core.service import Summarizer


def ready(job: models.LoadJob) -> bool:
    """Return whether the model is loaded; if not, say what is happening, or what went wrong."""
    if job.summarizer is not None:
        return True
    if job.error is None:
        _progress(job)
        return False
    notices.show_failure(job.error, say("The model could not be loaded"))
    st.button(say("Try again"), icon=":material/refresh:", on_click=models.retry, args=(job,))
    return False


@st.fragment(run_every=0.5)
def _progress(job: models.LoadJob) -> None:
    """Show the stages of loading; run again until there is something to show."""
    if job.done.is_set():
        st.rerun()
    with st.container(border=True, key="loading"):
        st.markdown(say("**The model is getting ready**"))
        stage = say(models.STAGES[job.stage])
        st.progress((job.stage + 0.5) / len(models.STAGES), text=f"{stage} … {job.seconds:.0f} s")
        st.caption(say("This happens once after the app starts. You can read and edit the dialogue meanwhile."))
    st.skeleton(height=160)


def current_job() -> models.LoadJob:
    """Return the load job of the chosen checkpoint; the first call starts it."""
    return models.job(decoding.CHECKPOINT.value)


def current_model() -> "Summarizer | None":
    """Return the loaded model of the chosen checkpoint; where there is none, say what happens and return None."""
    job = current_job()
    return job.summarizer if ready(job) else None


def current_summary() -> Summary | None:
    """Return the summary of the current dialogue under the current settings, or None while the model loads."""
    summary = summary_of(selection.current().text)
    if summary:
        page_description.describe(summary=summary.text)
    return summary


def summary_of(text: str) -> Summary | None:
    """Return the summary of any dialogue under the current settings, or None while the model loads."""
    summarizer = current_job().summarizer
    if summarizer is None or not text.strip():
        return None
    return models.run(summarizer, text, decoding.settings(), selection.given())


def run_later() -> "Callable[[], tuple[Summarizer, Summary]]":
    """Return a function that gives the model and the current summary again, for a file that is made when asked for.

    The server keeps such a function as long as the page is open. It holds no trace, which takes megabytes: a summary
    that has left the cache is written again. It needs no session, and raises CheckpointError if the model is gone.
    """
    name, text, settings = decoding.CHECKPOINT.value, selection.current().text, decoding.settings()
    given = selection.given()

    def again() -> "tuple[Summarizer, Summary]":
        job = models.job(name)
        job.done.wait()
        if job.summarizer is None:
            raise CheckpointError("the model {name} could not be loaded again. Reload the page", name=name)
        return job.summarizer, models.run(job.summarizer, text, settings, given)

    return again


def require_trace() -> Summary:
    """Return the current summary with its trace; where there is none, say what to do and stop the run."""
    return require_run()[1]


def require_run() -> "tuple[Summarizer, Summary]":
    """Return the model and the current summary with its trace; where there is none, say what to do and stop the run."""
    if not selection.current().text.strip():
        none = say("No dialogue is chosen yet. Pick or paste one on the Summarize page.")
        st.info(none, icon=":material/forum:")
        st.stop()
    if not ready(current_job()):
        st.stop()
    summarizer, summary = current_job().summarizer, current_summary()
    if summarizer is None or summary is None:
        raise CheckpointError("the model was released while it was used. Reload the page")
    return summarizer, summary
