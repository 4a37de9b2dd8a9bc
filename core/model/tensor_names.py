"""Names of every tensor of a forward pass in words, and its axes as letters.

A key is the function that makes the tensor and its name there (`core.model.recording.Made`); a name that a function
uses several times has several entries, in that order.

Axes: B batch, S source, T target, H heads, K width of a head, D d_model, F inner width of the feed-forward network, V
target vocabulary, L positions in the table, C heads that copy, W = 1 + C; Q stands for the length of the queries and N
for that of the keys, S or T.
"""

from collections.abc import Mapping
from typing import NamedTuple

from core.words import later


class Name(NamedTuple):
    """A tensor in words and letters.

    Args:
        text: its name, to be said; {projection} is the query, key or value that was made before.
        axes: one word for each axis: a letter, a number, or letters that are multiplied.
    """

    text: str
    axes: str


_SPLIT = later("{projection}, cut into heads"), later("{projection} of every head")

NAMES: Mapping[tuple[str, str], tuple[Name, ...]] = {
    ("Transformer.call", "source"): (Name(later("source ids"), "B S"),),
    ("Transformer.call", "target"): (Name(later("target ids: decoder input"), "B T"),),
    ("TokenEmbedding.call", "return"): (Name(later("embedding × √D"), "B Q D"),),
    ("PositionalEncoding.call", "table"): (Name(later("table of positions"), "L D"),),
    ("PositionalEncoding.call", "return"): (Name(later("embedding + position"), "B Q D"),),
    ("SpeakerEmbedding.numbers", "source"): (Name(later("source ids"), "B Q"),),
    ("SpeakerEmbedding.numbers", "before"): (Name(later("id before each token"), "B Q"),),
    ("SpeakerEmbedding.numbers", "begins"): (Name(later("begins a turn"), "B Q"),),
    ("SpeakerEmbedding.numbers", "tag"): (Name(later("number of the tag"), "B Q"),),
    ("SpeakerEmbedding.numbers", "named"): (Name(later("names the speaker of its turn"), "B Q"),),
    ("SpeakerEmbedding.numbers", "places"): (Name(later("positions 0, 1, 2, …"), "Q"),),
    ("SpeakerEmbedding.numbers", "marks"): (Name(later("mark: position × (N + 1) + tag"), "B Q"),),
    ("SpeakerEmbedding.numbers", "earlier"): (Name(later("stands before or here"), "Q Q"),),
    ("SpeakerEmbedding.numbers", "latest"): (Name(later("latest mark"), "B Q"),),
    ("SpeakerEmbedding.numbers", "return"): (Name(later("speaker of each token, 0 for none"), "B Q"),),
    ("SpeakerEmbedding.call", "return"): (Name(later("embedding + vector of the speaker"), "B Q D"),),
    ("RelativeBias.call", "queries"): (Name(later("positions of the queries"), "Q"),),
    ("RelativeBias.call", "keys"): (Name(later("positions of the keys"), "N"),),
    ("RelativeBias.call", "distance"): (Name(later("distance: key's position − query's"), "Q N"),),
    ("RelativeBias.call", "bucket"): (Name(later("bucket of each distance"), "Q N"),),
    ("RelativeBias.call", "bias"): (Name(later("bias of each head"), "1 H Q N"),),
    ("RelativeBias.call", "known"): (Name(later("has a position"), "Q N"),),
    ("RelativeBias.call", "return"): (Name(later("bias, 0 without a position"), "1 H Q N"),),
    ("padding_mask", "keep"): (Name(later("mask, all True at first"), "B Q"), Name(later("is no padding"), "B Q")),
    ("padding_mask", "return"): (Name(later("padding mask"), "B 1 1 Q"),),
    ("look_ahead_mask", "positions"): (Name(later("positions 0, 1, 2, …"), "Q"),),
    ("look_ahead_mask", "return"): (Name(later("look-ahead mask"), "Q Q"),),
    ("target_mask", "return"): (Name(later("target mask: padding and look-ahead"), "B 1 Q Q"),),
    ("LayerNormalization.call", "mean"): (Name(later("mean"), "B Q 1"),),
    ("LayerNormalization.call", "centred"): (Name(later("x − mean"), "B Q D"),),
    ("LayerNormalization.call", "variance"): (Name(later("variance"), "B Q 1"),),
    ("LayerNormalization.call", "normal"): (Name(later("(x − mean) ÷ √(variance + ε)"), "B Q D"),),
    ("LayerNormalization.call", "return"): (Name(later("norm: γ × normal + β"), "B Q D"),),
    ("RMSNormalization.call", "square"): (Name(later("mean of x²"), "B Q 1"),),
    ("RMSNormalization.call", "normal"): (Name(later("x ÷ √(mean of x² + ε)"), "B Q D"),),
    ("RMSNormalization.call", "return"): (Name(later("norm: γ × normal"), "B Q D"),),
    ("MultiHeadAttention.weigh", "query"): (Name(later("query: x W_Q + b_Q"), "B Q HK"),),
    ("MultiHeadAttention.project", "key"): (Name(later("key: x W_K + b_K"), "B N HK"),),
    ("MultiHeadAttention.project", "value"): (Name(later("value: x W_V + b_V"), "B N HK"),),
    ("MultiHeadAttention._split", "heads"): (Name(_SPLIT[0], "B N H K"),),
    ("MultiHeadAttention._split", "return"): (Name(_SPLIT[1], "B H N K"),),
    ("attention_weights", "scores"): (Name(later("scores: Q Kᵀ"), "B H Q N"),),
    ("attention_weights", "scaled"): (Name(later("scores ÷ √K"), "B H Q N"),),
    ("attention_weights", "biased"): (Name(later("scores + bias by relative position"), "B H Q N"),),
    ("attention_weights", "masked"): (Name(later("scores after the mask"), "B H Q N"),),
    ("attention_weights", "return"): (Name(later("weights: softmax of the scores"), "B H Q N"),),
    ("MultiHeadAttention.attend", "outputs"): (
        Name(later("head outputs: weights × V"), "B H Q K"),
        Name(later("head outputs, token by token"), "B Q H K"),
    ),
    ("MultiHeadAttention.attend", "joined"): (Name(later("heads concatenated"), "B Q HK"),),
    ("MultiHeadAttention.attend", "output"): (Name(later("output: heads W_O + b_O"), "B Q D"),),
    ("Residual.after", "x"): (Name(later("sum: x + sub-layer"), "B Q D"),),
    ("FeedForward.call", "expand"): (Name(later("inner: x W₁ + b₁"), "B Q F"),),
    ("FeedForward.call", "active"): (Name(later("activation of the inner values"), "B Q F"),),
    ("FeedForward.call", "gate"): (Name(later("gate: x W₃"), "B Q F"),),
    ("FeedForward.call", "gated"): (Name(later("activation × gate"), "B Q F"),),
    ("FeedForward.call", "contract"): (Name(later("output: activation W₂ + b₂"), "B Q D"),),
    ("TokenEmbedding.logits", "logits"): (Name(later("logits: states × tableᵀ"), "B T V"),),
    ("TokenEmbedding.logits", "return"): (Name(later("logits + bias of each token"), "B T V"),),
    ("Transformer.generator_logits", "states"): (Name(later("states ÷ √D"), "B T D"),),
    ("Transformer.generator_logits", "output_layer"): (Name(later("logits: states W + b"), "B T V"),),
    ("CopyHead.call", "query"): (Name(later("copy query: states W_Q"), "B T D"),),
    ("CopyHead.call", "key"): (Name(later("copy key: memory W_K"), "B S D"),),
    ("CopyHead.call", "scores"): (Name(later("copy scores: Q Kᵀ ÷ √D"), "B T S"),),
    ("CopyHead.call", "weights"): (Name(later("copy distribution over the source"), "B T S"),),
    ("CopyHead.call", "context"): (Name(later("context: copy distribution × memory"), "B T D"),),
    ("CopyHead.call", "switch"): (
        Name(later("switch between writing and copying"), "B T 1"),
        Name(later("switch"), "B T"),
    ),
    ("CopyHead.call", "log_generate"): (Name(later("log p_gen"), "B T"),),
    ("CopyHead.call", "log_copy"): (Name(later("log (1 − p_gen)"), "B T"),),
    ("CrossCopy.call", "switch"): (Name(later("shares of writing and of each copying head"), "B T W"),),
    ("CrossCopy.call", "shares"): (Name(later("shares of the copying heads"), "B T C"),),
    ("CrossCopy.call", "seen"): (Name(later("shares × cross-attention of the copying heads"), "B T S"),),
    ("CrossCopy.call", "words"): (Name(later("the same without special tokens"), "B T S"),),
    ("CrossCopy.call", "copied"): (Name(later("1 − p_gen: their sum"), "B T"),),
    ("CrossCopy.call", "weights"): (Name(later("copy distribution over the source"), "B T S"),),
    ("CrossCopy.call", "log_generate"): (Name(later("log p_gen"), "B T"),),
    ("CrossCopy.call", "log_copy"): (Name(later("log (1 − p_gen)"), "B T"),),
    ("Pointer.mix", "generator"): (Name(later("log-probability of writing each token"), "B T V"),),
    ("Pointer._copied", "rows"): (Name(later("number of the target position, for each source place"), "B T S"),),
    ("Pointer._copied", "places"): (Name(later("source ids, for each target position"), "B T S"),),
    ("Pointer._copied", "return"): (Name(later("probability of copying each token"), "B T V"),),
    ("Pointer.mix", "copied"): (Name(later("log-probability of copying each token"), "B T V"),),
    ("Pointer.mix", "return"): (Name(later("log-probability of the mixture"), "B T V"),),
}
