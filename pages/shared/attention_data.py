"""What the views of attention draw: labels of tokens, words and turns, packed weights, and the data of each view.

Shapes: L layers, H heads, Q queries (rows, what looks), N keys (columns, what is looked at).
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.config import END, PAD, START, TURN
from core.explain.inside import Kind
from core.explain.rollup import Group, Unit
from core.figures.wording import plain
from core.trace import Token

Item = Mapping[str, Any]
"""Label of a row or column: text, index; perhaps group (number of its turn), speaker, special (no word of the text),
joined (no blank before it), name (for tooltips)."""

UNIT = 65535
POOLED = (64, 96)
"""Most rows and columns of a picture in the grid of heads."""
NAMES = {"cross": "Cross-attention", "encoder": "Encoder self-attention", "decoder": "Decoder self-attention"}
AXES = {
    "cross": ("Summary, being written", "Dialogue, looked at"),
    "encoder": ("Dialogue, looking", "Dialogue, looked at"),
    "decoder": ("Summary, being written", "Summary so far, looked at"),
}
SPECIALS = {PAD: "padding", START: "start", END: "end", TURN: "⏎ turn"}


def token_items(tokens: Sequence[Token]) -> list[Item]:
    """Labels of tokens: no blanks around them, marks in words; turns are numbered from 1."""
    return [
        {
            "text": SPECIALS.get(token.id) or plain(token.text),
            "index": index,
            "group": None if token.turn is None or token.id in (PAD, START, END) else token.turn + 1,
            "speaker": token.speaker,
            "special": token.id in SPECIALS,
            "joined": index > 0 and token.start == tokens[index - 1].end and token.id not in SPECIALS,
        }
        for index, token in enumerate(tokens)
    ]


def group_items(groups: Sequence[Group], unit: Unit) -> list[Item]:
    """Labels of words, turns or speakers, as `core.explain.rollup.groups` made them with the same unit."""
    marks = {"[PAD]": "padding", "[SOS]": "start", "[EOS]": "end", "[TURN]": "⏎ turn"}
    items = []
    for index, group in enumerate(groups):
        turn = None if group.turn is None else group.turn + 1
        item: dict[str, Any] = {"index": index, "group": turn, "speaker": group.speaker}
        if unit == "turn" and turn:
            item |= {"text": f"turn {turn}", "name": f"turn {turn}"}
        else:
            item |= {"text": marks.get(group.label) or plain(group.label), "special": group.label in marks}
        items.append(item)
    return items


def packed(weights: NDArray[Any]) -> str:
    """Weights as base64 of little-endian uint16, value × 65,535, in C order; the error is below 1e-5.

    Raises:
        ValueError: a weight is not from 0 to 1.
    """
    values = np.asarray(weights, dtype=np.float32)
    if not np.all((values >= -1e-4) & (values <= 1 + 1e-4)):
        raise ValueError(f"weights must be from 0 to 1. Received: from {values.min()} to {values.max()}")
    return b64encode(np.rint(np.clip(values, 0, 1) * UNIT).astype("<u2").tobytes()).decode("ascii")


def pooled(weights: NDArray[Any], most: tuple[int, int] = POOLED) -> tuple[NDArray[Any], tuple[int, int]]:
    """Shrink matrices to at most `most` rows and columns: each cell is the largest weight of a block.

    Args:
        weights: [..., Q, N].
        most: rows and columns that are allowed.

    Returns:
        The smaller matrices, and rows and columns of a block; the last blocks may be smaller.
    """
    rows, columns = (-(-size // limit) for size, limit in zip(weights.shape[-2:], most, strict=True))
    fewer = np.maximum.reduceat(weights, np.arange(0, weights.shape[-2], rows), axis=-2)
    return np.maximum.reduceat(fewer, np.arange(0, weights.shape[-1], columns), axis=-1), (rows, columns)


def labelled(items: Sequence[Item], speakers: Sequence[str]) -> list[dict[str, Any]]:
    """What the scripts draw of rows or columns.

    Args:
        items: the labels; each text may occur several times.
        speakers: all names, by first turn.

    Returns:
        For each: text; name (the item's own, or its text in quotes, with its place from 1 if it occurs again); group;
        number of the speaker or -1; special; joined.
    """
    often = Counter(item["text"] for item in items)
    drawn = []
    for item in items:
        text, special = item["text"], bool(item.get("special"))
        place = f" · {item['index'] + 1}" if often[text] > 1 else ""
        speaker = item.get("speaker")
        drawn.append(
            {
                "text": text,
                "name": item.get("name") or (f"{text}{place}" if special else f"“{text}{place}”"),
                "group": item.get("group"),
                "speaker": -1 if speaker is None else speakers.index(speaker),
                "special": special,
                "joined": bool(item.get("joined")),
            }
        )
    return drawn


def head_name(layer: int | None, head: int | None) -> str:
    """A head as people read it: `layer 3, head 2`; no head is the layer's mean, no layer a model's only head."""
    if layer is None:
        return "the decoder"
    return f"layer {layer + 1}, " + ("mean of the heads" if head is None else f"head {head + 1}")


def grid_data(
    kind: Kind, weights: NDArray[np.float32], layer: int, head: int | None, tags: Mapping[tuple[int, int], str] | None
) -> dict[str, Any]:
    """What the grid's script draws; `block` is rows and columns of tokens in one cell, `size` all of them.

    Raises:
        ValueError: `weights` has another number of axes, or does not hold the open head.
    """
    if weights.ndim != 4:
        raise ValueError(f"weights must have the shape [L, H, Q, N]. Received: {list(weights.shape)}")
    layers, heads = weights.shape[:2]
    if not (0 <= layer < layers and 0 <= (head or 0) < heads):
        raise ValueError(f"the open head must be one of {layers} × {heads}. Received: ({layer}, {head})")
    small, block = pooled(weights)
    return {
        "title": f"{NAMES[kind]}: {layers} layers × {heads} heads",
        "axes": AXES[kind],
        "weights": packed(small),
        "shape": small.shape,
        "size": weights.shape[2:],
        "block": block,
        "causal": kind == "decoder",
        "layer": layer,
        "head": head,
        "tags": [[(tags or {}).get((row, column), "") for column in range(heads)] for row in range(layers)],
    }


def matrix_data(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    kind: Kind,
    layer: int | None,
    head: int | None,
    mask: Literal["causal"] | None,
    selected: int | None,
    scale: Literal["fixed", "row"],
) -> dict[str, Any]:
    """What the matrix's script draws; raises ValueError if the labels do not fit the weights."""
    _check(weights, (len(rows), len(columns)))
    speakers = _speakers(rows, columns)
    return {
        "title": f"{NAMES[kind]}, {head_name(layer, head)}",
        "place": head_name(layer, head),
        "axes": AXES[kind],
        "weights": packed(weights),
        "rows": labelled(rows, speakers),
        "columns": labelled(columns, speakers),
        "causal": mask == "causal",
        "selected": selected,
        "scale": scale,
    }


def view_data(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    kind: Kind,
    layer: int,
    heads: Sequence[int],
    share: float,
    locked: tuple[int, int] | None,
    direction: tuple[str, str] | None,
    version: int,
    numbers: Sequence[int] | None = None,
    mask: Literal["causal"] | None = None,
) -> dict[str, Any]:
    """What the view's script draws; a lock outside the rows is none.

    Raises:
        ValueError: the labels do not fit the weights, or no head of theirs is on.
    """
    _check(weights, (weights.shape[0], len(rows), len(columns)))
    on = sorted({head for head in heads if 0 <= head < weights.shape[0]})
    if not on:
        raise ValueError(f"heads must name at least one of {weights.shape[0]} heads. Received: {list(heads)}")
    speakers = _speakers(rows, columns)
    inside = locked is not None and 0 <= locked[0] <= locked[1] < len(rows)
    return {
        "title": f"{NAMES[kind]}, layer {layer + 1}",
        "direction": direction or AXES[kind],
        "weights": packed(weights),
        "names": [f"Head {number + 1}" for number in numbers or range(weights.shape[0])],
        "count": weights.shape[0],
        "rows": labelled(rows, speakers),
        "columns": labelled(columns, speakers),
        "speakers": speakers,
        "causal": mask == "causal",
        "heads": on,
        "share": round(min(max(share, 0.1), 1.0), 2),
        "locked": list(locked) if locked and inside else None,
        "version": version,
    }


def ribbon_data(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    kind: Kind,
    layer: int | None,
    head: int | None,
    share: float,
    direction: tuple[str, str] | None,
) -> dict[str, Any]:
    """What the ribbons' script draws; raises ValueError if the labels do not fit the weights."""
    _check(weights, (len(rows), len(columns)))
    speakers = _speakers(rows, columns)
    details = [{"detail": item.get("detail", "")} for item in columns]
    return {
        "title": f"{NAMES[kind]}, {head_name(layer, head)}",
        "direction": direction or AXES[kind],
        "weights": packed(weights),
        "rows": labelled(rows, speakers),
        "columns": [drawn | detail for drawn, detail in zip(labelled(columns, speakers), details, strict=True)],
        "speakers": speakers,
        "share": round(min(max(share, 0.1), 1.0), 2),
    }


def _check(weights: NDArray[Any], shape: tuple[int, ...]) -> None:
    if weights.shape != shape:
        raise ValueError(f"weights must have the shape {list(shape)} of their labels. Received: {list(weights.shape)}")


def _speakers(rows: Sequence[Item], columns: Sequence[Item]) -> list[str]:
    """All speakers' names, by first appearance: the dialogue's (the columns') first."""
    names = (item.get("speaker") for item in (*columns, *rows))
    return list(dict.fromkeys(name for name in names if name is not None))
