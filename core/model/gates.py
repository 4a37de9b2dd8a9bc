"""Switches of attention heads; plain arrays, so that nothing heavy is imported to set them."""

from typing import Any, NamedTuple

import numpy as np

from core.config import ModelConfig


class HeadGate(NamedTuple):
    """What becomes of each head's output before the output projection: open * output + (1 - open) * fill.

    Zero ablation (Michel et al. 2019, section 2.3) has a fill of zeros, mean ablation the mean output of each head.

    Args:
        open: one factor a head, 1 = on, 0 = off: [H], or [B, H] where every row has its own.
        fill: what stands in for a head that is off: [H, K], or [B, H, K] where every row has its own.
    """

    open: Any
    fill: Any

    def layer(self, number: int) -> "HeadGate":
        """The gate of one layer, where both arrays have a leading layer axis."""
        return HeadGate(self.open[number], self.fill[number])


class HeadGates(NamedTuple):
    """Which heads are on; every gate has a leading layer axis: `open` is [L, (B,) H] and `fill` [L, (B,) H, K].

    Args:
        encoder_self: of the encoder's self-attention.
        decoder_self: of the decoder's self-attention.
        cross: of the decoder's cross-attention.
    """

    encoder_self: HeadGate
    decoder_self: HeadGate
    cross: HeadGate


def all_heads(config: ModelConfig) -> HeadGates:
    """Gates that leave every head on; a head that is closed later is filled with zeros."""

    def gate(layers: int) -> HeadGate:
        fill = np.zeros((layers, config.num_heads, config.key_dim), dtype=np.float32)
        return HeadGate(np.ones((layers, config.num_heads), dtype=np.float32), fill)

    return HeadGates(gate(config.encoder_layers), gate(config.decoder_layers), gate(config.decoder_layers))
