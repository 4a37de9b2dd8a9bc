"""Compute one encoder or decoder block with every intermediate: the numbers of `core.model.blocks`, in numpy.

N positions of the block's input, S of the memory, D width, H heads, K width of a head, F inner width.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.config import Norm
from core.errors import SettingsError
from core.explain.lab import check_cells
from core.explain.lab_steps import (
    Matrix,
    Step,
    add,
    divide,
    dot,
    given,
    join,
    mask,
    normalisation,
    product,
    relu,
    softmax,
)

EPSILON = 1e-6
"""Epsilon of the normalisations, as in `core.model.layers`."""


@dataclass(frozen=True, eq=False)
class Affine:
    """x kernel + bias: kernel [in, out], bias [out]."""

    kernel: Matrix
    bias: Matrix


@dataclass(frozen=True, eq=False)
class HeadMaps:
    """The four projections of a multi-head attention: to queries, keys and values [.., H*K], and back [H*K, D]."""

    heads: int
    query: Affine
    key: Affine
    value: Affine
    output: Affine


@dataclass(frozen=True, eq=False)
class NormMaps:
    """gamma [D], beta [D] and epsilon of a layer normalisation."""

    gamma: Matrix
    beta: Matrix
    epsilon: float = EPSILON


@dataclass(frozen=True, eq=False)
class BlockMaps:
    """All weights of a block.

    Args:
        norm: "post" or "pre".
        attentions: of self-attention, and of cross-attention in a decoder block.
        norms: one for each sub-layer: self-attention, (cross-attention,) feed-forward network.
        expand: D → F.
        contract: F → D.
    """

    norm: Norm
    attentions: tuple[HeadMaps, ...]
    norms: tuple[NormMaps, ...]
    expand: Affine
    contract: Affine

    @property
    def width(self) -> int:
        """D."""
        return len(self.norms[0].gamma)


def maps_of(block: Any) -> BlockMaps:
    """Return the weights of an `EncoderBlock` or a `DecoderBlock` of `core.model.blocks`."""
    names = [name for name in ("self", "cross") if hasattr(block, f"{name}_attention")]
    residuals = [getattr(block, f"{name}_residual") for name in (*names, "feed_forward")]
    return BlockMaps(
        block.self_residual.norm,
        tuple(_head_maps(getattr(block, f"{name}_attention")) for name in names),
        tuple(norm_of(each.normalization) for each in residuals),
        _affine(block.feed_forward.expand),
        _affine(block.feed_forward.contract),
    )


def norm_of(layer: Any) -> NormMaps:
    """Return the weights of a `LayerNormalization` of `core.model.layers`."""
    return NormMaps(_array(layer.gamma), _array(layer.beta), float(layer.epsilon))


def normalised(x: Matrix, maps: NormMaps) -> Matrix:
    """Apply layer normalisation to every row of x [N, D]."""
    return normalisation("", given("x", x), given("", maps.gamma), given("", maps.beta), maps.epsilon)[-1].values


def _head_maps(layer: Any) -> HeadMaps:
    names = ("query", "key", "value", "output")
    return HeadMaps(layer.num_heads, *(_affine(getattr(layer, f"{name}_projection")) for name in names))


def _affine(layer: Any) -> Affine:
    return Affine(_array(layer.kernel), _array(layer.bias))


def _array(variable: Any) -> Matrix:
    return np.asarray(variable, dtype=np.float64)


def random_maps(width: int, heads: int, inner: int, seed: int, memory: int | None = None) -> BlockMaps:
    """Draw weights for a small block, rounded to one decimal for readability.

    Args:
        width: D.
        heads: H; the width of a head is D / H, rounded down, but at least 1.
        inner: F.
        seed: of the draw.
        memory: width of the memory of a decoder block; None: an encoder block.
    """
    random = np.random.default_rng(seed)
    size = heads * max(1, width // heads)

    def affine(rows: int, columns: int) -> Affine:
        kernel = random.normal(0, 0.8, (rows, columns)).round(1) + 0.0
        return Affine(kernel, random.normal(0, 0.2, columns).round(1) + 0.0)

    def attention(source: int) -> HeadMaps:
        return HeadMaps(heads, affine(width, size), affine(source, size), affine(source, size), affine(size, width))

    own, feed = attention(width), (affine(width, inner), affine(inner, width))  # the same draw with and without memory
    attentions = (own,) if memory is None else (own, attention(memory))
    norms = tuple(NormMaps(np.ones(width), np.zeros(width)) for _ in range(len(attentions) + 1))
    return BlockMaps("post", attentions, norms, *feed)


def block(maps: BlockMaps, x: Matrix, masks: Sequence[Matrix], memory: Matrix | None = None) -> tuple[Step, ...]:
    """Run a block step by step (Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1b).

    Args:
        maps: its weights; with two attentions it is a decoder block.
        x: [N, D].
        masks: of each attention, [N, N] and [N, S]; 1 = attend.
        memory: [S, any width], for a decoder block.

    Returns:
        The steps in the order of computation, weights among them as given steps. Names begin with the sub-layer,
        "self/", "cross/" or "feed/"; the last step is the block's output.

    Raises:
        SettingsError: shapes that do not fit, an empty cell, or a number out of range.
    """
    _check(maps, x, memory)
    current = given("x", x)
    steps: list[Step] = [current]
    read = given("memory", memory) if memory is not None else None
    if read is not None:
        steps.append(read)
    names = ("self", "cross")[: len(maps.attentions)]
    for name, heads, keep in zip(names, maps.attentions, masks, strict=True):
        before = _before(name, maps, len(names), current)
        query = before[-1] if before else current
        source = query if name == "self" or read is None else read
        steps += [*before, *_attention(name, heads, query, source, keep)]
        steps += _after(name, maps, len(names), current, steps[-1])
        current = steps[-1]
    before = _before("feed", maps, len(names), current)
    steps += [*before, *_feed_forward(maps, before[-1] if before else current)]
    steps += _after("feed", maps, len(names), current, steps[-1])
    return tuple(steps)


def with_norm(maps: BlockMaps, norm: Norm) -> BlockMaps:
    """Return the same weights in a block of the other kind."""
    return replace(maps, norm=norm)


def _norm_steps(name: str, maps: BlockMaps, attentions: int, x: Step) -> tuple[Step, ...]:
    own = maps.norms[attentions if name == "feed" else ("self", "cross").index(name)]
    gamma, beta = given(f"{name}/gamma", own.gamma), given(f"{name}/beta", own.beta)
    return normalisation(name, x, gamma, beta, own.epsilon)


def _before(name: str, maps: BlockMaps, attentions: int, x: Step) -> tuple[Step, ...]:
    """Return the steps of a pre-norm block before a sub-layer."""
    return _norm_steps(name, maps, attentions, x) if maps.norm == "pre" else ()


def _after(name: str, maps: BlockMaps, attentions: int, x: Step, output: Step) -> tuple[Step, ...]:
    """Return the residual connection, and the normalisation of a post-norm block."""
    total = add(f"{name}/sum", x, output)
    return (total, *_norm_steps(name, maps, attentions, total)) if maps.norm == "post" else (total,)


def _attention(name: str, maps: HeadMaps, query: Step, source: Step, keep: Matrix) -> list[Step]:
    """Return projections, weights and output of every head, and the output projection."""
    steps: list[Step] = []
    outputs = []
    width = maps.query.kernel.shape[1] // maps.heads
    marks = given(f"{name}/mask", np.broadcast_to(keep, (len(query.values), len(source.values))))
    for head in range(maps.heads):
        columns = slice(head * width, (head + 1) * width)  # the heads are side by side
        number = str(head + 1) if maps.heads > 1 else ""
        projected = []
        for part, affine, read in (("query", maps.query, query), ("key", maps.key, source),
                                   ("value", maps.value, source)):  # fmt: skip
            kernel = given(f"{name}/W_{part}{number}", affine.kernel[:, columns])
            bias = given(f"{name}/b_{part}{number}", affine.bias[columns])
            projected.append(product(f"{name}/{part}{number}", read, kernel, bias))
            steps += [kernel, bias, projected[-1]]
        scores = dot(f"{name}/scores{number}", *projected[:2])
        scaled = divide(f"{name}/scaled{number}", scores, width)
        masked = mask(f"{name}/masked{number}", scaled, marks, 1)
        weights = softmax(f"{name}/weights{number}", masked)
        outputs.append(product(f"{name}/head{number}", weights, projected[2]))
        steps += [scores, scaled, *([] if head else [marks]), masked, weights, outputs[-1]]
    heads = join(f"{name}/heads", outputs)
    kernel, bias = given(f"{name}/W_output", maps.output.kernel), given(f"{name}/b_output", maps.output.bias)
    return [*steps, heads, kernel, bias, product(f"{name}/attended", heads, kernel, bias)]


def _feed_forward(maps: BlockMaps, x: Step) -> list[Step]:
    """Return the steps of max(0, x W1 + b1) W2 + b2."""
    steps = []
    for name, affine in (("expand", maps.expand), ("contract", maps.contract)):
        kernel, bias = given(f"feed/W_{name}", affine.kernel), given(f"feed/b_{name}", affine.bias)
        x = product(f"feed/{name}", x, kernel, bias)
        steps += [kernel, bias, x]
        if name == "expand":
            x = relu("feed/relu", x)
            steps.append(x)
    return steps


def _check(maps: BlockMaps, x: Matrix, memory: Matrix | None) -> None:
    check_cells({"x": x} | ({} if memory is None else {"memory": memory}))
    if x.shape[1] != maps.width:
        raise SettingsError(f"x must be as wide as γ and β. Received: x {x.shape}, γ {(maps.width,)}")
    if len(maps.attentions) == 2 and memory is None:
        raise SettingsError("a decoder block reads a memory. Received: memory=None")
    if memory is not None and memory.shape[1] != maps.attentions[-1].key.kernel.shape[0]:
        wanted = maps.attentions[-1].key.kernel.shape
        raise SettingsError(f"the memory must fit W_K. Received: memory {memory.shape}, W_K {wanted}")
