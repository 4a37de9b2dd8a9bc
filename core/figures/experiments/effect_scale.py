"""Signed effects in nats on one scale around 0, for components that draw their own cells.

Colours and signs follow the rule in `palette`.
"""

from collections.abc import Iterable

from core.figures.shared.palette import OPPOSES, SUPPORTS
from core.figures.shared.wording import figures
from core.words import later

COLORS = (OPPOSES, SUPPORTS)
"""Colours of negative and of positive effects."""
MEANING = later("Effect in nats: without it, the summary is less probable (+, green) or more probable (−, purple).")
"""In English, and translated when shown."""


def largest(values: Iterable[float | None]) -> float:
    """Return the largest size of the values that are known; 0 without any."""
    return max((abs(value) for value in values if value is not None), default=0.0)


def share(value: float | None, limit: float) -> float | None:
    """Return a value's part of the scale, -1 to 1; None without a value."""
    if value is None:
        return None
    return round(min(max(value / limit, -1.0), 1.0), 4) if limit else 0.0


def signed_figures(value: float) -> str:
    """Write a number with its sign: +1.54, −0.037."""
    return ("+" if value >= 5e-7 else "") + figures(value)


def ticks(limit: float) -> list[str]:
    """Return the numbers at the ends and in the middle of a scale."""
    return [signed_figures(-limit), "0", signed_figures(limit)] if limit else ["0", "0", "0"]
