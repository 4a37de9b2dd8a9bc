"""Minimum risk training by hand, and that it moves the model towards the better candidates."""

import math

import numpy as np
import pytest

from core import checkpoints
from core.config import END, START, ModelConfig, TrainConfig
from core.model.transformer import Transformer
from core.training.loop import train
from core.training.risk import ABSENT, Judged, JudgedBatches, MinimumRisk
from tests.closeness import near
from tests.models import log_softmax

SOURCE = [7, 8, 9, END]
BETTER, WORSE = [7, END], [12, 13, END]
ROW = Judged(SOURCE, [8, END], [WORSE, BETTER], [0.1, 0.6])


def log_probabilities(model: Transformer, target: list[int]) -> np.ndarray:
    """Those of each token of a target under teacher forcing."""
    logits = model((np.array([SOURCE]), np.array([[START, *target[:-1]]])))
    return log_softmax(logits)[0, np.arange(len(target)), target]


def judged(model_config: ModelConfig, *rows: Judged) -> tuple[MinimumRisk, float]:
    """A fresh model, and its loss on these rows."""
    model = MinimumRisk(Transformer(model_config), TrainConfig(risk=3.0, sharpness=2.0, label_smoothing=0.0))
    inputs, merits = JudgedBatches(rows, tokens=10_000)[0]
    return model, float(model.compute_loss(y=merits, y_pred=model(inputs)))


def test_batches_put_the_reference_first():
    batches = JudgedBatches([ROW, Judged([5, END], [6, END])], tokens=10_000, shuffle=False)
    (source, targets), merits = batches[0]
    assert source.shape == (2, 32) and targets.shape == (6, 16)
    assert [row[row > 0].tolist() for row in targets] == [[6, 2], [], [], ROW.target, WORSE, BETTER]
    np.testing.assert_array_equal(merits, np.float32([[ABSENT] * 3, [ABSENT, 0.1, 0.6]]))
    assert batches.all_tokens() == 2 + 2 + 4 + 3 * 3  # the longest of three rows counts for each
    _, merits = JudgedBatches([Judged(SOURCE, BETTER, [WORSE], [0.0], 1.0)], tokens=100)[0]
    assert merits.tolist() == [[1.0, 0.0]]
    # A batch without candidates has an empty one.
    (_, targets), merits = JudgedBatches([Judged([5, END], [6, END])], tokens=100)[0]
    assert targets.shape[0] == 2 and not targets[1].any() and merits.tolist() == [[ABSENT, ABSENT]]


def test_the_loss_by_hand(model_config):
    for copy in [False, True]:
        model, found = judged(model_config.replace(copy=copy), ROW, Judged(SOURCE, [9, END]))
        targets = ([8, END], [9, END], WORSE, BETTER)
        first, second, worse, better = (log_probabilities(model.transformer, each) for each in targets)
        plain = -(first.sum() + second.sum()) / 4
        likely = [math.exp(2.0 * each.mean()) for each in (worse, better)]
        expected = (0.1 * likely[0] + 0.6 * likely[1]) / sum(likely)  # only one of the two rows has candidates
        near(found, plain - 3.0 * expected, terms=21, depth=30)
        near(model.token_loss.result(), plain, terms=21, depth=30)


def test_a_reference_with_a_merit_is_a_candidate(model_config):
    model, found = judged(model_config, Judged(SOURCE, BETTER, [WORSE], [0.0], 1.0))
    better, worse = (log_probabilities(model.transformer, each).mean() for each in (BETTER, WORSE))
    near(found, -better - 3 / (1 + math.exp(2.0 * (worse - better))), terms=21, depth=30)


def test_without_candidates_it_is_teacher_forcing(model_config):
    model, found = judged(model_config, Judged(SOURCE, [9, END]))
    near(found, -log_probabilities(model.transformer, [9, END]).mean(), terms=21, depth=30)


@pytest.mark.slow
def test_training_makes_the_better_candidate_likelier(model_config, tokenizer, tmp_path):
    config = TrainConfig(
        epochs=2, batch_tokens=400, learning_rate=3e-3, warmup_steps=5, average=0.0, patience=0, risk=5.0, seed=3
    )
    rows = [ROW] * 160
    result = train(rows, [Judged(SOURCE, [8, END])], model_config, config, tokenizer, tmp_path, {})
    trained = Transformer(model_config)
    checkpoints.set_weights(trained, checkpoints.read(result.last).weights)
    better, worse = (log_probabilities(trained, each).mean() for each in (BETTER, WORSE))
    assert better > worse + 0.5
    assert result.history[-1]["validation_loss"] < 1.5  # and it has not forgotten the reference
