"""The training benchmark's other batches hold the same pairs, all padded to one size, and the loop can read them."""

import numpy as np

from benchmarks.training import PADDED, alike
from core.backend import stream
from core.training.batches import Batches


def test_batches_that_are_all_alike_are_read_whole():
    pairs = [([5] * (20 + number), [6] * (number + 1)) for number in range(30)]
    read = list(stream(alike(Batches(pairs, 6000))))
    assert [sources.shape[1:] + targets.shape[1:] for (sources, targets), _ in read] == [PADDED] * len(read)
    assert all(sources.shape[0] * sum(PADDED) <= 6000 for (sources, _), _ in read)
    rows = [row[row > 0].tolist() for (sources, _), _ in read for row in sources.numpy()]
    assert rows == [source for source, _ in pairs]
    written = [np.count_nonzero(row) for _, targets in read for row in targets.numpy()]
    assert written == [len(target) for _, target in pairs]
