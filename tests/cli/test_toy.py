"""The command `toy`, and the network that it made for the first attention picture."""

import numpy as np
import pytest

from core import checkpoints
from core.service import Summarizer
from core.training import toys


@pytest.mark.slow
def test_a_toy_is_trained_and_says_what_it_reads(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(toys.EPOCHS, "copy", 1)
    monkeypatch.setattr(toys, "STEPS", 2)
    folder = tmp_path / "toy"
    sizes = ("--length", "6", "--letters", "4", "--width", "32")
    result = run("toy", "copy", *sizes, "--output", folder, "--json")
    report = result.json
    card = checkpoints.read(folder).card
    assert (result.status, report["epochs"]) == (0, 1) and report["of"] == 32 == card["held_out"]["of"]
    assert set(card["input"].split()) <= set("abcd") and card["data"]["rows"] == toys.ROWS * toys.STEPS


@pytest.mark.slow
def test_the_shipped_copier_copies_and_looks_along_the_diagonal() -> None:
    card = checkpoints.read_card("tiny-copier")
    task = toys.task("copy", length=8, letters=10, width=64, layers=1, heads=1, seed=0)
    assert card["held_out"] == {"right": 32, "of": 32}
    copier = Summarizer.load("tiny-copier")
    diagonals = []
    for item in task.items[:16]:
        summary = copier.summarize(item.text)
        assert summary.text == item.answer
        cross = summary.attention.cross
        assert cross is not None
        diagonals.append(np.diagonal(cross[0, 0]).mean())
    assert np.mean(diagonals) > 0.9 and min(diagonals) > 0.8
