"""The shared models: loading in the background, what fails, and that a model dropped later is really freed."""

import gc
import weakref
from types import SimpleNamespace

import keras
import pytest

from core import checkpoints
from core.config import DecodeSettings
from core.text.examples import load_examples
from pages.shared.model import models
from tests.pages.conftest import SECONDS


@pytest.fixture
def job(folder, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    return models.job("tiny")


def test_one_job_serves_everybody_and_a_summary_is_written_once(job):
    assert models.job("tiny") is job and job.summarizer is not None
    text, settings = load_examples()[1].dialogue, DecodeSettings(max_tokens=8)
    first = models.summary(job.summarizer, text, settings)
    assert models.summary(job.summarizer, text, DecodeSettings(max_tokens=8)) is first
    assert models.summary(job.summarizer, text, DecodeSettings(max_tokens=9)) is not first


def test_streamlit_cannot_clear_the_state_of_keras(job):
    """Streamlit calls this function after every script run, also while another thread builds a model."""
    from streamlit.runtime.scriptrunner import script_runner

    scope = keras.name_scope("kept")
    with scope:
        script_runner._clean_problem_modules()
        assert keras.Variable(0.0, name="x").path == "kept/x"


def test_the_network_before_training_is_a_job_of_its_own(job):
    other = models.job("tiny", trained=False)
    assert other.done.wait(SECONDS) and other.error is None
    other.thread.join(SECONDS)  # it does not compile ahead: few ask for it
    assert not other.thread.is_alive() and not other.trained and job.trained
    assert models.job("tiny", trained=False) is other is not job and other.name == "tiny"
    # by this its summaries are told apart in the cache
    assert other.summarizer.checkpoint.identity == "tiny@0-untrained" != job.summarizer.checkpoint.identity


def test_only_the_job_that_failed_is_tried_again(job, monkeypatch):
    made = []

    class Failed:
        def __init__(self, name: str, trained: bool) -> None:
            self.name, self.trained = name, trained
            made.append(name)

        def release(self) -> None:
            pass

    identity = models.identity
    monkeypatch.setattr(models, "identity", lambda name: name if name == "failing" else identity(name))
    monkeypatch.setattr(models, "LoadJob", Failed)
    first = models.job("failing")
    assert models.job("failing") is first
    models.retry(first)
    assert models.job("failing") is not first and made == ["failing", "failing"] and models.job("tiny") is job
    models.retry(SimpleNamespace(name="failing", trained=True))


def test_a_released_model_is_freed_although_the_collector_was_frozen(job):
    class Heavy:
        pass

    heavy = Heavy()
    heavy.itself = heavy  # a cycle, as in Keras: only the collector can free it
    alive = weakref.ref(heavy)
    held = object.__new__(models.LoadJob)
    held.summarizer = heavy
    del heavy
    gc.freeze()
    held.summarizer = None
    gc.collect()
    assert alive() is not None  # what would happen without `release`
    held.release()
    assert alive() is None
    assert gc.get_freeze_count() > 0
