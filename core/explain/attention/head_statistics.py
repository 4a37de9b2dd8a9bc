"""The numbers of `HeadScores`, computed for many heads at once (Voita et al. 2019; Clark et al. 2019).

Shapes: M heads, Q query rows, R rows that count, N keys. A row counts if it has at least two keys to choose from.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import END, UNKNOWN
from core.explain.attention.inside import Kind
from core.explain.attention.sinks import category
from core.trace import Array, Token

_SINKS = ("start", "end", "turn", "punctuation")
_Cells = NDArray[np.bool_]


def statistics(
    weights: Array,
    queries: Sequence[Token],
    keys: Sequence[Token],
    kind: Kind,
    inputs: Sequence[Token] | None,
    speakers: Collection[str] = (),
) -> tuple[int, Mapping[str, list[Any]]]:
    """Measure heads on one dialogue.

    Args:
        weights: [M, Q, N].
        queries: the Q tokens of the rows; for a decoder those that are predicted.
        keys: the N tokens of the columns; for decoder self-attention its inputs.
        kind: of attention.
        inputs: the Q tokens that the decoder reads; only used for cross-attention.
        speakers: names of those who speak in the dialogue.

    Returns:
        R, and for each defined number of `HeadScores` its M values.

    Raises:
        ValueError: the weights do not fit the tokens.
    """
    if weights.shape[1:] != (len(queries), len(keys)) or (inputs is not None and len(inputs) != len(queries)):
        raise ValueError(
            f"weights must have one row a query and one column a key. Received: {list(weights.shape[1:])} "
            f"for {len(queries)} queries, {len(keys)} keys and {len(queries if inputs is None else inputs)} inputs"
        )
    counts = np.arange(1, len(queries) + 1) if kind == "decoder" else np.full(len(queries), len(keys))
    rows = np.flatnonzero(counts >= 2)
    weights, counts, kept = weights[:, rows], counts[rows], rows.tolist()
    numbers: dict[str, Any] = _spread(weights, keys, counts) | _categories(weights, keys, speakers)
    if kind == "cross":
        cells = _equal([queries[row] for row in kept], keys)
        numbers |= {"same": _mass(weights, cells), "chance": _chance(len(weights), cells, counts)}
        numbers["copied"] = _largest(weights, cells)
        if inputs is not None:
            numbers["copies"] = _mass(weights, _equal([inputs[row] for row in kept], keys))
    else:
        offsets = np.arange(len(keys)) - rows[:, None]  # [R, N]
        others = (offsets < 0) if kind == "decoder" else (offsets != 0)
        cells = others & _equal([keys[row] for row in kept], keys)
        mass, chance = _mass(weights, cells), _chance(len(weights), cells, counts)
        numbers |= {"same": None if mass is None or chance is None else mass - chance, "chance": chance}
        numbers |= _positions(weights, keys, offsets, kind)
        numbers["turn"] = _own_turn(weights, keys) if kind == "encoder" else None
    return len(rows), {name: np.asarray(values).tolist() for name, values in numbers.items() if values is not None}


def _spread(weights: Array, keys: Sequence[Token], counts: NDArray[Any]) -> dict[str, Any]:
    """Measure how even the rows are; `counts` [R] keys are not masked, and the masked ones are 0."""
    size = weights.shape[-1]
    entropy = -np.where(weights > 0, weights * np.log(np.where(weights > 0, weights, 1)), 0).sum(axis=-1)  # [M, R]
    ranks = np.arange(1, size + 1) - (size - counts)[:, None]  # [R, N]: 1 for the smallest weight that is not masked
    ordered = (np.sort(weights, axis=-1) * ranks).sum(axis=-1)
    gini = 2 * ordered / (counts * weights.sum(axis=-1)) - (counts + 1) / counts
    real = np.array([token.id != END for token in keys])
    return {
        "confidence": _mean(weights[..., real].max(axis=-1, initial=0)),
        "entropy": _mean(entropy / np.log(counts)),
        "effective": _mean(np.exp(entropy)),
        "gini": _mean(gini),
    }


def _categories(weights: Array, keys: Sequence[Token], speakers: Collection[str]) -> dict[str, Any]:
    named = np.array([category(token, speakers) == "speaker" for token in keys])
    return {
        "sink": _mean(weights[..., _is_sink(keys)].sum(axis=-1)),
        "speakers": _mean(weights[..., named].sum(axis=-1)),
    }


def _positions(weights: Array, keys: Sequence[Token], offsets: NDArray[Any], kind: Kind) -> dict[str, Any]:
    """Measure self-attention by relative position; `offsets` [R, N] is key minus query."""
    sinks, both = _is_sink(keys), kind == "encoder"
    before, after = offsets == -1, offsets == 1
    near = (np.abs(offsets) <= 1) if both else (offsets == 0) | before
    apart = ~(near & sinks).any(axis=1)  # [R]
    numbers: dict[str, Any] = {
        "previous": _mass(weights, before),
        "previous_apart": _mass(weights, before & ~sinks),
        "following": _mass(weights, after) if both else None,
        "following_apart": _mass(weights, after & ~sinks) if both else None,
        "itself": _mass(weights, offsets == 0),
        "sink_apart": _mean(weights[:, apart][..., sinks].sum(axis=-1)) if apart.any() else None,
    }
    if not len(offsets):
        return numbers
    numbers["distance"] = np.tensordot(weights, np.abs(offsets).astype(np.float32), 2) / len(offsets)
    peaks = np.take_along_axis(offsets[None], weights.argmax(axis=-1)[..., None], axis=-1)[..., 0]  # [M, R]
    modes = [np.unique(row, return_counts=True) for row in peaks]
    numbers["offset"] = [values[times.argmax()] for values, times in modes]
    numbers["offset_rate"] = [times.max() / len(offsets) for _, times in modes]
    return numbers


def _own_turn(weights: Array, tokens: Sequence[Token]) -> Array | None:
    """Return the attention inside the query's own turn, or None for a dialogue of one turn."""
    turns = np.array([-1 if token.turn is None or token.id == END else token.turn for token in tokens])
    if len(set(turns[turns >= 0])) < 2:
        return None
    return _mass(weights, (turns[:, None] == turns) & (turns >= 0))


