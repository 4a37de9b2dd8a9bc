"""A Transformer as ONNX graphs that ONNX Runtime runs: the same arithmetic without the time between its operations.

Three graphs: the encoder, what cross-attention reads of its output, and one step of the decoder. They are made of a
built model's weights and settings; `core.model` stays the reference, and tests compare the two.

Shape letters of core.model: B dialogues, N rows (B, or W beams of each), S source, P target positions so far, H heads,
K width of a head, D d_model, F inner width of the feed-forward network, V target vocabulary.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from core.config import ModelConfig
from core.model.attention import BLOCKED
from core.model.copying import SMALLEST, SMALLEST_GENERATED
from core.model.transformer import Transformer

OPSET = 20
FORMAT = 10
"""Version of ONNX's file format that goes with the set of operators."""
MICROSOFT = "com.microsoft"
"""Domain of ONNX Runtime's own operators."""
Array = NDArray[Any]


class Graph:
    """Operators, constants, inputs and outputs of one ONNX graph; values are named by strings."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []

    def input(self, name: str) -> str:
        """Declare an input."""
        self.inputs.append(name)
        return name

    def output(self, name: str, value: str) -> str:
        """Give a value out under a name, which is its name from now on."""
        for node in self.nodes:
            node.input[:] = [name if each == value else each for each in node.input]
            node.output[:] = [name if each == value else each for each in node.output]
        self.outputs.append(name)
        return name

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """Add a constant."""
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, dtype=dtype, order="C"), name))
        return name

    def add(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add an operator; returns its output, or a list of several."""
        names = [f"{operator.lower()}{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def reshape(self, x: str, *shape: int | str) -> str:
        """Reshape to lengths, where -1 takes the rest, or to those that `lengths` gave."""
        parts = [length if isinstance(length, str) else self.constant([length], np.int64) for length in shape]
        return str(self.add("Reshape", x, self.add("Concat", *parts, axis=0)))

    def lengths(self, x: str, start: int, end: int) -> str:
        """Return the lengths of some axes of a value."""
        return str(self.add("Shape", x, start=start, end=end))

    def session(self, threads: int) -> onnxruntime.InferenceSession:
        """Compile the graph; lengths and types of inputs are only known when it runs."""
        whole = {"pairs": TensorProto.INT64, "origins": TensorProto.INT64}
        inputs = [
            helper.make_tensor_value_info(name, whole.get(name, TensorProto.FLOAT), _AXES[name.rstrip("0123456789")])
            for name in self.inputs
        ]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "transformer", inputs, outputs, self.constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)], ir_version=FORMAT
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


_AXES: dict[str, list[str | int | None]] = {
    "x": ["B", "S", "D"],
    "states": ["B", "S", "D"],
    "mask": ["B", 1, 1, "S"],
    "words": ["B", 1, "S"],
    "embedded": ["N", "D"],
    "place": [1, "D"],
    "pairs": ["Q", "S"],
    "origins": ["N"],
    "self_key": ["M", "H", "P", "K"],
    "self_value": ["M", "H", "P", "K"],
    "cross_key": ["B", "H", "K", "S"],
    "cross_value": ["B", "H", "S", "K"],
    "copy_key": ["B", "D", "S"],
    "open": ["L", "R", "H", 1, 1],
    "fill": ["L", "R", "H", 1, "K"],
    "cross_open": ["L", "C", "H", 1, 1],
    "cross_fill": ["L", "C", "H", 1, "K"],
    "cross_copies": ["L", "C", "H", 1, 1],
}
"""Axes of the inputs by name, without the number of a layer; those of one letter are equally long."""


def _array(variable: Any) -> Array:
    return np.asarray(variable, dtype=np.float32)


def _linear(graph: Graph, x: str, *layers: Any, scale: float = 1.0) -> str:
    """Apply dense layers to x [N, D], joined side by side; the first one times a factor."""
    factors = [scale, *[1.0] * (len(layers) - 1)]
    kernel = np.concatenate(
        [_array(layer.kernel) * factor for layer, factor in zip(layers, factors, strict=True)], axis=1
    )
    if not layers[0].use_bias:
        return str(graph.add("MatMul", x, graph.constant(kernel)))
    bias = np.concatenate([_array(layer.bias) * factor for layer, factor in zip(layers, factors, strict=True)])
    return str(graph.add("Gemm", x, graph.constant(kernel), graph.constant(bias)))


def _normal(graph: Graph, x: str, layer: Any, config: ModelConfig) -> str:
    """Normalise x [..., D]."""
    gamma = graph.constant(_array(layer.gamma))
    if config.normalization == "layer":
        beta = graph.constant(_array(layer.beta))
        return str(graph.add("LayerNormalization", x, gamma, beta, axis=-1, epsilon=layer.epsilon))
    square = graph.add("ReduceMean", graph.add("Mul", x, x), graph.constant([-1], np.int64), keepdims=1)
    root = graph.add("Sqrt", graph.add("Add", square, graph.constant(layer.epsilon)))
    return str(graph.add("Mul", graph.add("Div", x, root), gamma))


