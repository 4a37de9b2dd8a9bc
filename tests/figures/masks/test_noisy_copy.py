"""Pictures of the lesson from made-up trainings."""

import numpy as np

from core.explain.masks.noisy_copy import FIRST, LENGTH, Lesson, Outcome
from core.figures.masks.noisy_copy import curves, positions, sequences
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

SOURCE = np.array([range(FIRST, FIRST + LENGTH)] * 2, dtype=np.int32)
WRONG = np.where(np.arange(LENGTH) < 7, FIRST + 11, SOURCE)


def outcome(loss: list[float], right: list[float], written: np.ndarray) -> Outcome:
    return Outcome(np.float32(loss), np.float32(right), written.astype(np.int32))


HONEST = outcome([1.5] * 8, [1.0] * 8, SOURCE)
READER = outcome([0.0] * 7 + [1.6], [0.125] * 7 + [1.0], WRONG)
LESSON = Lesson(0, 100, (2.5, 2.0, 1.6, 1.55), (2.0, 0.9, 0.3, 0.21), SOURCE, SOURCE, (HONEST, READER))


NOTHING = Lesson(0, 100, (), (), SOURCE[:0], SOURCE[:0], None)


def test_both_losses_as_they_fall(snapshot):
    # Guessing costs ln 12 = 2.485, the noise 1.536, and an eighth of it 0.192.
    early = curves(Lesson(0, 100, (2.5,), (2.4,), SOURCE[:0], SOURCE[:0], None))
    assert drawn(curves(LESSON), said(early)) == snapshot
    cannot_draw("Received: 0 and 0", curves, NOTHING)


def test_position_by_position(snapshot):
    assert drawn(positions((HONEST, READER))) == snapshot


def test_what_both_write_freely(snapshot):
    again = outcome([0.0] * 8, [0.125] * 8, np.full_like(SOURCE, SOURCE[0, -1]))
    last = Lesson(0, 100, LESSON.masked, LESSON.unmasked, SOURCE, SOURCE, (HONEST, again))
    assert drawn(sequences(LESSON), said(sequences(last))) == snapshot
    cannot_draw("no outcomes", sequences, NOTHING)
