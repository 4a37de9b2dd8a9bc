"""Lines from what looks to what is looked at, a colour a head."""

from collections.abc import Callable, Sequence
from typing import Any

from pages.parts.attention.weights import Weights
from pages.shared.components import component

_HEAD_VIEW = component(__file__)


def head_view(data: dict[str, Any], *, key: str, on_change: Callable[[], None]) -> None:
    """Draw lines from what looks to what is looked at, a colour a head.

    It keeps its own lock, heads and share while people use it, so that a slow rerun does not set them back.

    Args:
        data: what `view_data` returned.
        key: of the component; `st.session_state[key].view` is {locked, heads, share, version} once someone changed it.
        on_change: called when someone changed it, at most every 200 ms.
    """
    _HEAD_VIEW(key=key, data=data, on_view_change=on_change)


def view_data(
    weights: Weights,
    numbers: Sequence[int],
    *,
    on: int | None,
    share: float,
    locked: tuple[int, int] | None,
    version: int,
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

    Raises:
        ValueError: there is no head with such a number.
    """
    inside = locked is not None and 0 <= locked[0] <= locked[1] < len(weights.rows)
    return weights.data() | {
        "names": [f"Head {number + 1}" for number in numbers],
        "count": len(numbers),
        "heads": list(range(len(numbers))) if on is None else [numbers.index(on)],
        "share": round(min(max(share, 0.1), 1.0), 2),
        "locked": list(locked) if locked and inside else None,
        "version": version,
    }
