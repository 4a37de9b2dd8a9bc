"""The lesson of the look-ahead mask: the same models but for the mask, and what each learns."""

import numpy as np
import pytest

from core.config import START
from core.errors import SettingsError
from core.experiments.masks.noisy_copy import FRESH, SHOWN, CopyModel, Training, _shifted, _write
from core.explain.masks.noisy_copy import CHUNK, FIRST, LENGTH, SYMBOLS, draw, last_only, noise_entropy
from tests.closeness import same_network
from tests.refusals import refused


@pytest.fixture(scope="module")
def untrained() -> tuple[CopyModel, CopyModel]:
    return Training(5, CHUNK).models


def test_both_models_begin_alike_and_one_sees_the_future(untrained):
    first, second = (model.get_weights() for model in untrained)
    assert len(first) == len(second) > 20
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    other = Training(6, CHUNK).models[0].get_weights()
    assert any(np.abs(one - each).max() > 0.01 for one, each in zip(first, other, strict=True))
    assert (untrained[0].masked, untrained[1].masked) == (True, False)
    # One sees the future and the other does not.
    source, target = draw(np.random.default_rng(0), 3)
    changed = target.copy()
    changed[:, 5] = FIRST + (changed[:, 5] - FIRST + 1) % SYMBOLS
    for model, leaks in zip(untrained, (False, True), strict=True):
        before, after = (np.asarray(model((source, _shifted(each)))) for each in (target, changed))
        assert before.shape == (3, LENGTH, FIRST + SYMBOLS)
        moved = np.abs(after - before).max(axis=(0, 2))
        assert (moved[6:] > 0).all() and (moved[:6] > 0).all() == leaks and ((moved[:6] == 0).all() or leaks)
    for steps in [0, 10, CHUNK + 1, -CHUNK]:
        refused(SettingsError, f"a multiple of 25, at least 25. Received: steps={steps}", Training, 0, steps)


def test_free_decoding_reads_its_own_symbols(untrained):
    source, target = draw(np.random.default_rng(1), 2)
    inputs = _shifted(target)
    assert inputs[:, 0].tolist() == [START, START] and inputs[0, 1:].tolist() == target[0, :-1].tolist()
    for model in untrained:
        transformer = model.transformer
        encoded = transformer.encode(source)
        for written in (1, 4, LENGTH):
            part = inputs[:, :written]
            mask = None if model.masked else np.ones((1, 1, written, written), dtype=bool)
            expected = transformer.logits(transformer.decode(part, encoded, mask=mask), encoded)
            found = np.asarray(model.logits((source, inputs), written))[:, :written]
            same_network(found, expected, transformer.config)
    source, _ = draw(np.random.default_rng(2), 3)
    model = untrained[0]
    written = _write(model, source)
    assert written.min() >= FIRST
    logits = np.asarray(model((source, _shifted(written))))
    np.testing.assert_array_equal(written, FIRST + logits[:, :, FIRST:].argmax(axis=-1))


@pytest.mark.slow
def test_without_the_mask_it_learns_to_read_the_answer():
    """A real short training can be watched before the first chunk and after it, and repeats itself."""
    training, seen = Training(0, 200), []
    while training.done < training.steps:
        seen.append(training.lesson())
        training.advance()
    nothing, first, lesson = *seen[:2], training.lesson()
    assert (nothing.done, nothing.outcomes, nothing.masked) == (0, None, ())
    assert (first.done, first.outcomes, len(first.source)) == (CHUNK, None, 0)
    again = Training(0, 200)
    again.advance()
    assert again.lesson().masked == first.masked == lesson.masked[:1]
    assert again.lesson().unmasked == first.unmasked == lesson.unmasked[:1] != first.masked
    assert (lesson.seed, lesson.steps, lesson.done) == (0, 200, 200) and lesson.outcomes is not None
    masked, unmasked = lesson.outcomes
    assert lesson.source.shape == lesson.target.shape == masked.written.shape == (SHOWN, LENGTH)
    entropy = noise_entropy()
    assert entropy - 0.1 < masked.loss.mean() < entropy + 0.35
    assert last_only() - 0.05 < unmasked.loss.mean() < 0.5
    assert unmasked.loss[:-1].max() < 0.5 < unmasked.loss[-1]
    assert masked.right.mean() > 0.8 and unmasked.right[:-1].mean() < 0.3
    np.testing.assert_array_equal(masked.right * FRESH, np.round(masked.right * FRESH))
