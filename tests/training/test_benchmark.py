"""What the training benchmark compares us with does the same work: the same pairs, the same loss."""

import keras
import numpy as np
import pytest

from benchmarks.training import PADDED, alike, from_layers
from core.config import PRESETS
from core.model.transformer import Transformer
from core.runtime.backend import stream
from core.training.batches import Batches
from core.training.loss import TeacherForcing

PAIRS = [([5] * (20 + number), [6] * (number + 1)) for number in range(30)]


def test_batches_that_are_all_alike_hold_every_pair():
    read = list(stream(alike(Batches(PAIRS, 6000))))
    assert [sources.shape[1:] + targets.shape[1:] for (sources, targets), _ in read] == [PADDED] * len(read)
    assert all(sources.shape[0] * sum(PADDED) <= 6000 for (sources, _), _ in read)
    rows = [row[row > 0].tolist() for (sources, _), _ in read for row in sources.numpy()]
    assert rows == [source for source, _ in PAIRS]
    written = [np.count_nonzero(row) for _, targets in read for row in targets.numpy()]
    assert written == [len(target) for _, target in PAIRS]


@pytest.mark.slow
def test_the_network_of_keras_layers_is_ours_and_can_be_trained():
    policy = keras.config.dtype_policy()
    preset = PRESETS["dialoscope"]
    sizes = {"d_model": 16, "num_heads": 2, "feed_forward_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
    config = preset.model.replace(copy=False, source_vocabulary=50, target_vocabulary=50, **sizes)
    try:
        theirs = from_layers(config, "float32")
    finally:
        keras.config.set_dtype_policy(policy)
    # As many but for a few biases.
    assert theirs.count_params() == pytest.approx(Transformer(config).count_params(), rel=0.05)
    wrapped = TeacherForcing(theirs, preset.training)
    wrapped.compile(optimizer=keras.optimizers.Adam(1e-2), run_eagerly=True)
    (source, target), _ = Batches(PAIRS, 6000)[0]
    first, second = (wrapped.train_on_batch((source, target), target) for _ in range(2))
    assert second < first
