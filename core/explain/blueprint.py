"""The two stacks of a model as boxes, in the order of the forward pass.

A box has the path of its tensors (`core.describe.TensorFact.part`); a longer path that begins with it is inside the
box, such as `encoder/block1/self_attention/query` in `encoder/block1/self_attention`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.config import Activation, ModelConfig
from core.explain import parameters

Kind = Literal["ids", "mask", "bias", "embeddings", "attention", "feed-forward", "norms", "add", "output"]

ACTIVATION_NAMES: Mapping[Activation, str] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU by tanh",
    "silu": "SiLU",
}


@dataclass(frozen=True, slots=True)
class Box:
    """One step.

    Args:
        path: of its tensors.
        name: in words.
        detail: its sizes.
        kind: of the box.
        parameters: number of its trained values, without those that it shares with an earlier box.
    """

    path: str
    name: str
    detail: str
    kind: Kind
    parameters: int


@dataclass(frozen=True, slots=True)
class Stack:
    """Encoder or decoder from the ids to its last box.

    Args:
        name: "encoder" or "decoder".
        layers: number of its blocks.
        layer: the block that is drawn, from 1.
        before: boxes before the blocks.
        block: sub-layers of one block, each with its norm and its sum.
        after: boxes after the blocks.
    """

    name: str
    layers: int
    layer: int
    before: tuple[Box, ...]
    block: tuple[tuple[Box, ...], ...]
    after: tuple[Box, ...]

    @property
    def path(self) -> str:
        """Path of the block that is drawn."""
        return f"{self.name}/block{self.layer}"

    @property
    def boxes(self) -> tuple[Box, ...]:
        """Every box from the top to the bottom."""
        return (*self.before, *(box for group in self.block for box in group), *self.after)


def stacks(config: ModelConfig, encoder_layer: int = 1, decoder_layer: int = 1) -> tuple[Stack, Stack]:
    """Return the encoder and the decoder of a model.

    Args:
        config: the model's shape.
        encoder_layer: the encoder block to draw, from 1.
        decoder_layer: the decoder block to draw, from 1.
    """
    maker = _Maker(config)
    encoder = Stack(
        "encoder",
        config.encoder_layers,
        encoder_layer,
        maker.inputs("source"),
        tuple(maker.sublayer(f"encoder/block{encoder_layer}", name) for name in ("self", "feed_forward")),
        maker.final_norm("encoder"),
    )
    decoder = Stack(
        "decoder",
        config.decoder_layers,
        decoder_layer,
        maker.inputs("target"),
        tuple(maker.sublayer(f"decoder/block{decoder_layer}", name) for name in ("self", "cross", "feed_forward")),
        (*maker.final_norm("decoder"), *maker.outputs()),
    )
    return encoder, decoder


def inside(part: str, path: str) -> bool:
    """Return whether a part is inside the box or block of a path; the empty path contains everything."""
    return not path or part == path or part.startswith(f"{path}/")


class _Maker:
    """Boxes of one configuration."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.counts = parameters.by_path(config)

    def box(self, path: str, name: str, detail: str, kind: Kind) -> Box:
        count = sum(count for part, count in self.counts.items() if inside(part, path))
        return Box(path, name, detail, kind, count)

    def inputs(self, side: Literal["source", "target"]) -> tuple[Box, ...]:
        config = self.config
        source = side == "source"
        vocabulary = config.source_vocabulary if source else config.target_vocabulary
        table = f"{vocabulary:,} × {config.d_model:,}"
        if not source and config.share_embeddings:
            table = "the source's table"
        mask = ("Padding mask", "hides padding") if source else ("Target mask", "hides padding and the future")
        return (
            self.box(f"{side}_ids", f"{side.capitalize()} ids", "numbers of tokens", "ids"),
            self.box(f"{side}_embedding", f"{side.capitalize()} embedding", table, "embeddings"),
            *(self._speakers() if source and config.speakers else ()),
            *self.places(side),
            self.box(f"{side}_mask", *mask, "mask"),
        )

    def _speakers(self) -> tuple[Box, ...]:
        words = f"a vector for each of {self.config.speakers:,} speakers"
        return (self.box("source_speakers", "+ speaker", words, "embeddings"),)

    def places(self, side: Literal["source", "target"]) -> tuple[Box, ...]:
        """Return the boxes of the positions and of the norm around them."""
        config = self.config
        source = side == "source"
        norm = () if config.embedding_norm == "none" else (self._norm(f"{side}_norm"),)
        if config.positions == "relative":
            sizes = f"{config.relative_buckets:,} buckets × {config.num_heads:,} heads, in self-attention"
            path = f"{'encoder' if source else 'decoder'}/relative_bias"
            return (*norm, self.box(path, "Bias by distance", sizes, "bias"))
        words = {"learned": "learned", "sinusoidal": "sinusoids", "halves": "sinusoids, sines first"}
        length = parameters.position_rows(config)[0 if source else 1]
        box = self.box(f"{side}_positions", "+ positions", f"{words[config.positions]}, up to {length:,}", "embeddings")
        return (*norm, box) if config.embedding_norm == "before_positions" and not source else (box, *norm)

    def sublayer(self, block: str, name: str) -> tuple[Box, ...]:
        """Return the boxes of a sub-layer: post-norm: sub-layer, sum, norm; pre-norm: norm, sub-layer, sum."""
        config = self.config
        if name == "feed_forward":
            inner = f"{'2 × ' if config.gated else ''}{config.feed_forward_dim:,}"
            words = f"{'gated ' if config.gated else ''}{ACTIVATION_NAMES[config.activation]}"
            sizes = f"{config.d_model:,} → {inner} → {config.d_model:,}, {words}"
            main = self.box(f"{block}/feed_forward", "Feed-forward", sizes, "feed-forward")
        else:
            words = {"self": "Self-attention", "cross": "Cross-attention"}[name]
            if name == "self" and block.startswith("decoder"):
                words = "Masked self-attention"
            heads = f"{config.num_heads:,} head{'' if config.num_heads == 1 else 's'} of width {config.key_dim:,}"
            main = self.box(f"{block}/{name}_attention", words, heads, "attention")
        add = self.box(f"{block}/{name}_residual/add", "Add", "x + sub-layer", "add")
        norm = self._norm(f"{block}/{name}_residual/normalization")
        return (norm, main, add) if config.norm == "pre" else (main, add, norm)

    def final_norm(self, stack: str) -> tuple[Box, ...]:
        return (self._norm(f"{stack}/norm"),) if self.config.norm == "pre" else ()

    def outputs(self) -> tuple[Box, ...]:
        config = self.config
        tied = "the transposed table of the target embedding"
        size = tied if config.share_output else f"{config.d_model:,} → {config.target_vocabulary:,}"
        size += ", + bias" if not config.share_output or config.output_bias else ""
        size = f"states ÷ √D; {size}" if config.output_scale else size
        found = [self.box("output_layer", "Output layer", size, "output")]
        if config.copy_heads:
            words = f"{config.copy_heads} of the {config.num_heads} heads of the last cross-attention"
            found.append(self.box("cross_copy", "Copying", words, "output"))
        elif config.copy:
            found.append(self.box("copy_head", "Copy head", f"1 head of width {config.d_model:,}", "output"))
        if config.copy:
            found.append(self.box("mixture", "Mixture", "p_gen × writing + (1 − p_gen) × copying", "output"))
        return tuple(found)

    def _norm(self, path: str) -> Box:
        width = f"{self.config.d_model:,}"
        if self.config.normalization == "rms":
            return self.box(path, "RMS norm", f"γ, {width}", "norms")
        return self.box(path, "Norm", f"γ and β, {width} each", "norms")
