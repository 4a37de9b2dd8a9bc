"""A Keras encoder-decoder Transformer for dialogue summarization, written from scratch."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from core.notebook import Model

__all__ = ["load"]

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def load(name_or_path: "str | Path" = "dialoscope") -> "Model":
    """Load a checkpoint for a notebook: `load("dialoscope").summarize(text)` shows the summary with its shades.

    Args:
        name_or_path: name of an installed checkpoint, or a checkpoint's folder.

    Raises:
        CheckpointError: no such checkpoint, or a damaged one.
    """
    from core.notebook import Model
    from core.service import Summarizer

    return Model(Summarizer.load(name_or_path))
