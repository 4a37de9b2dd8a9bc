"""Gradient times input: by hand on small functions, against finite differences on the models."""

import keras
import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments import gradients
from core.experiments.effects import Untouched, untouched
from core.experiments.gradients import finite_difference, gradient_times_input
from core.runtime import backend
from core.service import Summarizer
from tests.closeness import near, network_spread, printed, same_network
from tests.models import log_softmax
from tests.refusals import refused

FOILS = [None, 60]


def effects(function, *inputs: float) -> tuple[float, list[float]]:
    """Value, and gradient times input."""
    run = backend.row_gradients(lambda values: function(*(each[0] for each in values))[None], [])
    value, slopes = run(tuple(np.array([each], dtype=np.float32) for each in inputs))
    return float(value[0]), [float(slope[0]) * each for slope, each in zip(slopes, inputs, strict=True)]


def test_gradient_times_input_by_hand() -> None:
    """METHODS: F = x1 * x2 at (2, 3): (6, 6), twice F; z_t = 2a + b, z_f = 2a - b at a = b = 1: logit (2, 1), contrast
    (0, 2), log p (0, .2384); F = 1 - ReLU(1 - x) at 2 has the gradient 0; so has an input that F does not read.
    """
    assert effects(lambda a, b: a * b, 2.0, 3.0) == (6.0, [6.0, 6.0])
    assert effects(lambda a, b: 2 * a + b, 1.0, 1.0)[1] == [2.0, 1.0]

    def logs(a, b):
        return keras.ops.log_softmax(keras.ops.stack([2 * a + b, 2 * a - b]))

    value, contrast = effects(lambda a, b: logs(a, b)[0] - logs(a, b)[1], 1.0, 1.0)
    near([value, *contrast], [2, 0, 2], depth=4)
    printed(effects(lambda a, b: logs(a, b)[0], 1.0, 1.0)[1], [0, 0.2384], 4)
    assert effects(lambda x, unused: 1 - keras.ops.relu(1 - x), 2.0, 7.0) == (1.0, [0.0, 0.0])


def test_the_target_is_the_log_probability_of_the_step(summarizer: Summarizer, base: Untouched) -> None:
    for foil in FOILS:
        summary = summarizer.summarize(base.condition.encoded)
        logs = log_softmax(summary.logits)
        for step in (0, 4, len(base.ids) - 1):
            found = gradient_times_input(summarizer, base, step, foil)
            assert (found.step, found.foil) == (step, foil), foil
            expected = summary.steps[step].log_probability - (0 if foil is None else logs[step, foil])
            same_network(found.value, expected, summarizer.config)
            assert found.source.shape == (len(summary.source),) and found.prefix.shape == (step + 1,), foil
            assert np.isfinite(found.source).all() and (found.prefix != 0).all(), foil


def test_effects_are_the_finite_differences(
    summarizer: Summarizer, base: Untouched, monkeypatch: pytest.MonkeyPatch
) -> None:
    for foil in FOILS:
        # Sixteen ReLUs of random weights have kinks that a wider step crosses.
        monkeypatch.setattr(gradients, "STEP", 0.0005)
        size = len(base.condition.encoded.tokens)
        for step in (0, 5):
            found = gradient_times_input(summarizer, base, step, foil)
            for places in ([0], [size - 1], [3, 4, 5], range(size)):
                slope = finite_difference(summarizer, base, step, places, foil)
                # F is up to 20, rounded by a few millionths, which steps of 0.0005 make up to 0.01
                assert slope == pytest.approx(float(found.source[list(places)].sum()), rel=0.05, abs=0.02), foil
            assert np.abs(found.source).max() > 0.05, foil
        # Both values of F are those of the same input.
        rounding = network_spread(summarizer.config, gradient_times_input(summarizer, base, 0, foil).value)
        assert abs(finite_difference(summarizer, base, 0, [], foil)) < rounding / gradients.STEP, foil


def test_a_token_and_its_foil_changed_round_have_opposite_effects(summarizer: Summarizer, base: Untouched) -> None:
    """log p(y) - log p(z) = -(log p(z) - log p(y))."""
    ids = list(base.ids)
    ids[3] = next(token for token in (60, 61) if token != base.ids[3])
    # Both summaries share the prefix of token 4, which is all that its prediction reads.
    other = untouched(summarizer, base.condition, ids, base.settings, base.text)
    one = gradient_times_input(summarizer, base, 3, ids[3])
    two = gradient_times_input(summarizer, other, 3, base.ids[3])
    same_network(one.value, -two.value, summarizer.config)
    same_network(one.source, -two.source, summarizer.config)
    same_network(one.prefix, -two.prefix, summarizer.config)
    alone = [gradient_times_input(summarizer, each, 3) for each in (base, other)]
    same_network(one.source, alone[0].source - alone[1].source, summarizer.config)


def test_what_is_not_there_is_refused(summarizer: Summarizer, base: Untouched) -> None:
    for step in [-1, 99]:
        message = f"step must be from 0 to {len(base.ids) - 1} for this summary. Received: step={step}"
        refused(SettingsError, message, gradient_times_input, summarizer, base, step)
        refused(SettingsError, message, finite_difference, summarizer, base, step, [0])
    size = summarizer.config.target_vocabulary
    for foil in (-1, size, base.ids[1]):
        message = f"a foil is another token, its id below {size}. Received: {foil}"
        refused(SettingsError, message, gradient_times_input, summarizer, base, 1, foil)
