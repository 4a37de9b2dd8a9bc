"""Training histories: what a file may hold, which epoch is kept, and what the losses say."""

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.explain.training import histories
from core.explain.training.histories import best_epoch, history, parse, reading
from tests.figures.drawing import drawn
from tests.refusals import refusals

FILE = b"epoch,train_loss,validation_loss,accuracy\n1,4.0,4.5,0.1\n2,3.0,3.5,0.2\n3,2.0,3.75,0.3\n"


def rows(*losses):
    return [
        {"epoch": number, "train_loss": train, "validation_loss": validation}
        for number, (train, validation) in enumerate(losses, 1)
    ]


def test_a_file_is_read_and_what_is_not_understood_is_named(snapshot, tmp_path):
    found = parse("mine.csv", FILE)
    assert found.values("validation_loss") == ([1, 2, 3], [4.5, 3.5, 3.75])
    assert (found.kept, found.last, found.ignored) == (2, 3, ("accuracy",))
    assert found.gap(3) == pytest.approx(1.75) and found.at(2, "rouge1") is None
    # Every column of our own files is understood, and they are read back.
    assert {"epoch", *histories.MEASURES} == set(checkpoints.HISTORY) and histories.SCORES == checkpoints.SCORES
    made = [{"epoch": 1.0, "train_loss": 2.0, "validation_loss": 3.0, "seconds": 4.0, "rouge1": 10.0}]
    checkpoints.write_history(tmp_path / "history.csv", made)
    assert list(parse("history.csv", (tmp_path / "history.csv").read_bytes()).rows) == made
    # A missing value was not measured.
    found = parse("a.csv", b"\xef\xbb\xbfepoch, train_loss,rouge1\n0,5,\n\n2,4,11.5\n")
    assert found.values("rouge1") == ([2], [11.5]) and found.values("train_loss") == ([0, 2], [5.0, 4.0])
    assert found.kept is None
    cases = [b"", b"loss,val_loss\n1,2\n", b"epoch,train_loss,train_loss\n1,2,3\n", b"epoch,train_loss\n"]
    cases += [b"epoch,train_loss\n" + b"1,2\n" * 2001, b"epoch,train_loss\n1,high\n", b"epoch,train_loss\n1,nan\n"]
    cases += [b"epoch,train_loss\n,2\n", b"epoch,train_loss\n1,2\n2,3,4\n", b"epoch,train_loss\n1,2\n1,3\n"]
    cases += [b"epoch,train_loss\n1.5,2\n", b"epoch,train_loss\n1,\xff\n", b"epoch,train_loss\n" + b"9" * 1_000_000]
    assert refusals(CheckpointError, lambda content: parse("bad.csv", content), cases) == snapshot


def test_the_kept_epoch_and_overfitting(snapshot):
    losses = rows((4, 4.5), (3, 3.5), (2, 3.5), (1, 3.7))
    assert best_epoch(losses) == 2
    values = zip(losses, (1, 2, 9, 3), strict=True)
    scored = [row | {"rouge1": 30.0, "rouge2": 5.0, "rougeL": value} for row, value in values]
    assert best_epoch(scored) == 3
    assert best_epoch([{"epoch": 1, "train_loss": 2.0}]) is None
    assert [history("a", losses, kept).kept for kept in (4, 9, None)] == [4, 2, 2]
    alone = [{"epoch": 1, "train_loss": 2.0}], [{"epoch": 1, "validation_loss": 2.0}]
    runs = [rows((4, 4.5), (3, 3.5), (2, 3.75)), rows((4, 4.5), (3.5, 3.25)), *alone]
    assert drawn(*(reading(history("a", each)) for each in runs)) == snapshot
