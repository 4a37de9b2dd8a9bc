"""Whether the next visitor would wait for the model: what a health check asks.

The server begins to load soon after it starts, so that the model is nearly there when the first page has been painted.
That page comes first: the imports of TensorFlow take the interpreter for seconds.
"""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse

from core import checkpoints
from core.errors import DialoscopeError
from pages.shared.model import models

PATH = "/ready"
"""The address of the answer; Streamlit's own `/_stcore/health` says only that the server runs."""


HEAD_START = 5.0
"""Seconds after the start in which the load waits for a first page to be drawn; one that needs the model begins it."""
_drawn = threading.Event()


def drawn() -> None:
    """Tell that a page has been drawn."""
    _drawn.set()


def state() -> tuple[bool, str]:
    """Return whether the model that a first visitor sees is loaded, and in words how far it is."""
    names = checkpoints.installed()
    if not names:
        return False, "No checkpoint is installed: the folder checkpoints/ is empty."
    try:
        job = models.job(names[0])
    except DialoscopeError as error:
        return False, f"The model {names[0]} could not be loaded: {error}"
    if job.summarizer is not None:
        return True, f"Ready: {names[0]} is loaded."
    if job.error is not None:
        known = isinstance(job.error, DialoscopeError)
        return False, f"The model {names[0]} could not be loaded: {job.error if known else 'the log says why.'}"
    return False, f"{models.STAGES[job.stage]} … {job.seconds:.0f} s"


def answer(request: Request) -> PlainTextResponse:
    """Answer 200 when nobody would wait, else 503; the stage is the text."""
    ready, stage = state()
    headers = {"Cache-Control": "no-store"} | ({} if ready else {"Retry-After": "2"})
    return PlainTextResponse(stage + "\n", 200 if ready else 503, headers)


@asynccontextmanager
async def begin(app: Any) -> AsyncIterator[None]:
    """Load the model that a first visitor sees, when the first page has been drawn or nobody has come yet."""
    threading.Thread(target=_load, name="begin loading", daemon=True).start()
    yield


def _load() -> None:
    _drawn.wait(HEAD_START)
    state()
