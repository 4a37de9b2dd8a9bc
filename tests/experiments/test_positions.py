"""Positions taken away or changed: places by hand, scores and texts as the plain model gives them."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import START, DecodeSettings
from core.decoding.shapes import source_table
from core.errors import SettingsError
from core.experiments.effects import Condition, Untouched, untouched
from core.experiments.positions import (
    Kept,
    bias_matrix,
    distance_biases,
    first_input,
    kept,
    places,
    position_table,
    replaced,
)
from core.model.masks import padding_mask
from core.model.transformer import Encoded
from core.service import Summarizer
from core.text.examples import load_examples
from tests.closeness import near, network_spread, same_network
from tests.models import log_softmax, script
from tests.refusals import refused

SEED = 3


def test_places_by_hand():
    for change, size, offset, expected in [
        ("removed", 3, 1, (-1, -1, -1)), ("reversed", 4, 1, (3, 2, 1, 0)), ("shifted", 3, 7, (7, 8, 9)),
        ("shifted", 3, 0, (0, 1, 2)),
    ]:  # fmt: skip
        assert places(change, size, 10, offset=offset) == expected
    shuffled = places("shuffled", 30, 99, seed=SEED)
    assert sorted(shuffled) == list(range(30)) and shuffled != tuple(range(30))
    assert shuffled == places("shuffled", 30, 99, seed=SEED) != places("shuffled", 30, 99, seed=SEED + 1)
    assert [places(each, 1, 1) for each in ("shuffled", "reversed")] == [(0,), (0,)]
    # A shift beyond the table is refused.
    for offset in [8, -1]:
        message = f"there are 10, and 3 tokens can move by 0 to 7. Received: {offset}"
        refused(SettingsError, message, places, "shifted", 3, 10, offset=offset)
    # Words are counted.
    found = kept("Anna's cat SAT, on on a mat.", "The cat sat", "Ann: The cat is on the mat, Anna's says")
    assert found == Kept(words=7, said=5, before=2)  # anna's, cat, on, on, mat; cat, sat
    assert kept("", "x", "y") == Kept(0, 0, 0)
    assert kept("#Person1# asks", "#Person1# tells", "#Person1#: hi") == Kept(2, 1, 1)


def test_the_changed_run_is_that_of_the_plain_model(summarizer: Summarizer, base: Untouched):
    ids = base.condition.encoded.ids
    size, longest = len(ids), summarizer.config.max_source_length
    changes = [tuple(range(size))]
    changes += [places(each, size, longest, SEED, 2) for each in ("removed", "shuffled", "shifted", "reversed")]
    found = replaced(summarizer, base, changes)
    same_network(found[0].after, base.log_probabilities, summarizer.config)
    assert (found[0].text, found[0].changed) == (base.text, 0.0)
    model = summarizer.model
    inputs, table = np.array([[START, *base.ids[:-1]]]), source_table(ids, summarizer.config)
    for each, change in zip(found, changes, strict=True):
        encoded = model.encode(np.array([ids]), places=np.array(change))
        logs = log_softmax(model.logits(model.decode(inputs, encoded), encoded))[0]
        same_network(each.after, logs[np.arange(len(base.ids)), list(base.ids)], summarizer.config)
        # What the search writes from an encoder output that was neither padded nor compiled.
        states = np.zeros((1, table.shape[1], summarizer.config.d_model), dtype=np.float32)
        states[:, :size] = encoded.states
        memory = Encoded(table, states, padding_mask(table))
        assert each.text == summarizer.write(base.condition.encoded, base.settings, memory=memory)[0]
    assert all(abs(each.drop) > 1e-2 for each in found[1:])
    assert len({each.text for each in found}) > 1
    # Nothing is written where nobody asks.
    (found,) = replaced(summarizer, base, [(-1,) * size], rewrite=False)
    assert (found.text, found.changed) == (None, None)
    # A sampled summary is drawn with the same seed.
    settings = DecodeSettings(strategy="sample", seed=7, max_tokens=8, no_repeat_ngram=0)
    encoded = summarizer.encode(script())
    text, ids = summarizer.write(encoded, settings)
    run = untouched(summarizer, Condition(encoded), ids, settings, text)
    (found,) = replaced(summarizer, run, [tuple(range(len(encoded.ids)))])
    assert found.text == text


def test_what_the_first_layer_reads(made):
    summarizer, summary = made
    model, config = summarizer.model, summarizer.config
    other = replace(summary, checkpoint="other@0123")
    refused(SettingsError, "a summary of other@0123", first_input, summarizer, other)
    if config.positions == "relative":
        why = "must have vectors for positions. Received: .* adds a bias by distance"
        refused(SettingsError, why, first_input, summarizer, summary)
        return
    found = first_input(summarizer, summary)
    assert found.difference < network_spread(config) and found.read.shape == (len(summary.source), 12)
    if not config.speakers:  # else a vector of the speaker is added
        table = np.asarray(model.source_embedding.table)
        near(found.embedded[1], table[summary.source[1].id] * (12**0.5 if config.embedding_scale else 1), depth=2)
    if config.positions == "learned":
        assert found.positions.tolist() == np.asarray(model.source_positions.table)[: len(found.read)].tolist()
        np.testing.assert_array_equal(position_table(summarizer, "decoder"), model.target_positions.table)
    else:
        near(found.positions[1, [0, 6 if config.positions == "halves" else 1]], [np.sin(1), np.cos(1)], depth=2)
        near(found.norms[1][5], 6**0.5, terms=12)
    near(found.norms[0][1], np.linalg.norm(found.embedded[1]), terms=12)
    moved = replace(found, computed=found.computed + np.float32(0.25))
    same_network(moved.difference, 0.25, config)


def test_a_bias_by_distance_heeds_order_and_no_shift(built):
    summarizer, base = built("post", False, "bpe", "t5")
    size, longest = len(base.condition.encoded.ids), summarizer.config.max_source_length
    changes = [places(each, size, longest, SEED, 2) for each in ("shifted", "removed", "shuffled", "reversed")]
    shifted, *others = replaced(summarizer, base, changes)
    same_network(shifted.after, base.log_probabilities, summarizer.config)
    assert shifted.text == base.text
    assert all(abs(each.drop) > 1e-2 for each in others)


def test_biases_by_distance_are_those_that_the_model_adds(built):
    summarizer, _ = built("post", False, "bpe", "t5")
    for side in ("encoder", "decoder"):
        found = distance_biases(summarizer, side)
        reach = 20 + 20 // 8 + 1  # a little beyond the distance from which on all share a bucket
        assert found.distances.tolist() == list(range(-reach, reach + 1 if side == "encoder" else 1))
        assert found.size == 8 and found.values.shape == (3, len(found.distances))
        matrix = bias_matrix(summarizer, side, 1, 30)
        for query, key in ((0, 0), (9, 2), (29, 0), (25, 2)) + (((2, 20),) if side == "encoder" else ()):
            place = found.distances.tolist().index(max(key - query, -reach))
            assert matrix[query, key] == found.values[1, place], (side, query, key)
        same = found.buckets[:2]
        assert same[0] == same[1] and (found.values[:, 0] == found.values[:, 1]).all()


@pytest.mark.slow
def test_the_shipped_model_needs_its_positions(shipped: Summarizer):
    """Without them, or with others, the summary becomes much less likely; moved by one place it hardly does."""
    encoded = shipped.encode(load_examples()[0].dialogue)
    text, ids = shipped.write(encoded)
    run = untouched(shipped, Condition(encoded), ids, shipped.settings, text)
    size, longest = len(encoded.ids), shipped.config.max_source_length
    changes = [tuple(range(size)), *(places(each, size, longest) for each in ("removed", "shuffled", "shifted"))]
    same, removed, shuffled, shifted = replaced(shipped, run, changes, rewrite=False)
    same_network(same.after, run.log_probabilities, shipped.config)
    assert removed.drop_per_token > 0.1 and shuffled.drop_per_token > 0.1
    assert abs(shifted.drop_per_token) < min(removed.drop_per_token, shuffled.drop_per_token)
