"""What the page says while the model loads."""

import streamlit as st

from core.errors import DialoscopeError
from pages.shared import errors, model


def ready(job: model.LoadJob) -> bool:
    """Whether the model is loaded; if not, say what is happening, or what went wrong."""
    if job.summarizer is not None:
        return True
    if job.error is None:
        _progress(job)
        return False
    if isinstance(job.error, DialoscopeError):
        errors.show(job.error)
    else:
        st.error(f"The model could not be loaded (`{type(job.error).__name__}`).", icon=":material/error:")
    st.button("Try again", icon=":material/refresh:", on_click=model.retry, args=(job,))
    return False


@st.fragment(run_every=0.5)
def _progress(job: model.LoadJob) -> None:
    """The stages of loading; runs again until there is something to show."""
    if job.done.is_set():
        st.rerun()
    with st.container(border=True, key="loading"):
        st.markdown("**The model is getting ready**")
        st.progress((job.stage + 0.5) / len(model.STAGES), text=f"{model.STAGES[job.stage]} … {job.seconds:.0f} s")
        st.caption("This happens once after the app starts. You can read and edit the dialogue meanwhile.")
    st.skeleton(height=160)
