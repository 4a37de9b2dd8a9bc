"""Driving the Training page without a browser, and what a training leaves in the folder of a checkpoint."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.text.examples import load_examples
from core.training import snapshots
from core.training.snapshots import Attempt, Snapshot
from tests.pages.driver import chart, open_link, tiny

PAGE = "pages/training.py"
arrive = partial(open_link, PAGE)
ROWS = [
    {"epoch": 1, "train_loss": 4.0, "validation_loss": 4.5, "learning_rate": 1e-3, "seconds": 90.0},
    {"epoch": 2, "train_loss": 3.0, "validation_loss": 3.5, "learning_rate": 5e-4, "seconds": 90.0},
    {"epoch": 3, "train_loss": 2.0, "validation_loss": 3.75, "learning_rate": 1e-4, "seconds": 90.0},
]
"""A history."""
FIRST, SECOND = load_examples()[:2]
WRITTEN = (("A a", "So"), ("A suitcase is lost", "It is so"), ("The suitcase", "They talk"))
"""What was written of both dialogues before training and after two epochs."""


def add_scores(card: Path, **more: object) -> None:
    """Write into a card how well the checkpoint summarizes short and long dialogues."""
    groups = [
        {"from": low, "to": high, "count": 9, "words": words}
        | {name: [mean, mean - 1, mean + 1] for name in checkpoints.SCORES}
        for low, high, words, mean in ((0, 70, 50.0, 30.0), (70, None, 120.0, 21.0))
    ]
    rouge = {"rouge1": 25.0, "rouge2": 8.0, "rougeL": 20.0}
    about = json.loads(card.read_text()) if card.is_file() else {}
    card.write_text(json.dumps(about | {"scores": {"rouge": rouge, "by_length": groups}} | more))


def record(folder: Path) -> tuple[Snapshot, ...]:
    """Write snapshots of the small model about two dialogues: before training and after two epochs."""
    random, read = np.random.default_rng(0), tiny().checkpoint.tokenizer
    found = []
    for epoch, texts in enumerate(WRITTEN):
        attempts = []
        for example, text, rouge in zip((FIRST, SECOND), texts, (10.0, 20.0), strict=True):
            target = tuple(read.encode_summary(text))
            weights = random.dirichlet(np.ones(len(tiny().encode(example.dialogue).ids)), len(target))
            kept = snapshots.quantised(weights.astype(np.float32))
            attempts.append(Attempt(example.id, text, target, -2.0, (rouge + epoch, 0.0, rouge * epoch), kept))
        found.append(Snapshot(epoch, tuple(attempts)))
    snapshots.write(folder / snapshots.FILE, found)
    return tuple(found)


def lines(app: AppTest, key: str) -> dict[str, tuple[list[Any], list[Any]]]:
    """The lines of a chart by their names."""
    return {trace["name"]: (list(trace["x"]), list(trace["y"])) for trace in chart(app, key)["data"]}
