"""Measure the purpose of a mask by removing it: the model runs again with other masks.

Nothing here is compiled: each number of pad tokens is another length, and compiling takes seconds for each.
S source tokens, T target tokens, V vocabulary. Natural logarithms.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.config import PAD, START
from core.errors import SettingsError
from core.runtime.queue import CALLS
from core.trace import Array

if TYPE_CHECKING:
    from core.model.transformer import Encoded
    from core.service import Summarizer

Mask = Literal["look_ahead", "encoder", "cross"]
"""Look-ahead mask of the decoder, padding mask of the encoder, padding mask of the cross-attention."""
AMOUNTS = (0, 8, 16, 32, 48, 64, 96, 128)
"""Pad tokens that are appended to a source."""
_BOTH: tuple[tuple[Mask, ...], ...] = ((), ("look_ahead",))
"""With the look-ahead mask, without it."""


@dataclass(frozen=True, eq=False)
class Moved:
    """Changes of the distributions of a target when one of its tokens changes.

    Args:
        probability: [T] largest change of any token's probability, 0 to 1.
        nats: [T] change of the log-probability of the target's own token.
    """

    probability: Array
    nats: Array


@dataclass(frozen=True, eq=False)
class Leak:
    """The effect of one changed target token on the prediction at each position.

    Args:
        place: the changed token, from 0; positions up to and including it predict before the token is read.
        other: the id that replaces it.
        kept: changes with the look-ahead mask.
        removed: changes without it.
    """

    place: int
    other: int
    kept: Moved
    removed: Moved


def leak(summarizer: "Summarizer", source: Sequence[int], target: Sequence[int], place: int, other: int) -> Leak:
    """Change one token of the decoder's input, and compare the predictions at every position.

    Args:
        summarizer: the model.
        source: source ids.
        target: target ids; the decoder never reads the last one.
        place: the token that is changed, from 0.
        other: id that replaces it.

    Raises:
        SettingsError: the token is never read, or the model has no such id.
    """
    if not 0 <= place < len(target) - 1:
        raise SettingsError(
            "only a token that the decoder reads can be changed, here number 1 to {last}. Received: number {number}",
            last=len(target) - 1,
            number=place + 1,
        )
    if not 0 <= other < summarizer.config.target_vocabulary:
        last = summarizer.config.target_vocabulary - 1
        raise SettingsError("the token must be from 0 to {last}. Received: {received}", last=last, received=other)
    changed = [*target[:place], other, *target[place + 1 :]]
    encoded = _encode(summarizer, np.array([source], dtype=np.int32), len(source), ())
    moved = []
    for removed in _BOTH:
        before, after = (_rows(summarizer, encoded, _inputs(ids), removed) for ids in (target, changed))
        largest = np.abs(np.exp(after) - np.exp(before)).max(axis=1)
        moved.append(Moved(largest, _of(after, target) - _of(before, target)))
    return Leak(place, other, *moved)


def losses(summarizer: "Summarizer", source: Sequence[int], target: Sequence[int]) -> tuple[Array, Array]:
    """Return the log-probability of each target token, [T], with the look-ahead mask and without it."""
    encoded = _encode(summarizer, np.array([source], dtype=np.int32), len(source), ())
    with_mask, without = (_of(_rows(summarizer, encoded, _inputs(target), removed), target) for removed in _BOTH)
    return with_mask, without


def amounts(summarizer: "Summarizer", source: Sequence[int]) -> tuple[int, ...]:
    """Return those of `AMOUNTS` for which the model has positions."""
    return tuple(amount for amount in AMOUNTS if len(source) + amount <= summarizer.config.max_source_length)


def padded(
    summarizer: "Summarizer", source: Sequence[int], target: Sequence[int], amount: int, removed: Collection[Mask]
) -> Array:
    """Return the log-probability of each target token, [T], when the source ends in pad tokens.

    Args:
        summarizer: the model.
        source: source ids.
        target: target ids.
        amount: pad tokens that are appended to the source.
        removed: the masks that are removed.
    """
    longer = np.array([[*source, *[PAD] * amount]], dtype=np.int32)
    encoded = _encode(summarizer, longer, longer.shape[1], removed)
    return _of(_rows(summarizer, encoded, _inputs(target), removed), target)


def memory(summarizer: "Summarizer", source: Sequence[int], amount: int, removed: Collection[Mask]) -> "Encoded":
    """Encode a padded source for `Summarizer.write`, in the length of its compiled loop.

    Positions after the `amount` of pad tokens are masked everywhere, as if they were absent. Arguments as in
    `padded`.
    """
    from core.decoding.shapes import source_table

    ids = source_table([*source, *[PAD] * amount], summarizer.config)
    return _encode(summarizer, ids, len(source) + amount, removed)


def _rows(summarizer: "Summarizer", encoded: "Encoded", inputs: list[list[int]], removed: Collection[Mask]) -> Array:
    """Return log-probabilities [T, V] for a decoder input; of `removed` only the look-ahead mask is used."""
    from core.runtime.backend import ops

    model, length = summarizer.model, len(inputs[0])
    everything = np.ones((1, 1, length, length), dtype=bool)
    with CALLS.turn():
        ids = np.array(inputs, dtype=np.int32)
        decoded = model.decode(ids, encoded, mask=everything if "look_ahead" in removed else None)
        rows: Array = np.asarray(ops.log_softmax(model.logits(decoded, encoded), axis=-1))[0]
    return rows


def _encode(summarizer: "Summarizer", ids: Any, visible: int, removed: Collection[Mask]) -> "Encoded":
    """Encode ids [1, N]; a removed padding mask shows the first `visible` of them."""
    from core.model.masks import padding_mask

    places = (np.arange(ids.shape[1]) < visible)[None, None, None]  # [1, 1, 1, N]
    with CALLS.turn():
        encoded: Encoded = summarizer.model.encode(ids, mask=places if "encoder" in removed else None)
    return encoded._replace(mask=places if "cross" in removed else padding_mask(ids))


def _inputs(target: Sequence[int]) -> list[list[int]]:
    """Return the decoder input of teacher forcing, [1, T]."""
    return [[START, *target[:-1]]]


def _of(rows: Array, target: Sequence[int]) -> Array:
    """Return the values of the target's own tokens, [T]."""
    return rows[np.arange(len(target)), list(target)]
