"""Count the parameters of a model, part by part, from its configuration without building it.

Letters of the formulas: D d_model, H heads, K width of a head, F inner width of the feed-forward network, V vocabulary,
L positions. A term without a product is a bias.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.config import ModelConfig
from core.words import later, say

Kind = Literal["embeddings", "attention", "feed-forward", "norms", "output"]

PRINTED: Mapping[str, int] = {"vaswani-base": 65_000_000, "vaswani-big": 213_000_000}
"""Parameters that the paper prints for the presets of that name (Vaswani et al. 2017, table 3)."""
BLOCK = "block{number}"
"""Stands in a path for `block1`, `block2`, …, as all blocks of a stack are equal."""

SIDES = {
    "source": (later("Source embeddings"), later("Source positions"), later("Norm of the source's embeddings")),
    "target": (later("Target embeddings"), later("Target positions"), later("Norm of the target's embeddings")),
}
STACKS = {
    "encoder": {
        "self": later("Encoder self-attention"),
        "feed-forward": later("Encoder feed-forward"),
        "norms": later("Encoder norms"),
        "bias": later("Encoder bias by relative position"),
        "last norm": later("Encoder norm, after the last layer"),
    },
    "decoder": {
        "self": later("Decoder self-attention"),
        "cross": later("Cross-attention"),
        "feed-forward": later("Decoder feed-forward"),
        "norms": later("Decoder norms"),
        "bias": later("Decoder bias by relative position"),
        "last norm": later("Decoder norm, after the last layer"),
    },
}
PROJECTIONS = {"query": later("query"), "key": later("key"), "value": later("value"), "output": later("output")}
"""Names of rows by side, by stack and by projection, to be said."""


@dataclass(frozen=True, slots=True)
class Part:
    """A layer with parameters.

    Args:
        path: of the layer inside the model, with `BLOCK` for each block of a stack.
        row: its row in pictures and tables, said.
        kind: of that row.
        layers: number of blocks that have one.
        each: parameters of one.
        formula: of `each`.
    """

    path: str
    row: str
    kind: Kind
    layers: int
    each: int
    formula: str

    @property
    def total(self) -> int:
        """Parameters in all blocks."""
        return self.layers * self.each


@dataclass(frozen=True, slots=True)
class Row:
    """Parts that pictures and tables show as one.

    Args:
        name: of the row, said.
        kind: of its parts.
        layers: number of blocks that have them.
        total: parameters in all blocks.
        formula: of one block, or of a part outside the blocks.
    """

    name: str
    kind: Kind
    layers: int
    total: int
    formula: str


def parts(config: ModelConfig) -> tuple[Part, ...]:
    """List every layer with parameters in the order of the forward pass; shared weights count once."""
    return (*_inputs(config), *_stack(config, "encoder"), *_stack(config, "decoder"), *_outputs(config))


def rows(config: ModelConfig) -> tuple[Row, ...]:
    """Group the parts into the rows of pictures and tables."""
    by_row: dict[str, list[Part]] = {}
    for part in parts(config):
        by_row.setdefault(part.row, []).append(part)
    return tuple(
        Row(
            name,
            group[0].kind,
            group[0].layers,
            sum(part.total for part in group),
            " + ".join(part.formula for part in group),
        )
        for name, group in by_row.items()
    )


def gathered(config: ModelConfig) -> tuple[Row, ...]:
    """Group the parts into fewer rows, for a projector: the projections of an attention are one."""
    by_name: dict[str, list[Row]] = {}
    for row in rows(config):
        by_name.setdefault(row.name.partition(": ")[0], []).append(row)
    return tuple(replace(group[0], name=name, total=sum(row.total for row in group)) for name, group in by_name.items())


def total(config: ModelConfig) -> int:
    """Return the number of parameters of the whole model."""
    return sum(part.total for part in parts(config))


def by_path(config: ModelConfig) -> dict[str, int]:
    """Return the parameters of every layer by its path inside the model, block by block."""
    return {
        part.path.format(number=number): part.each for part in parts(config) for number in range(1, part.layers + 1)
    }


def by_kind(config: ModelConfig) -> dict[Kind, int]:
    """Return the parameters of each kind of part."""
    kinds: dict[Kind, int] = dict.fromkeys(("embeddings", "attention", "feed-forward", "norms", "output"), 0)
    for part in parts(config):
        kinds[part.kind] += part.total
    return kinds


def _inputs(config: ModelConfig) -> Iterator[Part]:
    width = config.d_model
    sizes = {"source": config.source_vocabulary, "target": config.target_vocabulary}
    for side, vocabulary in sizes.items():
        if side == "target" and config.share_embeddings:
            continue
        row = say("Embeddings, shared") if config.share_embeddings else say(SIDES[side][0])
        yield Part(f"{side}_embedding", row, "embeddings", 1, vocabulary * width, "V·D")
    if config.positions == "learned":
        for side, length in zip(sizes, position_rows(config), strict=True):
            yield Part(f"{side}_positions", say(SIDES[side][1]), "embeddings", 1, length * width, "L·D")
    if config.speakers:
        yield Part(
            "source_speakers", say("Speakers"), "embeddings", 1, (1 + config.speakers) * width, say("(1 + speakers)·D")
        )
    if config.embedding_norm != "none":
        for side in sizes:
            yield _norm(config, f"{side}_norm", say(SIDES[side][2]), 1)


def position_rows(config: ModelConfig) -> tuple[int, int]:
    """Return the number of positions of the source and of the target."""
    return (
        config.source_positions or config.max_source_length,
        config.target_positions or config.max_target_length,
    )


def _stack(config: ModelConfig, stack: Literal["encoder", "decoder"]) -> Iterator[Part]:
    """Yield the blocks of one stack (Vaswani et al. 2017, figure 1), and the norm after a pre-norm stack."""
    layers = config.encoder_layers if stack == "encoder" else config.decoder_layers
    block, words = f"{stack}/{BLOCK}", {name: say(row) for name, row in STACKS[stack].items()}
    norms = words["norms"]
    for attention in ("self", "cross") if stack == "decoder" else ("self",):
        yield from _attention(config, f"{block}/{attention}_attention", words[attention], layers)
        yield _norm(config, f"{block}/{attention}_residual/normalization", norms, layers)
    maps = {"expand": ("D", "F"), **({"gate": ("D", "F")} if config.gated else {}), "contract": ("F", "D")}
    for path, (read, written) in maps.items():
        each, formula = _map(config, read, written)
        yield Part(f"{block}/feed_forward/{path}", words["feed-forward"], "feed-forward", layers, each, formula)
    yield _norm(config, f"{block}/feed_forward_residual/normalization", norms, layers)
    if config.positions == "relative":
        each = config.relative_buckets * config.num_heads
        yield Part(f"{stack}/relative_bias", words["bias"], "embeddings", 1, each, say("buckets·H"))
    if config.norm == "pre":
        yield _norm(config, f"{stack}/norm", words["last norm"], 1)


def _attention(config: ModelConfig, path: str, row: str, layers: int) -> Iterator[Part]:
    """Yield the four projections of one attention (section 3.2.2)."""
    for projection, name in PROJECTIONS.items():
        widths = ("H·K", "D") if projection == "output" else ("D", "H·K")
        yield Part(f"{path}/{projection}", f"{row}: {say(name)}", "attention", layers, *_map(config, *widths))


def _norm(config: ModelConfig, path: str, row: str, layers: int) -> Part:
    vectors = 1 if config.normalization == "rms" else 2
    return Part(path, row, "norms", layers, vectors * config.d_model, "D" if vectors == 1 else "2·D")


def _map(config: ModelConfig, read: str, written: str) -> tuple[int, str]:
    """Return the parameters of a linear map between two widths, and their formula."""
    width = {"D": config.d_model, "F": config.feed_forward_dim, "H·K": config.num_heads * config.key_dim}
    weights, formula = width[read] * width[written], f"{read}·{written}"
    return (weights + width[written], f"{formula} + {written}") if config.biases else (weights, formula)


def _outputs(config: ModelConfig) -> Iterator[Part]:
    width, vocabulary = config.d_model, config.target_vocabulary
    if not config.share_output:
        yield Part("output_layer", say("Output layer"), "output", 1, width * vocabulary + vocabulary, "D·V + V")
    elif config.output_bias:
        yield Part("output_layer", say("Output bias"), "output", 1, vocabulary, "V")
    if config.copy_heads:
        ways = 1 + config.copy_heads
        yield Part("cross_copy/switch", say("Copying"), "output", 1, (2 * width + 1) * ways, f"(2·D + 1)·{ways}")
    elif config.copy:
        for projection in ("query", "key"):
            yield Part(f"copy_head/{projection}", say("Copy head"), "output", 1, width * width, "D·D")
        yield Part("copy_head/switch", say("Copy head"), "output", 1, 3 * width + 1, "3·D + 1")
