"""Select a cross-attention: the mean of a layer's heads, one head, or the copy distribution."""

import numpy as np

from core.errors import SettingsError
from core.explain.attribution.methods import MAPS
from core.explain.shared.rollup import groups, sum_columns
from core.trace import Array, AttentionTrace, Summary
from core.words import later, say

COPY = "copy"
ONLY = "only"
"""The attention of a model with one layer and one head, such as a recurrent one."""
_NAMES = {COPY: later("copy distribution"), ONLY: later("the decoder")}


def choices(attention: AttentionTrace) -> tuple[str, ...]:
    """List the choices, the last layer first: `3.mean`, `3.1` (layer and head from 1), `copy`, or `only`."""
    layers, heads = attention.cross.shape[:2] if attention.cross is not None else (0, 0)
    names = [f"{layer}.{head}" for layer in range(layers, 0, -1) for head in ("mean", *range(1, heads + 1))]
    if (layers, heads) == (1, 1):
        names = [ONLY]
    return (*names, *((COPY,) if attention.copy is not None else ()))


def parts(choice: str) -> tuple[str, str, str]:
    """Return layer, head and map of a choice; a map other than the weights comes last: `3.mean.norms`."""
    layer, head, name = (*choice.split(".", 2), "", "")[:3]
    return layer, head, name or "weights"


def label(choice: str) -> str:
    """Name a choice in words."""
    layer, head, name = parts(choice)
    if choice in _NAMES:
        return say(_NAMES[choice])
    if name in MAPS and name != "weights":
        place = say("layer {layer}, all heads together", layer=layer)
        if head != "mean" and MAPS[name].heads:
            place = say("layer {layer}, head {head}", layer=layer, head=head)
        return f"{place}, {say(MAPS[name].name)}"
    if head == "mean":
        return say("layer {layer}, mean of the heads", layer=layer)
    return say("layer {layer}, head {head}", layer=layer, head=head)


def weights(attention: AttentionTrace, choice: str) -> Array:
    """Return the weights of a choice, [T, S]; raises SettingsError if they are not in the trace."""
    if choice not in choices(attention):
        raise SettingsError(
            "this model has no such attention. Received: {choice}; allowed: {allowed}",
            choice=repr(choice[:12]),
            allowed=", ".join(choices(attention)),
        )
    if choice == COPY:
        matrix = attention.copy
    elif choice == ONLY:
        matrix = attention.cross[0, 0]  # type: ignore[index]
    else:
        layer, _, head = choice.partition(".")
        rows = attention.cross[int(layer) - 1]  # type: ignore[index]
        matrix = rows.mean(axis=0) if head == "mean" else rows[int(head) - 1]
    return np.asarray(matrix, dtype=np.float32)


def by_turn(summary: Summary, choice: str) -> Array:
    """Return the share of the attention that goes to each group of `groups(source, "turn")`, mean over the steps."""
    shares = sum_columns(weights(summary.attention, choice), groups(summary.source, "turn"))
    return np.asarray(shares.mean(axis=0), dtype=np.float32)
