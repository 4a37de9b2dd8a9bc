"""The app in this process, over a small untrained checkpoint: no browser, no TensorFlow start for each test."""

import shutil
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import keras
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.model.transformer import Transformer
from core.service import Summarizer
from core.text.examples import load_examples
from core.text.learnt import learn
from pages.shared.figures import pictures
from pages.shared.frame import model, selection
from tests.models import imported_tokenizer, untrained
from tests.pages.driver import data, summarize

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240
LOADED = threading.Event()
LOADED.set()
COPIER = ROOT / "checkpoints" / "tiny-copier"


@pytest.fixture(scope="session", autouse=True)
def installed_components() -> Iterator[None]:
    """Each AppTest would read the metadata of all installed packages, for 0.5 s, to find components; once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What a test changed of a picture's functions is not shown by the next test."""
    pictures._kept.clear()


@pytest.fixture(scope="session")
def folder(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with one installed checkpoint, `tiny`; its model is loaded once and stays."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(tiny_checkpoint, folder / "tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", folder)
        patch.setattr(model, "PAINTED", 0.0)
        job = model.job("tiny")
        assert job.done.wait(SECONDS) and job.error is None
        job.thread.join(SECONDS)  # its last call would stand in the queue before those of a test
    yield folder


@pytest.fixture
def app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Summarize before its first run; it opens with the first dialogue of the file, which these tests know."""
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    monkeypatch.setattr(selection.EXAMPLE, "default", load_examples()[0].id)
    return summarize(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120))


WORDS, LEARNT = learn("word")
"""A word-level tokenizer, and what the Tokens page says of it."""


@pytest.fixture
def words(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """The only model besides `tiny`: an untrained one of words, with learned positions."""
    keras.utils.set_random_seed(1)
    config = ModelConfig(
        source_vocabulary=WORDS.size, target_vocabulary=WORDS.size, d_model=8, num_heads=2, feed_forward_dim=8,
        encoder_layers=1, decoder_layers=1, max_source_length=64, max_target_length=12, positions="learned",
    )  # fmt: skip
    card = {"about": "Words.", "decoding": DecodeSettings(max_tokens=8, strategy="greedy").to_dict(), "licence": "none"}
    (tmp_path / "tiny").symlink_to(folder / "tiny")
    checkpoints.write(tmp_path / "words", config, WORDS, checkpoints.weights_of(Transformer(config)), [], card)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    summarizer = Summarizer(checkpoints.read("words"))
    monkeypatch.setattr(model, "job", lambda name: SimpleNamespace(summarizer=summarizer, error=None, done=LOADED))
    return summarizer


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """The only model: an untrained one with an imported tokenizer, which forces the first and the last token."""
    tokenizer = imported_tokenizer()
    config = ModelConfig(
        source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size, d_model=8, num_heads=2, feed_forward_dim=8,
        encoder_layers=2, decoder_layers=2, max_source_length=96, max_target_length=24, positions="learned",
        forced_first=5, forced_last=True,
    )  # fmt: skip
    untrained(tmp_path / "imported", config, tokenizer)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    summarizer = Summarizer(checkpoints.read("imported"))
    monkeypatch.setattr(model, "job", lambda name: SimpleNamespace(summarizer=summarizer, error=None, done=LOADED))
    return summarizer


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
    return next(button for button in app.button if button.label == "Summarize").click().run()


@pytest.fixture
def both(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small model, and the copier that ships with the project, named to come second."""
    shutil.copytree(folder / "tiny", tmp_path / "tiny")
    shutil.copytree(COPIER, tmp_path / COPIER.name)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    return tmp_path
