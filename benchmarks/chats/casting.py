"""Who the speakers of a rewritten dialogue are: names they already have, and names that they get."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.chats.people import COUNTRIES, EITHER, FEMININE, HANDLES, MASCULINE, SHORT
from core.training.names import FAMILY, FEMALE, MALE

_KNOWN = frozenset({*MALE, *FEMALE, *MASCULINE, *FEMININE, *EITHER, *SHORT.values()})
NAMES = _KNOWN | frozenset(FAMILY)
"""First names and family names."""
_NO_NAMES = frozenset(
    """All Anyone Boss Boy Brother Buddy Class Dad Darling Dear Doc Doctor Everybody Everyone Father Folks Friends
    Gentlemen God Grandma Grandpa Guys Honey Hon Kids Ladies Lady Ma Madam Man Miss Mister Mom Mother Mum Mummy
    Nurse Officer Professor Sir Sister Son Sweetheart Teacher There Waiter Waitress Welcome World You Yes No Ok
    Okay Well Here Please Thanks Sure Now Then English Chinese French German Japanese American Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
    October November December Christmas Internet""".split()
)
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Doctor|Professor|Prof)\.? "
_NAME = rf"(?P<name>{_TITLE}[A-Z][a-z]+|[A-Z][a-z]+)"
_HAILED = re.compile(
    rf"\b(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Tt]hanks|[Tt]hank you|[Bb]ye|[Gg]oodbye|[Mm]orning|[Ee]vening|[Aa]fternoon|"
    rf"[Nn]ight|[Ss]orry|[Ll]isten|[Ll]ook|[Cc]ome on),? {_NAME}(?=[,.!?])"
)
_ENDING = re.compile(rf"\b(?P<before>\w+), {_NAME}(?=\s?[.!?])")
_BEGINNING = re.compile(
    rf"(?:^|(?:[a-z]{{3}}|OK|\bI)[!?.] |^(?:OK|[A-Z][a-z]+),? |[.!?] (?:OK|Okay|Well|So|Now|But|And|Yes|No|Oh),? )"
    rf"(?<!Prof\. ){_NAME}[,.!?]"
)
_SELF = re.compile(
    rf"\b(?:[Mm]y name is|[Mm]y name's|[Ii]t's|I am called|[Tt]his is|[Tt]his's|I'm|I am) {_NAME}"
    r"(?: [A-Z][a-z]+)?(?=[,.!?]| speaking)"
)
ROLE = re.compile(
    r"\b(?:doctor|nurse|dentist|teacher|professor|tutor|boss|manager|director|secretary|assistant|clerk|cashier|waiter|"
    r"waitress|officer|policeman|driver|agent|receptionist|salesperson|salesman|saleswoman|shop|interviewer|reporter|host|"
    r"guide|librarian|operator|landlord|customer|guest|client|patient|student|child|kid|boy|girl|man|woman|lady|friend|"
    r"mother|mom|mum|father|dad|parents?|wife|husband|son|daughter|sister|brother|aunt|uncle|grandma|grandpa|grandmother|"
    r"grandfather|girlfriend|boyfriend|colleague|neighbou?r|staff|employee|candidate|applicant)\b",
    re.IGNORECASE,
)
"""Words that may stand for a speaker."""
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
TAG = re.compile(r"#Person[1-9]#")


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody writes at once.

    Args:
        speaker: a tag such as #Person1#.
        text: in it, too, the names of those who write are tags.
    """

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who writes.

    Args:
        label: in front of each message, and in the summary.
        called: what others call this person in their messages.
    """

    label: str
    called: tuple[str, ...]


def known_names(messages: Sequence[Message]) -> dict[str, str] | None:
    """Find the names by which the speakers of a dialogue of two are called in it.

    Returns:
        A name by tag; None where a name may be that of either, or where a speaker has two.
    """
    speakers = list(dict.fromkeys(each.speaker for each in messages))
    if len(speakers) != 2:
        return None if any(_addressed(each.text) or _itself(each.text) for each in messages) else {}
    other = dict(zip(speakers, reversed(speakers), strict=True))
    found: dict[str, Counter[str]] = {speaker: Counter() for speaker in speakers}
    for each in messages:
        found[other[each.speaker]].update(_addressed(each.text))
        found[each.speaker].update(_itself(each.text))
    if set(found[speakers[0]]) & set(found[speakers[1]]) or any(len(names) > 1 for names in found.values()):
        return None
    return {speaker: next(iter(names)) for speaker, names in found.items() if names}


def resolved(messages: Sequence[Message], summary: str, known: Mapping[str, str]) -> dict[str, str] | None:
    """Say who is meant by a name in the summary where it does not name every speaker by a tag.

    Returns:
        The names by tag, `known` and perhaps one more: that of the only speaker without a tag, if the other one says
        this name. None if a name may be that of a speaker who has none.
    """
    speakers = list(dict.fromkeys(each.speaker for each in messages))
    silent = [speaker for speaker in speakers if speaker not in summary and speaker not in known]
    words = re.findall(r"\b[A-Z][a-z]+\b", TAG.sub(" ", summary))
    names = [name for name in dict.fromkeys(words) if name in NAMES and not _among(name, known)]
    if not silent or not names:
        return dict(known)
    texts = {speaker: " ".join(each.text for each in messages if each.speaker == speaker) for speaker in speakers}
    if len(speakers) == 2 and len(silent) == 1 and len(names) == 1:
        (other,) = (speaker for speaker in speakers if speaker != silent[0])
        called = re.search(rf"(?:, |^|[.!?] ){names[0]}\b|\b{names[0]}(?=[,.!?])", texts[other])
        if called and names[0] not in texts[silent[0]]:
            return {**known, silent[0]: names[0]}
    return None


def _among(name: str, known: Mapping[str, str]) -> bool:
    return any(name in full.split() for full in known.values())


def told_by_tags(summary: str) -> bool:
    """Return whether a summary speaks of the speakers by their tags alone, not by names or roles."""
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z#])", summary.strip())
    named = any(word in NAMES for word in re.findall(r"\b[A-Z][a-z]+\b", summary))
    return not named and not ROLE.search(summary) and all(TAG.match(each) for each in sentences)


def _addressed(text: str) -> list[str]:
    names = [match["name"] for match in _HAILED.finditer(text) if match["name"] not in _NO_NAMES]
    for match in _ENDING.finditer(text):
        listed = match["before"][0].isupper() and match.start() > 0 and match["before"] not in ("I", "OK", "Yes", "No")
        if match["name"] not in _NO_NAMES and (not listed or match["name"] in _KNOWN):
            names.append(match["name"])
    for match in _BEGINNING.finditer(text):
        if match["name"] in _KNOWN or match["name"].split()[-1] in FAMILY:
            names.append(match["name"])
    return list(dict.fromkeys(names))


def _itself(text: str) -> list[str]:
    return [match["name"] for match in _SELF.finditer(text) if match["name"] in _KNOWN or " " in match["name"]]


def cast(
    messages: Sequence[Message], summary: str, known: Mapping[str, str], random: np.random.Generator
) -> dict[str, Person]:
    """Give every speaker a name that nobody in the dialogue has; one who has a name keeps it.

    Where the summary says only "he" or only "she", the names fit that; where it says both, they may be of either.
    """
    texts = " ".join([*(each.text for each in messages), summary])
    taken = set(re.findall(r"\w+", texts))
    he, she = bool(_HE.search(summary)), bool(_SHE.search(summary))
    pool: tuple[str, ...] = (*MALE, *MASCULINE, *MASCULINE) if he else (*FEMALE, *FEMININE, *FEMININE)
    if he and she:
        pool = EITHER
    elif not he and not she:
        pool = (*MALE, *FEMALE, *MASCULINE, *FEMININE, *EITHER)
    speakers = list(dict.fromkeys(each.speaker for each in messages))
    free = [name for name in dict.fromkeys(pool) if name not in taken]
    chosen = [free[number] for number in random.choice(len(free), size=len(speakers), replace=False)]
    counts = Counter(each.speaker for each in messages)
    people: dict[str, Person] = {}
    for speaker, name in zip(speakers, chosen, strict=True):
        if speaker in known:
            people[speaker] = Person(known[speaker], (known[speaker],))
            continue
        label, called = name, (name, name, SHORT.get(name, name), name.lower())
        kind = random.random()
        if kind < 0.08:
            label = f"{name} {random.choice(FAMILY)}"
        elif kind < 0.16 and counts[speaker] > 1:
            label = str(random.choice(HANDLES))
        elif kind < 0.20 and counts[speaker] > 1:
            label = f"{random.choice(COUNTRIES)}{random.integers(100, 999)}"
        people[speaker] = Person(label, called)
    labels = [person.label for person in people.values()]
    if len(set(labels)) < len(labels):
        return {speaker: Person(name, (name,)) for speaker, name in zip(speakers, chosen, strict=True)} | {
            speaker: Person(name, (name,)) for speaker, name in known.items()
        }
    return people
