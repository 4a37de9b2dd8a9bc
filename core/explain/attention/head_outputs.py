"""Outputs of the heads of a run, which stand for those of another one when heads are ablated (Wang et al. 2023)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.explain.attention.inside import Kind
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer


class Head(NamedTuple):
    """One head, 0-based."""

    kind: Kind
    layer: int
    head: int


def part_name(kind: Kind, layer: int | None = None, head: int | None = None) -> str:
    """Name a kind of attention, one of its layers or one head, numbered from 1: "cross", "cross3", "cross3.2"."""
    return kind + ("" if layer is None else f"{layer + 1}") + ("" if head is None else f".{head + 1}")


def outputs_of(summarizer: "Summarizer", summary: Summary, at: Mapping[Kind, int] | None = None) -> dict[Head, Array]:
    """Compute the output of every head at one query position of a run, or its mean, before the output projection.

    The mean of the weighted sums equals the weighted sum with the mean of the attention rows.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        at: the position in each kind of attention; None: the mean over all.

    Returns:
        [K] for each head of the kinds of attention in the trace.
    """
    from core.runtime.backend import ops

    model, attention = summarizer.model, summary.attention
    memory = model.encoder.normalised(ops.convert_to_tensor(summary.encoder_hidden[-1][None]))
    runs: dict[Kind, tuple[Any, Array, Any]] = {
        "encoder": (model.encoder, summary.encoder_hidden, attention.encoder_self),
        "decoder": (model.decoder, summary.decoder_hidden, attention.decoder_self),
        "cross": (model.decoder, summary.decoder_hidden, attention.cross),
    }
    means: dict[Head, Array] = {}
    for kind, (stack, hidden, weights) in runs.items():
        for layer in range(0 if weights is None else len(weights)):
            block, looked = stack.blocks[layer], weights[layer]
            rows = looked.mean(axis=1) if at is None else looked[:, at[kind]]  # [H, N]
            if kind == "cross":
                _, values = block.cross_attention.project(memory)
            else:
                _, values = block.self_attention.project(block.self_residual.before(hidden[layer][None]))
            outputs = np.einsum("hn,hnk->hk", rows, np.asarray(values)[0])
            means |= {Head(kind, layer, head): output for head, output in enumerate(outputs)}
    return means
