"""What the cases share: a profile for long runs, small models and tokenizers, and the app over them."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from core import checkpoints
from core.service import Summarizer
from core.text.encoded import AnyTokenizer
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer
from tests.damage.conftest import whole  # noqa: F401
from tests.fuzz.tried import WHOLE
from tests.layering import ROOT
from tests.models import bundled, imported_tokenizer, tiny, unigram_tokenizer, wordpiece_tokenizer

hypothesis.settings.register_profile("fuzz", max_examples=int(os.environ.get("CASES") or WHOLE), print_blob=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All but the tests of the helpers are slow."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.path.name != "test_tried.py":
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def nothing_written(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """No case writes a traceback."""
    yield
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said, said[said.index("Traceback") :][:500]


@dataclass(frozen=True)
class House:
    """Small models.

    Args:
        installed: folder of the checkpoints `tiny` and `tiny-copier`.
        tiny: the loaded model.
        tokenizers: one of each kind, by name.
    """

    installed: Path
    tiny: Summarizer
    tokenizers: Mapping[str, AnyTokenizer]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Make everything."""
    from pages.shared.model import models

    installed = tmp_path_factory.mktemp("installed")
    tiny(installed / "tiny")
    history = [{"epoch": each, "train_loss": 5.0 - each, "validation_loss": 5.5 - each} for each in range(1, 4)]
    checkpoints.write_history(installed / "tiny" / "history.csv", history)
    shutil.copytree(ROOT / "checkpoints" / "tiny-copier", installed / "tiny-copier")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", installed)
        job = models.job("tiny")
        assert job.done.wait(240) and job.summarizer is not None
        job.thread.join(240)  # ending Python while XLA compiles would crash it
    tokenizers: dict[str, AnyTokenizer] = {
        "bpe": job.summarizer.tokenizer,
        "words": Tokenizer.train_words(bundled(24), 3),
        "imported": imported_tokenizer(),
        "unigram": unigram_tokenizer(byte_fallback=True),
        "wordpiece": wordpiece_tokenizer(),
    }
    return House(installed, job.summarizer, tokenizers)


@pytest.fixture(scope="module")
def house(made: House) -> Iterator[House]:
    """Let the app see only the small models."""
    from streamlit.components.v2 import manifest_scanner

    from pages.shared.session import selection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", made.installed)
        patch.setattr(selection.EXAMPLE, "default", load_examples()[0].id)
        # each AppTest would read the metadata of all installed packages to find components; once is enough
        scan: Any = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield made
