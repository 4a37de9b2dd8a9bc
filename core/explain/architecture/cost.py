"""Compute the cost of a forward pass: multiply–adds by part, and the memory of its attention matrices.

A matrix of a × b times one of b × c takes a·b·c multiply–adds, as in the complexities of Vaswani et al. 2017, table 1:
O(n²·d) for self-attention over n tokens of width d, O(n·d²) for a projection at every position. Only matrix products
count: softmax, norms, biases and activations are left out, because they grow with the tensors and not with their
products. A look-up in the embedding table multiplies nothing. A mask saves nothing: blocked scores are computed too.

Letters: B batch, S source, T target, D d_model, H heads, K width of a head, F inner width, V vocabulary.
"""

from dataclasses import dataclass
from typing import Literal

from core.config import ModelConfig
from core.words import say

Group = Literal["projections", "scores", "feed-forward", "decoder", "output"]
FLOAT = 4
"""Bytes of a float32."""


@dataclass(frozen=True, slots=True)
class Work:
    """Multiply–adds of one part in all its layers.

    Args:
        name: of the part, said.
        group: its group in the picture.
        count: multiply–adds.
        formula: of one layer and one row of the batch.
    """

    name: str
    group: Group
    count: int
    formula: str


def work(config: ModelConfig, batch: int, source: int, target: int) -> tuple[Work, ...]:
    """Count the multiply–adds of one forward pass with teacher forcing.

    Args:
        config: the model's shape.
        batch: B.
        source: S; it may be longer than the model can read.
        target: T.
    """
    width, heads, inner = config.d_model, config.num_heads * config.key_dim, config.feed_forward_dim
    vocabulary, s, t = config.target_vocabulary, source, target
    maps = 3 if config.gated else 2  # of a feed-forward network
    encoder = [
        Work(say("Encoder: query, key, value, output"), "projections", 4 * s * width * heads, "4·S·D·H·K"),
        Work(say("Encoder: scores and weighted sums"), "scores", 2 * s * s * heads, "2·S²·H·K"),
        Work(say("Encoder: feed-forward"), "feed-forward", maps * s * width * inner, f"{maps}·S·D·F"),
    ]
    cross = 2 * t * width * heads + 2 * s * width * heads
    decoder = [
        Work(say("Decoder: self-attention projections"), "decoder", 4 * t * width * heads, "4·T·D·H·K"),
        Work(say("Decoder: self-attention scores and sums"), "decoder", 2 * t * t * heads, "2·T²·H·K"),
        Work(say("Decoder: cross-attention projections"), "decoder", cross, "2·T·D·H·K + 2·S·D·H·K"),
        Work(say("Decoder: cross-attention scores and sums"), "decoder", 2 * t * s * heads, "2·T·S·H·K"),
        Work(say("Decoder: feed-forward"), "decoder", maps * t * width * inner, f"{maps}·T·D·F"),
    ]
    output = [Work(say("Output: scores of the vocabulary"), "output", t * width * vocabulary, "T·D·V")]
    if config.copy_heads:
        ways = 1 + config.copy_heads
        switch = 2 * t * width * ways + t * s * config.copy_heads
        output.append(
            Work(say("Copying: switch and mixture"), "output", switch, f"2·T·D·{ways} + T·S·{config.copy_heads}")
        )
    elif config.copy:
        head = t * width * width + s * width * width + 2 * t * s * width + 3 * t * width
        output.append(Work(say("Copy head"), "output", head, "T·D² + S·D² + 2·T·S·D + 3·T·D"))
    if config.copy:
        output.append(Work(say("Copying into the vocabulary"), "output", t * s * vocabulary, "T·S·V"))
    times = [(part, config.encoder_layers) for part in encoder] + [(part, config.decoder_layers) for part in decoder]
    times += [(part, 1) for part in output]
    return tuple(Work(part.name, part.group, part.count * layers * batch, part.formula) for part, layers in times)


def attention_bytes(config: ModelConfig, batch: int, source: int, target: int) -> dict[str, int]:
    """Return the bytes of all attention weights of a pass in float32: one number for each query, key and head.

    Args:
        config: the model's shape.
        batch: B.
        source: S.
        target: T.

    Returns:
        `encoder_self` B·H·S², `decoder_self` B·H·T² and `cross` B·H·T·S, times layers and 4 bytes.
    """
    one = FLOAT * batch * config.num_heads
    return {
        "encoder_self": one * config.encoder_layers * source * source,
        "decoder_self": one * config.decoder_layers * target * target,
        "cross": one * config.decoder_layers * target * source,
    }


def crossover(config: ModelConfig) -> float:
    """Return the source length at which the S² part of encoder attention costs as much as the feed-forward network.

    2·S²·H·K = 2·S·D·F, so S = D·F / (H·K); if the heads divide d_model, H·K = D and S = F. A gated network has three
    maps in place of two: S = 3·D·F / (2·H·K).
    """
    inner = config.feed_forward_dim * (1.5 if config.gated else 1)
    return config.d_model * inner / (config.num_heads * config.key_dim)
