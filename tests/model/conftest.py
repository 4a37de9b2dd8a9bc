"""Tiny models with weights that are all different from their start values."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from core.config import ModelConfig
from tests.conftest import ROOT
from tests.models import small


@pytest.fixture(scope="session")
def worked() -> Mapping[str, Any]:
    """The worked examples of the course material."""
    return json.loads((ROOT / "tests" / "data" / "worked_examples.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def tiny_config() -> Callable[..., ModelConfig]:
    """A small configuration with some settings changed."""

    def make(**changes: Any) -> ModelConfig:
        return small(30, 2, (12, 9), **{"d_model": 8, "feed_forward_dim": 12, "dropout": 0.0} | changes)

    return make


@pytest.fixture(scope="session")
def source() -> np.ndarray:
    """Three sources of different lengths."""
    rows = [[9, 11, 7, 23, 11, 5, 2], [28, 6, 2, 0, 0, 0, 0], [8, 9, 10, 4, 12, 2, 0]]
    return np.array(rows, dtype="int32")


@pytest.fixture(scope="session")
def target() -> np.ndarray:
    """Decoder inputs for them, [SOS] first."""
    rows = [[1, 11, 13, 7, 22, 6], [1, 28, 14, 0, 0, 0], [1, 9, 12, 12, 25, 0]]
    return np.array(rows, dtype="int32")
