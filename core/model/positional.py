"""Positional encodings: sinusoids of any width and base, and learned ones."""

from typing import Any, get_args

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from core.config import Positions


def sinusoidal_encoding(length: int, dim: int, base: float = 10000.0) -> NDArray[np.float32]:
    """Compute the sinusoidal positional encoding (Vaswani et al. 2017, section 3.5).

    PE(p, 2i) = sin(p / base^(2i/dim)), PE(p, 2i+1) = cos(p / base^(2i/dim)); an odd width ends on a sine.

    Args:
        length: number of positions, at least 1.
        dim: width, at least 1, odd or even.
        base: base of the wavelengths, above 1.

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
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)


class PositionalEncoding(keras.layers.Layer):
    """Adds a vector for each position to the embeddings.

    Args:
        length: number of positions.
        kind: "sinusoidal" (fixed) or "learned" (a trained table).
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
        else:
            self.sinusoids = sinusoidal_encoding(self.length, width, self.base)

    def call(self, x: Any, first: Any = 0, places: Any = None) -> Any:
        """Add the positions from `first` on, or those of `places`."""
        size = x.shape[1]
        if isinstance(first, int) and size is not None and first + size > self.length:
            raise ValueError(f"there are {self.length} positions. Received: first={first}, x {tuple(x.shape)}")
        table = self.table if self.kind == "learned" else ops.convert_to_tensor(self.sinusoids, dtype=x.dtype)
        table = ops.cast(table, x.dtype)
        if places is None:
            return x + ops.take(table, first + ops.arange(ops.shape(x)[1]), axis=0)[None]  # [1, N, D]
        rows = ops.take(table, ops.maximum(places, 0), axis=0)
        return x + ops.where(ops.convert_to_tensor(places)[:, None] < 0, 0, rows)[None]

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "length": self.length, "kind": self.kind, "base": self.base}
