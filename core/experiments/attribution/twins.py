"""A dialogue and its twin, in which two names, or a number and another one, have changed places."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.attribution.question import Question
from core.text.encoded import EncodedDialogue
from core.trace import Summary, Token
from core.words import first_few

if TYPE_CHECKING:
    from core.service import Summarizer

SPEAKERS = "speakers"
"""The swap that exchanges the first two speakers."""

WORD = re.compile(r"\w+")
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMES = ("Peter", "Maria", "Tom", "Paris")
"""What a number or a name is exchanged with, if the dialogue has no other."""
CALENDAR = (
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December"),
)  # fmt: skip
"""What is exchanged with its like."""


@dataclass(frozen=True, eq=False)
class Twin:
    """The twin of a run's dialogue: as many tokens, in the same places.

    Args:
        names: that were exchanged.
        encoded: the twin.
        step: the first written token that tells the two apart, 0-based.
        answer: id that was written there.
        foil: id that would name the other one there.
    """

    names: tuple[str, str]
    encoded: EncodedDialogue
    step: int
    answer: int
    foil: int


def twin_of(summarizer: "Summarizer", run: Summary, swap: str = SPEAKERS) -> Twin:
    """Make the twin of a run's dialogue.

    The tokens of speakers stay with their names: a tokenizer that numbers the speakers would number those of the twin
    anew, and the network would not see who says what.

    Args:
        summarizer: the model that wrote the run.
        run: the summary.
        swap: `SPEAKERS`, or NAME=NAME.

    Raises:
        SettingsError: there are no such two names, the summary has neither, the twin has tokens in other places, or the
            model reads the same.
    """
    names = _names(run, swap)
    question = Question(summarizer, run)
    known = question.encoded.speakers
    text = exchanged(run.dialogue.text, names)
    made = summarizer.encode(text, run.settings.truncation)
    tags = {name: tag for tag, name in known.items()}
    renamed = {tag: tags[name] for tag, name in made.speakers.items() if name in tags}
    tokens = tuple(replace(token, id=renamed.get(token.id, token.id)) for token in made.tokens)
    _check_places(run.source, tokens, names, lambda word: len(summarizer.tokenizer.encode_continuation(word)))
    if [token.id for token in tokens] == question.source:
        if names[0] in tags:
            raise SettingsError(
                "{name} stands only in front of turns, where the model reads a number and no name. Exchange two "
                "speakers of this dialogue, or a name or number that is said in it",
                name=repr(names[0]),
            )
        raise SettingsError("the dialogue reads the same with {names} exchanged", names=" / ".join(names))
    return Twin(names, replace(made, tokens=tokens, speakers=known), *_told_apart(summarizer, run, names, known))


def offers(summarizer: "Summarizer", run: Summary) -> tuple[str, ...]:
    """Return swaps of which a twin can be made: the speakers, a name and a number that the summary takes over."""
    everyone = run.dialogue.speakers
    spoken, speakers = set(WORD.findall(run.dialogue.text)), set(WORD.findall(" ".join(everyone)))
    known = [word for word in dict.fromkeys(WORD.findall(run.text)) if word in spoken - speakers]
    names = [word for word in known if word[0].isupper() and word.lower() not in spoken]
    numbers = [word for word in known if _is_number(word)]
    choices = []
    for swaps in (
        (SPEAKERS, *map("=".join, combinations(everyone[:4], 2)), *map("=".join, product(everyone[:2], NAMES))),
        (f"{name}={other}" for name in names for other in (*_like(name), *names) if _like(other) is _like(name)),
        (f"{number}={next_number(number)}" for number in numbers),
    ):
        for swap in swaps:
            try:
                twin_of(summarizer, run, swap)
            except SettingsError:
                continue
            choices.append(swap)
            break
    return tuple(choices)


def next_number(number: str) -> str:
    """Return the number after one of digits, or after one of `NUMBERS`; after the last one the first."""
    return str(int(number) + 1) if number.isdecimal() else NUMBERS[(NUMBERS.index(number) + 1) % len(NUMBERS)]


def _like(name: str) -> tuple[str, ...]:
    """Return words that can stand in the place of a name."""
    return next((words for words in CALENDAR if name in words), NAMES)


def _is_number(word: str) -> bool:
    return word.isdecimal() or word in NUMBERS


def exchanged(text: str, names: tuple[str, str]) -> str:
    """Exchange two names throughout a text, as whole words."""
    other = {names[0]: names[1], names[1]: names[0]}
    return _either(names).sub(lambda match: other[match.group()], text)


def _either(names: Sequence[str]) -> re.Pattern[str]:
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")


def _names(run: Summary, swap: str) -> tuple[str, str]:
    if swap == SPEAKERS:
        speakers = run.dialogue.speakers
        if len(speakers) < 2:
            raise SettingsError("two speakers are needed to exchange them. Received: {count}", count=str(len(speakers)))
        return speakers[0], speakers[1]
    first, _, second = (part.strip() for part in swap.partition("="))
    if not first or not second or "=" in second or first == second:
        raise SettingsError(
            "a swap is “speakers”, or two different names as NAME=NAME. Received: {swap}", swap=repr(swap[:60])
        )
    if not _either((first,)).search(run.dialogue.text):
        raise SettingsError("the dialogue does not name {name}", name=repr(first[:60]))
    return first, second


def _check_places(
    own: Sequence[Token], other: Sequence[Token], names: tuple[str, str], size: Callable[[str], int]
) -> None:
    """Refuse a twin whose turns have other numbers of tokens; say which differ, and what has the same `size`."""
    places = [[token.turn for token in tokens] for tokens in (own, other)]
    if places[0] == places[1]:
        return
    counts = [Counter((token.turn, token.id) for token in tokens) for tokens in (own, other)]
    texts = {token.id: token.text for token in (*own, *other)}
    differ = [dict.fromkeys(texts[id] for _, id in one - two) for one, two in (counts, counts[::-1])]
    instead = (next_number(names[0]),) if _is_number(names[0]) else _like(names[0])
    fitting = [f"{names[0]}={name}" for name in instead if name != names[0] and size(name) == size(names[0])]
    raise SettingsError(
        "the twin must have as many tokens in each turn. Received: {own} and {other} tokens; only here: {mine}; "
        "only in the twin: {theirs}; would fit: {fitting}",
        own=len(own),
        other=len(other),
        mine=first_few(differ[0]) or "–",
        theirs=first_few(differ[1]) or "–",
        fitting=first_few(fitting) or "–",
    )


def _told_apart(
    summarizer: "Summarizer", run: Summary, names: tuple[str, str], speakers: Mapping[int, str]
) -> tuple[int, int, int]:
    """Return the first step at which the summary names one of the two, what it wrote, and what names the other."""
    match = _either(names).search(run.text)
    if match is None:
        raise SettingsError(
            "the summary names neither {names}: nothing tells the dialogues apart", names=" nor ".join(names)
        )
    step = next(place for place, token in enumerate(run.tokens) if token.start <= match.start() < token.end)
    written = [token.id for token in run.tokens[step:]]
    other = names[1] if match.group() == names[0] else names[0]
    tag = next((tag for tag, name in speakers.items() if name == other), None)
    instead = [tag] if tag is not None and written[0] in speakers else summarizer.tokenizer.encode_continuation(other)
    for place, (own, foil) in enumerate(zip(written, instead, strict=False)):
        if own != foil:
            return step + place, own, foil
    raise SettingsError("{names} begin with the same tokens", names=" / ".join(names))
