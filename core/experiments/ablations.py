"""Ablate attention heads: zero, mean and resampling ablation (Michel et al. 2019; Wang et al. 2023)."""

from collections.abc import Collection, Mapping
from typing import Literal

from core.config import ModelConfig
from core.errors import SettingsError
from core.explain.attention.head_outputs import Head, part_name
from core.explain.attention.inside import Kind
from core.model.gates import HeadGates, all_heads
from core.trace import Array

Ablation = Literal["zero", "mean", "resample"]
"""Replacement of an ablated head's output: zeros, its mean over many dialogues, or that in another dialogue."""
_FIELDS: Mapping[Kind, str] = {"encoder": "encoder_self", "decoder": "decoder_self", "cross": "cross"}


def shape(config: ModelConfig) -> dict[Kind, tuple[int, int]]:
    """Return the numbers of layers and heads of each kind of attention."""
    decoder = (config.decoder_layers, config.num_heads)
    return {"encoder": (config.encoder_layers, config.num_heads), "decoder": decoder, "cross": decoder}


def every_head(config: ModelConfig) -> tuple[Head, ...]:
    """Return all heads: encoder self-attention, decoder self-attention, cross-attention, layer by layer."""
    return tuple(
        Head(kind, layer, head)
        for kind, (layers, heads) in shape(config).items()
        for layer in range(layers)
        for head in range(heads)
    )


def gates(
    config: ModelConfig, off: Collection[Head], means: Mapping[Head, Array] | None = None, copies: bool = False
) -> HeadGates:
    """Return gates that ablate some heads.

    Args:
        config: the model's shape.
        off: the heads to ablate.
        means: output [K] of every head before the output projection that stands for its own: its mean, or that in
            another dialogue; None: zero ablation.
        copies: whether heads that copy still point at their tokens.

    Raises:
        SettingsError: the model has no such head.
    """
    known = every_head(config)
    strange = [head for head in off if head not in known]
    if strange:
        kind, layer, head = strange[0]
        raise SettingsError(
            "this model has no such head. Received: {kind}, layer {layer}, head {head}; allowed: {allowed}",
            kind=kind,
            layer=layer + 1,
            head=head + 1,
            allowed=", ".join(f"{name} {layers} × {heads}" for name, (layers, heads) in shape(config).items()),
        )
    result: HeadGates = all_heads(config)
    for kind, layer, head in off:
        gate = getattr(result, _FIELDS[kind])
        gate.open[layer, head], gate.copies[layer, head] = 0, copies
    for place, mean in (means or {}).items():
        getattr(result, _FIELDS[place.kind]).fill[place.layer, place.head] = mean
    return result


def write(off: Collection[Head]) -> str:
    """Write heads for a link: `cross3.2` is layer 3, head 2."""
    return "-".join(part_name(*head) for head in sorted(off))


def read(text: str, config: ModelConfig) -> frozenset[Head]:
    """Read what `write` wrote; raises SettingsError for other text and for heads that the model does not have."""
    names = {write([head]): head for head in every_head(config)}
    parts = [part for part in text.split("-") if part]
    strange = [part for part in parts if part not in names]
    if strange:
        raise SettingsError(
            "a head is written like cross1.1, and this model must have it. Received: {received}; the last one is "
            "{last}",
            received=repr(strange[0][:20]),
            last=write(list(names.values())[-1:]),
        )
    return frozenset(names[part] for part in parts)
