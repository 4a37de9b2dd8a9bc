"""Moments of a training: which epochs, and a file that gives back what was put in."""

import numpy as np
import pytest

from core.errors import CheckpointError
from core.training import moments
from core.training.moments import Attempt, Moment


@pytest.mark.parametrize(
    ("epochs", "count", "expected"),
    [
        (14, 10, (0, 1, 2, 3, 4, 5, 6, 7, 10, 14)),
        (30, 10, (0, 1, 2, 3, 4, 5, 8, 13, 20, 30)),
        (3, 10, (0, 1, 2, 3)),
        (5, 2, (0, 5)),
        (5, 1, (5,)),
        (5, 0, ()),
    ],
)
def test_epochs_are_close_together_at_first(epochs, count, expected):
    assert moments.epochs_of_moments(epochs, count) == expected


def made(epoch, with_attention=True):
    random = np.random.default_rng(epoch)
    weights = random.dirichlet(np.ones(7), 3).astype(np.float32)
    attention = moments.quantised(weights) if with_attention else None
    attempt = Attempt("shop", "a “quoted” text", (7, 8, 2), -1.5, (40.0, 12.25, 30.5), attention)
    return Moment(epoch, (attempt,)), weights


def test_a_file_gives_back_what_was_put_in(tmp_path):
    path = tmp_path / "run" / moments.FILE
    first, weights = made(0)
    second, _ = made(4, with_attention=False)
    moments.write(path, [first, second])
    read = moments.read(path)
    assert [each.epoch for each in read] == [0, 4]
    attempt = read[0].attempts[0]
    assert (attempt.id, attempt.text, attempt.target) == ("shop", "a “quoted” text", (7, 8, 2))
    assert (attempt.log_probability, attempt.rouge) == (-1.5, (40.0, 12.25, 30.5))
    assert np.abs(attempt.weights() - weights).max() <= 0.5 / 255 + 1e-6
    assert read[1].attempts[0].weights() is None
    assert [each.name for each in path.parent.iterdir()] == [moments.FILE]


def test_no_file_no_moments(tmp_path):
    assert moments.read(tmp_path / moments.FILE) == ()


def test_what_is_something_else_is_refused(tmp_path):
    path = tmp_path / moments.FILE
    moments.write(path, [made(1)[0]])
    whole = path.read_bytes()
    for damaged in (b"", b"no zip", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="holds no moments of a training, or is damaged"):
            moments.read(path)
    with path.open("wb") as file:
        np.savez(file, document=np.frombuffer(b'{"format": 1, "moments": [{"epoch": 1}]}', dtype=np.uint8))
    with pytest.raises(CheckpointError, match="attempts"):
        moments.read(path)
