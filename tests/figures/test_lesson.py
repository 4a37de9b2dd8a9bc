"""Pictures of the lesson from made-up trainings."""

import numpy as np
import pytest

from core.explain.noisy_copy import CHUNK, FIRST, LENGTH, Lesson, Outcome
from core.figures.lesson import curves, positions, sequences
from tests.figures.conftest import said

SOURCE = np.array([range(FIRST, FIRST + LENGTH)] * 2, dtype=np.int32)
WRONG = np.where(np.arange(LENGTH) < 7, FIRST + 11, SOURCE)


def outcome(loss: list[float], right: list[float], written: np.ndarray) -> Outcome:
    return Outcome(np.float32(loss), np.float32(right), written.astype(np.int32))


HONEST = outcome([1.5] * 8, [1.0] * 8, SOURCE)
READER = outcome([0.0] * 7 + [1.6], [0.125] * 7 + [1.0], WRONG)
LESSON = Lesson(0, 100, (2.5, 2.0, 1.6, 1.55), (2.0, 0.9, 0.3, 0.21), SOURCE, SOURCE, (HONEST, READER))


def test_both_losses_as_they_fall():
    picture = curves(LESSON)
    assert said(picture) == (
        "After 100 of 100 steps the loss is 1.55 nats a symbol with the look-ahead mask, where the entropy of the "
        "noise is 1.54; without the mask it is 0.21 nats, where that entropy ÷ 8 is 0.19."
    )
    first, second, guess, noise, last = picture.figure.data
    assert list(first.x) == [CHUNK, 2 * CHUNK, 3 * CHUNK, 4 * CHUNK] and list(second.y) == [2.0, 0.9, 0.3, 0.21]
    assert [trace.y[0] for trace in (guess, noise, last)] == pytest.approx([2.4849, 1.5364, 0.19205], abs=1e-4)
    assert picture.table["Loss without it (nats)"] == [2.0, 0.9, 0.3, 0.21]
    early = curves(Lesson(0, 100, (2.5,), (2.4,), SOURCE[:0], SOURCE[:0], None))
    assert said(early).startswith("After 25 of 100 steps the loss is 2.50 nats")
    with pytest.raises(ValueError, match="Received: 0 and 0"):
        curves(Lesson(0, 100, (), (), SOURCE[:0], SOURCE[:0], None))


def test_position_by_position():
    picture = positions((HONEST, READER))
    assert said(picture) == (
        "On fresh sequences the mask leaves a loss of 1.50 nats a symbol, and written freely 100 % of the symbols are "
        "right; without it 0.20 nats (0.00 in the mean of the first 7 positions, 1.60 at the last) and 23 %, where "
        "guessing everywhere but at the last position gives 20 %."
    )
    assert picture.table["Position"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert picture.table["Right without it (%)"] == [12.5] * 7 + [100]
    assert list(picture.figure.data[2].y) == pytest.approx([0] * 7 + [1.6])


def test_what_both_write_freely():
    picture = sequences(LESSON)
    assert picture.caption == (
        "Written freely, the model that learnt with the mask gives 16 of these 16 source symbols, the one that learnt "
        "without it 2; 0 of its 14 symbols before the last position are the source's last symbol."
    )
    again = outcome([0.0] * 8, [0.125] * 8, np.full_like(SOURCE, SOURCE[0, -1]))
    said = sequences(Lesson(0, 100, LESSON.masked, LESSON.unmasked, SOURCE, SOURCE, (HONEST, again))).caption
    assert said.endswith(
        "; 14 of its 14 symbols before the last position are the source's last symbol: it does everywhere what it "
        "learnt for the last position."
    )
    assert picture.table["Line"][:4] == ["source", "target", "with the mask", "without the mask"]
    assert picture.table["Symbols"][:4] == ["ABCDEFGH", "ABCDEFGH", "ABCDEFGH", "LLLLLLLH"]
    sizes = {trace.name: len(trace.y) for trace in picture.figure.data}
    assert sizes == {"source": 16, "the source's symbol": 34, "another symbol": 14}
    with pytest.raises(ValueError, match="no outcomes"):
        sequences(Lesson(0, 100, (2.5,), (2.4,), SOURCE[:0], SOURCE[:0], None))
