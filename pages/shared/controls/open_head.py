"""The head that is open on Attention; other pages know it, too."""

from core.explain.attribution.methods import MAPS
from core.explain.shared import cross
from core.trace import AttentionTrace
from core.words import later
from pages.shared.session.fields import Choice, Number

KIND = Choice("kind", {"cross": later("Cross"), "encoder": later("Encoder self"), "decoder": later("Decoder self")})
LAYER = Number("layer", 0, 99, 0)
HEAD = Number("head", 0, 99, 0)
SHOWS = Choice("shows", {name: each.title for name, each in MAPS.items()})
TOKEN = Number("token", 0, 9999, 0, of_dialogue=True)
LAST = Number("to", 0, 9999, 0, of_dialogue=True)
"""Of the fields, `LAYER` 0 is the last layer, `HEAD` 0 the mean of all heads, `TOKEN` 0 no token; `SHOWS` says what is
shown of a head, `LAST` with which token the span ends that begins with `TOKEN`, 0 for one token."""
FIRST = {field.name: field.default for field in (KIND, LAYER, HEAD)}
"""What is open on a first visit: the cross-attention of the last layer, the mean of its heads."""


def of_cross(attention: AttentionTrace) -> str | None:
    """Return the open head of cross-attention, as in `core.explain.shared.cross`; None if none is."""
    mapped = SHOWS.value != "weights"
    if KIND.value != "cross" or attention.cross is None or not (HEAD.value or mapped):
        return None
    choice = f"{LAYER.value or len(attention.cross)}.{HEAD.value or 'mean'}"
    if choice not in cross.choices(attention):
        return None
    return f"{choice}.{SHOWS.value}" if mapped else choice
