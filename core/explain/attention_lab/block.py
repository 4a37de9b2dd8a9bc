"""Compute one encoder or decoder block with every intermediate: the numbers of `core.model.blocks`, in numpy.

N positions of the block's input, S of the memory, D width, H heads, K width of a head, F inner width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.config import Activation, Norm
from core.errors import SettingsError
from core.explain.attention_lab.lab import check_cells
from core.explain.attention_lab.steps import (
    Matrix,
    Step,
    activate,
    add,
    divide,
    dot,
    given,
    join,
    mask,
    normalisation,
    product,
    rms_normalisation,
    softmax,
    times,
)
from core.words import later

EPSILON = 1e-6
"""Epsilon of the normalisations, as in `core.model.layers`."""


@dataclass(frozen=True, eq=False)
class Affine:
    """x kernel + bias: kernel [in, out], bias [out] or None."""

    kernel: Matrix
    bias: Matrix | None = None


@dataclass(frozen=True, eq=False)
class HeadMaps:
    """The four projections of a multi-head attention: to queries, keys and values [.., H*K], and back [H*K, D].

    `divides` says whether scores are divided by sqrt(K).
    """

    heads: int
    query: Affine
    key: Affine
    value: Affine
    output: Affine
    divides: bool = True


@dataclass(frozen=True, eq=False)
class NormMaps:
    """gamma [D], beta [D] and epsilon of a layer normalisation; beta is None for RMS normalisation."""

    gamma: Matrix
    beta: Matrix | None
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
        activation: after `expand`.
        gate: D → F, multiplied with the activation, or None.
    """

    norm: Norm
    attentions: tuple[HeadMaps, ...]
    norms: tuple[NormMaps, ...]
    expand: Affine
    contract: Affine
    activation: Activation = "relu"
    gate: Affine | None = None

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
        tuple(norm_of(residual.normalization) for residual in residuals),
        _affine(block.feed_forward.expand),
        _affine(block.feed_forward.contract),
        block.feed_forward.activation,
        _affine(block.feed_forward.gate) if block.feed_forward.gate else None,
    )


def norm_of(layer: Any) -> NormMaps:
    """Return the weights of a `LayerNormalization` or `RMSNormalization` of `core.model.layers`."""
    beta = _array(layer.beta) if hasattr(layer, "beta") else None
    return NormMaps(_array(layer.gamma), beta, float(layer.epsilon))


def normalised(x: Matrix, maps: NormMaps) -> Matrix:
    """Apply a normalisation to every row of x [N, D]."""
    return _normalise("", given("x", x), maps)[-1].values


def _head_maps(layer: Any) -> HeadMaps:
    names = ("query", "key", "value", "output")
    query, key, value, output = (_affine(getattr(layer, f"{name}_projection")) for name in names)
    return HeadMaps(layer.num_heads, query, key, value, output, layer.scale)


def _affine(layer: Any) -> Affine:
    return Affine(_array(layer.kernel), _array(layer.bias) if layer.use_bias else None)


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
    """Run a block on typed matrices, see `block_steps`.

    Raises:
        SettingsError: shapes that do not fit, an empty cell, or a number out of range.
    """
    _check(maps, x, memory)
    return block_steps(maps, x, masks, memory)


def block_steps(
    maps: BlockMaps,
    x: Matrix,
    masks: Sequence[Matrix],
    memory: Matrix | None = None,
    bias: Matrix | None = None,
    row: int | None = None,
    until: tuple[str, int] | None = None,
) -> tuple[Step, ...]:
    """Run a block step by step (Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1b).

    Args:
        maps: its weights; with two attentions it is a decoder block.
        x: [N, D].
        masks: of each attention, [N, N] and [N, S]; 1 = attend.
        memory: [S, any width], for a decoder block.
        bias: of the self-attention's scores, [H, N, N], or None.
        row: of x, from 0, to compute alone; then masks and bias have one row, too. None: all rows.
        until: "self" or "cross", and the head of it, from 0, that is the last thing to be run. None: the whole block.

    Returns:
        The steps in the order of computation, weights among them as given steps. Names begin with the sub-layer,
        "self/", "cross/" or "feed/", and end with the head's number if there are several; the last step is the
        output, of the block or of the head.
    """
    current = given("x", x if row is None else x[[row]])
    steps: list[Step] = [current]
    read = given("memory", memory) if memory is not None else None
    if read is not None:
        steps.append(read)
    names = ("self", "cross")[: len(maps.attentions)]
    for name, heads, keep, norm in zip(names, maps.attentions, masks, maps.norms[:-1], strict=True):
        before = _before(name, maps, norm, current)
        query = before[-1] if before else current
        source = query if name == "self" or read is None else read
        if name == "self" and row is not None:
            source = given("self/tokens", normalised(x, maps.norms[0]) if maps.norm == "pre" else x)
        only = until[1] if until and until[0] == name else None
        steps += [*before, *_attention(name, heads, query, source, keep, bias if name == "self" else None, only)]
        if only is not None:
            return tuple(steps)
        steps += _after(name, maps, norm, current, steps[-1])
        current = steps[-1]
    before = _before("feed", maps, maps.norms[-1], current)
    steps += [*before, *_feed_forward(maps, before[-1] if before else current)]
    steps += _after("feed", maps, maps.norms[-1], current, steps[-1])
    return tuple(steps)


