"""Recompute one block of the loaded model, or one head of it, step by step for one token of a summary."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.config import PAD, START
from core.explain.attention_lab.block import block_steps, maps_of, norm_of, normalised
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
        steps: as `core.explain.attention_lab.block.block_steps` gives them; those of the token have one row.
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
    hidden = summary.encoder_hidden if stack == "encoder" else summary.decoder_hidden
    return TokenBlock(_steps(summarizer, summary, stack, layer, row), hidden[layer + 1, row])


def token_head(
    summarizer: "Summarizer", summary: Summary, attention: tuple[Stack, str], layer: int, head: int, row: int
) -> dict[str, Step]:
    """Recompute one head for one token as `token_block` does, without what comes after it.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        attention: the stack, and "self" or "cross".
        layer: 0-based.
        head: 0-based.
        row: of the token, 0-based.

    Returns:
        The steps by their stages; "attended" is the head's contribution to the residual stream, [1, D].

    Raises:
        SettingsError: there is no such layer, head or row, or the summary is of another checkpoint.
    """
    check_place("head", head, summarizer.model.config.num_heads)
    stack, group = attention
    steps = _steps(summarizer, summary, stack, layer, row, (group, head))
    return {step.stage: step for step in steps if step.group == group}


def _steps(
    summarizer: "Summarizer",
    summary: Summary,
    stack: Stack,
    layer: int,
    row: int,
    until: tuple[str, int] | None = None,
) -> tuple[Step, ...]:
    check_writer(summarizer, summary)
    model = summarizer.model
    layers = model.encoder if stack == "encoder" else model.decoder
    hidden = summary.encoder_hidden if stack == "encoder" else summary.decoder_hidden
    for name, value, size in (("layer", layer, len(layers.blocks)), ("row", row, hidden.shape[1])):
        check_place(name, value, size)
    maps, x = maps_of(layers.blocks[layer]), hidden[layer].astype(np.float64)
    bias = None
    if layers.relative_bias:
        biases = layers.relative_bias(queries=np.array([row], dtype=np.int32), keys=len(x))
        bias = np.asarray(biases, dtype=np.float64)[0]  # [H, 1, N]
    if stack == "encoder":
        return block_steps(maps, x, [np.ones((1, len(x)))], None, bias, row, until)
    memory = summary.encoder_hidden[-1].astype(np.float64)
    if model.encoder.final_norm:
        memory = normalised(memory, norm_of(model.encoder.final_norm))
    masks = [_target_mask(summary, row), np.ones((1, len(memory)))]
    return block_steps(maps, x, masks, memory, bias, row, until)


def _target_mask(summary: Summary, row: int) -> Matrix:
    """Return a row of the target mask (look-ahead and padding) of the decoder's input, [1, T]."""
    ids = np.array([START, *(token.id for token in summary.tokens[:-1])])
    return np.asarray((np.arange(len(ids)) <= row) & (ids != PAD), dtype=np.float64)[None]
