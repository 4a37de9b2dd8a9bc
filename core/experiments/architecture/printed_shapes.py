"""Reproduce the shape tables of the source documents by running our layers.

The tables are those of the tutorial that builds the Transformer bottom-up: an encoder, a decoder over a memory of
another width, and a whole model. The names of the attention matrices are those of the course reports.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.config import ModelConfig, transformer_shape
from core.words import later, say

Shapes = Mapping[str, tuple[int, ...]]

DECODER = ModelConfig(
    source_vocabulary=300,
    target_vocabulary=300,
    d_model=15,
    num_heads=19,
    head_dim=15,
    feed_forward_dim=16,
    encoder_layers=1,
    decoder_layers=7,
    max_target_length=6,
)
"""The tutorial's decoder; the width of its heads is not printed, and no printed shape depends on it."""

ENCODER_TABLE: Shapes = {
    later("input"): (1, 10),
    later("mask"): (1, 1, 1, 10),
    later("output"): (1, 10, 16),
}
"""The names of tensors, here and below, are to be said."""
DECODER_TABLE: Shapes = {
    later("input"): (3, 4),
    later("encoder output"): (3, 7, 9),
    later("output"): (3, 4, 15),
    later("self-attention"): (3, 19, 4, 4),
    later("cross-attention"): (3, 19, 4, 7),
}
TRANSFORMER_TABLE: Shapes = {
    later("source"): (1, 6),
    later("target"): (1, 6),
    later("output"): (1, 6, 350),
    later("self-attention"): (1, 19, 6, 6),
    later("cross-attention"): (1, 19, 6, 6),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table.

    Args:
        name: of the tensor, as in the table.
        printed: the shape in the document.
        ours: the shape of our tensor.
        source: name of our tensor.
    """

    name: str
    printed: tuple[int, ...]
    ours: tuple[int, ...]
    source: str

    @property
    def equal(self) -> bool:
        """Return whether our shape is the printed one."""
        return self.printed == self.ours


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the source documents, reproduced, with its words said.

    Args:
        title: of the table.
        about: sizes of the model, as in the document.
        lines: one for each shape.
    """

    title: str
    about: str
    lines: tuple[Line, ...]


def reproduce(name: str) -> Table:
    """Build and run the tutorial's "encoder", "decoder" or "transformer"."""
    return {"encoder": _encoder, "decoder": _decoder, "transformer": _transformer}[name]()


def _encoder() -> Table:
    from core.model.transformer import Transformer

    encoded = Transformer(transformer_shape("tutorial-encoder")).encode(_ids(ENCODER_TABLE["input"]))
    ours = {"input": encoded.source, "mask": encoded.mask, "output": encoded.states}
    names = {"input": "Encoded.source", "mask": "Encoded.mask", "output": "Encoded.states"}
    about = say("d_model 16, 4 heads, d_ff 32, 2 layers, 500 words, 20 positions (preset tutorial-encoder)")
    return Table(say("Encoder"), about, _lines(ENCODER_TABLE, ours, names))


def _decoder() -> Table:
    from core.model.blocks import Decoder
    from core.model.layers import TokenEmbedding
    from core.model.masks import target_mask
    from core.model.positional import PositionalEncoding
    from core.runtime.backend import ops

    ids = _ids(DECODER_TABLE["input"])
    memory = ops.ones(DECODER_TABLE["encoder output"])
    embedded = TokenEmbedding(DECODER.target_vocabulary, DECODER.d_model)(ids)
    x = PositionalEncoding(DECODER.max_target_length)(embedded)
    output = Decoder(DECODER)(x, memory, attention_mask=target_mask(ids))
    ours = {
        "input": ids,
        "encoder output": memory,
        "output": output.states,
        "self-attention": output.self_attention[-1],
        "cross-attention": output.cross_attention[-1],
    }
    names = {
        "input": say("target ids"),
        "encoder output": say("memory, 9 wide where the decoder is 15 wide"),
        "output": "StackOutput.states",
        "self-attention": "decoder_layer7_block1_self_att",
        "cross-attention": "decoder_layer7_block2_decenc_att",
    }
    about = say("d_model 15, 19 heads, d_ff 16, 7 layers, 300 words, 6 positions; 19 heads do not divide 15")
    return Table(say("Decoder"), about, _lines(DECODER_TABLE, ours, names))


def _transformer() -> Table:
    from core.model.transformer import Transformer, attention_maps

    config = transformer_shape("tutorial-transformer")
    source, target = _ids(TRANSFORMER_TABLE["source"]), _ids(TRANSFORMER_TABLE["target"])
    result = Transformer(config).replay(source, target)
    maps = attention_maps(result)
    names = {
        "source": say("source ids"),
        "target": say("target ids"),
        "output": say("logits"),
        "self-attention": f"decoder_layer{config.decoder_layers}_block1_self_att",
        "cross-attention": f"decoder_layer{config.decoder_layers}_block2_decenc_att",
    }
    ours = {"source": source, "target": target, "output": result["logits"]}
    ours |= {name: maps[names[name]] for name in ("self-attention", "cross-attention")}
    about = say("d_model 13, 19 heads, d_ff 8, 7 layers, 300 and 350 words, 12 positions (preset tutorial-transformer)")
    return Table("Transformer", about, _lines(TRANSFORMER_TABLE, ours, names))


def _ids(shape: tuple[int, ...]) -> Any:
    from core.runtime.backend import ops

    return ops.ones(shape, dtype="int32")


def _lines(printed: Shapes, ours: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Line, ...]:
    return tuple(
        Line(say(name), shape, tuple(int(size) for size in ours[name].shape), names[name])
        for name, shape in printed.items()
    )
