"""Maps of one attention beside its weights, each with its check: norms, contributions, value zeroing.

L layers, H heads, Q queries, N keys, T written tokens, S source tokens.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.explain.attention.inside import Kind
from core.explain.attribution import contributions, layers, norms, value_zeroing
from core.explain.attribution.attribution import Check
from core.explain.attribution.methods import MAPS
from core.explain.shared import cross
from core.trace import Array, Layers, Summary

if TYPE_CHECKING:
    from core.service import Summarizer


@dataclass(frozen=True, eq=False)
class Drawn:
    """A map: values [Q, N] from 0 to 1, a row of which sums to 1 or less, and the check of its method."""

    values: Array
    check: Check


def of_layer(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int, name: str) -> Drawn:
    """Return a map of `MAPS` but the weights, of all heads of a layer together.

    Raises:
        SettingsError: there is no such layer, the model has no blocks, or another one wrote the summary.
    """
    if name == "zeroing":
        check = value_zeroing.check(summarizer, summary, kind, layer)
        changes = value_zeroing.weights(summarizer, summary, kind, layer)
        changes = np.where(changes.max(axis=-1, keepdims=True) > check.bound, changes, 0)  # rounding has no shares
        return Drawn(norms.shares(changes.astype(np.float32)), check)
    measure = norms.weights if name == "norms" else contributions.weights
    return Drawn(measure(summarizer, summary, kind, layer), layers.block_check(summarizer, summary, kind, layer))


def of_heads(
    summarizer: "Summarizer", summary: Summary, kind: Kind, shape: tuple[int, ...], name: str,
    whole: Callable[[int], Drawn],
) -> tuple[Layers, Layers | None]:  # fmt: skip
    """Return the map of every head [L, H, Q, N], and that of all heads of a layer together [L, 1, Q, N].

    Args:
        summarizer: the model that wrote the summary.
        summary: the run.
        kind: of attention.
        shape: of its weights, [L, H, Q, N].
        name: one of `MAPS` but the weights.
        whole: `of_layer` of a layer, kept by whoever asks again.

    Returns:
        Both computed layer by layer when asked for; None where heads have no map of their own, and L maps come first.
    """
    depth, _, queries, keys = shape
    together = Layers((depth, 1, queries, keys), lambda layer: whole(layer).values[None])
    if not MAPS[name].heads:
        return together, None
    single = Layers((depth, shape[1], queries, keys), lambda layer: norms.of_heads(summarizer, summary, kind, layer))
    return single, together


def chosen(summarizer: "Summarizer", summary: Summary, choices: Iterable[str]) -> dict[str, Drawn]:
    """Return those of some choices of cross-attention that are no weights: `3.mean.norms`, `2.1.norms`.

    Raises:
        SettingsError: the model has no blocks, or no such layer or head.
    """
    maps = {}
    for choice in choices:
        layer, head, name = cross.parts(choice)
        if name in MAPS and name != "weights" and layer.isdecimal() and (head == "mean" or head.isdecimal()):
            drawn = of_layer(summarizer, summary, "cross", int(layer) - 1, name)
            if head != "mean" and MAPS[name].heads:
                own = norms.weights(summarizer, summary, "cross", int(layer) - 1, int(head) - 1)
                drawn = Drawn(own, drawn.check)
            maps[choice] = drawn
    return maps
