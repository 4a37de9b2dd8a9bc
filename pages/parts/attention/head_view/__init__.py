"""Lines from what looks to what is looked at, a colour a head."""

from collections.abc import Sequence
from typing import Any

from core.figures.attention.weights import Weights
from core.words import say
from pages.parts.attention.packing import weights_data
from pages.shared.components import component

head_view = component(__file__, view={"locked": ([int], None), "heads": [int], "share": float, "version": int})
"""Draws what `view_data` returned, and keeps its own lock, heads and share: a slow rerun does not set them back.

`st.session_state[key].view` is {locked, heads, share, version} inside `on_view_change`, which is called at most every
200 ms.
"""


def view_data(
    weights: Weights,
    numbers: Sequence[int],
    *,
    on: int | None,
    share: float,
    locked: tuple[int, int] | None,
    version: int,
    together: bool = False,
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        weights: values [H, R, C], heads of one layer.
        numbers: which heads of the layer they are, 0-based.
        on: the head whose lines are drawn, one of `numbers`; None: all.
        share: of each query's and head's attention, 0.1 to 1: only the largest weights that make it up are drawn.
        locked: first and last locked row; outside the rows: none.
        version: new with every change of heads, share or lock that did not come from the component; these are taken
            over only if it is new or the labels are others.
        together: whether it is one map of all heads.

    Raises:
        ValueError: there is no head with such a number.
    """
    inside = locked is not None and 0 <= locked[0] <= locked[1] < len(weights.rows)
    return weights_data(weights) | {
        "names": [say("All heads") if together else say("Head {number}", number=number + 1) for number in numbers],
        "count": len(numbers),
        "heads": list(range(len(numbers))) if on is None else [numbers.index(on)],
        "share": round(min(max(share, 0.1), 1.0), 2),
        "locked": list(locked) if locked and inside else None,
        "version": version,
    }
