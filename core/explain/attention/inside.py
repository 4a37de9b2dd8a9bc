"""Recompute one attention head: query, key, value, dot products, scale, bias, mask, softmax, weighted sum, output."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.explain.attention_lab.token_block import Stack, token_head
from core.explain.shared.recomputing import check_choice
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

Kind = Literal["cross", "encoder", "decoder"]
"""Cross-attention, encoder self-attention, decoder self-attention."""


@dataclass(frozen=True)
class HeadStages:
    """Every number of one head for one query token (Vaswani et al. 2017, equation 1).

    N keys, K width of a head, D width of the model.

    Args:
        kind: of attention.
        layer: 0-based.
        head: 0-based.
        row: the query token, 0-based.
        query: [K] q = x W_Q + b_Q; without b_Q in a model without biases.
        keys: [N, K] k of every key token.
        values: [N, K] v of every key token.
        dots: [N] q . k.
        scaled: [N] dots / sqrt(K), or the dots themselves in a model that does not divide.
        mask: [N] True where the query may attend.
        weights: [N] softmax over the unmasked scores; the attention of the trace.
        weighted: [K] sum of weights * v, the head's output.
        output: [D] the head's contribution to the residual stream: weighted times its slice of W_O, without the bias.
        bias: [N] learned bias of each key by its distance from the query, or None where none is added.
        divides: whether the model divides the dots by sqrt(K).
        biased: whether its projections have biases.
    """

    kind: Kind
    layer: int
    head: int
    row: int
    query: Array
    keys: Array
    values: Array
    dots: Array
    scaled: Array
    mask: NDArray[np.bool_]
    weights: Array
    weighted: Array
    output: Array
    bias: Array | None = None
    divides: bool = True
    biased: bool = True

    @property
    def scores(self) -> Array:
        """What the softmax reads before the mask, [N]: `scaled`, plus the bias by distance if there is one."""
        return self.scaled if self.bias is None else self.scaled + self.bias


def stages(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int, head: int, row: int) -> HeadStages:
    """Recompute one head for one query token from the stored hidden states: steps of its block, as the lab has them.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        kind: of attention.
        layer: 0-based.
        head: 0-based.
        row: the query: a source token for "encoder", otherwise the token that the decoder row predicts; 0-based.

    Returns:
        The stages; `weights` is the row of `summary.attention`.

    Raises:
        SettingsError: an unknown kind, layer, head or row, or a summary of another checkpoint.
    """
    check_choice("kind", kind, get_args(Kind))
    stack: Stack = "encoder" if kind == "encoder" else "decoder"
    group = "cross" if kind == "cross" else "self"
    steps = token_head(summarizer, summary, (stack, group), layer, head, row)
    own = {stage: step.values.astype(np.float32) for stage, step in steps.items()}
    return HeadStages(
        kind,
        layer,
        head,
        row,
        own["query"][0],
        own["key"],
        own["value"],
        own["scores"][0],
        own.get("scaled", own["scores"])[0],
        own["mask"][0] == 1,
        own["weights"][0],
        own["head"][0],
        own["attended"][0],
        own["bias"][0] if "bias" in own else None,
        divides="scaled" in own,
        biased="b_query" in own,
    )
