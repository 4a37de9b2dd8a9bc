"""The task that shows the purpose of the look-ahead mask: copy a source through noise.

Each of `LENGTH` source symbols is drawn from `SYMBOLS` with replacement. The target repeats it with probability `KEPT`,
otherwise it has a random symbol, which may be the same one by chance. Only the target itself shows the noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import START
from core.trace import Array

Ids = NDArray[np.int32]

SYMBOLS, LENGTH, KEPT = 12, 8, 0.6
FIRST = START + 1
"""Id of the first symbol; [PAD] and [SOS] stand before it."""
CHUNK = 25
"""Training steps of one call; each call adds a point to the curves."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results of a trained model on new sequences.

    Args:
        loss: [N] mean loss of each position under teacher forcing, in nats.
        right: [N] share of sequences with the symbol of the source at that position, decoded greedily.
        written: [K, N] greedy output for the first sequences.
    """

    loss: Array
    right: Array
    written: Ids


@dataclass(frozen=True, eq=False)
class Lesson:
    """Both trainings so far.

    Args:
        seed: of weights and data.
        steps: of the whole training.
        masked: mean loss of every chunk with the look-ahead mask, in nats a symbol.
        unmasked: without it.
        source: [K, N] new sources; empty until the training has ended.
        target: [K, N] their noisy targets.
        outcomes: with and without the mask; None until the training has ended.
    """

    seed: int
    steps: int
    masked: Sequence[float]
    unmasked: Sequence[float]
    source: Ids
    target: Ids
    outcomes: tuple[Outcome, Outcome] | None

    @property
    def done(self) -> int:
        """Number of steps so far."""
        return len(self.masked) * CHUNK


def noise_entropy() -> float:
    """Return the entropy of a target symbol given its source symbol, in nats: the smallest possible loss."""
    wrong = (1 - KEPT) / SYMBOLS
    shares = [KEPT + wrong, *[wrong] * (SYMBOLS - 1)]
    return -sum(share * math.log(share) for share in shares)


def last_only() -> float:
    """Return the mean loss in nats of a model that sees every target symbol but the last."""
    return noise_entropy() / LENGTH


def chance() -> float:
    """Return the share of right symbols of a model that guesses everywhere but at the last position."""
    return ((LENGTH - 1) / SYMBOLS + 1) / LENGTH


def draw(random: np.random.Generator, count: int) -> tuple[Ids, Ids]:
    """Draw sources and noisy targets, [count, N] each."""
    shape = (count, LENGTH)
    source = random.integers(FIRST, FIRST + SYMBOLS, shape, dtype=np.int32)
    noise = random.integers(FIRST, FIRST + SYMBOLS, shape, dtype=np.int32)
    return source, np.where(random.random(shape) < KEPT, source, noise)


def letter(symbol: int) -> str:
    """Return the letter of a symbol: A to L."""
    return chr(ord("A") + symbol - FIRST)