def _before(graph: Graph, x: str, residual: Any, config: ModelConfig) -> str:
    return _normal(graph, x, residual.normalization, config) if config.norm == "pre" else x


def _after(graph: Graph, x: str, output: str, residual: Any, config: ModelConfig) -> str:
    if config.norm == "post" and config.normalization == "layer":
        layer = residual.normalization
        scale = graph.constant(_array(layer.gamma)), graph.constant(_array(layer.beta))
        return str(graph.add("SkipLayerNormalization", x, output, *scale, epsilon=layer.epsilon, domain=MICROSOFT))
    total = graph.add("Add", x, output)
    return total if config.norm == "pre" else _normal(graph, total, residual.normalization, config)


def _feed_forward(graph: Graph, x: str, block: Any, config: ModelConfig) -> str:
    """Apply the feed-forward network of a block with its residual connection."""
    layer, residual = block.feed_forward, block.feed_forward_residual
    read = _before(graph, x, residual, config)
    inner = _linear(graph, read, layer.expand)
    match config.activation:
        case "relu":
            active = graph.add("Relu", inner)
        case "silu":
            active = graph.add("Mul", inner, graph.add("Sigmoid", inner))
        case "gelu" | "gelu_tanh":
            active = graph.add("Gelu", inner, approximate="tanh" if config.activation == "gelu_tanh" else "none")
    if config.gated:
        active = graph.add("Mul", active, _linear(graph, read, layer.gate))
    return _after(graph, x, _linear(graph, active, layer.contract), residual, config)


def _heads(graph: Graph, x: str, rows: str, config: ModelConfig) -> str:
    """Split the heads: [B * Q, H * K] -> [B, H, Q, K]; the first axis is that of another value."""
    heads = graph.reshape(x, graph.lengths(rows, 0, 1), -1, config.num_heads, config.key_dim)
    return str(graph.add("Transpose", heads, perm=[0, 2, 1, 3]))


def _joined(graph: Graph, x: str, config: ModelConfig) -> str:
    """Join the heads: [B, H, Q, K] -> [B * Q, H * K]."""
    return graph.reshape(graph.add("Transpose", x, perm=[0, 2, 1, 3]), -1, config.num_heads * config.key_dim)


def _projected(graph: Graph, x: str, attention: Any, config: ModelConfig) -> str:
    """Project x [N, D] to queries, keys and values side by side, [N, 3 * H * K]; the queries divided by sqrt(K)."""
    layers = attention.query_projection, attention.key_projection, attention.value_projection
    return _linear(graph, x, *layers, scale=_scale(config))


def _attend(
    graph: Graph, query: str, key: str, value: str, added: Sequence[str], gate: tuple[str, str] | None
) -> tuple[str, str]:
    """Attend from [B, H, Q, K] to transposed keys [B, H, K, S] and values [B, H, S, K]: outputs and weights."""
    scores = graph.add("MatMul", query, key)
    for term in added:
        scores = graph.add("Add", scores, term)
    weights = graph.add("Softmax", scores, axis=-1)
    output = graph.add("MatMul", weights, value)
    if gate is not None:
        output = graph.add("Add", graph.add("Mul", output, gate[0]), gate[1])
    return output, weights


def _gate(graph: Graph, names: tuple[str, str] | None, layer: int) -> tuple[str, str] | None:
    """Return the gate of one layer, of one row for all or of each: factors [R, H, 1, 1], what is added [R, H, 1, K]."""
    if names is None:
        return None
    number = graph.constant(layer, np.int64)
    return graph.add("Gather", names[0], number, axis=0), graph.add("Gather", names[1], number, axis=0)


def _bias(graph: Graph, stack: Any) -> list[str]:
    """Return the bias of relative positions [H, Q, S] for the input `pairs`, if the model has one."""
    if stack.relative_bias is None:
        return []
    rows = graph.add("Gather", graph.constant(_array(stack.relative_bias.table)), graph.input("pairs"), axis=0)
    return [graph.add("Transpose", rows, perm=[2, 0, 1])]


def _scale(config: ModelConfig) -> float:
    return 1 / math.sqrt(config.key_dim) if config.score_scale else 1.0


