"""Rewrite a training dialogue as a chat; its summary stays true."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.chats import groups, messages
from benchmarks.chats.casting import TAG, Message, Person, cast, known_names, resolved
from benchmarks.chats.messages import Style
from benchmarks.chats.people import FEMININE, MASCULINE
from benchmarks.chats.phrases import CALLED, CALLS, FAREWELLS, GREETINGS
from core.errors import DialogueError
from core.text.dialogue import parse_dialogue
from core.training.augmentation import other_names, replaced
from core.training.names import FEMALE, MALE

RENAMED, GROUPED, CALLING, GREETED, PARTED, STAMPED = 0.5, 0.35, 0.75, 0.4, 0.3, 0.1
"""Probabilities: other names of third persons, a group, names in messages, a greeting, a farewell, times."""
MOST = 4
"""Most speakers of a dialogue that is rewritten."""
_MEETING = re.compile(
    r"\b(?:hi|hello|hey|how are you|how's it going|good morning|good evening|good afternoon|nice to (?:see|meet) you|"
    r"fine|great|not bad|how about you|what's up)\b",
    re.IGNORECASE,
)
_PARTING = re.compile(
    r"\b(?:bye|goodbye|good-bye|see you|take care|thanks|thank you|welcome|not at all|good night)\b", re.IGNORECASE
)
_DETAIL = re.compile(
    r"\d|(?<![.!?] )(?<!^)\b(?!I\b)[A-Z]|\b(?:can|could|would|will|want|need|sir|madam|help|here|tomorrow|tonight|next|"
    r"later|your|my|at|from|in|on)\b"
)


class Chat(NamedTuple):
    """A rewritten dialogue.

    Args:
        dialogue: a line for each message.
        summary: with the names of those who write.
    """

    dialogue: str
    summary: str


Exchange = tuple[str, str]
"""What one says, and what the other one answers."""


class SmallTalk(NamedTuple):
    """Exchanges about nothing, with which dialogues begin or end."""

    meeting: tuple[Exchange, ...] = GREETINGS
    parting: tuple[Exchange, ...] = FAREWELLS


OWN = SmallTalk()


def small_talk(dialogues: Iterable[str]) -> SmallTalk:
    """Collect exchanges with which dialogues begin or end and that are about nothing: short, without names, numbers."""
    found: tuple[dict[Exchange, None], dict[Exchange, None]] = ({}, {})
    for dialogue in dialogues:
        turns = [each.text for each in parse_dialogue(dialogue).turns]
        ends = ((turns[:2], _MEETING), (turns[-2:], _PARTING)) if len(turns) > 3 else ()
        for kept, (both, kind) in zip(found, ends, strict=False):
            if all(len(each.split()) < 9 and kind.search(each) and not _DETAIL.search(each) for each in both):
                kept[both[0], both[1]] = None
    return SmallTalk((*GREETINGS, *found[0]), (*FAREWELLS, *found[1]))


def rewrite(
    dialogue: str, summary: str, random: np.random.Generator, talk: SmallTalk = OWN, grouped: float = GROUPED
) -> Chat | None:
    """Rewrite a dialogue with speaker tags as a chat of people with names.

    Args:
        dialogue: with tags such as #Person1#.
        summary: its summary, with the same tags.
        random: of all choices.
        talk: exchanges about nothing, see `small_talk`.
        grouped: probability that more people take part.

    Returns:
        The chat; None if the dialogue has no tags, too many speakers, or names that may be those of either speaker.
    """
    if random.random() < RENAMED:
        changes = _other_names(dialogue, random)
        dialogue, summary = (replaced(text, changes) if changes else text for text in (dialogue, summary))
    told = [Message(turn.speaker or "", " ".join(turn.text.split())) for turn in parse_dialogue(dialogue).turns]
    speakers = list(dict.fromkeys(each.speaker for each in told))
    tags = all(TAG.fullmatch(each) for each in speakers)
    known = known_names(told)
    known = None if known is None else resolved(told, summary, known)
    if known and any(speaker in summary and re.search(rf"\b{name}\b", summary) for speaker, name in known.items()):
        return None  # it tells of two people, or the name is that of the other one
    if not tags or not 1 < len(speakers) <= MOST or known is None or not set(TAG.findall(summary)) <= set(speakers):
        return None
    told, summary = _grouped(told, summary, known, random) if random.random() < grouped else (told, summary)
    return written(told, summary, known, random, talk)


def written(
    told: Sequence[Message],
    summary: str,
    known: dict[str, str],
    random: np.random.Generator,
    talk: SmallTalk = OWN,
) -> Chat | None:
    """Write what people say as a chat: with names, as each person types, and with greetings around it.

    Args:
        told: what they say; names of speakers are tags.
        summary: with the same tags.
        known: names that speakers keep, by tag.
        random: of all choices.
        talk: exchanges about nothing.

    Returns:
        The chat; None if the text would not be read as the same messages again.
    """
    people = cast(told, summary, known, random)
    kept = messages.content(summary)
    light = random.random() < 0.15
    styles = {each: Style(split=0.5) if light else messages.style(random) for each in people}
    typed = _typed(_called(told, random), styles, kept, random)
    typed = _around(typed, styles, talk, random)
    return _named(typed, summary, people, random)


def _other_names(dialogue: str, random: np.random.Generator) -> dict[str, str]:
    """Choose other names for the people that a dialogue speaks of, half of them of other origins."""
    changes = other_names(dialogue, random)
    words = set(re.findall(r"\w+", dialogue))
    for old in list(changes):
        pool = MASCULINE if old in MALE else FEMININE if old in FEMALE else ()
        free = [name for name in pool if name not in words and name not in changes.values()]
        if free and random.random() < 0.5:
            changes[old] = free[int(random.integers(len(free)))]
    return changes


def _grouped(
    told: list[Message], summary: str, known: dict[str, str], random: np.random.Generator
) -> tuple[list[Message], str]:
    """Let more people take part."""
    if not known:  # somebody who is called by a name keeps what was said to this name
        several = groups.joined(told, summary, random)
        if several:
            return several
        for _ in range(int(random.integers(1, 3))):
            told = groups.shared(told, summary, random) or told
    if len({each.speaker for each in told}) < 3 or random.random() < 0.3:
        for _ in range(1 if random.random() < 0.8 else 2):
            told = groups.bystander(told, random)
    return told, summary


def _called(told: Sequence[Message], random: np.random.Generator) -> list[Message]:
    """Let messages begin or end with the name of the one they answer."""
    if random.random() >= CALLING:
        return list(told)
    found: list[Message] = []
    share = random.uniform(0.05, 0.3)
    for place, each in enumerate(told):
        others = [other.speaker for other in told[max(place - 2, 0) : place + 2] if other.speaker != each.speaker]
        if others and len(each.text) > 3 and not TAG.search(each.text) and random.random() < share:
            name = others[-1] if place == 0 else others[0] if len(set(others)) == 1 else None
            if name and random.random() < 0.75:
                begin = str(random.choice(CALLS)).format(name=name)
                each = Message(each.speaker, begin + each.text)
            elif name and each.text[-1] in ".!?":
                each = Message(
                    each.speaker, each.text[:-1] + str(random.choice(CALLED)).format(name=name) + each.text[-1]
                )
        found.append(each)
    return found


def _typed(
    told: Sequence[Message], styles: dict[str, Style], kept: frozenset[str], random: np.random.Generator
) -> list[Message]:
    """Split turns into messages, as each person types; a piece may follow one."""
    found = []
    for each in told:
        typed = styles[each.speaker]
        for text in messages.split(each.text, typed, random):
            written = messages.dressed(text, typed, kept, random)
            if written:
                found.append(Message(each.speaker, written))
            if random.random() < typed.piece:
                found.append(Message(each.speaker, messages.piece(random)))
    return found


def _around(
    written: list[Message], styles: dict[str, Style], talk: SmallTalk, random: np.random.Generator
) -> list[Message]:
    """Put greetings, small talk of other dialogues and a farewell around the matter."""
    speakers = list(dict.fromkeys(each.speaker for each in written))
    first, second = (speakers[int(number)] for number in random.choice(len(speakers), size=2, replace=False))

    def exchange(pool: Sequence[Exchange]) -> list[Message]:
        texts = pool[int(random.integers(len(pool)))]
        return [
            Message(speaker, messages.dressed(text, styles[speaker], (), random) or text)
            for speaker, text in zip((first, second), texts, strict=True)
        ]

    if random.random() < GREETED:
        written = exchange(talk.meeting) + written
    if random.random() < PARTED:
        written = written + exchange(talk.parting)
    return written


def _named(
    written: Sequence[Message], summary: str, people: dict[str, Person], random: np.random.Generator
) -> Chat | None:
    """Write names for tags; None if the text would not be read as the same messages again."""

    def called(match: re.Match[str]) -> str:
        return str(random.choice(people[match.group()].called))

    told = TAG.sub(lambda match: people[match.group()].label, summary)
    minute, stamped = int(random.integers(400, 1300)), random.random() < STAMPED
    stamped = stamped or any(person.label.startswith("+") for person in people.values())
    lines = []
    for each in written:
        label, text = people[each.speaker].label, TAG.sub(called, each.text)
        minute += int(random.integers(0, 3))
        stamp = f"12/03/2024, {minute // 60 % 24:02d}:{minute % 60:02d} - " if stamped else ""
        lines.append((stamp, label, text))
    chat = "\n".join(f"{stamp}{label}: {text}" for stamp, label, text in lines)
    try:
        read = [(turn.speaker, turn.text) for turn in parse_dialogue(chat).turns]
    except DialogueError:
        return None
    return Chat(chat, told) if read == [(label, text.strip()) for _, label, text in lines] else None
