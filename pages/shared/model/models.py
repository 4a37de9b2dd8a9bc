"""The loaded models, shared by all sessions: read in the background, summaries kept in a small cache."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import streamlit as st

from core import checkpoints
from core.config import DecodeSettings
from core.explain.attention import catalogue
from core.runtime.queue import CALLS
from core.text.encoded import AnyTokenizer
from core.text.examples import START, example_by_id, load_examples
from core.text.tokenizer import Tokenizer
from core.trace import Summary
from core.words import later
from pages.shared.model.cache import cached
from pages.shared.model.job import Job

if TYPE_CHECKING:
    from core.explain.attention.catalogue import Catalogue
    from core.service import Summarizer

STAGES = (later("Starting TensorFlow"), later("Reading the checkpoint"), later("Writing the first summary"))
"""In English, and translated when shown."""
_BEGUN: WeakValueDictionary[tuple[str, bool, str], "LoadJob"] = WeakValueDictionary()
"""The jobs that are kept, by the arguments of `_job`."""
PAINTED = 3.0
"""Seconds for the first visitor's page alone; after them the loading that no page needs at once goes on."""


class LoadJob(Job):
    """One checkpoint on its way into memory.

    Args:
        name: of the checkpoint.
        trained: with its weights; False: the same network before training.

    Attributes:
        stage: index into `STAGES`.
        summarizer: the loaded model once it is ready.
    """

    def __init__(self, name: str, trained: bool = True) -> None:
        self.name = name
        self.trained = trained
        self.stage = 0
        self.summarizer: Summarizer | None = None
        super().__init__(f"load {name}")

    def release(self) -> None:
        """Let go of the model: frozen objects are only freed if they are thawed first."""
        self.summarizer = None
        free()

    def work(self) -> None:
        """Read the checkpoint, and write what the first visitor sees."""
        with uncollected():
            keep_keras_state()
            from core.scoring.rouge import rouge
            from core.service import Summarizer

            self.stage = 1
            rouge("", ["imports the library"])
            checkpoint = checkpoints.read(self.name)
            summarizer = Summarizer(checkpoint) if self.trained else Summarizer.untrained(checkpoint)
            self.stage = 2
            summary(summarizer, _start(), summarizer.settings)
        freeze()
        self.summarizer = summarizer

    def after(self) -> None:
        """Make the programs that the next summaries and experiments need, before somebody waits for them."""
        summarizer = self.summarizer
        if not self.trained or summarizer is None:
            return
        time.sleep(PAINTED)
        shown = summarizer.summarize(_start())
        with CALLS.turn():
            summarizer.probes.score([[token.id for token in shown.source]], [[token.id for token in shown.tokens]])
        freeze()


def _start() -> str:
    """Return the dialogue that the app opens with."""
    example = example_by_id(START) or load_examples()[0]
    return example.dialogue


def keep_keras_state() -> None:
    """Start Keras, and stop Streamlit from clearing its state after every script run.

    Streamlit calls `keras.backend.clear_session()` whenever any session's run ends: that wipes the name scopes of a
    model that another thread is building, and weights then get wrong names. The same function stays available as
    `keras.utils.clear_session`.
    """
    from core.runtime.backend import keras

    keras.backend.clear_session = lambda *_, **__: None


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the garbage collector off for a while: a load frees nothing, and each collection takes time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def free() -> None:
    """Free what was let go of, frozen or not."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def freeze() -> None:
    """Take everything loaded so far out of the garbage collector's rounds: reruns are three times as fast."""
    gc.collect()
    gc.freeze()


def identity(name: str, file: str = "weights.safetensors") -> str:
    """Name of a checkpoint and the beginning of a file's hash; raises CheckpointError."""
    return f"{name}@{file_hash(name, file)[:12]}"


def file_hash(name: str, file: str = "weights.safetensors") -> str:
    """SHA-256 of one of a checkpoint's files, from its card; raises CheckpointError."""
    return str((checkpoints.read_card(name).get("sha256") or {}).get(file))


def tokenizer(name: str) -> AnyTokenizer:
    """Return the tokenizer of a checkpoint, without its model; raises CheckpointError."""
    return _tokenizer(name, identity(name, "tokenizer.json"))


def job(name: str, trained: bool = True) -> LoadJob:
    """The load job of a checkpoint, or of its network before training; the first call starts it."""
    return _job(name, trained, identity(name))


def loaded(name: str) -> "Summarizer | None":
    """Return a model if it is there already; nothing is begun."""
    job = _BEGUN.get((name, True, identity(name)))
    return job.summarizer if job else None


def retry(failed: LoadJob) -> None:
    """Forget a failed load, so that the next run starts another."""
    _job.clear(failed.name, failed.trained, identity(failed.name))


def run(summarizer: "Summarizer", text: str, settings: DecodeSettings, given: str) -> Summary:
    """Return what a model writes of a dialogue, or the trace of a summary that is `given`; raises DialoscopeError."""
    return forced(summarizer, text, given, settings) if given else summary(summarizer, text, settings)


def summary(summarizer: "Summarizer", text: str, settings: DecodeSettings, prefix: tuple[int, ...] = ()) -> Summary:
    """The summary of a dialogue, from the cache if it was written before; raises DialoscopeError."""
    return _summary(summarizer, text, settings, prefix)


@st.cache_resource(max_entries=3, show_spinner=False, on_release=LoadJob.release)
def _job(name: str, trained: bool, identity: str) -> LoadJob:
    _BEGUN[name, trained, identity] = load_job = LoadJob(name, trained)
    return load_job


def measured_heads(name: str, identity: str) -> "tuple[Catalogue | None, str]":
    """Return what the heads of a checkpoint tend to do, or None and a sentence that says why that is not known.

    Args:
        name: of the checkpoint.
        identity: of the weights that run, `name@sha256-prefix`.

    Raises:
        CheckpointError: the catalogue is damaged.
    """
    file = checkpoints.locate(name) / checkpoints.HEADS
    return _measured_heads(name, identity, file.stat().st_mtime_ns if file.exists() else 0)


@cached(4, worded=True)
def _measured_heads(name: str, identity: str, modified: int) -> "tuple[Catalogue | None, str]":
    return catalogue.choose(checkpoints.read_heads(name), identity)


@cached(4)
def _tokenizer(name: str, identity: str) -> AnyTokenizer:
    return Tokenizer.load(checkpoints.locate(name) / "tokenizer.json")


@cached(12)
def _summary(summarizer: "Summarizer", text: str, settings: DecodeSettings, prefix: tuple[int, ...]) -> Summary:
    return summarizer.summarize(text, settings, prefix=prefix)


@cached(4)
def forced(summarizer: "Summarizer", text: str, target: str, settings: DecodeSettings) -> Summary:
    """The trace of a given summary, from the cache if it was computed before; raises DialoscopeError."""
    return summarizer.force(text, target, settings)
