"""What every test shares: the environment, set before anything imports Keras, and the optional data folder."""

import os
import shutil
import tempfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Tests compile hundreds of functions and run each a few times: half of their time was LLVM's optimisation.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
# What one process has compiled the others take from here, the app in the browser's tests included.
COMPILED = None
if "TF_XLA_FLAGS" not in os.environ:
    COMPILED = tempfile.mkdtemp(prefix="dialoscope-compiled-")
    os.environ["TF_XLA_FLAGS"] = (
        f"--tf_xla_persistent_cache_directory={COMPILED} --tf_xla_persistent_cache_device_types=CPU"
    )

from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import hypothesis  # noqa: E402
import pytest  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BROWSER = ROOT / "tests" / "browser"
IN_CI = os.environ.get("CI", "").lower() == "true"

# The first example compiles a graph and takes seconds; in CI a failure must be repeatable.
hypothesis.settings.register_profile("dialoscope", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("dialoscope")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser's tests, so that `-m "not browser"` leaves them out."""
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker(pytest.mark.browser)


def pytest_unconfigure() -> None:
    """Remove what was compiled; only the process that made the folder knows of it."""
    if COMPILED:
        shutil.rmtree(COMPILED, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share the tests out between processes: one browser drives one app, and every other file keeps its fixtures."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "browser" if BROWSER in (ROOT / file).parents else file

    return Groups(config, log)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The optional data folder: DIALOSCOPE_SHARED, or `shared` beside the checkout."""
    setting = os.environ.get("DIALOSCOPE_SHARED", "../shared")
    folder = (ROOT / setting).resolve()
    if not folder.is_dir():
        message = f"no data folder at {setting}: set DIALOSCOPE_SHARED to one"
        if IN_CI:
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def recurrent_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two small untrained recurrent checkpoints: `looking` with additive attention, `plain` without."""
    import keras

    from core import checkpoints
    from core.config import DecodeSettings, RecurrentConfig
    from core.model import families
    from core.text.examples import load_examples
    from core.text.tokenizer import Tokenizer

    texts = [text for example in load_examples()[:24] for text in (example.dialogue, *example.references)]
    tokenizer = Tokenizer.train_words(texts, 3)
    folder = tmp_path_factory.mktemp("recurrent")
    for name, attention in (("looking", "additive"), ("plain", "none")):
        config = RecurrentConfig(
            source_vocabulary=tokenizer.size,
            target_vocabulary=tokenizer.size,
            embedding_dim=6,
            units=8,
            attention=attention,
            attention_dim=4,
            max_source_length=192,
            max_target_length=24,
        )
        keras.utils.set_random_seed(3)
        card = {"decoding": DecodeSettings(max_tokens=16).to_dict(), "licence": "none"}
        weights = checkpoints.weights_of(families.build(config))
        checkpoints.write(folder / name, config, tokenizer, weights, [], card)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_checkpoint: Path) -> Any:
    """The summarizer of the small untrained model: what one test has compiled the next one has."""
    from core.service import Summarizer

    return Summarizer.load(tiny_checkpoint)


@pytest.fixture
def tiny_stays(tiny: Any, tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads the small model gets the one that is there, compiled."""
    from core.service import Summarizer

    load = Summarizer.load
    monkeypatch.setattr(Summarizer, "load", lambda name: tiny if str(name) == str(tiny_checkpoint) else load(name))


@pytest.fixture(scope="session")
def shipped() -> Any:
    """The summarizer of the shipped checkpoint."""
    from core.service import Summarizer

    return Summarizer.load("dialoscope")


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder of a small untrained copying model over the bundled dialogues."""
    import keras

    from core import checkpoints
    from core.config import DecodeSettings, ModelConfig
    from core.model.transformer import Transformer
    from core.text.examples import load_examples
    from core.text.tokenizer import Tokenizer

    # A later example must not change its vocabulary: tests name ids.
    texts = [text for example in load_examples()[:24] for text in (example.dialogue, *example.references)]
    tokenizer = Tokenizer.train_bpe(texts, 600)
    config = ModelConfig(
        source_vocabulary=tokenizer.size,
        target_vocabulary=tokenizer.size,
        d_model=16,
        num_heads=2,
        feed_forward_dim=32,
        encoder_layers=2,
        decoder_layers=2,
        max_source_length=192,
        max_target_length=24,
        norm="pre",
        share_embeddings=True,
        share_output=True,
        copy=True,
    )
    keras.utils.set_random_seed(3)
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    card = {
        "about": "An untrained model for tests.",
        "decoding": DecodeSettings(max_tokens=16).to_dict(),
        "licence": "none",
    }
    checkpoints.write(folder, config, tokenizer, checkpoints.weights_of(Transformer(config)), [], card)
    return folder
