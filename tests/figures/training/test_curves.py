"""Pictures of trainings: curves of several runs, a live loss, snapshots, and learning rates."""

import numpy as np

from core.explain.training.histories import history
from core.figures.training.curves import attempts, curves, live
from core.figures.training.lapse import attention, scores
from core.figures.training.schedule import drawn_steps, formulas, schedule
from core.trace import Token
from core.training.tiny import Attempt, Look
from core.training.toys import Item
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

NAMES = ("epoch", "train_loss", "validation_loss", "rouge1")
EPOCHS = [(1, 4.0, 4.5, 10.0), (2, 3.0, 3.5, 30.0), (3, 2.0, 3.75, 20.0)]
FIRST = history("<b>a</b>", [dict(zip(NAMES, epoch, strict=True)) for epoch in EPOCHS])
SECOND = history("b", [{"epoch": 1, "train_loss": 5.0, "validation_loss": 5.25}], 1)


def test_curves_of_runs(snapshot):
    assert drawn(curves([FIRST, SECOND], "loss"), curves([FIRST, SECOND], "rouge1")) == snapshot  # one lacks a score
    cannot_draw("runs with rouge1. Received: 1", curves, [SECOND], "rouge1")
    cannot_draw(": 7", curves, [FIRST] * 7, "loss")


def test_a_training_as_it_runs(snapshot):
    picture = live([(0.5, 2.0), (1.5, 1.0)], [(1, 1.25)], [(0, 0.0), (1, 0.25)], 4, "right")
    assert drawn(picture, said(live([(0.5, 2.0)], [], [], 4, "right"))) == snapshot
    cannot_draw("Received: none", live, [], [], [], 4, "right")


def test_snapshots(snapshot):
    epochs = ([0, 1, 4], 2), ([0.0, 0.0625, 1.0], 1)
    pictures = [scores(each, [0.0, 40.0, 30.0], [1.0, 20.0, 28.0], at, "rouge1", 25) for each, at in epochs]
    assert drawn(*pictures, said(scores([0], [0.0], [0.0], 0, "rougeL", 1))) == snapshot
    cannot_draw("Received: 3, 2 and 3", scores, [0, 1, 4], [0.0, 1.0], [0.0, 1.0, 2.0], 0, "rouge1", 25)


def test_the_attention_of_a_snapshot_by_turn_and_by_word(snapshot):
    read = (("Hi", 0, "Ann"), ("you", 0, "Ann"), ("Yes", 1, "Ben"))
    source = [Token(text, 40, 0, 0, turn, speaker, word) for word, (text, turn, speaker) in enumerate(read)]
    target = [Token(text, 50, 0, 0, None, None, word) for word, text in enumerate(("They", "talk"))]
    weights = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], dtype=np.float32)
    pictures = [attention(weights, source, target, unit, "copy head, before training") for unit in ("turn", "word")]
    assert drawn(*pictures) == snapshot
    target = [Token("so", 50, 0, 0, None, None, word) for word in range(60)]
    many = attention(np.repeat(weights[:1], 60, axis=0), source, target, "word", "copy head")
    assert len(many.figure.data[0].z) == 45 and "first 45 of 60 words" in many.caption


def test_learning_rates(snapshot):
    others = schedule([1, 2], [0.1, 0.2], {}, 10), schedule([1, 2, 3], [0.0, 0.0, 0.0], {}, 1)
    assert drawn(schedule([1, 2, 4], [0.5, 1.0, 0.25], {"other": [0.1, 0.2, 0.3]}, 2), *map(said, others)) == snapshot
    cannot_draw("Received: 1 and 2", schedule, [1], [0.1, 0.2], {}, 1)
    # The end of the warm-up is drawn, too.
    steps = drawn_steps(123, 20_000)
    assert steps[0] == 1 and steps[-1] == 20_000 and 123 in steps and len(steps) == 401
    assert drawn_steps(5000, 3) == (1, 2, 3)


def test_the_formulas_hold_the_numbers(snapshot):
    cases = [("inverse_sqrt", 4000, 512, 6.9877e-4, 20_000), ("inverse_sqrt", 100, None, 0.01, 1100),
             ("cosine", 100, None, 0.01, 1100)]  # fmt: skip
    assert drawn(*(line for case in cases for line in formulas(*case))) == snapshot


def test_attempts_of_a_tiny_network(snapshot):
    inputs = [("a b", 1.0, True), ("b a", 0.25, True), ("c a", 0.5, False)]
    look = Look(2, tuple(Attempt(Item(text, text, held_out), text[::-1], score) for text, score, held_out in inputs))
    dialogues = attempts(Look(0, look.attempts), "dialogues", {"c a": "Cat"})
    assert drawn(*attempts(look, "copy", {}), *dialogues) == snapshot
