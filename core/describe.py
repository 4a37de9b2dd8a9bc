"""Every layer of a model: output shape, parameters, and the source line that defines it."""

import inspect
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras

from core.config import ModelConfig
from core.model.transformer import Transformer

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class LayerFact:
    """One layer.

    Args:
        path: names from the model down, `encoder/block1/self_attention`.
        kind: its class.
        output_shape: B batch, S source and T target tokens, and a number.
        parameters: trained numbers in it, those of its parts included.
        source: `file:line` of the class, relative to the project; the library's name for a library's layer.
    """

    path: str
    kind: str
    output_shape: tuple[str | int, ...]
    parameters: int
    source: str


def describe(config: ModelConfig) -> tuple[list[LayerFact], int]:
    """List the layers of a model from the input to the output, and count its parameters.

    Shared weights count once in the total and are shown with the layer that owns them.
    """
    model = Transformer(config)
    facts = [
        LayerFact(path, type(layer).__name__, _shape(path, layer, config), int(layer.count_params()), _source(layer))
        for path, layer in _walk(model)
    ]
    return facts, sum(math.prod(variable.shape) for variable in model.trainable_variables)


def _walk(layer: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Layers in the order of their definition, parents before parts; layers without numbers are left out."""
    for part in layer._flatten_layers(include_self=False, recursive=False):
        if isinstance(part, keras.layers.Dropout):
            continue
        path = f"{prefix}{part.name}"
        yield path, part
        yield from _walk(part, path + "/")


def _shape(path: str, layer: Any, config: ModelConfig) -> tuple[str | int, ...]:
    """Shape of a layer's output: every layer maps [B, length, width] to [B, length, another width]."""
    parts = path.split("/")
    of_source = parts[0].startswith(("source", "encoder")) or (
        parts[-1] in ("key", "value") and "cross_attention" in parts
    ) or path == "copy_head/key"
    length = "S" if of_source else "T"
    if path == "copy_head":
        return ("B", "T", "S")
    width = getattr(layer, "units", None) or getattr(layer, "output_dim", None) or config.d_model
    return ("B", length, int(width))


def _source(layer: Any) -> str:
    kind = type(layer)
    if not kind.__module__.startswith("core."):
        return f"keras {keras.__version__}"
    file = Path(inspect.getsourcefile(kind) or "").resolve()
    return f"{file.relative_to(ROOT).as_posix()}:{inspect.getsourcelines(kind)[1]}"