def _normalise(name: str, x: Step, maps: NormMaps) -> tuple[Step, ...]:
    gamma = given(f"{name}/gamma", maps.gamma)
    if maps.beta is None:
        return rms_normalisation(name, x, gamma, maps.epsilon)
    return normalisation(name, x, gamma, given(f"{name}/beta", maps.beta), maps.epsilon)


def _apply(group: str, name: str, x: Step, kernel: Matrix, bias: Matrix | None, weight: str = "") -> list[Step]:
    """Return the weights of a linear map and its output, named `name`; the weights end on `weight` or on `name`."""
    given_kernel = given(f"{group}/W_{weight or name}", kernel)
    if bias is None:
        return [given_kernel, product(f"{group}/{name}", x, given_kernel)]
    given_bias = given(f"{group}/b_{weight or name}", bias)
    return [given_kernel, given_bias, product(f"{group}/{name}", x, given_kernel, given_bias)]


def _before(name: str, maps: BlockMaps, norm: NormMaps, x: Step) -> tuple[Step, ...]:
    """Return the steps of a pre-norm block before a sub-layer."""
    return _normalise(name, x, norm) if maps.norm == "pre" else ()


def _after(name: str, maps: BlockMaps, norm: NormMaps, x: Step, output: Step) -> tuple[Step, ...]:
    """Return the residual connection, and the normalisation of a post-norm block."""
    total = add(f"{name}/sum", x, output)
    return (total, *_normalise(name, total, norm)) if maps.norm == "post" else (total,)


def _attention(
    name: str,
    maps: HeadMaps,
    query: Step,
    source: Step,
    keep: Matrix,
    bias: Matrix | None = None,
    only: int | None = None,
) -> list[Step]:
    """Return projections, weights and output of every head or of one, and the output projection."""
    steps: list[Step] = []
    outputs: list[Step] = []
    width = maps.query.kernel.shape[1] // maps.heads
    marks = given(f"{name}/mask", np.broadcast_to(keep, (len(query.values), len(source.values))))
    for head in range(maps.heads) if only is None else [only]:
        columns = slice(head * width, (head + 1) * width)  # the heads are side by side
        number = str(head + 1) if maps.heads > 1 else ""
        projected = []
        for part, affine, read in (("query", maps.query, query), ("key", maps.key, source),
                                   ("value", maps.value, source)):  # fmt: skip
            own = None if affine.bias is None else affine.bias[columns]
            steps += _apply(name, f"{part}{number}", read, affine.kernel[:, columns], own)
            projected.append(steps[-1])
        steps.append(dot(f"{name}/scores{number}", *projected[:2]))
        if maps.divides:
            steps.append(divide(f"{name}/scaled{number}", steps[-1], width))
        if bias is not None:
            by_distance = given(f"{name}/bias{number}", bias[head])
            steps += [by_distance, add(f"{name}/biased{number}", steps[-1], by_distance)]
        masked = mask(f"{name}/masked{number}", steps[-1], marks, 1)
        weights = softmax(f"{name}/weights{number}", masked)
        steps += [*([] if outputs else [marks]), masked, weights]
        outputs.append(product(f"{name}/head{number}", weights, projected[2]))
        steps.append(outputs[-1])
    kernel = maps.output.kernel
    if only is not None:
        return [*steps, *_apply(name, "attended", outputs[0], kernel[columns], None, "output")]
    heads = join(f"{name}/heads", outputs)
    return [*steps, heads, *_apply(name, "attended", heads, kernel, maps.output.bias, "output")]


def _feed_forward(maps: BlockMaps, x: Step) -> list[Step]:
    """Return the steps of act(x W1 + b1) W2 + b2, or gated (act(x W1) * x W3) W2."""
    steps = _apply("feed", "expand", x, maps.expand.kernel, maps.expand.bias)
    steps.append(activate("feed", maps.activation, steps[-1]))
    if maps.gate is not None:
        active = steps[-1]
        steps += _apply("feed", "gate", x, maps.gate.kernel, maps.gate.bias)
        steps.append(times("feed/gated", active, steps[-1]))
    return [*steps, *_apply("feed", "contract", steps[-1], maps.contract.kernel, maps.contract.bias)]


def _check(maps: BlockMaps, x: Matrix, memory: Matrix | None) -> None:
    check_cells({"x": x} | ({} if memory is None else {later("memory"): memory}))
    if x.shape[1] != maps.width:
        raise SettingsError("x must be as wide as γ and β. Received: x {x}, γ {gamma}", x=x.shape, gamma=(maps.width,))
    if len(maps.attentions) == 2 and memory is None:
        raise SettingsError("a decoder block reads a memory. Received: {value}", value="memory=None")
    if memory is not None and memory.shape[1] != maps.attentions[-1].key.kernel.shape[0]:
        wanted = maps.attentions[-1].key.kernel.shape
        raise SettingsError(
            "the memory must fit W_K. Received: memory {memory}, W_K {map}", memory=memory.shape, map=wanted
        )
