"""First names of many origins, short forms of them, and handles: what speakers of a chat are called."""

from collections.abc import Mapping

from core.files import table

_TABLE = table(__file__)
MASCULINE, FEMININE, EITHER, HANDLES = (
    tuple(_TABLE[name].split()) for name in ("masculine", "feminine", "either", "handles")
)
SHORT: Mapping[str, str] = _TABLE["short"]
"""What friends say instead of a name."""
COUNTRIES: list[str] = _TABLE["countries"]
"""How telephone numbers begin."""
