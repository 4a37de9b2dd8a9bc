"""Positional encodings: sinusoids of any width and base, learned ones, and biases by relative position."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from core.config import Positions
from core.model.layers import PlainLayer
from core.runtime.backend import keras, ops


def sinusoidal_encoding(length: int, dim: int, base: float = 10000.0, halves: bool = False) -> NDArray[np.float32]:
    """Compute the sinusoidal positional encoding (Vaswani et al. 2017, section 3.5).

    PE(p, 2i) = sin(p / base^(2i/dim)), PE(p, 2i+1) = cos(p / base^(2i/dim)); an odd width ends on a sine.

    Args:
        length: number of positions, at least 1.
        dim: width, at least 1, odd or even.
        base: base of the wavelengths, above 1.
        halves: whether all sines come before all cosines.

    Returns:
        float32 [length, dim].

    Raises:
        ValueError: an argument is outside its range.
    """
    if length < 1 or dim < 1 or not base > 1:
        raise ValueError(
            f"length and dim must be at least 1 and base above 1. Received: length={length}, dim={dim}, base={base}"
        )
    columns = np.arange(dim)
    angles = np.arange(length)[:, None] / np.power(float(base), 2 * (columns // 2) / dim)  # [length, dim]
    waves = np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)
    return np.concatenate([waves[:, ::2], waves[:, 1::2]], axis=1) if halves else waves


def relative_buckets(
    distances: NDArray[np.int64], buckets: int = 32, longest: int = 128, both_ways: bool = True
) -> NDArray[np.int64]:
    """Number the bucket of each relative position (Raffel et al. 2020, section 2.1).

    Half of the buckets hold one distance each, the others grow with the logarithm of the distance up to `longest`;
    everything beyond shares the last one. Both ways, one half of the buckets is for keys before the query and at it,
    the other half for keys after it; otherwise all keys after the query share the bucket of distance 0.

    Args:
        distances: position of the key minus position of the query, any shape.
        buckets: number of buckets.
        longest: distance from which on all share one bucket.
        both_ways: whether keys after the query have buckets of their own.

    Returns:
        int64 of the same shape, 0 to buckets - 1.
    """
    half = buckets // 2 if both_ways else buckets
    side = np.where(distances > 0, half, 0) if both_ways else np.zeros_like(distances)
    away = np.abs(distances) if both_ways else np.maximum(-distances, 0)
    single = half // 2
    # In float32, step by step as T5 does: at the border of two buckets a rounding error decides.
    growth = np.log(np.maximum(away, 1).astype(np.float32) / np.float32(single))
    growth = growth / np.float32(np.log(longest / single)) * np.float32(half - single)
    far = np.minimum(single + growth.astype(np.int64), half - 1)
    return side + np.where(away < single, away, far)


class RelativeBias(PlainLayer):
    """A learned bias of each head's scores for each bucket of relative positions (Raffel et al. 2020, section 2.1).

    Args:
        num_heads: H.
        buckets: number of buckets.
        longest: distance from which on all share one bucket.
        length: number of positions.
        both_ways: whether keys after the query have buckets of their own.

    Call arguments:
        queries: int [T], position of each query; a number T means 0, 1, … T - 1.
        keys: int [S], position of each key; a number S means 0, 1, … S - 1; -1 for none.

    Returns:
        float32 [1, H, T, S]; 0 where a query or a key has no position.
    """

    def __init__(self, num_heads: int, buckets: int, longest: int, length: int, both_ways: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.buckets = buckets
        self.longest = longest
        self.length = length
        self.both_ways = both_ways

    def build(self, input_shape: Any = None) -> None:
        """Make the table [buckets, H]."""
        start = keras.initializers.RandomNormal(stddev=0.02)
        shape = (self.buckets, self.num_heads)
        self.table = self.add_weight(shape=shape, initializer=start, autocast=False, name="table")
        distances = np.arange(-self.length, self.length + 1)
        self.numbers = relative_buckets(distances, self.buckets, self.longest, self.both_ways).astype(np.int32)

    def buckets_of(self, queries: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.int32]:
        """Return the bucket of each pair of positions [T] and [S]: [T, S]."""
        found: NDArray[np.int32] = self.numbers[keys[None, :] - queries[:, None] + self.length]
        return found

    def call(self, queries: Any, keys: Any) -> Any:
        """Look up the bias of each pair of positions."""
        queries, keys = (each if getattr(each, "ndim", 0) else ops.arange(each) for each in (queries, keys))
        distance = keys[None, :] - queries[:, None]  # [T, S]
        bucket = ops.take(ops.convert_to_tensor(self.numbers), distance + self.length, axis=0)
        bias = ops.transpose(ops.take(self.table, bucket, axis=0), (2, 0, 1))[None]  # [1, H, T, S]
        known = ops.logical_and(keys[None, :] >= 0, queries[:, None] >= 0)
        return ops.where(known[None, None], bias, 0.0)


class PositionalEncoding(PlainLayer):
    """Adds a vector for each position to the embeddings.

    Args:
        length: number of positions.
        kind: see `ModelConfig.positions`; "relative" adds nothing here.
        base: base of the sinusoids.

    Call arguments:
        x: [B, N, D].
        first: position of x[:, 0], an integer or a scalar tensor.
        places: [N] position of each x[:, n], -1 for none; None means first, first + 1, …

    Returns:
        [B, N, D].

    Raises:
        ValueError: x is longer than the table.
    """

    def __init__(self, length: int, kind: Positions = "sinusoidal", base: float = 10000.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if kind not in get_args(Positions):
            raise ValueError(f"kind must be one of {', '.join(get_args(Positions))}. Received: kind={kind!r}")
        self.length = length
        self.kind = kind
        self.base = base

    def build(self, input_shape: Any) -> None:
        """Make the table [length, D]."""
        width = input_shape[-1]
        if self.kind == "learned":
            self.table = self.add_weight(
                shape=(self.length, width), initializer=keras.initializers.RandomNormal(stddev=0.02), name="table"
            )
        elif self.kind != "relative":
            self.sinusoids = sinusoidal_encoding(self.length, width, self.base, halves=self.kind == "halves")

    def call(self, x: Any, first: Any = 0, places: Any = None) -> Any:
        """Add the positions from `first` on, or those of `places`."""
        size = x.shape[1]
        if isinstance(first, int) and size is not None and first + size > self.length:
            raise ValueError(f"there are {self.length} positions. Received: first={first}, x {tuple(x.shape)}")
        if self.kind == "relative":
            return x
        table = self.table if self.kind == "learned" else ops.convert_to_tensor(self.sinusoids, dtype=x.dtype)
        table = ops.cast(table, x.dtype)
        if places is None:
            return x + ops.take(table, first + ops.arange(ops.shape(x)[1]), axis=0)[None]  # [1, N, D]
        rows = ops.take(table, ops.maximum(places, 0), axis=0)
        return x + ops.where(ops.convert_to_tensor(places)[:, None] < 0, 0, rows)[None]
