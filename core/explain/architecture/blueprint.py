"""The two stacks of a model as boxes, in the order of the forward pass.

A box has the path of its tensors (`describe.TensorFact.part`); a longer path that begins with it is inside the box:
`encoder/block1/self_attention/query` in `encoder/block1/self_attention`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.config import Activation, ModelConfig
from core.explain.architecture import parameters
from core.words import later, say

Kind = Literal["ids", "mask", "bias", "embeddings", "attention", "feed-forward", "norms", "add", "output"]

ACTIVATION_NAMES: Mapping[Activation, str] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": later("GELU by tanh"),
    "silu": "SiLU",
}
"""In English, and translated when shown."""

IDS = {"source": later("Source ids"), "target": later("Target ids")}
EMBEDDING = {"source": later("Source embedding"), "target": later("Target embedding")}
"""Names of boxes by side, to be said."""


@dataclass(frozen=True, slots=True)
class Box:
    """One step.

    Args:
        path: of its tensors.
        name: in words, said.
        detail: its sizes, said.
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


def heads(amount: int, width: int) -> str:
    """Say how many heads an attention has, and how wide each is."""
    if amount == 1:
        return say("1 head of width {width:,}", width=width)
    return say("{amount:,} heads of width {width:,}", amount=amount, width=width)


def activation(config: ModelConfig) -> str:
    """Say the activation of a feed-forward network."""
    name = say(ACTIVATION_NAMES[config.activation])
    return say("gated {activation}", activation=name) if config.gated else name


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
            table = say("the source's table")
        mask = (
            (say("Padding mask"), say("hides padding"))
            if source
            else (say("Target mask"), say("hides padding and the future"))
        )
        return (
            self.box(f"{side}_ids", say(IDS[side]), say("numbers of tokens"), "ids"),
            self.box(f"{side}_embedding", say(EMBEDDING[side]), table, "embeddings"),
            *(self._speakers() if source and config.speakers else ()),
            *self.places(side),
            self.box(f"{side}_mask", *mask, "mask"),
        )

    def _speakers(self) -> tuple[Box, ...]:
        words = say("a vector for each of {speakers:,} speakers", speakers=self.config.speakers)
        return (self.box("source_speakers", say("+ speaker"), words, "embeddings"),)

    def places(self, side: Literal["source", "target"]) -> tuple[Box, ...]:
        """Return the boxes of the positions and of the norm around them."""
        config = self.config
        source = side == "source"
        norm = () if config.embedding_norm == "none" else (self._norm(f"{side}_norm"),)
        if config.positions == "relative":
            sizes = say(
                "{buckets:,} buckets × {heads:,} heads, in self-attention",
                buckets=config.relative_buckets,
                heads=config.num_heads,
            )
            path = f"{'encoder' if source else 'decoder'}/relative_bias"
            return (*norm, self.box(path, say("Bias by distance"), sizes, "bias"))
        words = {
            "learned": later("learned, up to {length:,}"),
            "sinusoidal": later("sinusoids, up to {length:,}"),
            "halves": later("sinusoids, sines first, up to {length:,}"),
        }
        sizes = say(words[config.positions], length=parameters.position_rows(config)[0 if source else 1])
        box = self.box(f"{side}_positions", say("+ positions"), sizes, "embeddings")
        return (*norm, box) if config.embedding_norm == "before_positions" and not source else (box, *norm)

    def sublayer(self, block: str, name: str) -> tuple[Box, ...]:
        """Return the boxes of a sub-layer: post-norm: sub-layer, sum, norm; pre-norm: norm, sub-layer, sum."""
        config = self.config
        if name == "feed_forward":
            inner = f"{'2 × ' if config.gated else ''}{config.feed_forward_dim:,}"
            sizes = f"{config.d_model:,} → {inner} → {config.d_model:,}, {activation(config)}"
            main = self.box(f"{block}/feed_forward", say("Feed-forward"), sizes, "feed-forward")
        else:
            words = say("Self-attention") if name == "self" else say("Cross-attention")
            if name == "self" and block.startswith("decoder"):
                words = say("Masked self-attention")
            main = self.box(f"{block}/{name}_attention", words, heads(config.num_heads, config.key_dim), "attention")
        add = self.box(f"{block}/{name}_residual/add", say("Add"), say("x + sub-layer"), "add")
        norm = self._norm(f"{block}/{name}_residual/normalization")
        return (norm, main, add) if config.norm == "pre" else (main, add, norm)

    def final_norm(self, stack: str) -> tuple[Box, ...]:
        return (self._norm(f"{stack}/norm"),) if self.config.norm == "pre" else ()

    def outputs(self) -> tuple[Box, ...]:
        config = self.config
        tied = say("the transposed table of the target embedding")
        size = tied if config.share_output else f"{config.d_model:,} → {config.target_vocabulary:,}"
        if not config.share_output or config.output_bias:
            size = say("{size}, + bias", size=size)
        if config.output_scale:
            size = say("states ÷ √D; {size}", size=size)
        boxes = [self.box("output_layer", say("Output layer"), size, "output")]
        if config.copy_heads:
            words = say(
                "{some} of the {heads} heads of the last cross-attention",
                some=config.copy_heads,
                heads=config.num_heads,
            )
            boxes.append(self.box("cross_copy", say("Copying"), words, "output"))
        elif config.copy:
            boxes.append(self.box("copy_head", say("Copy head"), heads(1, config.d_model), "output"))
        if config.copy:
            words = say("p_gen × writing + (1 − p_gen) × copying")
            boxes.append(self.box("mixture", say("Mixture"), words, "output"))
        return tuple(boxes)

    def _norm(self, path: str) -> Box:
        width = f"{self.config.d_model:,}"
        if self.config.normalization == "rms":
            return self.box(path, say("RMS norm"), f"γ, {width}", "norms")
        return self.box(path, say("Norm"), say("γ and β, {width} each", width=width), "norms")
