"""Pictures of trainings: curves of several runs, a live loss, snapshots, and learning rates."""

import numpy as np
import pytest

from core.explain.histories import history
from core.figures.training import attempts, curves, live
from core.figures.training_lapse import attention, scores
from core.figures.training_schedule import drawn_steps, formulas, schedule
from core.trace import Token
from core.training.tiny import Attempt, Look
from core.training.toys import Item
from tests.figures.conftest import said

NAMES = ("epoch", "train_loss", "validation_loss", "rouge1")
EPOCHS = [(1, 4.0, 4.5, 10.0), (2, 3.0, 3.5, 30.0), (3, 2.0, 3.75, 20.0)]
FIRST = history("<b>a</b>", [dict(zip(NAMES, epoch, strict=True)) for epoch in EPOCHS])
SECOND = history("b", [{"epoch": 1, "train_loss": 5.0, "validation_loss": 5.25}], 1)


def traces(picture):
    return {trace.name: (list(trace.x), list(trace.y)) for trace in picture.figure.data}


def test_curves_of_runs():
    picture = curves([FIRST, SECOND], "loss")
    assert picture.caption == (
        "The lowest validation loss is 3.50 nats a token, of “<b>a</b>” after epoch 2; the widest gap to the training "
        "loss at the end is 1.75, of “<b>a</b>” after epoch 3."
    )
    assert traces(picture)["&lt;b&gt;a&lt;/b&gt;, training"] == ([1, 2, 3], [4.0, 3.0, 2.0])
    assert traces(picture)["b, validation"] == ([1], [5.25])
    rings = [(trace.x[0], trace.y[0]) for trace in picture.figure.data if trace.name == "kept"]
    assert rings == [(2, 3.5), (1, 5.25)] and picture.table["Kept"] == [False, True, False, True]
    assert picture.table["Run"] == ["<b>a</b>"] * 3 + ["b"]
    assert picture.table["Validation loss (nats a token)"] == [4.5, 3.5, 3.75, 5.25]
    # A score that one run lacks.
    picture = curves([FIRST, SECOND], "rouge1")
    assert picture.table["Epoch"] == [1, 2, 3] and picture.caption == (
        "ROUGE-1 (0 to 100) is highest in epoch 2 of “<b>a</b>”: 30. In the epoch that was kept it is 30 in epoch 2 of "
        "“<b>a</b>”."
    )
    for runs, of, message in (([SECOND], "rouge1", "runs with rouge1. Received: 1"), ([FIRST] * 7, "loss", ": 7")):
        with pytest.raises(ValueError, match=message):
            curves(runs, of)


def test_a_training_as_it_runs():
    picture = live([(0.5, 2.0), (1.5, 1.0)], [(1, 1.25)], [(0, 0.0), (1, 0.25)], 4, "right")
    assert said(picture) == (
        "After 1.5 of 4 epochs the training loss is 1.00 nats a token, the validation loss 1.25; right: 25 %."
    )
    assert traces(picture)["right"] == ([0, 1], [0.0, 25.0])
    assert picture.table["Value"] == [2.0, 1.0, 1.25, 0.0, 25.0]
    early = live([(0.5, 2.0)], [], [], 4, "right").caption
    assert early == "After 0.5 of 4 epochs the training loss is 2.00 nats a token."
    with pytest.raises(ValueError, match="Received: none"):
        live([], [], [], 4, "right")


def test_snapshots():
    picture = scores([0, 1, 4], [0.0, 40.0, 30.0], [1.0, 20.0, 28.0], 2, "rouge1", 25)
    assert picture.caption == (
        "After epoch 4 ROUGE-1 of this dialogue is 30.00 and the mean of 25 dialogues 28.00; this dialogue has its "
        "best, 40.00, after epoch 1, the mean ends at 28.00."
    )
    assert traces(picture)["shown here"] == ([2, 2], [28.0, 30.0])
    assert list(picture.figure.layout.xaxis.ticktext) == ["0", "1", "4"]
    early = scores([0.0, 0.0625, 1.0], [0.0, 40.0, 30.0], [1.0, 20.0, 28.0], 1, "rouge1", 25)
    assert early.caption.startswith("After 1/16 of epoch 1 ROUGE-1") and early.table["Epoch"] == [0, 0.0625, 1]
    assert list(early.figure.layout.xaxis.ticktext) == ["0", "1/16", "1"]
    assert scores([0], [0.0], [0.0], 0, "rougeL", 1).caption.startswith("Before training ROUGE-L of this dialogue")
    with pytest.raises(ValueError, match="Received: 3, 2 and 3"):
        scores([0, 1, 4], [0.0, 1.0], [0.0, 1.0, 2.0], 0, "rouge1", 25)


