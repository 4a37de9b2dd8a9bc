"""Words and numbers as figures show them.

Plotly reads tick texts, hover texts and names as HTML: `escape` all of them. Messages are Markdown: `literal`.
"""

import html
import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from textwrap import wrap

from core.config import END, NetworkConfig
from core.explain.attention.inside import Kind
from core.explain.shared.rollup import Unit
from core.trace import Array, Token
from core.words import count as count
from core.words import language, later, say

BLANK = "\u00a0"
"""Between a number and its unit: they stay on one line."""
KIND_NAMES: dict[Kind, str] = {
    "cross": later("Cross-attention"),
    "encoder": later("Encoder self-attention"),
    "decoder": later("Decoder self-attention"),
}
"""In English, and translated when shown."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")
NEARLY_IMPOSSIBLE = math.log(1e6)
"""Loss in nats from which on a text is called nearly impossible: it is a million times less probable."""
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

UNIT_NAMES: dict[Unit, str] = {
    "token": later("Token"),
    "word": later("Word"),
    "turn": later("Turn"),
    "speaker": later("Speaker"),
}
"""What a row or a column can stand for; marked with `later`."""


def escape(text: str) -> str:
    """A user's text for plotly, shown as it is: `<b>` stays three characters."""
    return html.escape(text, quote=False)


def literal(text: str) -> str:
    """A user's text for Markdown, on one line and shown as it is: names of files and speakers come from users."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def plain(text: str) -> str:
    """A token for the eye: its blanks at the ends taken off, a token of nothing but blanks made visible."""
    return text.strip() or "".join("↵" if mark == "\n" else "␣" for mark in text) or "·"


def cut(text: str, length: int) -> str:
    """At most `length` characters on one line; a text that was cut ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def token_text(token: Token) -> str:
    """A token on an axis: the end token is "the end"."""
    return say("the end") if token.id == END else plain(token.text)


def quoted(token: Token) -> str:
    """A token in a sentence: “dress”, or "the end" without quotes."""
    return say("the end") if token.id == END else f"“{plain(token.text)}”"


def kind_text(kind: Kind) -> str:
    """A kind of attention inside a sentence: cross-attention."""
    return small(say(KIND_NAMES[kind]))


def counts_forced(config: NetworkConfig) -> str:
    """Say how log-probabilities count the tokens that a model forces; "" for a model that forces none."""
    if config.forced_first is None and not config.forced_last:
        return ""
    return say("Tokens that this model forces count with their own probabilities here, and as certain in beam search.")


def percent(share: float) -> str:
    """A share of 1 as people read it: 0.3 %, 42 %; halves are rounded up, as components in the browser do."""
    if 0 < share < 0.001:
        return say("under {share}", share=f"0.1{BLANK}%")
    if 0.999 < share < 1:
        return say("over {share}", share=f"99.9{BLANK}%")
    last = Decimal("0.1" if share < 0.1 or 0.99 < share < 1 else "1")
    return f"{Decimal(100 * float(share)).quantize(last, ROUND_HALF_UP)}{BLANK}%"


def nats(value: float) -> str:
    """An information in natural units: 2.41 nats; a minus sign instead of a hyphen."""
    return f"{number(value)}{BLANK}{say('nats')}"


def number(value: float, digits: int = 2) -> str:
    """Two decimals or others, with a minus sign instead of a hyphen; nothing is "-0.00"."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def times(drop: float) -> str:
    """Return how many times less or more probable so many nats make a text."""
    power = abs(drop) / math.log(10)
    if power < 6:
        return f"{10**power:,.0f}" if power >= 3 else f"{10**power:.3g}"
    return f"{10 ** (power % 1):.2f} · 10{str(int(power)).translate(SUPERSCRIPTS)}"


def signed(value: float, digits: int = 2) -> str:
    """Two decimals or others, with the sign: +0.12 or −0.12; what rounds to nothing has none."""
    return f"+{number(value, digits)}" if round(value, digits) > 0 else number(value, digits)


def capital(text: str) -> str:
    """The start of a sentence; in Turkish the capital of i has its dot, too."""
    return ("İ" if language() == "tr" and text[:1] == "i" else text[:1].upper()) + text[1:]


def small(text: str) -> str:
    """The start of what stands inside of a sentence: the opposite of `capital`."""
    first = {"I": "ı", "İ": "i"}.get(text[:1]) if language() == "tr" else None
    return (first or text[:1].lower()) + text[1:]


def vector(values: Sequence[float] | Array, most: int | None = None, write: Callable[[float], str] = number) -> str:
    """The numbers of a vector, or the first `most` of them: (0.31, 0.84, …)."""
    more = ["…"] if most is not None and len(values) > most else []
    return f"({', '.join([*(write(float(value)) for value in values[:most]), *more])})"


def wrapped(text: str, width: int) -> list[str]:
    """Lines of a text, at least one, none longer than `width` characters; a longer word is cut."""
    return wrap(" ".join(cut(word, width) for word in text.split()), width, break_on_hyphens=False) or [""]


def listed(items: Sequence[str]) -> str:
    """Items in a sentence: a, b and c."""
    if len(items) < 2:
        return "".join(items)
    return say("{items} and {last}", items=", ".join(items[:-1]), last=items[-1])


def head_name(layer: int | None, head: int | None, *, mean: bool = True) -> str:
    """A head as people read it: `layer 3, head 2`; without a head the whole layer, without a layer the decoder."""
    if layer is None:
        return say("the decoder")
    if head is None and not mean:
        return say("layer {layer}, all heads together", layer=layer + 1)
    if head is None:
        return say("layer {layer}, mean of the heads", layer=layer + 1)
    return say("layer {layer}, head {head}", layer=layer + 1, head=head + 1)


def turn_ranges(indices: Sequence[int]) -> str:
    """Turn numbers from 1, runs joined: 3–5, 9."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(f"{run[0] + 1}–{run[-1] + 1}" if len(run) > 1 else str(run[0] + 1) for run in runs)


def figures(value: float, decimals: int = 2) -> str:
    """A number with a minus sign and so many decimals, or more until two digits count: 1.54, 0.037."""
    if value and abs(value) < 5e-7:
        return say("about {value}", value=0)
    if value:
        decimals = min(max(decimals, 1 - math.floor(math.log10(abs(value)))), 6)
    return f"{value + 0.0:,.{decimals}f}".replace("-", "−")


def power(exponent: float) -> str:
    """The power of e to an exponent of any size, to three digits at least: 0.0498, 4.66, 79,530, (4.85 × 10⁸)."""
    tens = math.floor(exponent / math.log(10))
    if -4 < exponent < 14:
        return figures(math.exp(exponent), 2 - min(tens, 0) if tens < 3 else 0)
    return f"({math.exp(exponent - tens * math.log(10)):.2f} × 10{str(tens).translate(SUPERSCRIPTS)})"
