"""Make alternatives of a summary: another speaker, name or number of its dialogue, or a negation."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType
from typing import TypeVar

from core.faults import evidence
from core.faults.alignment import align
from core.faults.evidence import Evidence
from core.faults.fault import Kind
from core.faults.quantities import Quantity, quantities
from core.faults.source import Source
from core.faults.words import Word
from core.files import table
from core.text.dialogue import Dialogue

OTHERS = 3
"""Most speakers, names or numbers that replace one word."""
TURNS = 3
"""Most turns that a hint names as evidence."""
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr)\b\.?\s$")
_PAIRED = re.compile(r"(?P<one>#Person\d+#|[A-Z]\w+)(?:'s)? and (?P=one)(?!\w)")
_CONTRACTED, _NEGATED, _PLAIN = table(__file__).values()
_THIRD = {plain: third for third, plain in _PLAIN.items()}
_NEGATION = re.compile(rf"\b(?:doesn't (\w+)|({'|'.join(_CONTRACTED)})(?:\s|(?=\W|$)))", re.IGNORECASE)
_POSITIVE = re.compile(rf"\b(?:({'|'.join(_NEGATED)})|(?<=\w\s|#\s)({'|'.join(_PLAIN)}))\b(?!\s(?:not|never)|n't|')")

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A summary with one thing changed.

    Args:
        kind: kind of its hint.
        start: first changed character; 0 if two speakers are exchanged throughout.
        end: one past the last; 0 if two speakers are exchanged throughout.
        change: the change in words: with "Friday" for "Thursday", one of `evidence.CHANGES`.
        summary: the whole text with the change.
        turns: turns with the other name or number, or with the topic of the clause.
    """

    kind: Kind
    start: int
    end: int
    change: Evidence
    summary: str
    turns: tuple[int, ...]


def alternatives(
    dialogue: Dialogue, summary: str, limit: int, tags: Mapping[str, str] = MappingProxyType({})
) -> tuple[Alternative, ...]:
    """Make alternatives of a summary from its dialogue.

    Args:
        dialogue: the dialogue.
        summary: its summary.
        limit: most alternatives; the kinds alternate, and every word is changed once before any is changed again.
        tags: speakers by the tags that stand for them; a tag is replaced by a tag.

    Returns:
        At most `limit`; the exchange of two speakers comes first.
    """
    source = Source(dialogue, tags)
    words = source.read(summary)
    kinds = [
        _interleaved(_other_speakers(source, summary, words)),
        _interleaved(_other_names(source, summary, words)),
        _interleaved(_other_numbers(source, summary)),
        list(_negations(summary)),
    ]
    candidates = [*_exchange(dialogue, summary, tags), *_interleaved(kinds)]
    texts: dict[str, Alternative] = {}
    for candidate in candidates:
        if candidate.summary != summary:
            texts.setdefault(candidate.summary, candidate)
    return tuple(texts.values())[:limit]


def _interleaved(groups: Iterable[Sequence[_Item]]) -> list[_Item]:
    """Take the first of each group, then the second of each, and so on."""
    return [item for row in zip_longest(*groups) for item in row if item is not None]


def _replaced(kind: Kind, summary: str, span: tuple[int, int], new: str, turns: Iterable[int]) -> Alternative:
    start, end = span
    old = summary[start:end].rstrip()
    change = evidence.of("with", new=new.rstrip(), old=old) if new else evidence.of("without", old=old)
    return Alternative(kind, start, end, change, summary[:start] + new + summary[end:], tuple(turns)[:TURNS])


def _exchange(dialogue: Dialogue, summary: str, tags: Mapping[str, str]) -> Iterator[Alternative]:
    """Exchange both speakers throughout, if there are two and the summary names them, not just as "Ann and Ben"."""
    if len(dialogue.speakers) != 2:
        return
    first, second = dialogue.speakers
    tagged = {name: written for written, name in tags.items()}
    other = {first: second, second: first}
    other |= {tagged[name]: tagged[other[name]] for name in dialogue.speakers if tags}
    either = rf"(?<!\w)(?:{'|'.join(map(re.escape, other))})(?!\w)"
    text, places = re.subn(either, lambda match: other[match.group()], summary)
    alone = re.sub(f"{either} and {either}", "", summary)
    if places > 1 and re.search(either, alone):  # a single name is changed on its own
        change = evidence.of("exchanged", first=first, second=second)
        yield Alternative("speaker_swap", 0, 0, change, text, ())