def encoder_graph(model: Transformer, gated: bool) -> Graph:
    """Return the encoder: x [B, S, D] and mask [B, 1, 1, S] (added to the scores) -> states [B, S, D]."""
    config, graph = model.config, Graph()
    first, mask = graph.input("x"), graph.input("mask")
    names = (graph.input("open"), graph.input("fill")) if gated else None
    bias = _bias(graph, model.encoder)
    x = graph.reshape(first, -1, config.d_model)  # [B * S, D]
    if model.source_norm is not None:
        x = _normal(graph, x, model.source_norm, config)
    for number, block in enumerate(model.encoder.blocks):
        attention = block.self_attention
        read = _before(graph, x, block.self_residual, config)
        joined = _projected(graph, read, attention, config)
        query, key, value = (
            _heads(graph, part, first, config) for part in graph.add("Split", joined, outputs=3, axis=1, num_outputs=3)
        )
        key = graph.add("Transpose", key, perm=[0, 1, 3, 2])
        output, _ = _attend(graph, query, key, value, [*bias, mask], _gate(graph, names, number))
        output = _linear(graph, _joined(graph, output, config), attention.output_projection)
        x = _after(graph, x, output, block.self_residual, config)
        x = _feed_forward(graph, x, block, config)
    if model.encoder.final_norm:
        x = _normal(graph, x, model.encoder.final_norm, config)
    graph.output("encoded", graph.add("Reshape", x, graph.add("Shape", first)))
    return graph


