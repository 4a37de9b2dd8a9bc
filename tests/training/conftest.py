"""A toy task that a tiny model learns in seconds: ids in, some of them out."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from core.config import END, ModelConfig, TrainConfig
from core.text.corpus import load_corpus
from core.text.tokenizer import Tokenizer
from tests.models import SHARED, operator_by_operator, small

WORDS = "park dog cat tree house road river bridge boat train plane bread milk egg salt rice".split()


@pytest.fixture(scope="module", autouse=True)
def graphs() -> Iterator[None]:
    """Nothing here waits for XLA; `tests/cli/test_toy.py` and the Training page train with it."""
    with operator_by_operator():
        yield


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Sixteen words."""
    return Tokenizer.train_words([" ".join(WORDS)], min_frequency=1)


@pytest.fixture(scope="session")
def model_config(tokenizer: Tokenizer) -> ModelConfig:
    """One layer, sixteen wide."""
    return small(tokenizer.size, 1, (64, 16), dropout=0.1, norm="pre", **SHARED)


@pytest.fixture(scope="session")
def train_config() -> TrainConfig:
    """Small batches, a short warm-up, an average that moves quickly."""
    return TrainConfig(
        epochs=3, batch_tokens=400, learning_rate=5e-3, warmup_steps=5, average=0.8, patience=0, seed=9,
        steps_per_call=2,
    )  # fmt: skip


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Writes rows to a file and reads it."""

    def read(rows: list[dict[str, str]]) -> Any:
        path = tmp_path_factory.mktemp("data") / "data.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return load_corpus(str(path))

    return read


@pytest.fixture(scope="session")
def toy() -> Callable[..., Any]:
    """Pairs: sources of 3 to 40 ids, their first three ids as target."""

    def make(count: int, seed: int = 0) -> list[tuple[list[int], list[int]]]:
        random = np.random.default_rng(seed)
        sources = [random.integers(5, 21, size).tolist() for size in random.integers(3, 40, count)]
        return [([*source, END], [*source[:3], END]) for source in sources]

    return make
