"""Masks of a batch from the model's functions, and what its attention does with them, rows without a key included."""

import numpy as np

from core.config import START
from core.errors import SettingsError
from core.experiments.masks.batch_masks import head_scores, make_masks
from core.explain.masks.masks import ROWS, Batch, filled, read_rows
from tests.closeness import near, same_network
from tests.models import log_softmax, script
from tests.refusals import refused

NAMES = ("padding", "look_ahead", "target", "cross")


def batch(text: str, pads: tuple[int, ...] = (0,)) -> Batch:
    table = filled(read_rows(text), pads[0])
    return Batch(table, table, pads)


def test_the_masks_of_a_batch():
    # Shapes and entries as the tutorial prints them: 0 is the pad symbol, True lets attend.
    found = make_masks(batch(ROWS["tutorial"]))
    assert [found.stored(name).shape for name in NAMES] == [(3, 1, 1, 7), (7, 7), (3, 1, 7, 7), (3, 1, 1, 7)]
    assert found.padding[:, 0, 0].sum(axis=1).tolist() == [5, 2, 7]
    np.testing.assert_array_equal(found.look_ahead, np.tril(np.ones((7, 7), dtype=bool)))
    np.testing.assert_array_equal(found.target, found.padding & found.look_ahead[None, None])
    # Pad ids may be a set.
    found = make_masks(batch("1 2 7 0\n7 3 0 0", (0, 7)))
    assert found.padding[:, 0, 0].tolist() == [[True, True, False, False], [False, True, False, False]]
    assert make_masks(batch("1 2 7 0\n7 3 0 0", (7,))).padding[0, 0, 0].tolist() == [True, True, False, True]
    assert make_masks(batch("1 2", (9,))).padding.all()


def test_weights_are_the_softmax_of_the_masked_scores(summarizer):
    for name in NAMES:
        own = Batch(filled([[9, 8, 7, 2], [6, 2]], 0), filled([[START, 9, 8], [START]], 0), (0,))
        for row, head in ((0, 0), (1, 2)):
            found, cells = head_scores(summarizer, own, name, row, head), make_masks(own).cells(name, row)
            assert found.scores.shape == found.weights.shape == cells.attend.shape, name
            expected = np.exp(log_softmax(np.where(cells.attend, found.scores, -1e9)))
            same_network(found.weights, expected, summarizer.config)
            assert (found.weights[~cells.attend] == 0).all(), name
        other = head_scores(summarizer, own, name, 1, 1)
        assert np.abs(other.scores - found.scores).max() > 1e-3, name
    # What the model has not is named.
    vocabulary = summarizer.config.source_vocabulary
    for own, head, message in (
        (batch("5 6"), 3, "head must be from 0 to 2 for this model. Received: head=3"),
        (batch(f"5 {vocabulary}"), 0, f"Received: {vocabulary}; allowed: 0 to {vocabulary - 1}"),
        (batch(" ".join("5" * 13)), 0, "the decoder has 12 positions. Received: 13 tokens in a row"),
    ):
        refused(SettingsError, message, head_scores, summarizer, own, "padding", 0, head)


def test_a_batch_of_one_has_the_weights_of_the_trace_and_scores_whose_softmax_they_are(made):
    summarizer, _ = made
    encoded = summarizer.encode(script())
    target = [7, 9, 6, 2]
    own = Batch(filled([encoded.ids], 0), filled([[START, *target[:-1]]], 0), (0,))
    replay = summarizer.engine.replay(encoded.ids, target)
    for name, trace in (("padding", "encoder_self"), ("target", "decoder_self"), ("cross", "cross")):
        found, attend = head_scores(summarizer, own, name, 0, 1), make_masks(own).cells(name, 0).attend
        same_network(found.weights, replay[trace][0, 1], summarizer.config)
        same_network(found.weights, np.exp(log_softmax(np.where(attend, found.scores, -1e9))), summarizer.config)


def test_a_query_without_a_key_shares_out_equally_and_disturbs_nobody(summarizer):
    """Row 2 is all padding; row 3 begins with two pads, so two of its queries may look nowhere."""
    own = batch(ROWS["empty"])
    for name in ("target", "padding", "cross"):  # later positions too
        near(head_scores(summarizer, own, name, 1, 0).weights, 0.25)
    third = head_scores(summarizer, own, "target", 2, 0).weights
    near(third[:2], 0.25)
    near(third[2], [0, 0, 1, 0])
    masks = make_masks(own)
    encoded = summarizer.model.encode(own.source, mask=masks.padding)
    logits = summarizer.model.logits(summarizer.model.decode(own.target, encoded, mask=masks.target), encoded)
    assert np.isfinite(np.asarray(logits)).all()
    alone = batch("5 6 7 8")
    for name in NAMES:
        one, several = (head_scores(summarizer, each, name, 0, 1).weights for each in (alone, own))
        same_network(one, several, summarizer.config)
