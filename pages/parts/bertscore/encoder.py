"""The encoder that the page scores with: read or downloaded in the background, shared by all sessions."""

import streamlit as st

from core.errors import ScoringError
from core.scoring import encoders
from core.scoring.encoders import EMBEDDED, OFFERED
from core.words import later, say
from pages.shared.controls.choices import select
from pages.shared.model import models
from pages.shared.model.job import Job
from pages.shared.session import notices
from pages.shared.session.fields import Text

ENCODER = Text("bert_encoder", 80, EMBEDDED)
DOWNLOADING = "bert_downloading"
"""Session key: whether an encoder is being downloaded."""
SIZE = {"roberta-large": "1.4 GB"}
ABOUT = {
    EMBEDDED: later(
        "Comes with the app: 6 layers, 91 MB. Its numbers hold among themselves, not against published ones."
    ),
    "roberta-large": later("The encoder of published English scores: layer 17 of 24, slow on a laptop."),
}
"""In English, and translated when shown."""


class EncoderJob(Job):
    """One encoder on its way into memory.

    Args:
        name: of the encoder.
        download: whether to get its files first.

    Attributes:
        received: bytes downloaded, and bytes to download.
    """

    def __init__(self, name: str, download: bool) -> None:
        self.name, self.download = name, download
        self.received = (0, 0)
        super().__init__(f"load {name}")

    def work(self) -> None:
        """Download the encoder if it is not here, and read it."""
        if self.download:
            encoders.download(self.name, self._report)
        from core.scoring.bertscore import BertScorer

        BertScorer(self.name).score(["warm"], [["up"]])
        models.freeze()

    def _report(self, done: int, total: int) -> None:
        self.received = (done, total)


@st.cache_resource(max_entries=4, show_spinner=False)
def _job(name: str, download: bool) -> EncoderJob:
    return EncoderJob(name, download)


def choose() -> str:
    """Draw the choice of an encoder."""
    ENCODER.fit(OFFERED, say("the encoder"))
    return str(select(say("Encoder"), {name: name for name in OFFERED}, ENCODER, width=210))


def ready(name: str) -> str | None:
    """Return the encoder that can score now, None while one is being read; say what is missing and what is going on.

    One that is not on this machine is offered as a download; until it is there, the embedded one stays.
    """
    if name != EMBEDDED and not _here(name):
        _offer(name)
        name = EMBEDDED
    job = _job(name, False)
    if not job.done.is_set():
        _progress(name, False)
        return None
    if job.error is None:
        return name
    _failed(job)
    return None


def _here(name: str) -> bool:
    try:
        encoders.find(name)
    except ScoringError:
        return False
    return True


def _offer(name: str) -> None:
    """Say that an encoder is missing, and download it when asked; the page goes on with the embedded one."""
    with st.container(border=True, key="bert_download"):
        st.markdown(
            say(
                "**{name} is not on this machine.** It is {size} and comes from huggingface.co. Until it is here, the "
                "scores below are those of {other}.",
                name=name,
                size=SIZE.get(name) or say("large"),
                other=EMBEDDED,
            )
        )
        if not st.session_state.get(DOWNLOADING):
            st.button(say("Download it"), icon=":material/download:", key="bert_get", on_click=_start)
            return
        job = _job(name, True)
        if not job.done.is_set():
            _progress(name, True)
            return
        if job.error is None:
            st.session_state[DOWNLOADING] = False
            _job.clear(name, False)
            st.rerun()
        _failed(job)


def _start() -> None:
    st.session_state[DOWNLOADING] = True


@st.fragment(run_every=0.5)
def _progress(name: str, download: bool) -> None:
    """Draw how far an encoder is; run again until it can score."""
    job = _job(name, download)
    if job.done.is_set():
        st.rerun()
    done, total = job.received
    if download and total:
        st.progress(done / total, text=say("{done:,.0f} of {total:,.0f} MB", done=done / 1e6, total=total / 1e6))
    else:
        what = say("Asking the hub") if download else say("Reading the encoder {name}", name=name)
        st.progress(min(0.95, job.seconds / 12), text=f"{what} … {job.seconds:.0f} s")


def _failed(job: EncoderJob) -> None:
    notices.show_failure(job.error, say("The encoder could not be loaded"))
    args = (job.name, job.download)
    st.button(say("Try again"), icon=":material/refresh:", key=f"bert_again_{job.download}", on_click=_retry, args=args)


def _retry(name: str, download: bool) -> None:
    _job.clear(name, download)
    st.session_state[DOWNLOADING] = download
