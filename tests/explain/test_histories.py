"""Training histories: what a file may hold, which epoch is kept, and what the losses say."""

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.explain import histories
from core.explain.histories import best_epoch, history, parse, reading

FILE = b"epoch,train_loss,validation_loss,accuracy\n1,4.0,4.5,0.1\n2,3.0,3.5,0.2\n3,2.0,3.75,0.3\n"


def rows(*losses):
    return [
        {"epoch": number, "train_loss": train, "validation_loss": validation}
        for number, (train, validation) in enumerate(losses, 1)
    ]


def test_a_file_is_read_and_what_is_not_understood_is_named(subtests, tmp_path):
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
    for content, message in [
        (b"", "it is empty"),
        (b"loss,val_loss\n1,2\n", "epoch and at least one of train_loss.*Received: loss, val_loss"),
        (b"epoch,train_loss,train_loss\n1,2,3\n", "Received twice: train_loss"),
        (b"epoch,train_loss\n", "1 to 2,000 rows.*Received: 0"),
        (b"epoch,train_loss\n" + b"1,2\n" * 2001, "Received: 2,001"),
        (b"epoch,train_loss\n1,high\n", "line 2: train_loss must be a number. Received: 'high'"),
        (b"epoch,train_loss\n1,nan\n", "line 2: train_loss must be a number"),
        (b"epoch,train_loss\n,2\n", "line 2: epoch must be a number"),
        (b"epoch,train_loss\n1,2\n2,3,4\n", "line 3 must have 2 values. Received: 3"),
        (b"epoch,train_loss\n1,2\n1,3\n", "line 3: epochs must be whole numbers that count up. Received: 1"),
        (b"epoch,train_loss\n1.5,2\n", "line 2: epochs must be whole numbers"),
        (b"epoch,train_loss\n1,\xff\n", "is no CSV text"),
        (b"epoch,train_loss\n" + b"9" * 1_000_000, "too large. Received: 1,000,017 bytes; allowed: 1,000,000"),
    ]:
        with subtests.test(content=content), pytest.raises(CheckpointError, match=message):
            parse("bad.csv", content)


def test_the_kept_epoch_and_overfitting():
    losses = rows((4, 4.5), (3, 3.5), (2, 3.5), (1, 3.7))
    assert best_epoch(losses) == 2
    values = zip(losses, (1, 2, 9, 3), strict=True)
    scored = [row | {"rouge1": 30.0, "rouge2": 5.0, "rougeL": value} for row, value in values]
    assert best_epoch(scored) == 3
    assert best_epoch([{"epoch": 1, "train_loss": 2.0}]) is None
    assert [history("a", losses, kept).kept for kept in (4, 9, None)] == [4, 2, 2]
    assert reading(history("a", rows((4, 4.5), (3, 3.5), (2, 3.75)))) == (
        "Its validation loss is lowest after epoch 2, 3.50 nats a token, and 3.75 at the end, after epoch 3. Meanwhile "
        "the training loss went from 3.00 to 2.00, so the gap between the two grew from 0.50 to 1.75: what it learnt "
        "in between helps on the training dialogues alone. That is overfitting."
    )
    assert reading(history("a", rows((4, 4.5), (3.5, 3.25)))) == (
        "Its validation loss is lowest after epoch 2, 3.25 nats a token, its last epoch; there the gap to the training "
        "loss is −0.25. It was still falling: the loss shows no overfitting."
    )
    assert reading(history("a", [{"epoch": 1, "train_loss": 2.0}])).startswith("No validation loss was recorded")
    assert "no training loss" in reading(history("a", [{"epoch": 1, "validation_loss": 2.0}]))