def _equal(rows: Sequence[Token], keys: Sequence[Token]) -> _Cells:
    """Find keys [R, N] equal to the row's token; special tokens, punctuation and unknown words never are."""
    ids = np.array([token.id for token in rows], dtype=int)
    ids[_is_sink(rows) | (ids == UNKNOWN)] = -1
    return np.asarray(ids[:, None] == np.array([token.id for token in keys]))


def _chance(size: int, cells: _Cells, counts: NDArray[Any]) -> Array | None:
    """Return `_mass` under uniform attention, the same for all `size` heads."""
    rows = cells.any(axis=1)
    if not rows.any():
        return None
    return np.full(size, (cells[rows].sum(axis=1) / counts[rows]).mean(), dtype=np.float32)


def _mass(weights: Array, cells: _Cells) -> Array | None:
    """Return the mean attention on cells [R, N] over the rows that have one, [M]; None if no row has."""
    rows = cells.any(axis=1)
    if not rows.any():
        return None
    return np.asarray(np.tensordot(weights[:, rows], cells[rows].astype(np.float32), 2) / rows.sum(dtype=np.float32))


def _largest(weights: Array, cells: _Cells) -> Array | None:
    """Return the share of rows whose largest weight is on one of their cells [R, N], over the rows that have one."""
    rows = np.flatnonzero(cells.any(axis=1))
    if not len(rows):
        return None
    return np.asarray(cells[rows, weights[:, rows].argmax(axis=-1)].mean(axis=-1, dtype=np.float32))


def _is_sink(tokens: Sequence[Token]) -> _Cells:
    return np.array([category(token) in _SINKS for token in tokens], dtype=bool)


def _mean(values: NDArray[Any]) -> NDArray[Any]:
    """Average over the rows of [M, R]; 0 if no row counts."""
    return np.asarray(values.mean(axis=-1) if values.shape[-1] else np.zeros(len(values)))