def memory_graph(model: Transformer) -> Graph:
    """Return what the decoder's layers read of states [B, S, D]: keys [B, H, K, S] and values [B, H, S, K] of each."""
    config, graph = model.config, Graph()
    states = graph.input("states")
    x = graph.reshape(states, -1, config.d_model)
    for number, block in enumerate(model.decoder.blocks):
        attention = block.cross_attention
        joined = _linear(graph, x, attention.key_projection, attention.value_projection)
        key, value = (
            _heads(graph, part, states, config) for part in graph.add("Split", joined, outputs=2, axis=1, num_outputs=2)
        )
        graph.output(f"cross_key{number}", graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        graph.output(f"cross_value{number}", value)
    if model.copy_head is not None:
        key = graph.add(
            "MatMul", states, graph.constant(_array(model.copy_head.key.kernel) / math.sqrt(config.d_model))
        )
        graph.output("copy_key0", graph.add("Transpose", key, perm=[0, 2, 1]))
    return graph


def step_graph(model: Transformer, gated: bool) -> Graph:
    """Return one step of the decoder.

    It reads embedded tokens [N, D] at one place [1, D], the keys and values of M earlier rows, the row that each one
    continues, and those of the source; it returns log-probabilities [N, V], and for a copying model what is copied
    from each place of the source, [N, S], with log p_gen already in the log-probabilities.
    """
    config, graph = model.config, Graph()
    embedded, origins, mask = graph.input("embedded"), graph.input("origins"), graph.input("mask")
    names = (graph.input("open"), graph.input("fill")) if gated else None
    cross_names = (graph.input("cross_open"), graph.input("cross_fill")) if gated else None
    bias = _bias(graph, model.decoder)
    x = embedded
    if config.embedding_norm == "before_positions":
        x = _normal(graph, x, model.target_norm, config)
    if config.positions != "relative":
        x = graph.add("Add", x, graph.input("place"))
    if config.embedding_norm == "with_positions":
        x = _normal(graph, x, model.target_norm, config)
    for number, block in enumerate(model.decoder.blocks):
        attention = block.self_attention
        read = _before(graph, x, block.self_residual, config)
        joined = graph.reshape(_projected(graph, read, attention, config), -1, 3 * config.num_heads, 1, config.key_dim)
        query, key, value = graph.add("Split", joined, outputs=3, axis=1, num_outputs=3)
        past = []
        for name, fresh in (("self_key", key), ("self_value", value)):
            earlier = graph.add("Gather", graph.input(f"{name}{number}"), origins, axis=0)
            whole = graph.add("Concat", earlier, fresh, axis=2)  # [N, H, P + 1, K]
            past.append(graph.output(f"new_{name}{number}", whole))
        key = graph.add("Transpose", past[0], perm=[0, 1, 3, 2])
        output, _ = _attend(graph, query, key, past[1], bias, _gate(graph, names, number))
        output = graph.reshape(output, -1, config.num_heads * config.key_dim)  # one query: nothing to transpose
        output = _linear(graph, output, attention.output_projection)
        x = _after(graph, x, output, block.self_residual, config)

        attention = block.cross_attention
        read = _before(graph, x, block.cross_residual, config)
        query = _linear(graph, read, attention.query_projection, scale=_scale(config))
        query = _heads(graph, query, mask, config)  # [B, H, W, K]
        cross = graph.input(f"cross_key{number}"), graph.input(f"cross_value{number}")
        output, weights = _attend(graph, query, *cross, [mask], _gate(graph, cross_names, number))
        output = _linear(graph, _joined(graph, output, config), attention.output_projection)
        x = _after(graph, x, output, block.cross_residual, config)
        x = _feed_forward(graph, x, block, config)
    if model.decoder.final_norm:
        x = _normal(graph, x, model.decoder.final_norm, config)
    copies = None
    if gated and model.cross_copy is not None:
        last = graph.constant(config.decoder_layers - 1, np.int64)
        copies = graph.add("Gather", graph.input("cross_copies"), last, axis=0)
    _predict(graph, model, x, embedded, weights, copies)
    return graph


def _predict(graph: Graph, model: Transformer, states: str, embedded: str, weights: str, copies: str | None) -> None:
    """Add the output layer, and copying from the source, with factors [R, H, 1, 1] of what each head copies."""
    config = model.config
    scaled = states
    if config.output_scale:
        scaled = graph.add("Mul", states, graph.constant(1 / math.sqrt(config.d_model)))
    if model.output_layer is not None:
        logits = _linear(graph, scaled, model.output_layer)
    else:
        kernel = graph.constant(_array(model.target_embedding.table).T)
        bias = [graph.constant(_array(model.target_embedding.bias))] if model.target_embedding.has_bias else []
        logits = graph.add("Gemm" if bias else "MatMul", scaled, kernel, *bias)
    scores = graph.add("LogSoftmax", logits, axis=-1)
    if model.cross_copy is not None:
        copied, generated = _cross_copy(graph, model.cross_copy, states, embedded, weights, copies)
    elif model.copy_head is not None:
        copied, generated = _copy_head(graph, model.copy_head, states, embedded)
    else:
        graph.output("scores", scores)
        return
    graph.output("scores", graph.add("Add", scores, generated))
    graph.output("copied", copied)


def _cross_copy(
    graph: Graph, layer: Any, states: str, embedded: str, weights: str, copies: str | None
) -> tuple[str, str]:
    """Return the probability of copying from each place of the source, [N, S], and log p_gen; see `CrossCopy`."""
    heads, words = layer.heads, graph.input("words")
    switch = _linear(graph, graph.add("Concat", states, embedded, axis=1), layer.switch)
    shares = graph.add("Softmax", switch, axis=-1)
    ends = [graph.constant([value], np.int64) for value in (1, 1 + heads)]
    shares = graph.add("Slice", shares, *ends, graph.constant([1], np.int64))  # [N, C]
    heads_only = [graph.constant([value], np.int64) for value in (0, heads)]
    looked = graph.add("Slice", weights, *heads_only, graph.constant([1], np.int64))  # [B, C, W, S]
    looked = graph.add("Transpose", looked, perm=[0, 2, 1, 3])
    shares = graph.reshape(shares, graph.lengths(looked, 0, 2), 1, heads)
    if copies is not None:
        opened = graph.add("Slice", copies, *heads_only, graph.constant([1], np.int64))
        shares = graph.add("Mul", shares, graph.reshape(opened, -1, 1, 1, heads))
    seen = graph.add("MatMul", shares, looked)  # [B, W, 1, S]
    seen = graph.add("Mul", graph.add("Squeeze", seen, graph.constant([2], np.int64)), words)
    seen = graph.reshape(seen, -1, graph.lengths(words, 2, 3))
    copied = graph.add("ReduceSum", seen, graph.constant([-1], np.int64), keepdims=1)  # [N, 1]
    copied = graph.add("Clip", copied, graph.constant(SMALLEST), graph.constant(1 - SMALLEST_GENERATED))
    return seen, graph.add("Log", graph.add("Sub", graph.constant(1.0), copied))


def _copy_head(graph: Graph, layer: Any, states: str, embedded: str) -> tuple[str, str]:
    """Return the probability of copying from each place of the source, [N, S], and log p_gen; see `CopyHead`."""
    words, memory, key = graph.input("words"), graph.input("states"), graph.input("copy_key0")
    width = layer.width
    query = graph.reshape(_linear(graph, states, layer.query), graph.lengths(words, 0, 1), -1, width)  # [B, W, D]
    scores = graph.add("MatMul", query, key)  # [B, W, S]
    blocked = graph.add("Mul", graph.add("Sub", words, graph.constant(1.0)), graph.constant(-BLOCKED))
    weights = graph.add("Softmax", graph.add("Add", scores, blocked), axis=-1)
    context = graph.reshape(graph.add("MatMul", weights, memory), -1, width)
    switch = _linear(graph, graph.add("Concat", states, context, embedded, axis=1), layer.switch)  # [N, 1]
    copied = graph.add("Sigmoid", graph.add("Neg", switch))
    rows = graph.reshape(weights, -1, graph.lengths(words, 2, 3))
    generated = graph.add("Neg", graph.add("Softplus", graph.add("Neg", switch)))
    return graph.add("Mul", rows, copied), generated
