"""Gates of attention heads: plain arrays, so that setting them imports nothing heavy."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.config import ModelConfig


class HeadGate(NamedTuple):
    """Gate of each head's output before the output projection: open * output + (1 - open) * fill.

    Zero ablation (Michel et al. 2019, section 2.3) has a fill of zeros, mean ablation the mean output of each head.

    Args:
        open: one factor a head, 1 = on, 0 = off: [H], or [B, H] with own factors for each row.
        fill: replacement of an ablated head's output: [H, K], or [B, H, K] with own values for each row, or
            [B, H, T, K] with own values for each position, too.
        copies: one factor a head of what it copies, as `open`; None: a head that is off copies nothing.
    """

    open: Any
    fill: Any
    copies: Any = None

    def layer(self, number: int) -> "HeadGate":
        """Return the gate of one layer; all arrays must have a leading layer axis."""
        return HeadGate(self.open[number], self.fill[number], self.copying[number])

    @property
    def copying(self) -> Any:
        """One factor a head of what it copies."""
        return self.open if self.copies is None else self.copies


class HeadGates(NamedTuple):
    """Gates of all heads, each with a leading layer axis: `open` is [L, (B,) H] and `fill` [L, (B,) H, K].

    Args:
        encoder_self: of the encoder's self-attention.
        decoder_self: of the decoder's self-attention.
        cross: of the decoder's cross-attention.
    """

    encoder_self: HeadGate
    decoder_self: HeadGate
    cross: HeadGate


def all_heads(config: ModelConfig) -> HeadGates:
    """Return gates that leave every head on; a head that is ablated later is replaced by zeros, and still copies."""

    def gate(layers: int) -> HeadGate:
        fill = np.zeros((layers, config.num_heads, config.key_dim), dtype=np.float32)
        return HeadGate(np.ones_like(fill[..., 0]), fill, np.ones_like(fill[..., 0]))

    return HeadGates(gate(config.encoder_layers), gate(config.decoder_layers), gate(config.decoder_layers))


def stacked(gates: Sequence[HeadGates]) -> HeadGates:
    """Return gates with own ones for each of B rows: `open` [L, B, H] and `fill` [L, B, H, K]."""
    kinds = zip(*gates, strict=True)
    return HeadGates(*(HeadGate(*(np.stack(part, axis=1) for part in zip(*kind, strict=True))) for kind in kinds))
