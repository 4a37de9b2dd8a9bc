"""Every layer of a model and every tensor of one forward pass: shape, parameters, and the line of source."""

import inspect
import linecache
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.config import ModelConfig, NetworkConfig
from core.errors import SettingsError
from core.model import families
from core.model.layers import TokenEmbedding
from core.model.recording import Made, record
from core.model.tensor_names import NAMES, Name
from core.model.transformer import Transformer
from core.runtime.backend import keras
from core.words import later, say

ROOT = Path(__file__).resolve().parents[3]
PROJECTIONS = (later("query"), later("key"), later("value"))


@dataclass(frozen=True, slots=True)
class LayerFact:
    """One layer.

    Args:
        path: names from the model down, `encoder/block1/self_attention`.
        kind: its class.
        output_shape: B batch, S source and T target tokens, and a number.
        parameters: number of trained values, those of its sub-layers included.
        source: `file:line` of the class, relative to the project; the library's name for a library's layer.
    """

    path: str
    kind: str
    output_shape: tuple[str | int, ...]
    parameters: int
    source: str


@dataclass(frozen=True, slots=True)
class TensorFact:
    """One tensor of a forward pass.

    Args:
        name: in words.
        shape: as it was when the pass ran.
        axes: a letter for each axis, see `core.model.tensor_names`, with S and T for lengths; empty if unknown.
        part: its part of the diagram of the stacks, see `core.explain.architecture.blueprint`.
        layer: path of the layer that made it; empty for the model itself.
        kind: that layer's class.
        parameters: number of trained values that are used here for the first time; the sum is the whole model's.
        file: relative to the project.
        line: that made it.
        start: first line of the function in which that line stands.
        code: the text of the line.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    part: str
    layer: str
    kind: str
    parameters: int
    file: str
    line: int
    start: int
    code: str


def describe(config: NetworkConfig) -> tuple[list[LayerFact], int]:
    """List the layers of a model from the input to the output, and count its parameters.

    Shared weights count once in the total and are shown with the layer that owns them.
    """
    model = families.build(config)
    facts = [
        LayerFact(path, type(layer).__name__, _shape(path, layer, config), int(layer.count_params()), _source(layer))
        for path, layer in _walk(model)
        if not isinstance(layer, keras.layers.Dropout)
    ]
    return facts, sum(math.prod(variable.shape) for variable in model.trainable_variables)


def forward_pass(config: ModelConfig, batch: int, source: int, target: int) -> list[TensorFact]:
    """Build a Transformer, run it once on made-up ids, and list every tensor that our code makes.

    The weights are random: shapes do not depend on them.

    Args:
        config: the model's shape.
        batch: B, at least 1.
        source: S, tokens of each source, at most what the model can read.
        target: T, tokens of each target, at most what it can write.

    Raises:
        SettingsError: a size is outside its range.
    """
    limits = {"batch": None, "source": config.max_source_length, "target": config.max_target_length}
    for (name, high), size in zip(limits.items(), (batch, source, target), strict=True):
        if size < 1 or (high is not None and size > high):
            places = {"name": name, "high": high, "size": size}
            if high is None:
                raise SettingsError("{name} must be at least 1 for this model. Received: {name}={size!r}", **places)
            raise SettingsError("{name} must be from 1 to {high} for this model. Received: {name}={size!r}", **places)
    model = Transformer(config)
    vocabulary = min(config.source_vocabulary, config.target_vocabulary)
    ids = [keras.ops.full((batch, length), vocabulary - 1, dtype="int32") for length in (source, target)]
    made = record(lambda: model(tuple(ids)))
    paths = {id(model): "", **{id(layer): path for path, layer in _walk(model)}}
    return list(_facts(made, paths))


def _facts(made: Sequence[Made], paths: Mapping[int, str]) -> Iterator[TensorFact]:
    counted: set[int] = set()
    projection = ""
    for tensor in made:
        path = paths[id(tensor.layer)]
        if tensor.name in PROJECTIONS and path.endswith(f"attention/{tensor.name}"):
            projection = tensor.name
        side = "S" if "Transformer.encode" in tensor.callers else "T"
        keys = "S" if "cross_attention" in path else side
        name = _name(tensor, projection)
        letters = {"Q": side, "N": side if projection == "query" and "{" in name.text else keys}
        file = Path(tensor.file).resolve().relative_to(ROOT).as_posix()
        yield TensorFact(
            _without_absent(name.text, tensor.layer).format(projection=say(projection)),
            tensor.shape,
            tuple(letters.get(axis, axis) for axis in name.axes.split()),
            _part(tensor, path, "source" if side == "S" else "target"),
            path,
            type(tensor.layer).__name__,
            _first_use(tensor, counted),
            file,
            tensor.line,
            tensor.start,
            linecache.getline(tensor.file, tensor.line).strip(),
        )


def _name(made: Made, projection: str) -> Name:
    """Return the name of a tensor in words, or the name of its variable if it has none."""
    names = NAMES.get((made.function, made.name), ())
    if not names:
        return Name(say("{name} in {function}", name=made.name, function=made.function), "")
    name = names[min(made.occurrence, len(names) - 1)]
    return Name(say(name.text), name.axes)


def _without_absent(text: str, layer: Any) -> str:
    """Leave out the bias or the factor that the layer does not have."""
    if isinstance(layer, keras.layers.Dense) and not layer.use_bias:
        return re.sub(r" \+ b\S*", "", text)
    return text.removesuffix(" × √D") if isinstance(layer, TokenEmbedding) and not layer.scale else text


def _part(made: Made, path: str, side: str) -> str:
    """Return the part of the diagram that a tensor belongs to; a shared table appears there more than once."""
    if made.function == "Transformer.call":
        return f"{made.name}_ids"
    if made.function.endswith("_mask"):
        return f"{side}_mask"
    if made.function == "TokenEmbedding.call":
        return f"{side}_embedding"
    if made.function in ("TokenEmbedding.logits", "Transformer.generator_logits"):
        return "output_layer"
    if made.function == "Residual.after":
        return f"{path}/add"
    return path or "mixture"


def _first_use(made: Made, counted: set[int]) -> int:
    """Return the parameters of a layer without sub-layers at the first tensor that it returns, otherwise 0.

    The bias of the output is held by the table that the output shares: it is counted with the logits.
    """
    layer = made.layer
    outputs = (".call", "TokenEmbedding.logits")
    is_output = made.name == layer.name or (made.function.endswith(outputs) and made.name == "return")
    if not is_output or list(layer._flatten_layers(include_self=False)):
        return 0
    used = [layer.table] if made.function == "TokenEmbedding.call" else layer.trainable_variables
    first = [variable for variable in used if id(variable) not in counted]
    counted.update(map(id, first))
    return sum(math.prod(variable.shape) for variable in first)


def _walk(layer: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the layers in the order of their definition, each before its sub-layers."""
    for part in layer._flatten_layers(include_self=False, recursive=False):
        path = f"{prefix}{part.name}"
        yield path, part
        yield from _walk(part, path + "/")


def _shape(path: str, layer: Any, config: NetworkConfig) -> tuple[str | int, ...]:
    """Return the shape of a layer's output: every layer maps [B, length, width] to [B, length, another width]."""
    parts = path.split("/")
    of_source = (
        parts[0].startswith(("source", "encoder"))
        or (parts[-1] in ("key", "value", "key_map") and "cross_attention" in parts)
        or path == "copy_head/key"
    )
    length = "S" if of_source else "T"
    if path in ("copy_head", "cross_copy"):
        return ("B", "T", "S")
    width = getattr(layer, "units", None) or getattr(layer, "output_dim", None) or config.embedding_dim
    return ("B", length, int(width))


def _source(layer: Any) -> str:
    kind = type(layer)
    if not kind.__module__.startswith("core."):
        return f"keras {keras.__version__}"
    file = Path(inspect.getsourcefile(kind) or "").resolve()
    return f"{file.relative_to(ROOT).as_posix()}:{inspect.getsourcelines(kind)[1]}"
