"""Static shapes of compiled calls: padded tables of ids, and a count of what was traced."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import PAD, NetworkConfig
from core.runtime.backend import ANY_LENGTH, keras

SOURCE_BUCKETS = (128, 256, 384, 512, 768)
"""Sources are padded to one of these lengths or to the model's longest; each is compiled once."""

TARGET_BUCKETS = (128, 256, 512)
"""Targets are padded to one of these lengths or to the model's longest; each is compiled once."""

SCORED_BUCKETS = (32, *TARGET_BUCKETS)
"""Targets that are there already are padded to one of these lengths or to the model's longest."""

BATCH = 8
"""Dialogues that are summarized at once; where shapes are compiled, fewer are padded to this number."""


def bucket(length: int, buckets: Sequence[int], longest: int) -> int:
    """Return the shortest bucket, or the longest possible length, that holds `length` tokens."""
    check_length(length, longest)
    return next((bucket for bucket in buckets if length <= bucket < longest), longest)


def check_length(length: int, longest: int) -> int:
    """Return a length that a model has positions for; raises ValueError for a larger one."""
    if length > longest:
        raise ValueError(f"at most {longest} tokens are possible here. Received: {length}")
    return length


def room(length: int, buckets: Sequence[int], longest: int) -> int:
    """Return the length to which inputs of `backend.any_length` are padded: their own, or a bucket if it needs one."""
    if not ANY_LENGTH:
        return bucket(length, buckets, longest)
    return check_length(length, longest)


def table(rows: Sequence[Sequence[int]], size: int, count: int) -> NDArray[np.int32]:
    """Pad rows of ids to [count, size]; missing rows repeat the first one."""
    filled = np.full((count, size), PAD, dtype=np.int32)
    for number in range(count):
        ids = rows[number if number < len(rows) else 0]
        filled[number, : len(ids)] = ids
    return filled


def source_table(source: Sequence[int], config: NetworkConfig) -> NDArray[np.int32]:
    """Pad one source to [1, S], S being a bucket."""
    return table([source], bucket(len(source), SOURCE_BUCKETS, config.max_source_length), 1)


def pad_rows(encoded: Any, count: int) -> Any:
    """Pad the rows of an encoder's output to a number with copies of the first one; arrays become numpy."""
    rows = len(encoded.source)
    chosen = [number if number < rows else 0 for number in range(count)]
    return keras.tree.map_structure(lambda values: np.asarray(values)[chosen], encoded)


def pad_encoded(encoded: Any, size: int) -> Any:
    """Pad a Transformer encoder's output to a length; a recurrent one has it already."""
    more = size - encoded.source.shape[1]
    if not more:
        return encoded
    return encoded._replace(
        source=np.pad(encoded.source, ((0, 0), (0, more)), constant_values=PAD),
        states=np.pad(encoded.states, ((0, 0), (0, more), (0, 0))),
        mask=np.pad(encoded.mask, ((0, 0), (0, 0), (0, 0), (0, more))),
    )


def counted(traces: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a Python function to count its calls; a compiled one runs only while it is traced."""

    def run(*arguments: Any) -> Any:
        traces[name] += 1
        return function(*arguments)

    return run
