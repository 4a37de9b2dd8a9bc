"""What the cases share: small models, tokenizers, whole files to damage, and the app over them. Made once a process."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core import checkpoints
from core.config import DecodeSettings
from core.evaluation.rows import ScoredSummary, WrittenToken
from core.explain import branch_file
from core.explain.branches import Branches, Fork, branch_of
from core.faults.fault import Fault
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge
from core.service import Summarizer
from core.text.encoded import AnyTokenizer
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer
from tests.models import bundled, imported_tokenizer, tiny, unigram_tokenizer, wordpiece_tokenizer

ROOT = Path(__file__).resolve().parents[2]
COPIER = ROOT / "checkpoints" / "tiny-copier"
SECONDS = 240
SETTINGS = DecodeSettings(strategy="greedy", max_tokens=8)


@dataclass(frozen=True)
class House:
    """Everything that cases need.

    Args:
        room: an empty folder of their own.
        installed: folder of the checkpoints `tiny` and `tiny-copier`.
        tiny: the loaded model.
        tokenizers: one of each kind, by name.
    """

    room: Path
    installed: Path
    tiny: Summarizer
    tokenizers: Mapping[str, AnyTokenizer]


def row() -> ScoredSummary:
    """A row with something in every field, about the first bundled dialogue."""
    example = load_examples()[0]
    return ScoredSummary(
        id=example.id, dialogue=example.dialogue, references=example.references, topic="greeting",
        summary="A greets B.", rouge=Rouge(50.0, 0.0, 33.3), bertscore=BertScore(0.5, 0.25, 0.3),
        log_probability=-3.25, entropy=0.1, truncated=True,
        tokens=(WrittenToken("A", 0, 1, 1e-12, 0.25), WrittenToken("[EOS]", 11, 11, 1.0, 0.0)),
        attention=(0.75, 0.25), faults=(Fault("novel_name", 9, 10, (1,), "No turn says B.", 0.5),),
    )  # fmt: skip


@cache
def trace() -> bytes:
    """A saved run of the small model."""
    return house().tiny.summarize(load_examples()[0].dialogue, SETTINGS).to_bytes()


@cache
def branches() -> bytes:
    """A saved tree of two branches."""
    text, tiny, path = load_examples()[0].dialogue, house().tiny, (Fork(1, (7,)),)
    root = tiny.summarize(text, SETTINGS)
    tree = Branches((branch_of(root, (), "Original"),))
    other = tiny.summarize(text, SETTINGS, prefix=(*tree.items[0].ids[:1], 7))
    return branch_file.to_bytes(tree.add(branch_of(other, path, "Other")), {(): root, path: other})


_OPEN: list[House] = []


def house() -> House:
    """Return what the cases share; it has to be open."""
    return _OPEN[0]


@contextmanager
def opened() -> Iterator[House]:
    """Make everything, and let the app see only the small models, until the block ends."""
    from streamlit.components.v2 import manifest_scanner

    from pages.shared.frame import model, selection

    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        installed = folder / "installed"
        _install(installed)
        patch.setattr(checkpoints, "FOLDER", installed)
        patch.setattr(selection.EXAMPLE, "default", load_examples()[0].id)
        # each AppTest would read the metadata of all installed packages to find components; once is enough
        scan: Any = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        job = model.job("tiny")
        assert job.done.wait(SECONDS) and job.summarizer is not None
        room = folder / "room"
        room.mkdir()
        tokenizers: dict[str, AnyTokenizer] = {
            "bpe": job.summarizer.tokenizer,
            "words": Tokenizer.train_words(bundled(24), 3),
            "imported": imported_tokenizer(),
            "unigram": unigram_tokenizer(byte_fallback=True),
            "wordpiece": wordpiece_tokenizer(),
        }
        _OPEN.append(House(room, installed, job.summarizer, tokenizers))
        try:
            yield _OPEN[0]
        finally:
            _OPEN.clear()
            job.thread.join(SECONDS)  # ending Python while XLA compiles would crash it


def _install(folder: Path) -> None:
    """Write `tiny`, an untrained copying model with a history, and copy the smallest model that ships."""
    tiny(folder / "tiny")
    history = [{"epoch": each, "train_loss": 5.0 - each, "validation_loss": 5.5 - each} for each in range(1, 4)]
    checkpoints.write_history(folder / "tiny" / "history.csv", history)
    shutil.copytree(COPIER, folder / COPIER.name)
