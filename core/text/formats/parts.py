"""Long transcripts in parts that fit: cut at a new day, else at a long silence, else where the topic changes."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.limits import limits
from core.text.dialogue import parse_dialogue, write_turns
from core.text.formats.transcript import Transcript

if TYPE_CHECKING:
    from core.text.encoded import AnyTokenizer

UNBOUNDED = 10**9
"""Tokens: nothing is left out of a dialogue that is only measured."""
_SILENCE = 60.0
"""Seconds between the beginnings of two turns from which a part may end there, whatever is talked about."""
_WINDOW = 16
"""Turns on each side of a place whose words are compared."""
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2}|[^\W\d_]{3,}")
"""A word; of scripts that put no space between words two characters."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")


@dataclass(frozen=True, slots=True)
class Part:
    """Some turns of a transcript, one after another.

    Args:
        first, last: indices of its turns.
        day: what the file calls the day of its first turn; "" where it has none.
        begin, end: seconds at which its first and its last turn begin; None where nobody knows.
        opening: the first line of it, at most 80 characters.
        text: its turns, for `core.text.dialogue.parse_dialogue`.
    """

    first: int
    last: int
    day: str
    begin: float | None
    end: float | None
    opening: str
    text: str

    @property
    def times(self) -> str:
        """When its first and its last turn begin; "" where nobody knows."""
        return "" if None in (self.begin, self.end) else f"{_clock(self.begin)}–{_clock(self.end)}"


