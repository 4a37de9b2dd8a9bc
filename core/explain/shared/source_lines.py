"""Find the line of our source that computes something, at run time, so that no line number goes stale.

The files are read as text, so that nothing heavy is imported.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line.

    Args:
        file: relative to the project.
        line: from 1.
        code: text of the line.
    """

    file: str
    line: int
    code: str

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"


_ATTENTION, _LAYERS, _STEPS = "core/model/attention.py", "core/model/layers.py", "core/explain/attention_lab/steps.py"
_MASKS = "core/model/masks.py"
_POSITIONAL = "core/model/positional.py"
_FUNCTION = "scaled_dot_product_attention"
PLACES: Mapping[str, tuple[str, str, str]] = {
    "scores": (_ATTENTION, "attention_weights", "ops.matmul(query, ops.swapaxes(key"),
    "scaled": (_ATTENTION, "attention_weights", "math.sqrt(query.shape[-1])"),
    "masked": (_ATTENTION, "attention_weights", "ops.where("),
    "weights": (_ATTENTION, "attention_weights", "ops.softmax("),
    "output": (_ATTENTION, _FUNCTION, "ops.matmul(ops.cast(weights"),
    "multiplicative": (_STEPS, "dot", "left.values @ right.values.T"),
    "additive": (_STEPS, "additive", "np.tanh("),
    "projection": (_ATTENTION, "MultiHeadAttention.weigh", "self.query_projection(query)"),
    "memory projection": (_ATTENTION, "MultiHeadAttention.project", "self.key_projection(memory)"),
    "head": (_ATTENTION, "MultiHeadAttention.attend", "ops.matmul(dropped, value)"),
    "heads": (_ATTENTION, "MultiHeadAttention.attend", "ops.reshape(outputs"),
    "attended": (_ATTENTION, "MultiHeadAttention.attend", "self.output_projection(joined)"),
    "sum": (_LAYERS, "Residual.after", "self.output_dropout(output"),
    "mean": (_LAYERS, "LayerNormalization.call", "mean = ops.mean("),
    "variance": (_LAYERS, "LayerNormalization.call", "variance = ops.mean("),
    "normal": (_LAYERS, "LayerNormalization.call", "ops.rsqrt("),
    "norm": (_LAYERS, "LayerNormalization.call", "self.gamma"),
    "mean square": (_LAYERS, "RMSNormalization.call", "square = ops.mean("),
    "rms": (_LAYERS, "RMSNormalization.call", "ops.rsqrt("),
    "rms norm": (_LAYERS, "RMSNormalization.call", "self.gamma"),
    "biased": (_ATTENTION, "attention_weights", "scaled + bias"),
    "bias by distance": (_POSITIONAL, "RelativeBias.call", "ops.take(self.table"),
    "buckets": (_POSITIONAL, "relative_buckets", "np.where(away < single, away, far)"),
    "gate": (_LAYERS, "FeedForward.call", "active * self.gate(x)"),
    "contract": (_LAYERS, "FeedForward.call", "self.contract("),
    "feed forward": (_LAYERS, "FeedForward.call", "ACTIVATIONS["),
    "angles": (_POSITIONAL, "sinusoidal_encoding", "angles = np.arange(length)"),
    "sinusoids": (_POSITIONAL, "sinusoidal_encoding", "columns % 2 == 0, np.sin("),
    "learned positions": (_POSITIONAL, "PositionalEncoding.build", "initializer=keras.initializers.RandomNormal"),
    "position sum": (_POSITIONAL, "PositionalEncoding.call", "return x + ops.take(table"),
    "embedding": (_LAYERS, "TokenEmbedding.call", "math.sqrt(self.width)"),
    "padding mask": (_MASKS, "padding_mask", "ops.not_equal("),
    "look-ahead mask": (_MASKS, "look_ahead_mask", "positions[None, :] <="),
    "target mask": (_MASKS, "target_mask", "ops.logical_and("),
    "cross mask": ("core/model/transformer.py", "Transformer.decode", "memory_mask=encoded.mask"),
}
"""Name of a computation → file, function, and a part of its line."""


@cache
def source_line(what: str) -> SourceLine:
    """Find the line of our source that computes something.

    Args:
        what: the computation, a key of `PLACES`.

    Raises:
        LookupError: no such line, or several.
    """
    file, function, piece = PLACES[what]
    text = (ROOT / file).read_text(encoding="utf-8")
    node = _function(ast.parse(text), function.split("."))
    lines = text.splitlines()
    found = [number for number in range(node.lineno, (node.end_lineno or 0) + 1) if piece in lines[number - 1]]
    if len(found) != 1:
        raise LookupError(f"{piece!r} must stand once in {function} of {file}. Received: {len(found)} lines")
    return SourceLine(file, found[0], lines[found[0] - 1].strip())


def _function(node: ast.AST, names: list[str]) -> ast.FunctionDef:
    """Find a function by its name, inside the classes named before it."""
    for name in names:
        inside = [each for each in ast.iter_child_nodes(node) if getattr(each, "name", None) == name]
        if not inside:
            raise LookupError(f"there is no {'.'.join(names)}")
        node = inside[0]
    if not isinstance(node, ast.FunctionDef):
        raise LookupError(f"{'.'.join(names)} is no function")
    return node
