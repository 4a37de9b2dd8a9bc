"""What every test shares: the environment, set before anything imports Keras."""

import contextlib
import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Several processes share the cores: threads that wait for one another, spinning, took six times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# glibc gives each thread that allocates an arena of its own and seldom returns its pages: gigabytes in each process.
os.environ.setdefault("MALLOC_ARENA_MAX", "2")
# Tests compile hundreds of functions and run each a few times: half of their time was LLVM's optimisation.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


def compiled_folder() -> Path:
    """Return the folder of compiled programs: another library, processor or XLA flag gets a folder of its own.

    TensorFlow names an entry by its program and the names of its functions (`tests.names`), compares the whole program
    again when it reads one, and moves finished entries into place: an entry can be missing but not wrong.
    """
    cpuinfo = Path("/proc/cpuinfo")
    kind = ("flags", "Features", "model", "stepping", "CPU")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else [platform.processor()]
    processor = sorted({line for line in lines if line.startswith(kind) and "MHz" not in line})
    key = repr([version("tensorflow"), version("keras"), processor, os.environ["XLA_FLAGS"]])
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "dialoscope" / "compiled" / hashlib.sha256(key.encode()).hexdigest()[:16]


def keep_bounded(folder: Path) -> None:
    """Remove the oldest programs of the folder beyond its limit."""
    files = []
    for path in folder.glob("*"):
        with contextlib.suppress(FileNotFoundError):  # another run renames what it has written
            files.append((path.stat().st_mtime, path.stat().st_size, path))
    room = LARGEST_CACHE
    for _, size, path in sorted(files, reverse=True):
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)


# What one process has compiled the others take from there, later runs and the app in the browser tests included.
# TF_XLA_FLAGS= turns it off.
LARGEST_CACHE = 500_000_000  # bytes
if "TF_XLA_FLAGS" not in os.environ:
    compiled = compiled_folder()
    keep_bounded(compiled)
    os.environ["TF_XLA_FLAGS"] = (
        f"--tf_xla_persistent_cache_directory={compiled} --tf_xla_persistent_cache_device_types=CPU"
    )

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import pytest

from tests import names, needs
from tests.needs import IN_CI

names.install()
pytest_terminal_summary = needs.pytest_terminal_summary
ROOT = Path(__file__).resolve().parent.parent
BROWSER = ROOT / "tests" / "browser"
LONGEST = "test_axe.py"
EVERY_VIEW = ROOT / "tests" / "pages" / "test_contract.py"

# The first example compiles a graph and takes seconds; in CI a failure must be repeatable. `make fuzz` has thousands.
hypothesis.settings.register_profile("dialoscope", deadline=None, derandomize=IN_CI, max_examples=50)
hypothesis.settings.register_profile("short", hypothesis.settings.get_profile("dialoscope"), max_examples=15)
hypothesis.settings.load_profile("dialoscope")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests, and start with what takes longest: the browser tests, then the long files."""
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker(pytest.mark.browser)
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.path == EVERY_VIEW}
    items.sort(key=lambda item: (not item.get_closest_marker("browser"), item.path not in slow))


def pytest_sessionfinish() -> None:
    """Let models that are still loading be loaded: Python that ends while a thread compiles ends with a crash."""
    if job := sys.modules.get("pages.shared.model.job"):
        job.wait(60)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a process whole folders, whose files share models; pages and loose files, which are many, one by one.

    The browser's files make two groups: two processes wait for two apps at once.
    """
    from xdist.scheduler import LoadScopeScheduling

    names = sorted(path.name for path in BROWSER.glob("test_*.py"))
    journeys = [name for name in names if name != LONGEST] + [LONGEST]

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder = file.rpartition("/")[0]
            if folder == "tests/browser":
                return f"{folder}/{journeys.index(file.rpartition('/')[2]) % 2}"
            return file if folder in ("tests", "tests/pages") else folder

    return Groups(config, log)


@pytest.fixture(scope="module", autouse=True)
def nothing_left() -> Iterator[None]:
    """No file of tests leaves its own folder of checkpoints to the next one."""
    yield
    checkpoints = sys.modules.get("core.checkpoints")
    assert checkpoints is None or ROOT / "checkpoints" == checkpoints.FOLDER


@pytest.fixture(scope="session")
def recurrent_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two small untrained recurrent checkpoints: `looking` with additive attention, `plain` without."""
    from core.config import RecurrentConfig
    from core.text.tokenizer import Tokenizer
    from tests.models import bundled, untrained

    tokenizer = Tokenizer.train_words(bundled(24), 3)
    folder = tmp_path_factory.mktemp("recurrent")
    config = RecurrentConfig(
        source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size, embedding_dim=6, units=8, attention_dim=4,
        max_source_length=192, max_target_length=24,
    )  # fmt: skip
    untrained(folder / "looking", config.replace(attention="additive"), tokenizer)
    untrained(folder / "plain", config.replace(attention="none"), tokenizer)
    return folder


@pytest.fixture(scope="session")
def family_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small checkpoints of random weights with the settings of other people's models: `bart` and `t5`."""
    from core.text.tokenizer import Tokenizer
    from tests.models import FAMILIES, bundled, small, untrained

    tokenizer = Tokenizer.train_bpe(bundled(24), 600)
    folder = tmp_path_factory.mktemp("families")
    config = small(tokenizer.size, 2, (192, 24))
    for name in ("bart", "t5"):
        untrained(folder / name, config.replace(**FAMILIES[name]), tokenizer)
    return folder


@pytest.fixture
def set_limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function that sets some limits to other values; the others are those of the app that is no demonstration."""
    from core import limits

    full = limits.FULL
    return lambda **values: monkeypatch.setattr(limits, "FULL", replace(full, **values))


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
def scratch() -> Any:
    """The summarizer of the checkpoint that was begun with random numbers: its weights stay."""
    from core.service import Summarizer

    return Summarizer.load("dialoscope-scratch")


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder of a small untrained copying model over the bundled dialogues."""
    from tests import models

    return models.tiny(tmp_path_factory.mktemp("checkpoints") / "tiny")
