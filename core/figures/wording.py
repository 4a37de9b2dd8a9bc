"""Words and numbers as figures show them.

Plotly reads tick texts, hover texts and names as HTML: `escape` all of them.
"""

import html
from collections.abc import Sequence

from core.config import END
from core.trace import Token

BLANK = "\u00a0"
"""Between a number and its unit: they stay on one line."""


def escape(text: str) -> str:
    """A user's text for plotly, shown as it is: `<b>` stays three characters."""
    return html.escape(text, quote=False)


def plain(text: str) -> str:
    """A token for the eye: its blanks at the ends taken off, a token of nothing but blanks made visible."""
    return text.strip() or "".join("↵" if mark == "\n" else "␣" for mark in text) or "·"


def cut(text: str, length: int) -> str:
    """At most `length` characters on one line; what was cut off ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def token_text(token: Token) -> str:
    """A token on an axis: the end token is "the end"."""
    return "the end" if token.id == END else plain(token.text)


def quoted(token: Token) -> str:
    """A token in a sentence: “dress”, or "the end" without quotes."""
    return "the end" if token.id == END else f"“{plain(token.text)}”"


def percent(share: float) -> str:
    """A share of 1 as people read it: 0.3 %, 42 %."""
    if 0 < share < 0.001:
        return f"under 0.1{BLANK}%"
    if 0.999 < share < 1:
        return f"over 99.9{BLANK}%"
    return f"{100 * share:.1f}{BLANK}%" if share < 0.1 or 0.99 < share < 1 else f"{100 * share:.0f}{BLANK}%"


def nats(value: float) -> str:
    """An information in natural units: 2.41 nats; a minus sign instead of a hyphen."""
    return f"{number(value)}{BLANK}nats"


def number(value: float, digits: int = 2) -> str:
    """Two decimals or others, with a minus sign instead of a hyphen; nothing is "-0.00"."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = 2) -> str:
    """Likewise with the sign, +0.12 or −0.12; what rounds to nothing has none."""
    return f"+{number(value, digits)}" if round(value, digits) > 0 else number(value, digits)


def capital(text: str) -> str:
    """The start of a sentence."""
    return text[:1].upper() + text[1:]


def count(amount: int, noun: str) -> str:
    """A number with its noun: 1 step, 3 steps."""
    return f"{amount:,} {noun}" + ("" if amount == 1 else "s")


def listed(items: Sequence[str]) -> str:
    """Items in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""
