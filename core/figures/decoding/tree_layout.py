"""Rows for the nodes of a tree that grows from left to right: no two nodes of a step in one place, no crossing lines.

Subtrees are packed by their outlines (Reingold and Tilford 1981, "Tidier drawings of trees"), but the child that
matters most goes straight on, and the others stand above and below it.
"""

from collections.abc import Callable, Sequence

Outline = list[float]
"""The outermost row of a subtree at its root's step, the next one, …, relative to its root."""


def rows(parents: Sequence[int], weights: Sequence[float]) -> list[float]:
    """The row of every node; the root, which is no node itself, has row 0.

    Args:
        parents: index of each node's parent, -1 for the root; parents stand before children.
        weights: of two siblings the one with the higher weight lies nearer to the straight line.
    """
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]  # the last list is the root's
    for index, parent in enumerate(parents):
        children[parent].append(index)
    shifts = [0.0] * len(parents)
    outlines: dict[int, tuple[Outline, Outline]] = {}
    for index in reversed(range(-1, len(parents))):
        ordered = sorted(children[index], key=lambda child: -weights[child])
        outlines[index] = _pack(ordered, outlines, shifts)
    placed = [0.0] * len(parents)
    for index, parent in enumerate(parents):
        placed[index] = shifts[index] + (placed[parent] if parent >= 0 else 0.0)
    return placed


def _pack(
    ordered: Sequence[int], outlines: dict[int, tuple[Outline, Outline]], shifts: list[float]
) -> tuple[Outline, Outline]:
    """Place the children of a node, the first one straight on; returns the outline of the whole, and frees theirs."""
    upper: Outline = []
    lower: Outline = []
    for child in ordered:
        top, bottom = outlines.pop(child)
        shared = range(min(len(top), len(upper)))
        below = max((lower[depth] - top[depth] + 1 for depth in shared), default=0.0)
        above = min((upper[depth] - bottom[depth] - 1 for depth in shared), default=0.0)
        shift = below if below < -above else above
        shifts[child] = shift
        _join(upper, [row + shift for row in top], min)
        _join(lower, [row + shift for row in bottom], max)
    return [0.0, *upper], [0.0, *lower]


def _join(outline: Outline, other: Outline, outermost: Callable[[float, float], float]) -> None:
    for depth, row in enumerate(other):
        if depth < len(outline):
            outline[depth] = outermost(outline[depth], row)
        else:
            outline.append(row)
