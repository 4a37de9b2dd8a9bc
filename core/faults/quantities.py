"""Find numbers, times, days and sums of money in a text; digits and number words have the same value."""

import re
from dataclasses import dataclass
from typing import Literal

from core.files import table

Sort = Literal["number", "ordinal", "time", "day", "month", "money"]
_TABLE = table(__file__)
_UNITS, _TENS, _SCALES, _ORDINALS = (_TABLE[name] for name in ("units", "tens", "scales", "ordinals"))
_DAYS, _MONTHS = (frozenset(_TABLE[name]) for name in ("days", "months"))
CALENDAR = _DAYS | _MONTHS
"""Days and months; March and May are left out, because both are also other words."""
_DIGITS = r"(?:\d{1,3}(?:,\s\d{3})+(?!\d)|\d+(?:[.,:]\d+)*)"  # DialogSum also writes "20, 000"
_SIMPLE = "|".join(sorted((*_UNITS, *_TENS), key=len, reverse=True))
_SCALE = "|".join(_SCALES)
_NUMBER = (
    rf"(?:(?:{_SIMPLE})(?:[ -](?:{_SIMPLE}))?|{_DIGITS}|an?(?=\s(?:{_SCALE})\b))"
    rf"(?:\s(?:{_SCALE})\b(?:\s(?:and\s)?(?:(?:{_SIMPLE})(?:[ -](?:{_SIMPLE}))?|\d+)\b(?!\s(?:{_SCALE})\b))?)*"
)
_QUANTITY = re.compile(
    rf"""(?<![\w#.])(?:
      (?P<past>(?:half\spast|(?:a\s)?quarter\s(?:past|to)|(?:{_SIMPLE}|\d+)(?:\sminutes\s(?:past|to)|\spast))
        \s(?:{_SIMPLE}|\d{{1,2}}))\b
    | (?P<sum>[$£€¥]\s?)?(?P<number>{_NUMBER})
      (?P<ordinal>st|nd|rd|th)?(?P<thousand>k\b)?(?![^\W\d_])
      (?P<half>\sand\sa\shalf)?
      (?P<clock>\s?(?:[ap]\.?m\b\.?|o['\u2019]?clock))?
      (?P<money>\s(?:dollars?|pounds?|euros?|yuan|rmb|cents?|bucks)\b)?
    | (?P<rank>{"|".join(_ORDINALS)})\b
    | (?P<day>{"|".join(sorted(CALENDAR))})s?\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: the span of its words, its value as one string ("7", "10:30", "friday"), and its sort."""

    start: int
    end: int
    value: str
    sort: Sort


def quantities(text: str) -> tuple[Quantity, ...]:
    """Find the numbers, times, days, months and sums of a text.

    "twenty-five" and 25 have the same value; so have "half past ten" and 10:30, and "7:00", "7 p.m." and "seven
    o'clock". "one" alone is no quantity (it is mostly a pronoun), nor are "first" and "second".
    """
    found = []
    for match in _QUANTITY.finditer(text):
        quantity = _quantity(match)
        if quantity is not None:
            found.append(quantity)
    return tuple(found)


def _quantity(match: re.Match[str]) -> Quantity | None:
    start, end = match.span()
    if match["day"]:
        name = match["day"].casefold()
        return Quantity(start, start + len(name), name, "day" if name in _DAYS else "month")
    if match["rank"]:
        return Quantity(start, end, str(_ORDINALS[match["rank"].casefold()]), "ordinal")
    if match["past"]:
        return Quantity(start, end, _past(match["past"].casefold()), "time")
    number = match["number"].casefold()
    marked = match["sum"] or match["clock"] or match["money"] or match["ordinal"] or match["thousand"]
    if number in ("one", "a", "an") and not marked:
        return None
    sort: Sort = "money" if match["sum"] or match["money"] else "ordinal" if match["ordinal"] else "number"
    if match["clock"] or re.fullmatch(r"\d{1,2}:\d{2}", number):
        sort = "time"
    value = _value(number.replace(".", ":") if match["clock"] and re.fullmatch(r"\d{1,2}\.\d{2}", number) else number)
    if match["thousand"]:
        value = _plain(float(value) * 1000) if value.replace(".", "", 1).isdigit() else value
    if match["half"]:
        value += ".5"
    return Quantity(start, end, value, sort)


def _past(words: str) -> str:
    """Read the value of "half past ten" or "20 to six"."""
    amount, direction, hour = re.sub(r"\sminutes", "", words).rsplit(None, 2)
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(amount)
    if minutes is None:
        minutes = int(amount) if amount.isdigit() else (_UNITS | _TENS)[amount]
    whole = int(hour) if hour.isdigit() else (_UNITS | _TENS)[hour]
    return f"{whole}:{minutes:02d}" if direction == "past" else f"{whole - 1 or 12}:{60 - minutes:02d}"


def _value(number: str) -> str:
    """Read one number in digits or words as a string; a time on the full hour is its hour."""
    if ":" in number:
        return re.sub(r":00$", "", number.lstrip("0") or "0")
    joined = re.sub(r",\s(?=\d{3})", ",", number)
    words = [word for word in re.split(r"[\s-]+", joined) if word != "and"]
    if len(words) == 2 and words[0] in _UNITS and words[1] in _UNITS | _TENS:
        return f"{_UNITS[words[0]]}:{_TENS[words[1]]}" if words[1] in _TENS else number  # seven thirty; one two
    total = current = 0.0
    for word in words:
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if word != "hundred":
                total, current = total + current, 0.0
        else:
            simple = _simple(word)
            if simple is None:
                return number
            current += simple
    return _plain(total + current)


def _simple(word: str) -> float | None:
    if word in ("a", "an"):
        return 1.0
    if word in _UNITS or word in _TENS:
        return float((_UNITS | _TENS)[word])
    digits = re.sub(r",(?=\d{3}(?!\d))", "", word)
    try:
        return float(digits) if digits.isascii() and len(digits) < 16 else None
    except ValueError:
        return None


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
