"""Snapshots of a training: which epochs, and a file that gives back what was put in."""

import shutil
from dataclasses import replace

import numpy as np

from core import checkpoints
from core.errors import CheckpointError
from core.training import snapshots
from core.training.snapshots import Attempt, Snapshot
from tests.figures.drawing import drawn
from tests.refusals import refused


def test_epochs_are_close_together_at_first(snapshot):
    cases = [(14, 10), (30, 10), (4, 9), (3, 10), (3, 5), (5, 2), (5, 1), (5, 0)]
    assert drawn({"epochs, count": cases, "at": [snapshots.snapshot_epochs(*case) for case in cases]}) == snapshot


def made(epoch, with_attention=True):
    random = np.random.default_rng(epoch)
    weights = random.dirichlet(np.ones(7), 3).astype(np.float32)
    attention = snapshots.quantised(weights) if with_attention else None
    attempt = Attempt("shop", "a “quoted” text", (7, 8, 2), -1.5, (40.0, 12.25, 30.5), attention)
    return Snapshot(epoch, (attempt,)), weights


def test_a_file_gives_back_what_was_put_in(tmp_path):
    path = tmp_path / "run" / snapshots.FILE
    first, weights = made(0)
    second, _ = made(4, with_attention=False)
    part, _ = made(1)
    snapshots.write(path, [first, second, replace(part, epoch=0.25)])
    read = snapshots.read(path)
    assert [each.epoch for each in read] == [0, 4, 0.25] and read[2].attempts[0].attention is not None
    attempt = read[0].attempts[0]
    assert (attempt.id, attempt.text, attempt.target) == ("shop", "a “quoted” text", (7, 8, 2))
    assert (attempt.log_probability, attempt.rouge) == (-1.5, (40.0, 12.25, 30.5))
    assert np.abs(attempt.weights() - weights).max() <= 0.5 / 255 + 1e-6  # kept to the nearest 255th
    assert read[1].attempts[0].weights() is None
    assert [each.name for each in path.parent.iterdir()] == [snapshots.FILE]
    assert snapshots.read(tmp_path / snapshots.FILE) == ()
    path = tmp_path / snapshots.FILE
    snapshots.write(path, [made(1)[0]])
    whole = path.read_bytes()
    for damaged in (b"", b"no zip", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        refused(CheckpointError, "holds no snapshots of a training, or is damaged", snapshots.read, path)
    with path.open("wb") as file:
        np.savez(file, document=np.frombuffer(b'{"format": 1, "moments": [{"epoch": 1}]}', dtype=np.uint8))
    refused(CheckpointError, "attempts", snapshots.read, path)


def test_the_snapshots_of_a_checkpoint(tiny_checkpoint, tmp_path, monkeypatch):
    shutil.copytree(tiny_checkpoint, tmp_path / "tiny")
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    refused(CheckpointError, "tiny/moments.npz holds no snapshot", snapshots.lapse, "tiny")
    snapshots.write(tmp_path / "tiny" / snapshots.FILE, [made(0)[0], made(4)[0]])
    lapse = snapshots.lapse("tiny")
    assert (lapse.epochs, lapse.attention, lapse.means(1)) == ([0, 4], "copy distribution", [12.25, 12.25])
    assert [each.rouge for each in lapse.attempts("shop")] == [(40.0, 12.25, 30.5)] * 2
    assert lapse.dialogues == {"shop"}
    refused(CheckpointError, "hold nothing about 'park'", lapse.attempts, "park")
    text, attempt = "Ann: Hi.", made(0, with_attention=False)[0].attempts[0]
    size = len(lapse.encode(attempt, text).tokens)
    assert lapse.encode(replace(attempt, attention=np.zeros((3, size), np.uint8)), text).tokens
    message = "recorded on another text of 'shop': 7 tokens"
    refused(CheckpointError, message, lapse.encode, lapse.attempts("shop")[0], text)
