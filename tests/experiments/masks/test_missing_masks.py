"""Masks taken away: what leaks, what padding does, what the loss becomes, against the compiled model."""

import numpy as np
import pytest

from core.config import END, START
from core.errors import SettingsError
from core.experiments.masks.missing_masks import AMOUNTS, amounts, leak, losses, memory, padded
from tests.closeness import same_network
from tests.models import log_softmax, script
from tests.refusals import refused

TARGET = [7, 9, 6, 8, 10, END]


@pytest.fixture(scope="module")
def source(summarizer) -> list[int]:
    return summarizer.encode(script()).ids


def test_a_leak_is_the_difference_of_two_runs(summarizer, source):
    for place, other in ((3, 11), (4, 7), (0, 8)):
        found = leak(summarizer, source, TARGET, place, other)
        earlier = slice(0, place + 1)
        assert (found.kept.probability[earlier] == 0).all() and (found.kept.nats[earlier] == 0).all()
        assert (found.kept.probability[place + 1 :] > 1e-4).all()
        assert (found.removed.probability[earlier] > 1e-5).all() and (found.removed.nats[earlier] != 0).all()
        assert found.removed.probability.max() <= 1
    # What moves is the difference of two runs.
    found = leak(summarizer, source, TARGET, 2, 11)
    model, everything = summarizer.model, np.ones((1, 1, 6, 6), dtype=bool)
    encoded = model.encode(np.array([source], dtype=np.int32))
    runs = []
    for ids in ([START, 7, 9, 6, 8, 10], [START, 7, 9, 11, 8, 10]):
        decoded = model.decode(np.array([ids], dtype=np.int32), encoded, mask=everything)
        runs.append(log_softmax(model.logits(decoded, encoded))[0])
    moved = np.abs(np.exp(runs[1]) - np.exp(runs[0])).max(axis=1)
    same_network(found.removed.probability, moved, summarizer.config)
    same_network(found.removed.nats, (runs[1] - runs[0])[np.arange(6), TARGET], summarizer.config)
    # What is never read cannot be changed.
    for place, other, message in (
        (5, 7, "here number 1 to 5. Received: number 6"),
        (-1, 7, "Received: number 0"),
        (1, summarizer.config.target_vocabulary, f"Received: {summarizer.config.target_vocabulary}"),
    ):
        refused(SettingsError, message, leak, summarizer, source, TARGET, place, other)


def test_with_the_mask_the_loss_is_the_models_own(summarizer, source):
    kept, removed = losses(summarizer, source, TARGET)
    same_network(kept, summarizer.probes.score([source], [TARGET])[0], summarizer.config)
    assert kept.shape == removed.shape == (6,) and np.abs(kept[:-1] - removed[:-1]).max() > 1e-3
    np.testing.assert_allclose(kept[-1:], removed[-1:], atol=2)  # it has no future, but what it reads had


def test_padding_matters_only_without_its_masks(summarizer, source):
    base = padded(summarizer, source, TARGET, 0, ())
    for removed in ((), ("encoder",), ("cross",), ("encoder", "cross")):
        same_network(padded(summarizer, source, TARGET, 0, removed), base, summarizer.config)
    same_network(padded(summarizer, source, TARGET, 16, ()), base, summarizer.config)
    found = [padded(summarizer, source, TARGET, 16, each) for each in (("encoder",), ("cross",), ("encoder", "cross"))]
    assert all(np.abs(each - base).max() > 1e-3 for each in found)
    assert all(np.abs(found[one] - found[other]).max() > 1e-4 for one, other in ((0, 1), (0, 2), (1, 2)))
    more = padded(summarizer, source, TARGET, 32, ("encoder", "cross"))
    assert np.abs(more - found[2]).max() > 1e-4
    # With its masks a padded source gives the same summary.
    encoded = summarizer.encode(script())
    untouched = summarizer.write(encoded)
    assert summarizer.write(encoded, memory=memory(summarizer, source, 16, ())) == untouched
    # There is only room up to the models positions.
    assert amounts(summarizer, [5] * 60) == (0, 8, 16, 32)  # of 100
    assert amounts(summarizer, [5] * 100) == (0,) == AMOUNTS[:1]


def test_what_is_written_from_is_what_was_scored(summarizer, source):
    """The compiled loop's table is longer: what is behind the pad tokens counts as if it were not there."""
    for removed in [(), ("encoder",), ("cross",), ("encoder", "cross")]:
        found = memory(summarizer, source, 16, removed)
        assert found.states.shape[1] > len(source) + 16, removed
        visible = np.asarray(found.mask)[0, 0, 0]
        assert visible[: len(source)].all() and visible.sum() == len(source) + 16 * ("cross" in removed), removed
        inputs = np.array([[START, *TARGET[:-1]]], dtype=np.int32)
        rows = log_softmax(summarizer.model.logits(summarizer.model.decode(inputs, found), found))[0]
        expected = padded(summarizer, source, TARGET, 16, removed)
        same_network(rows[np.arange(6), TARGET], expected, summarizer.config)


@pytest.mark.slow
def test_a_trained_model(scratch):
    """It never learnt to use the future: without the mask its own summary costs more, and padding hurts it."""
    dialogue = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."
    summary = scratch.summarize(dialogue)
    source, target = ([token.id for token in tokens] for tokens in (summary.source, summary.tokens))
    kept, removed = losses(scratch, source, target)
    assert -removed.mean() > -kept.mean() + 0.3
    place = len(target) - 2
    found = leak(scratch, source, target, place, summary.steps[place].alternatives[1].id)
    assert found.kept.probability[: place + 1].max() == 0 and found.removed.probability[: place + 1].max() > 0.01
    base = padded(scratch, source, target, 0, ())
    same_network(padded(scratch, source, target, 128, ()), base, scratch.config)
    assert abs(float((padded(scratch, source, target, 128, ("encoder", "cross")) - base).sum())) > 0.5
