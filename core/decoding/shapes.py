"""Static shapes of compiled calls: padded tables of ids, and a count of what was traced."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import PAD, NetworkConfig

SOURCE_BUCKETS = (128, 256, 384, 512, 768)
"""Sources are padded to one of these lengths or to the model's longest; each is compiled once."""

TARGET_BUCKETS = (128, 256, 512)
"""Targets are padded to one of these lengths or to the model's longest; each is compiled once."""

BATCH = 8
"""Dialogues that are summarised at once; fewer are padded to this number, so that shapes stay few."""


def bucket(length: int, buckets: Sequence[int], longest: int) -> int:
    """Return the shortest bucket, or the longest possible length, that holds `length` tokens."""
    if length > longest:
        raise ValueError(f"at most {longest} tokens are possible here. Received: {length}")
    return next((bucket for bucket in buckets if length <= bucket < longest), longest)


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


def counted(traces: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a Python function to count its calls; a compiled one runs only while it is traced."""

    def run(*arguments: Any) -> Any:
        traces[name] += 1
        return function(*arguments)

    return run
