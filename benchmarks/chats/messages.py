"""The surface of a chat: how a turn is split into messages, and how a person types.

Nothing that the summary needs is lost: its content words keep their letters, numbers and tags stay as they are.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from benchmarks.chats.phrases import ABBREVIATED, EMOJI, EMOTICONS, FILLERS, LAUGHTER, PIECES

STEM = 5
"""Letters of a word that its forms share."""
_COMMON = frozenset(
    """about after again also always another because been before being both could does doing down during each from going
    good have having hello help here into just know like little made make many more most much need nice okay only other
    over people please really said says should some something sorry such sure take tell tells than thank thanks that
    their them then there they thing things think this those though through time under very want wants well were what
    when where which while will with would your yours asks talks telling asking though""".split()
)
_TAG = re.compile(r"#Person\d#")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_FIXED = re.compile(r"#Person\d#|https?://\S+|www\.\S+|<[^<>]{2,20}>|\S*\d\S*|[A-Z]\w*\.(?=\s[A-Z])|\{\w+\}")
"""What no rule touches: tags, links, pieces, everything with a digit, abbreviated titles."""
_SENTENCE = re.compile(r"(?<=[a-z][a-z][.!?…])\s+(?=[A-Z\"“#])")
_CLAUSE = re.compile(r",?\s+(?=(?:and|but|so|because|or|then)\s+(?:I|you|we|they|he|she|it|there|that|if)\b)")
_PHRASE = re.compile(
    rf"(?<![\w'’#])(?:{'|'.join(re.escape(each) for each in sorted(ABBREVIATED, key=len, reverse=True))})(?![\w'’])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Style:
    """How a person types, each a probability.

    Args:
        split: that the next sentence is a message of its own.
        clause: that a long sentence is cut in two messages before "and", "but" and the like.
        low: that a message is in small letters.
        bare: that a message ends without a full stop.
        plain: that a comma or an apostrophe is left out.
        short: that a phrase is abbreviated.
        slip: that a long word has a typing slip.
        signs: that a message gets an emoticon, an emoji or laughter.
        filler: that a spoken beginning such as "Well," is left out.
        piece: that a picture, a link or another piece follows.
    """

    split: float = 0.0
    clause: float = 0.0
    low: float = 0.0
    bare: float = 0.0
    plain: float = 0.0
    short: float = 0.0
    slip: float = 0.0
    signs: float = 0.0
    filler: float = 0.0
    piece: float = 0.0


def style(random: np.random.Generator) -> Style:
    """Draw how a person types: some nearly as in a book, some with every habit."""
    if random.random() < 0.2:
        return Style(split=0.4, bare=0.2, filler=0.2)
    habit = random.beta(1.3, 1.6, size=10)
    most = np.array([0.95, 0.5, 1.0, 1.0, 0.8, 0.6, 0.09, 0.3, 0.8, 0.06])
    if random.random() < 0.4:
        habit[2] = random.choice([0.0, 1.0])  # many never press the shift key, many phones do it for them
    return Style(*(habit * most).tolist())


def stem(word: str) -> str:
    """Return the beginning that the forms of a word share."""
    return word.casefold()[:STEM]


def content(text: str) -> frozenset[str]:
    """Return what a text is about: stems of its long words, names and numbers, and words with a capital as they are."""
    words = [word for word in _WORD.findall(_TAG.sub(" ", text)) if word.casefold() not in _COMMON]
    told = {stem(word) for word in words if len(word) > 3 or word[0].isupper() or word[0].isdigit()}
    return frozenset(told | {word for word in words if word[0].isupper()})


def split(text: str, typed: Style, random: np.random.Generator) -> list[str]:
    """Split what somebody says into messages; their words are those of the text, in its order."""
    messages: list[str] = []
    for sentence in _SENTENCE.split(text):
        if messages and random.random() >= typed.split:
            messages[-1] += f" {sentence}"
        else:
            messages.append(sentence)
    found = []
    for message in messages:
        cut = _CLAUSE.search(message, 20) if len(message) > 45 else None
        if cut and random.random() < typed.clause:
            found += [message[: cut.start()], message[cut.end() :]]
        else:
            found.append(message)
    return [each for each in found if each.strip()]


def dressed(text: str, typed: Style, kept: Collection[str], random: np.random.Generator) -> str:
    """Return a message as somebody types it.

    Args:
        text: one message; names of speakers are tags in it.
        typed: the habits.
        kept: what `content` found in the summary.
        random: of all choices.
    """
    for filler in FILLERS:
        if text.startswith(filler) and len(text) > len(filler) + 8 and random.random() < typed.filler:
            text = text[len(filler) :]
            break
    text = _PHRASE.sub(lambda match: _shortened(match, typed, kept, random), text)
    low = random.random() < typed.low
    parts, place = [], 0
    for fixed in [*_FIXED.finditer(text), None]:
        free = text[place : fixed.start() if fixed else len(text)]
        parts.append(_typed(free, typed, low, kept, random))
        if fixed:
            parts.append(fixed.group())
            place = fixed.end()
    text = "".join(parts).strip()
    if random.random() < typed.bare and text.endswith((".", "!")) and not text.endswith("..") and len(text) > 3:
        text = text[:-1].rstrip()
    return _decorated(text, typed, random)


def _shortened(match: re.Match[str], typed: Style, kept: Collection[str], random: np.random.Generator) -> str:
    words = match.group().split()
    if any(stem(word) in kept for word in words) or random.random() >= typed.short:
        return match.group()
    forms = ABBREVIATED[match.group().casefold()]
    short = str(random.choice(forms))
    return short.capitalize() if match.group()[0].isupper() and words[0] != "I" and short.isalpha() else short


def _typed(text: str, typed: Style, low: bool, kept: Collection[str], random: np.random.Generator) -> str:
    """Change letters and marks of a text that has no fixed part."""

    def word(match: re.Match[str]) -> str:
        found = match.group()
        if found in kept:  # a name of the summary
            return found
        if low:
            found = found.lower()
        if ("'" in found or "’" in found) and random.random() < typed.plain:
            found = found.replace("'", "").replace("’", "")
        if len(found) > 4 and found.isalpha() and stem(found) not in kept and random.random() < typed.slip:
            found = _slip(found, random)
        return found

    text = _WORD.sub(word, text)
    return re.sub(r",(?=\s)", lambda match: "" if random.random() < typed.plain else match.group(), text)


def _slip(word: str, random: np.random.Generator) -> str:
    """Make a typing slip inside a word: two letters exchanged, one left out, or one twice."""
    place = int(random.integers(1, len(word) - 1))
    kind = random.integers(3)
    if kind == 0:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + (word[place + 1 :] if kind == 1 else word[place] + word[place:])


def _decorated(text: str, typed: Style, random: np.random.Generator) -> str:
    if not text or random.random() >= typed.signs:
        return text
    kind = random.random()
    if kind < 0.4:
        return f"{text} {random.choice(EMOTICONS)}"
    if kind < 0.75:
        return f"{text} {str(random.choice(EMOJI)) * int(random.integers(1, 4) if random.random() < 0.3 else 1)}"
    if kind < 0.85:
        return text + str(random.choice(["!!", "!!!", "...", "..", "!"])) if text[-1].isalpha() else text
    laugh = str(random.choice(LAUGHTER))
    return f"{laugh} {text}" if random.random() < 0.5 else f"{text} {laugh}"


def piece(random: np.random.Generator) -> str:
    """Return a picture, a link or another piece as a messenger writes it into the text."""
    code = "".join(random.choice(list("abcdefghkmnpqrstuvwxyzABCDEFGH23456789"), size=int(random.integers(5, 10))))
    return str(random.choice(PIECES)).format(code=code)
