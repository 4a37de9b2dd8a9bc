"""The app in this process, over a small untrained checkpoint: no browser, no TensorFlow start for each test."""

import shutil
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, app_test

from core import checkpoints
from core.config import DecodeSettings
from core.model.transformer import Transformer
from core.scoring.encoders import EMBEDDED
from core.service import Summarizer
from core.text.examples import load_examples
from core.text.learnt import learn
from pages.parts.bertscore import encoder
from pages.shared.figures import pictures
from pages.shared.model import models
from pages.shared.session import selection
from tests.models import imported_tokenizer, small, untrained
from tests.pages.driver import Settled, data, press_label, summarize

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240
LOADED = threading.Event()
LOADED.set()
COPIER = ROOT / "checkpoints" / "tiny-copier"


@pytest.fixture(scope="session", autouse=True)
def nothing_waits() -> Iterator[None]:
    """Each AppTest would read the metadata of all installed packages, for 0.5 s, to find components; once is enough.
    No first visitor's page needs seconds for itself.
    """
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        patch.setattr(models, "PAINTED", 0.0)
        yield


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What a test changed of a picture's functions is not shown by the next test."""
    pictures._kept.clear()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has drawn a page before: a first run would start anew at a click that leads to another page."""
    monkeypatch.setattr(app_test, "PagesManager", Settled)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session without a server."""
    state: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", state)
    return state


@pytest.fixture(scope="session")
def folder(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one installed checkpoint, `tiny`; its model is loaded once and stays."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(tiny_checkpoint, folder / "tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", folder)
        job = models.job("tiny")
        assert job.done.wait(SECONDS) and job.error is None
        job.thread.join(SECONDS)  # its last call would stand in the queue before those of a test
    return folder


def encoder_in_memory() -> None:
    """Wait for the encoder of BERTScore, which the app reads in the background."""
    job = encoder._job(EMBEDDED, False)
    assert job.done.wait(SECONDS) and job.error is None


@pytest.fixture
def app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Summarize before its first run; it opens with the first dialogue of the file, which these tests know."""
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    monkeypatch.setattr(selection.EXAMPLE, "default", load_examples()[0].id)
    return summarize(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120))


WORDS, LEARNT = learn("word")
"""A word-level tokenizer, and what the Tokens page says of it."""


SMALL = {"d_model": 8, "num_heads": 2, "feed_forward_dim": 8, "positions": "learned"}


@pytest.fixture(scope="session")
def of_words(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summarizer]:
    """A folder with `tiny` and an untrained model of words, which is loaded."""
    keras.utils.set_random_seed(1)
    config = small(WORDS.size, 1, (64, 12), **SMALL)
    card = {"about": "Words.", "decoding": DecodeSettings(max_tokens=8, strategy="greedy").to_dict(), "licence": "none"}
    place = tmp_path_factory.mktemp("words")
    (place / "tiny").symlink_to(folder / "tiny")
    checkpoints.write(place / "words", config, WORDS, checkpoints.weights_of(Transformer(config)), [], card)
    return place, Summarizer(checkpoints.read(place / "words"))


@pytest.fixture(scope="session")
def of_others(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summarizer]:
    """A folder with an untrained model that has an imported tokenizer, which is loaded."""
    tokenizer, place = imported_tokenizer(), tmp_path_factory.mktemp("imported")
    config = small(tokenizer.size, 2, (96, 24), forced_first=5, forced_last=True, **SMALL)
    return place, Summarizer(checkpoints.read(untrained(place / "imported", config, tokenizer)))


def alone(found: tuple[Path, Summarizer], monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """Let a model be the one that the pages get."""
    place, summarizer = found
    monkeypatch.setattr(checkpoints, "FOLDER", place)
    monkeypatch.setattr(models, "job", lambda name: SimpleNamespace(summarizer=summarizer, error=None, done=LOADED))
    return summarizer


@pytest.fixture
def words(of_words, monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """The only model besides `tiny`: an untrained one of words, with learned positions."""
    return alone(of_words, monkeypatch)


@pytest.fixture
def imported(of_others, monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """The only model: an untrained one with an imported tokenizer, which forces the first and the last token."""
    return alone(of_others, monkeypatch)


def summary(app: AppTest) -> str:
    """The summary on the page."""
    strip = data(app, "token_strip")
    return "".join(token["gap"] + token["text"] for token in strip["tokens"]) + strip["tail"]


def turns(app: AppTest) -> list[str]:
    """The turns on the page."""
    return [turn["text"] for turn in data(app, "conversation")["turns"]]


def paste(app: AppTest, text: str, reference: str = "") -> AppTest:
    """Paste a dialogue and press Summarize."""
    app.segmented_control(key="input").set_value("paste").run()
    app.text_area(key="paste_box").set_value(text)
    app.text_area(key="reference_box").set_value(reference)
    return press_label(app, "Summarize", may_refuse=True)


@pytest.fixture
def both(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small model, and the copier that ships with the project, named to come second."""
    monkeypatch.setattr(models.LoadJob, "after", lambda job: None)  # nothing is compiled for who comes next
    shutil.copytree(folder / "tiny", tmp_path / "tiny")
    shutil.copytree(COPIER, tmp_path / COPIER.name)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def visited(settled, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str]]]:
    """Pages that were gone to, with what their addresses say."""
    found: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: found.append((page, query_params)))
    return found
