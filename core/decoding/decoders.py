"""A network of any family behind compiled functions of few static shapes: the reference, and what runs everywhere.

`core.decoding.graphs` does the same for a Transformer, faster.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import MOST_BEAMS, PAD
from core.decoding.search import Ids, Scores, Step
from core.decoding.shapes import BATCH, SOURCE_BUCKETS, TARGET_BUCKETS, bucket, counted, pad_rows, table
from core.model.families import Network, essentials, moving, open_gates
from core.model.gates import HeadGates
from core.runtime.backend import compiled, keras, ops

WIDTHS = (1, 4, MOST_BEAMS)
"""Rows of one dialogue in a compiled step; fewer beams leave some of them unused."""


class Decoder(Protocol):
    """Encodes sources, and decodes from what it encoded.

    Attributes:
        own_gates: whether gates may have own ones for each row: `open` [L, B, H] and `fill` [L, B, H, K].
    """

    own_gates: bool

    def encode(self, sources: Sequence[Sequence[int]], gates: HeadGates | None = None) -> Any:
        """Encode source ids: one row for each, padded at the end; arrays of the family's `Encoded`."""
        ...

    def begin(self, encoded: Any, beams: int, length: int, gates: HeadGates | None = None) -> Step:
        """Return the step of a new decoding of at most `length` tokens, with as many rows a dialogue as beams."""
        ...


class KerasDecoder:
    """Runs the Keras network itself; its functions are compiled once for each bucket of lengths and number of rows.

    Args:
        model: a network of any family; its weights may change between calls.
        traces: counts what is compiled, by name.
    """

    own_gates = False

    def __init__(self, model: Network, traces: Counter[str]) -> None:
        self.model = model
        self.gates = open_gates(model.config)
        variables = model.variables
        encode = counted(traces, "encode", lambda source, gates: essentials(model.encode(source, gates)))
        self._encode = compiled(encode, variables)
        self._first = compiled(counted(traces, "cache", self._first_cache), variables)
        self._step = compiled(counted(traces, "step", self._next), variables)

    def encode(self, sources: Sequence[Sequence[int]], gates: HeadGates | None = None) -> Any:
        """See `Decoder.encode`; more than one source are padded to `BATCH` rows meanwhile."""
        size = bucket(max(map(len, sources)), SOURCE_BUCKETS, self.model.config.max_source_length)
        padded = table(sources, size, 1 if len(sources) == 1 else BATCH)
        encoded = self._encode(padded, gates or self.gates)
        return keras.tree.map_structure(lambda values: np.asarray(values)[: len(sources)], encoded)

    def begin(self, encoded: Any, beams: int, length: int, gates: HeadGates | None = None) -> Step:
        """See `Decoder.begin`."""
        longest = self.model.config.max_target_length
        room = bucket(min(length, longest), TARGET_BUCKETS, longest)
        return _KerasStep(self, encoded, next(width for width in WIDTHS if width >= beams), room, gates)

    def _first_cache(self, encoded: Any, room: Any) -> Any:
        """Return the cache before the first token; the shape of `room` is [N, T]."""
        return self.model.empty_cache(encoded, room.shape[1], room.shape[0])

    def _next(
        self, tokens: Any, position: Any, origins: Any, cache: Any, encoded: Any, gates: HeadGates | None
    ) -> tuple[Any, Any]:
        """Let every row [N] continue another one, and read a token; return log-probabilities and what has moved."""
        moved = {name: _reordered(getattr(cache, name), origins) for name in moving(cache)}
        logits, cache = self.model.step(tokens, position, cache._replace(**moved), encoded, gates)
        return ops.log_softmax(logits, axis=-1), {name: getattr(cache, name) for name in moved}


class _KerasStep:
    """`search.Step` over a table of as many rows as there were at first; each row has a fixed slot of it."""

    def __init__(self, decoder: KerasDecoder, encoded: Any, width: int, length: int, gates: HeadGates | None) -> None:
        count = len(np.asarray(encoded.source))
        batch = 1 if count == 1 else BATCH
        self._decoder, self._gates = decoder, gates or decoder.gates
        self._encoded = keras.tree.map_structure(ops.convert_to_tensor, pad_rows(encoded, batch))
        self._cache = decoder._first(self._encoded, np.zeros((batch * width, length), dtype=np.int8))
        self._width, self._position = width, 0
        self._slots = width * np.arange(count)
        self._all = np.arange(batch * width, dtype=np.int32)

    def __call__(self, tokens: Ids, origins: NDArray[np.intp]) -> Scores:
        slots = self._slots[origins]
        dialogues = slots // self._width
        beams = len(slots) // len(np.unique(dialogues))
        self._slots = self._width * dialogues + np.arange(len(slots)) % beams
        fed, order = np.full(len(self._all), PAD, dtype=np.int32), self._all.copy()
        fed[self._slots], order[self._slots] = tokens, slots
        position = np.int32(self._position)
        scores, moved = self._decoder._step(fed, position, order, self._cache, self._encoded, self._gates)
        self._cache = self._cache._replace(**moved)
        self._position += 1
        return np.asarray(scores)[self._slots]


def _reordered(cache: Any, origins: Any) -> Any:
    return keras.tree.map_structure(lambda tensor: ops.take(tensor, origins, axis=0), cache)