def parts(
    found: Transcript, most_turns: int | None = None, most: int | None = None, sizes: Sequence[int] = ()
) -> list[Part]:
    """Cut a transcript into parts of which each has no more turns and is no larger than allowed.

    Args:
        found: the transcript.
        most_turns: of a part, at least 1; None means the limit of a dialogue.
        most: size of a part; None means nine tenths of the limit of characters. One turn alone may have more.
        sizes: of each turn; without them, the characters of its name and words.
    """
    turns = most_turns or limits().dialogue_turns
    largest = most or limits().dialogue_characters * 9 // 10
    sizes = sizes or [len(speaker or "") + len(text) + 4 for speaker, text in found.turns]
    words: list[Counter[str]] = []
    cut, begin = [], 0
    while begin < len(sizes):
        end, size = begin, 0
        while end < len(sizes) and end - begin < turns and (end == begin or size + sizes[end] <= largest):
            size += sizes[end]
            end += 1
        if end < len(sizes):
            words = words or [_words(text) for _, text in found.turns]
            end = _best(found, words, range((begin + end) // 2 + 1, end + 1), end)
        cut.append(_part(found, begin, end))
        begin = end
    return cut


def fitting(found: Transcript, tokenizer: "AnyTokenizer", room: int) -> list[Part]:
    """Cut a transcript into parts that a model reads whole: `room` is its longest input, in tokens."""
    encoded = tokenizer.encode_dialogue(parse_dialogue(found.text), UNBOUNDED)
    sizes = [1] * len(found.turns)
    for token in encoded.tokens[:-1]:
        sizes[token.turn or 0] += 1
    return parts(found, most=room - 1, sizes=sizes)


def together(summaries: Sequence[str], write: Callable[[str], str], cut: Callable[[Transcript], list[Part]]) -> str:
    """Return a summary of summaries: of a text with a line each, in parts where that is too long.

    Args:
        summaries: of the parts, in their order.
        write: returns the summary of a text.
        cut: as `fitting` does it.
    """
    lines = [(None, summary) for summary in summaries if summary.strip()]
    if len(lines) < 2:
        return lines[0][1] if lines else ""
    text = write_turns(lines)
    pieces = cut(Transcript("plain", tuple(lines), text))
    if 1 < len(pieces) < len(lines):
        return together([write(piece.text) for piece in pieces], write, cut)
    return write(text)


def origins(text: str, summaries: Sequence[str]) -> list[tuple[str, int | None]]:
    """Return the sentences of a summary of summaries, each with the place of the summary that it is nearest to.

    Nearest is the highest cosine of their words, those of few summaries first; None where they share no such word.
    """
    words = [_words(each) for each in summaries]
    spread = Counter(word for each in words for word in each)
    weights = {word: math.log((len(words) + 1) / times) for word, times in spread.items()}
    sentences: list[tuple[str, int | None]] = []
    for sentence in filter(None, _SENTENCE.split(text.strip())):
        own = _words(sentence)
        likeness = [_cosine([own], [each], weights) for each in words]
        best = max(range(len(words)), key=likeness.__getitem__, default=None)
        sentences.append((sentence, best if best is not None and likeness[best] > 0 else None))
    return sentences


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _best(transcript: Transcript, words: Sequence[Counter[str]], places: range, end: int) -> int:
    """Return where a part ends best: before another day, after a long silence, where the topic changes; else last."""
    if not places:
        return end
    depths = _depths(words, places)
    return max(places, key=lambda place: (*_pause(transcript, place), depths[place - places.start], place))


def _pause(transcript: Transcript, place: int) -> tuple[bool, float]:
    """Return whether another day begins before a turn, and the seconds of a long silence there."""
    before, after = transcript.moments[place - 1 : place + 1] if transcript.moments else (("", None), ("", None))
    if before[0] != after[0] or before[1] is None or after[1] is None:
        return before[0] != after[0], 0.0
    silence = after[1] - before[1]
    return False, silence if silence >= _SILENCE else 0.0


def _depths(words: Sequence[Counter[str]], places: range) -> list[float]:
    """Return how far the likeness of the words on both sides falls at each place: large where the topic changes.

    It is the depth score of TextTiling (Hearst 1997, section 4): the cosine of the words in a window before and after
    a place, compared with its peaks to the left and to the right. Words count by the logarithm of how few turns have
    them, so that those of every topic weigh little.
    """
    around = words[max(places.start - 2 * _WINDOW, 0) : places.stop + 2 * _WINDOW]
    spread = Counter(word for turn in around for word in turn)
    weights = {word: math.log(len(around) / times) for word, times in spread.items() if times > 1}
    wide = range(max(places.start - _WINDOW, 1), min(places.stop + _WINDOW, len(words)))
    likeness = [_cosine(words[max(at - _WINDOW, 0) : at], words[at : at + _WINDOW], weights) for at in wide]
    smooth = [sum(near := likeness[max(at - 2, 0) : at + 3]) / len(near) for at in range(len(likeness))]
    own = range(places.start - wide.start, places.stop - wide.start)
    peaks = ((max(smooth[max(at - _WINDOW, 0) : at + 1]), max(smooth[at : at + _WINDOW + 1])) for at in own)
    return [left + right - 2 * smooth[at] for at, (left, right) in zip(own, peaks, strict=True)]


def _cosine(before: Sequence[Counter[str]], after: Sequence[Counter[str]], weights: dict[str, float]) -> float:
    sides = []
    for side in (before, after):
        total: Counter[str] = Counter()
        for turn in side:
            total.update(turn)
        sides.append({word: times * weights[word] for word, times in total.items() if word in weights})
    left, right = sides
    norm = math.sqrt(sum(v * v for v in left.values()) * sum(v * v for v in right.values()))
    return sum(value * right[word] for word, value in left.items() if word in right) / norm if norm else 0.0


def _part(transcript: Transcript, begin: int, end: int) -> Part:
    turns = transcript.turns[begin:end]
    opening = ": ".join(filter(None, (turns[0][0], turns[0][1].split("\n", 1)[0])))[:80]
    moments = transcript.moments[begin:end] or (("", None),)
    return Part(begin, end - 1, moments[0][0], moments[0][1], moments[-1][1], opening, write_turns(turns))


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(int(seconds or 0), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
