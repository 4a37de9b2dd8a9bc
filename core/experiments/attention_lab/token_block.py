"""Recompute one block of the loaded model step by step for the tokens of a summary."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.config import PAD, START
from core.explain.attention_lab.block import block, maps_of, norm_of, normalised
from core.explain.attention_lab.steps import Matrix, Step
from core.explain.shared.recomputing import check_place, check_writer
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """A block for one token.

    Args:
        steps: as `core.explain.attention_lab.block.block` gives them; those of the token have one row.
        expected: [D] output of the model's own block.
    """

    steps: tuple[Step, ...]
    expected: Array

    @property
    def difference(self) -> float:
        """Return the largest absolute difference of the token's output from the model's own."""
        return float(np.abs(self.steps[-1].values[0] - self.expected).max())


def token_block(summarizer: "Summarizer", summary: Summary, stack: Stack, layer: int, row: int) -> TokenBlock:
    """Recompute one block for one token from the stored hidden states, with the checkpoint's weights.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        stack: the stack.
        layer: 0-based.
        row: of the token, 0-based.

    Raises:
        SettingsError: there is no such layer or row, or the summary is of another checkpoint.
    """
    check_writer(summarizer, summary)
    model = summarizer.model
    layers = model.encoder if stack == "encoder" else model.decoder
    hidden = summary.encoder_hidden if stack == "encoder" else summary.decoder_hidden
    for name, value, size in (("layer", layer, len(layers.blocks)), ("row", row, hidden.shape[1])):
        check_place(name, value, size)
    maps, x, expected = maps_of(layers.blocks[layer]), hidden[layer].astype(np.float64), hidden[layer + 1, row]
    bias = None
    if layers.relative_bias:
        found = layers.relative_bias(queries=np.array([row], dtype=np.int32), keys=len(x))
        bias = np.asarray(found, dtype=np.float64)[0]  # [H, 1, N]
    if stack == "encoder":
        return TokenBlock(block(maps, x, [np.ones((1, len(x)))], None, bias, row), expected)
    memory = summary.encoder_hidden[-1].astype(np.float64)
    if model.encoder.final_norm:
        memory = normalised(memory, norm_of(model.encoder.final_norm))
    masks = [_target_mask(summary, row), np.ones((1, len(memory)))]
    return TokenBlock(block(maps, x, masks, memory, bias, row), expected)


def _target_mask(summary: Summary, row: int) -> Matrix:
    """Return a row of the target mask (look-ahead and padding) of the decoder's input, [1, T]."""
    ids = np.array([START, *(token.id for token in summary.tokens[:-1])])
    return np.asarray((np.arange(len(ids)) <= row) & (ids != PAD), dtype=np.float64)[None]
