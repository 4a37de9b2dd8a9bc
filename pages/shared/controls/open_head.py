"""The head that is open on Attention; other pages know it, too."""

from core.explain.attribution.methods import MAPS
from core.explain.shared import cross
from core.trace import AttentionTrace
from pages.shared.session.fields import Choice, Number

KIND = Choice("kind", ("cross", "encoder", "decoder"))
LAYER = Number("layer", 0, 99, 0)
HEAD = Number("head", 0, 99, 0)
SHOWS = Choice("shows", {name: each.title for name, each in MAPS.items()})
"""Of the fields, `LAYER` 0 is the last layer, `HEAD` 0 the mean of all heads; `SHOWS` says what is shown of a head."""


def of_cross(attention: AttentionTrace) -> str | None:
    """Return the open head of cross-attention, as in `core.explain.shared.cross`; None if none is."""
    mapped = SHOWS.value != "weights"
    if KIND.value != "cross" or attention.cross is None or not (HEAD.value or mapped):
        return None
    choice = f"{LAYER.value or len(attention.cross)}.{HEAD.value or 'mean'}"
    if choice not in cross.choices(attention):
        return None
    return f"{choice}.{SHOWS.value}" if mapped else choice
