"""Names of every tensor of a forward pass in words, and its axes as letters.

A key is the function that makes the tensor and its name there (`core.model.recording.Made`); a name that a function
uses several times has several entries, in that order.

Axes: B batch, S source, T target, H heads, K width of a head, D d_model, F inner width of the feed-forward network, V
target vocabulary, L positions in the table, C heads that copy, W = 1 + C; Q stands for the length of the queries and N
for that of the keys, S or T.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Name(NamedTuple):
    """A tensor in words and letters.

    Args:
        text: its name; {projection} is the query, key or value that was made before.
        axes: one word for each axis: a letter, a number, or letters that are multiplied.
    """

    text: str
    axes: str


_SPLIT = "{projection}, cut into heads", "{projection} of every head"

NAMES: Mapping[tuple[str, str], tuple[Name, ...]] = {
    ("Transformer.call", "source"): (Name("source ids", "B S"),),
    ("Transformer.call", "target"): (Name("target ids: decoder input", "B T"),),
    ("TokenEmbedding.call", "return"): (Name("embedding × √D", "B Q D"),),
    ("PositionalEncoding.call", "table"): (Name("table of positions", "L D"),),
    ("PositionalEncoding.call", "return"): (Name("embedding + position", "B Q D"),),
    ("SpeakerEmbedding.numbers", "source"): (Name("source ids", "B Q"),),
    ("SpeakerEmbedding.numbers", "before"): (Name("id before each token", "B Q"),),
    ("SpeakerEmbedding.numbers", "begins"): (Name("begins a turn", "B Q"),),
    ("SpeakerEmbedding.numbers", "tag"): (Name("number of the tag", "B Q"),),
    ("SpeakerEmbedding.numbers", "named"): (Name("names the speaker of its turn", "B Q"),),
    ("SpeakerEmbedding.numbers", "places"): (Name("positions 0, 1, 2, …", "Q"),),
    ("SpeakerEmbedding.numbers", "marks"): (Name("mark: position × (N + 1) + tag", "B Q"),),
    ("SpeakerEmbedding.numbers", "earlier"): (Name("stands before or here", "Q Q"),),
    ("SpeakerEmbedding.numbers", "latest"): (Name("latest mark", "B Q"),),
    ("SpeakerEmbedding.numbers", "return"): (Name("speaker of each token, 0 for none", "B Q"),),
    ("SpeakerEmbedding.call", "return"): (Name("embedding + vector of the speaker", "B Q D"),),
    ("RelativeBias.call", "queries"): (Name("positions of the queries", "Q"),),
    ("RelativeBias.call", "keys"): (Name("positions of the keys", "N"),),
    ("RelativeBias.call", "distance"): (Name("distance: key's position − query's", "Q N"),),
    ("RelativeBias.call", "bucket"): (Name("bucket of each distance", "Q N"),),
    ("RelativeBias.call", "bias"): (Name("bias of each head", "1 H Q N"),),
    ("RelativeBias.call", "known"): (Name("has a position", "Q N"),),
    ("RelativeBias.call", "return"): (Name("bias, 0 without a position", "1 H Q N"),),
    ("padding_mask", "keep"): (Name("mask, all True at first", "B Q"), Name("is no padding", "B Q")),
    ("padding_mask", "return"): (Name("padding mask", "B 1 1 Q"),),
    ("look_ahead_mask", "positions"): (Name("positions 0, 1, 2, …", "Q"),),
    ("look_ahead_mask", "return"): (Name("look-ahead mask", "Q Q"),),
    ("target_mask", "return"): (Name("target mask: padding and look-ahead", "B 1 Q Q"),),
    ("LayerNormalization.call", "mean"): (Name("mean", "B Q 1"),),
    ("LayerNormalization.call", "centred"): (Name("x − mean", "B Q D"),),
    ("LayerNormalization.call", "variance"): (Name("variance", "B Q 1"),),
    ("LayerNormalization.call", "normal"): (Name("(x − mean) ÷ √(variance + ε)", "B Q D"),),
    ("LayerNormalization.call", "return"): (Name("norm: γ × normal + β", "B Q D"),),
    ("RMSNormalization.call", "square"): (Name("mean of x²", "B Q 1"),),
    ("RMSNormalization.call", "normal"): (Name("x ÷ √(mean of x² + ε)", "B Q D"),),
    ("RMSNormalization.call", "return"): (Name("norm: γ × normal", "B Q D"),),
    ("MultiHeadAttention.weigh", "query"): (Name("query: x W_Q + b_Q", "B Q HK"),),
    ("MultiHeadAttention.project", "key"): (Name("key: x W_K + b_K", "B N HK"),),
    ("MultiHeadAttention.project", "value"): (Name("value: x W_V + b_V", "B N HK"),),
    ("MultiHeadAttention._split", "heads"): (Name(_SPLIT[0], "B N H K"),),
    ("MultiHeadAttention._split", "return"): (Name(_SPLIT[1], "B H N K"),),
    ("attention_weights", "scores"): (Name("scores: Q Kᵀ", "B H Q N"),),
    ("attention_weights", "scaled"): (Name("scores ÷ √K", "B H Q N"),),
    ("attention_weights", "biased"): (Name("scores + bias by relative position", "B H Q N"),),
    ("attention_weights", "masked"): (Name("scores after the mask", "B H Q N"),),
    ("attention_weights", "return"): (Name("weights: softmax of the scores", "B H Q N"),),
    ("MultiHeadAttention.attend", "outputs"): (
        Name("head outputs: weights × V", "B H Q K"),
        Name("head outputs, token by token", "B Q H K"),
    ),
    ("MultiHeadAttention.attend", "joined"): (Name("heads concatenated", "B Q HK"),),
    ("MultiHeadAttention.attend", "output"): (Name("output: heads W_O + b_O", "B Q D"),),
    ("Residual.after", "x"): (Name("sum: x + sub-layer", "B Q D"),),
    ("FeedForward.call", "expand"): (Name("inner: x W₁ + b₁", "B Q F"),),
    ("FeedForward.call", "active"): (Name("activation of the inner values", "B Q F"),),
    ("FeedForward.call", "gate"): (Name("gate: x W₃", "B Q F"),),
    ("FeedForward.call", "gated"): (Name("activation × gate", "B Q F"),),
    ("FeedForward.call", "contract"): (Name("output: activation W₂ + b₂", "B Q D"),),
    ("TokenEmbedding.logits", "logits"): (Name("logits: states × tableᵀ", "B T V"),),
    ("TokenEmbedding.logits", "return"): (Name("logits + bias of each token", "B T V"),),
    ("Transformer.generator_logits", "states"): (Name("states ÷ √D", "B T D"),),
    ("Transformer.generator_logits", "output_layer"): (Name("logits: states W + b", "B T V"),),
    ("CopyHead.call", "query"): (Name("copy query: states W_Q", "B T D"),),
    ("CopyHead.call", "key"): (Name("copy key: memory W_K", "B S D"),),
    ("CopyHead.call", "scores"): (Name("copy scores: Q Kᵀ ÷ √D", "B T S"),),
    ("CopyHead.call", "weights"): (Name("copy distribution over the source", "B T S"),),
    ("CopyHead.call", "context"): (Name("context: copy distribution × memory", "B T D"),),
    ("CopyHead.call", "switch"): (Name("switch between writing and copying", "B T 1"), Name("switch", "B T")),
    ("CopyHead.call", "log_generate"): (Name("log p_gen", "B T"),),
    ("CopyHead.call", "log_copy"): (Name("log (1 − p_gen)", "B T"),),
    ("CrossCopy.call", "switch"): (Name("shares of writing and of each copying head", "B T W"),),
    ("CrossCopy.call", "shares"): (Name("shares of the copying heads", "B T C"),),
    ("CrossCopy.call", "seen"): (Name("shares × cross-attention of the copying heads", "B T S"),),
    ("CrossCopy.call", "words"): (Name("the same without special tokens", "B T S"),),
    ("CrossCopy.call", "copied"): (Name("1 − p_gen: their sum", "B T"),),
    ("CrossCopy.call", "weights"): (Name("copy distribution over the source", "B T S"),),
    ("CrossCopy.call", "log_generate"): (Name("log p_gen", "B T"),),
    ("CrossCopy.call", "log_copy"): (Name("log (1 − p_gen)", "B T"),),
    ("Pointer.mix", "generator"): (Name("log-probability of writing each token", "B T V"),),
    ("Pointer._copied", "rows"): (Name("number of the target position, for each source place", "B T S"),),
    ("Pointer._copied", "places"): (Name("source ids, for each target position", "B T S"),),
    ("Pointer._copied", "return"): (Name("probability of copying each token", "B T V"),),
    ("Pointer.mix", "copied"): (Name("log-probability of copying each token", "B T V"),),
    ("Pointer.mix", "return"): (Name("log-probability of the mixture", "B T V"),),
}
