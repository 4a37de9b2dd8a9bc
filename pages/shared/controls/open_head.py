"""The head that is open on Attention; other pages know it, too."""

from core.explain.shared import cross
from core.trace import AttentionTrace
from pages.shared.session.fields import Choice, Number

KIND = Choice("kind", ("cross", "encoder", "decoder"))
LAYER = Number("layer", 0, 99, 0)
HEAD = Number("head", 0, 99, 0)
"""Of the fields, `LAYER` 0 is the last layer, `HEAD` 0 the mean of all heads."""


def of_cross(attention: AttentionTrace) -> str | None:
    """Return the open head of cross-attention, as in `core.explain.shared.cross`; None if none is."""
    if KIND.value != "cross" or not HEAD.value or attention.cross is None:
        return None
    choice = f"{LAYER.value or len(attention.cross)}.{HEAD.value}"
    return choice if choice in cross.choices(attention) else None
