"""What people write around the matter of a chat, and how they shorten and decorate it; see the table beside this."""

from collections.abc import Mapping

from core.files import table

_TABLE = table(__file__)
GREETINGS, FAREWELLS = (tuple((one, other) for one, other in _TABLE[name]) for name in ("greetings", "farewells"))
REACTIONS, ASIDES, PIECES, EMOTICONS, EMOJI, LAUGHTER, FILLERS, CALLS, CALLED = (
    tuple(_TABLE[name]) for name in "reactions asides pieces emoticons emoji laughter fillers calls called".split()
)
ABBREVIATED: Mapping[str, list[str]] = _TABLE["abbreviated"]