def test_the_attention_of_a_snapshot_by_turn_and_by_word():
    said = (("Hi", 0, "Ann"), ("you", 0, "Ann"), ("Yes", 1, "Ben"))
    source = [Token(text, 40, 0, 0, turn, speaker, word) for word, (text, turn, speaker) in enumerate(said)]
    target = [Token(text, 50, 0, 0, None, None, word) for word, text in enumerate(("They", "talk"))]
    weights = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], dtype=np.float32)
    picture = attention(weights, source, target, "turn", "copy head, before training")
    (heat,) = picture.figure.data
    assert np.asarray(heat.z) == pytest.approx(np.array([[0.75, 0.25], [0.5, 0.5]])) and (heat.zmin, heat.zmax) == (
        0,
        1,
    )
    assert list(picture.figure.layout.xaxis.ticktext) == ["1 Ann", "2 Ben"]
    assert "copy head, before training" in picture.caption.lower()
    words = attention(weights, source, target, "word", "copy head").figure.data[0]
    np.testing.assert_allclose(words.z, weights)
    target = [Token("so", 50, 0, 0, None, None, word) for word in range(60)]
    many = attention(np.repeat(weights[:1], 60, axis=0), source, target, "word", "copy head")
    assert len(many.figure.data[0].z) == 45 and "first 45 of 60 words" in many.caption


def test_learning_rates():
    picture = schedule([1, 2, 4], [0.5, 1.0, 0.25], {"other": [0.1, 0.2, 0.3]}, 2)
    assert picture.table["other"] == [0.1, 0.2, 0.3] and picture.caption == (
        "The learning rate rises to 1 at step 2 and falls to 0.25 at step 4, 0.25 of its peak; beside it peaks of 0.3 "
        "of “other”."
    )
    longer = schedule([1, 2], [0.1, 0.2], {}, 10).caption
    assert longer == "The warm-up of 10 steps is longer than the training: the rate only rises, to 0.2."
    assert "0 of its peak" in schedule([1, 2, 3], [0.0, 0.0, 0.0], {}, 1).caption
    with pytest.raises(ValueError, match="Received: 1 and 2"):
        schedule([1], [0.1, 0.2], {}, 1)
    # The end of the warm-up is drawn, too.
    steps = drawn_steps(123, 20_000)
    assert steps[0] == 1 and steps[-1] == 20_000 and 123 in steps and len(steps) == 401
    assert drawn_steps(5000, 3) == (1, 2, 3)
    # The formulas hold the numbers.
    peak, rate = formulas("inverse_sqrt", 4000, 512, 6.9877e-4, 20_000)
    assert r"512^{-0.5} \cdot 4000^{-0.5} = 6.988 \cdot 10^{-4}" in peak and r"s \cdot 4000^{-1.5}" in rate
    (rate,) = formulas("inverse_sqrt", 100, None, 0.01, 1100)
    assert r"1.000 \cdot 10^{-2}" in rate and r"\sqrt{\frac{100}{s}}" in rate
    assert r"c &= \frac{s - 100}{1000}" in formulas("cosine", 100, None, 0.01, 1100)[-1]


def test_attempts_of_a_tiny_network():
    inputs = [("a b", 1.0, True), ("b a", 0.25, True), ("c a", 0.5, False)]
    look = Look(2, tuple(Attempt(Item(text, text, held_out), text[::-1], score) for text, score, held_out in inputs))
    sentence, table = attempts(look, "copy", {})
    assert sentence.startswith("**After epoch 2** it answers 1 of 2 held-out inputs rightly")
    assert table == {
        "Input": ["a b", "b a"], "Right?": ["✓", "✗"], "It writes": ["b a", "a b"], "Right answer": ["a b", "b a"],
    }  # fmt: skip
    sentence, table = attempts(Look(0, look.attempts), "dialogues", {"c a": "Cat"})
    assert said(sentence).startswith("**Before training:** mean ROUGE-1 62 % on held-out dialogues, 50 % on those")
    assert table["Input"] == ["Cat", "a b", "b a"] and table["Trained on"] == ["yes", "no", "no"]
    assert [said(score) for score in table["ROUGE-1"]] == ["50 %", "100 %", "25 %"]
