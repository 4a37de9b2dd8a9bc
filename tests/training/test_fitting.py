"""Tests of `core.training.recipes.fitting` that need no training."""

import json
import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from core import checkpoints
from core.config import PRESETS
from core.training.loop import TrainingResult
from core.training.recipes import fitting
from core.training.recipes.examples import fitted

ROUGE = {1: {"rouge1": 40.0, "rouge2": 14.0}, 2: {"rouge1": 41.0, "rouge2": 12.0}}


@pytest.mark.parametrize(("keep", "epoch"), [("better", 1), ("last", 2)])
def test_the_better_epoch_is_kept_or_the_last_one(keep, epoch, tiny_checkpoint, tmp_path, monkeypatch):
    for number, name in ((1, "checkpoint"), (2, "last")):
        shutil.copytree(tiny_checkpoint, tmp_path / name)
        card = json.loads((tmp_path / name / "card.json").read_text())
        (tmp_path / name / "card.json").write_text(json.dumps(card | {"epochs": number}))
    read = []

    def scores(checkpoint: checkpoints.Checkpoint, corpus: Any) -> dict[str, Any]:
        read.append((checkpoint.card["epochs"], corpus.name))
        return {"data": corpus.name, "rouge": ROUGE[checkpoint.card["epochs"]]}

    monkeypatch.setattr(fitting, "_scores", scores)
    seen = SimpleNamespace(name="seen")
    data = SimpleNamespace(name="data", sample=lambda *_: seen)
    validation = SimpleNamespace(name="validation", dataset=[None])
    result = TrainingResult([], 1, tmp_path / "checkpoint", tmp_path / "last")

    fitting.keep_one(result, validation, data, keep)

    card = checkpoints.read_card(result.checkpoint)
    assert card["epochs"] == epoch
    assert card["scores"] == {"data": "validation", "rouge": ROUGE[epoch]}
    assert card["training_scores"] == {"data": "seen", "rouge": ROUGE[epoch]}
    assert ((1, "validation") in read) == (keep == "better")


@pytest.mark.parametrize(("preset", "longest"), [("tutorial-transformer", 12), ("dialoscope", 80)])
def test_a_trained_checkpoint_decodes_within_its_length(preset: str, longest: int) -> None:
    found = fitted(PRESETS[preset], SimpleNamespace(size=320))
    assert (
        found.decoding.max_tokens == longest <= found.model.max_target_length == PRESETS[preset].model.max_target_length
    )
    assert found.model.source_vocabulary == found.model.target_vocabulary == 320