def _other_speakers(source: Source, summary: str, words: Sequence[Word]) -> Iterator[list[Alternative]]:
    """Yield the other speakers for each named speaker, frequent ones first; "Ann and Ann" is no alternative."""
    turns = Counter(turn.speaker for turn in source.dialogue.turns if turn.speaker)
    clauses = align(source, summary).clauses
    tagged = {name: written for written, name in source.tags.items()}
    for word in words:
        if word.kind != "speaker" or word.stem not in turns:
            continue
        clause = next(each for each in clauses if each.start <= word.start < each.end)
        about = [each.turn for each in clause.support]
        others = [name for name, _ in turns.most_common() if name != word.stem][:OTHERS]
        forms = [tagged[name] if word.text in source.tags else name for name in others]
        made = [_replaced("speaker_swap", summary, (word.start, word.end), form, about) for form in forms]
        yield [each for each in made if not _PAIRED.search(each.summary[max(0, word.start - 60) : word.end + 60])]


def _names(text: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Find the proper names that are no speakers, with titles; neighbouring words are one name."""
    spans: list[tuple[int, int]] = []
    for word in (each for each in words if each.kind == "name"):
        if spans and text[spans[-1][1] : word.start] == " ":
            spans[-1] = (spans[-1][0], word.end)
            continue
        title = _TITLE.search(text, 0, word.start)
        spans.append((title.start() if title else word.start, word.end))
    return spans


def _other_names(source: Source, summary: str, words: Sequence[Word]) -> Iterator[list[Alternative]]:
    """Yield the most frequent names of the dialogue for each name that is no speaker."""
    where: dict[str, list[int]] = {}
    for turn, turn_words in enumerate(source.turns):
        text = source.dialogue.turns[turn].text
        for start, end in _names(text, turn_words):
            where.setdefault(text[start:end], []).append(turn)
    common = sorted(where, key=lambda name: (-len(where[name]), where[name][0]))
    for start, end in _names(summary, words):
        old = summary[start:end]
        others = [name for name in common if name not in old and old not in name][:OTHERS]
        yield [_replaced("name_swap", summary, (start, end), name, dict.fromkeys(where[name])) for name in others]


def _other_numbers(source: Source, summary: str) -> Iterator[list[Alternative]]:
    """Yield others of the same sort in the dialogue for each number, time, day or price."""
    said: dict[tuple[str, str], tuple[str, list[int]]] = {}
    for turn in source.dialogue.turns:
        for each in quantities(turn.text):
            text = turn.text[each.start : each.end]
            said.setdefault((each.sort, each.value), (text, []))[1].append(turn.index)
    for quantity in quantities(summary):
        others = [mention for (sort, value), mention in said.items() if _rival(quantity, sort, value)]
        others.sort(key=lambda mention: -len(mention[1]))
        span = (quantity.start, quantity.end)
        yield [_replaced("number_swap", summary, span, text, dict.fromkeys(turns)) for text, turns in others[:OTHERS]]


def _rival(quantity: Quantity, sort: str, value: str) -> bool:
    return quantity.sort == sort and quantity.value != value


def _negations(summary: str) -> Iterator[Alternative]:
    """Remove each negation; turn "is", "wants" and the like into "isn't", "doesn't want"."""
    plain = summary.replace("\u2019", "'")
    for match in _NEGATION.finditer(plain):
        if match.group(1):
            verb = match.group(1)
            new = _THIRD.get(verb, verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s"))
        else:
            new = _CONTRACTED[match.group(2).casefold()]
            new += " " if new and match.group()[-1].isspace() else ""
        yield _replaced("negation_swap", summary, match.span(), new, ())
    for match in _POSITIVE.finditer(plain):
        new = _NEGATED[match.group(1)] if match.group(1) else f"doesn't {_PLAIN[match.group(2)]}"
        yield _replaced("negation_swap", summary, match.span(), new, ())
