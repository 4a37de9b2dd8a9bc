"""Spans of tokens in text, words made of sub-words, and the choice of turns that fit."""

import codecs
import unicodedata
from collections.abc import Sequence

from core.config import TURN, UNKNOWN, Truncation
from core.text.encoded import SPECIALS
from core.trace import Token

_ALONE = frozenset(SPECIALS) - {SPECIALS[UNKNOWN]}
"""Labels of tokens that stand for no characters."""


def spaced(piece: str, first: bool) -> str:
    """Give the first word of a text the leading space that every other word has."""
    return " " + piece if first and piece and not piece[0].isspace() else piece


def whole(text: str) -> str:
    """Replace lone surrogates, which no tokenizer reads."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def skip_space(text: str, start: int, end: int) -> int:
    """Move `start` over white space, unless the span is white space alone."""
    return start + len(text[start:end]) - len(text[start:end].lstrip()) if text[start:end].strip() else start


def joins(previous: Token, shown: str, start: int, end: int) -> bool:
    """Return whether a token with this text and span continues the word of the previous token.

    A special token never does, unless it is [UNK], and none continues one.
    """
    if shown in _ALONE:
        return False
    if start != previous.end:
        return start < previous.end
    if not previous.text.strip():  # a word's leading space as a token of its own
        return previous.id > TURN
    return previous.start < previous.end and start < end and continues_word(previous.text[-1], shown[0])


def continues_word(before: str, after: str) -> bool:
    """Return whether two touching characters belong to one word: letters, digits, marks, apostrophes, joined emoji."""
    if "\u200d" in (before, after) or unicodedata.category(after)[0] == "M":
        return True
    return all(
        character.isalnum() or character in "'\u2019" or unicodedata.category(character)[0] == "M"
        for character in (before, after)
    )


def fit(lengths: Sequence[int], room: int, truncation: Truncation) -> tuple[dict[int, int], tuple[int, ...]]:
    """Choose the turns to keep: {turn index: number of its tokens} in order, and the turns that were cut."""
    indices = [index for index, length in enumerate(lengths) if length]
    if sum(lengths) <= room:
        return {index: lengths[index] for index in indices}, ()
    order = {"end": indices, "start": indices[::-1]}.get(truncation)
    if order is None:
        ends = [pair for both in zip(indices, indices[::-1], strict=True) for pair in both]
        order = list(dict.fromkeys(ends))
    kept: dict[int, int] = {}
    for index in order:
        if lengths[index] > room - sum(kept.values()):
            break
        kept[index] = lengths[index]
    shortened: tuple[int, ...] = ()
    if not kept:
        kept, shortened = {order[0]: room}, (order[0],)
    return dict(sorted(kept.items())), shortened


def cut(tokens: list[Token], count: int, truncation: Truncation) -> list[Token]:
    """Return the first `count` tokens of a turn, or its last ones if the start is left out."""
    if count >= len(tokens):
        return tokens
    if truncation != "start":
        return tokens[:count]
    return tokens[:-1][-count:] if tokens[-1].id == TURN else tokens[-count:]


def renumber(tokens: Sequence[Token]) -> list[Token]:
    """Replace the word-start flags in `word` by running word numbers."""
    words, number = [], -1
    for token in tokens:
        number += 1 if number < 0 else token.word
        words.append(Token(token.text, token.id, token.start, token.end, token.turn, token.speaker, number))
    return words


def character_positions(raw: bytes) -> tuple[list[int], list[int]]:
    """Count for each byte offset 0..len(raw) the characters that end before it, and those that begin before it.

    Used as start and end of a span, they give each part of a split character the whole character.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    complete, begun = [0], [0]
    for value in raw:
        complete.append(complete[-1] + len(decoder.decode(bytes([value]))))
        begun.append(complete[-1] + bool(decoder.getstate()[0]))
    return complete, begun


def byte_values() -> dict[str, int]:
    """Map each printable character of byte-level BPE to its byte."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    values = {chr(value): value for value in plain}
    others = [value for value in range(256) if value not in set(plain)]
    return values | {chr(256 + number): value for number, value in enumerate(others)}
