"""Recompute one block of the loaded model step by step for the tokens of a summary."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.config import PAD, START
from core.errors import SettingsError
from core.explain.block_lab import block, maps_of, norm_of, normalised
from core.explain.lab_steps import Matrix, Step
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """A block over all tokens.

    Args:
        steps: as `core.explain.block_lab.block` gives them; rows are tokens.
        expected: [N, D] output of the model's own block.
    """

    steps: tuple[Step, ...]
    expected: Array

    def difference(self, row: int) -> float:
        """Return the largest absolute difference of one token's output from the model's own."""
        return float(np.abs(self.steps[-1].values[row] - self.expected[row]).max())


def token_block(summarizer: "Summarizer", summary: Summary, stack: Stack, layer: int) -> TokenBlock:
    """Recompute one block from the stored hidden states, with the checkpoint's weights.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        stack: the stack.
        layer: 0-based.

    Raises:
        SettingsError: there is no such layer, or the summary is of another checkpoint.
    """
    if summary.checkpoint != summarizer.checkpoint.identity:
        raise SettingsError(
            "the summary must be of the checkpoint that computes it again. "
            f"Received: a summary of {summary.checkpoint} and the checkpoint {summarizer.checkpoint.identity}"
        )
    model = summarizer.model
    blocks = (model.encoder if stack == "encoder" else model.decoder).blocks
    if not 0 <= layer < len(blocks):
        raise SettingsError(f"layer must be from 0 to {len(blocks) - 1} here. Received: layer={layer}")
    hidden = summary.encoder_hidden if stack == "encoder" else summary.decoder_hidden
    maps, x = maps_of(blocks[layer]), hidden[layer].astype(np.float64)
    if stack == "encoder":
        return TokenBlock(block(maps, x, [np.ones((len(x), len(x)))]), hidden[layer + 1])
    memory = summary.encoder_hidden[-1].astype(np.float64)
    if model.encoder.final_norm:
        memory = normalised(memory, norm_of(model.encoder.final_norm))
    masks = [_target_mask(summary), np.ones((len(x), len(memory)))]
    return TokenBlock(block(maps, x, masks, memory), hidden[layer + 1])


def _target_mask(summary: Summary) -> Matrix:
    """Return the target mask (look-ahead and padding) of the decoder's input, [T, T]."""
    ids = np.array([START, *(token.id for token in summary.tokens[:-1])])
    return np.asarray(np.tril(np.ones((len(ids), len(ids)))) * (ids != PAD))
