"""A summary with every token shaded, and the numbers of the token under the pointer."""

from core.figures.shades import strip_data
from core.trace import Summary
from pages.shared.components import component

_TOKEN_STRIP = component(__file__)


def token_strip(summary: Summary, *, key: str) -> None:
    """Draw a summary with every token shaded, and the numbers of the token under the pointer."""
    _TOKEN_STRIP(key=key, data=strip_data(summary))
