"""Batches: every pair once an epoch, the token budget kept, the order a function of seed and epoch."""

from collections import Counter

import numpy as np

from core.runtime.backend import stream
from core.training.batches import SOURCE_STEP, TARGET_STEP, Batches

RANDOM = np.random.default_rng(0)
PAIRS = [
    ([number + 5] * int(RANDOM.integers(1, 200)), [number + 5] * int(RANDOM.integers(1, 60))) for number in range(150)
]


def rows(batches):
    """Each row of an epoch as (source ids, target ids), padding taken off."""
    for index in range(len(batches)):
        (source, target), expected = batches[index]
        assert target is expected or np.array_equal(target, expected)
        for one, other in zip(source, target, strict=True):
            yield tuple(one[one != 0].tolist()), tuple(other[other != 0].tolist())


def test_every_pair_once_an_epoch():
    for shuffle in [True, False]:
        for epoch in [0, 1, 7]:
            batches = Batches(PAIRS, 2000, seed=1, epoch=epoch, shuffle=shuffle)
            expected = Counter((tuple(source), tuple(target)) for source, target in PAIRS)
            assert Counter(rows(batches)) == expected, (shuffle, epoch)


def test_the_token_budget_is_kept():
    for tokens in [300, 1000, 100_000]:
        batches = Batches(PAIRS, tokens, seed=1)
        for index in range(len(batches)):
            (source, target), _ = batches[index]
            assert len(source) == 1 or source.size + target.size <= tokens, tokens
            assert source.shape[1] % SOURCE_STEP == target.shape[1] % TARGET_STEP == 0, tokens
            assert source.dtype == target.dtype == np.int32, tokens
        assert len(batches) == 1 or tokens < 100_000, tokens
    # Similar lengths come together.
    batches = Batches(PAIRS, 2000, seed=1)
    kept = sum(len(source) + len(target) for source, target in PAIRS)
    padded = sum(sum(part.size for part in batches[index][0]) for index in range(len(batches)))
    assert kept / padded > 0.7
    # Padding does not exceed the longest positions.
    batches = Batches([([5] * 40, [6] * 20), ([5] * 3, [6] * 24)], 10_000, longest=(48, 24))
    (source, target), _ = batches[0]
    assert source.shape == (2, 48) and target.shape == (2, 24)
    batches = Batches(PAIRS, 2000)
    assert batches.all_tokens() == sum(len(source) + len(target) for source, target in PAIRS)
    assert batches.steps(3) == 3 * len(batches)


def ids(batches):
    return [batches[index][0][0].tolist() for index in range(len(batches))]


def test_the_order_is_that_of_seed_and_epoch():
    batches = Batches(PAIRS, 2000, seed=1, epoch=2)
    first, next_epoch = ids(batches), ids(Batches(PAIRS, 2000, seed=1, epoch=3))
    assert first == ids(Batches(PAIRS, 2000, seed=1, epoch=2))
    assert first != next_epoch and first != ids(Batches(PAIRS, 2000, seed=2, epoch=2))
    assert sorted(map(len, first)) != sorted(map(len, next_epoch))  # mixed, too
    batches.on_epoch_end()
    assert ids(batches) == first  # an order does not move by itself
    # Without shuffling the shortest come first.
    widths = [len(batch[0]) for batch in ids(Batches(PAIRS, 2000, shuffle=False))]
    assert widths == sorted(widths)


def test_a_stream_is_the_batches_whatever_the_first_two_look_like():
    """Keras would describe all batches by the first two, which agree in every size here."""
    short, long = ([5] * 30, [6] * 10), ([7] * 60, [8] * 20)
    batches = Batches([short, short, short, short, long], 96, shuffle=False)
    assert [batches[index][0][0].shape for index in range(3)] == [(2, 32), (2, 32), (1, 64)]
    streamed = stream(batches)
    assert len(streamed) == len(batches)
    for _ in range(2):  # it can be read again
        for index, ((source, target), expected) in enumerate(streamed):
            np.testing.assert_array_equal(source, batches[index][0][0])
            np.testing.assert_array_equal(target, batches[index][0][1])
            np.testing.assert_array_equal(expected, batches[index][1])
