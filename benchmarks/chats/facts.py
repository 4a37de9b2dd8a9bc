"""Chats of several people made from facts: who does, has or wants what; see the table beside this.

Nearly all dialogues of DialogSum have two speakers. These have two to five, and only who says what tells who is meant.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.chats.casting import NAMES, TAG, Message
from benchmarks.chats.groups import bystander
from benchmarks.chats.rewriting import OWN, Chat, SmallTalk, written
from core.files import table

_TABLE = table(__file__)
WORDS: Mapping[str, list[str]] = _TABLE["words"]
"""What stands for a word in braces."""
ANSWERS = ("yes", "good", "pity", "cannot")
"""Words that are another one each time; the others stay the same in a fact."""
PEOPLE = (0.3, 0.35, 0.25, 0.1)
"""Share of the chats with two, three, four and five people."""
_SLOT = re.compile(r"\{(\w+?)\}")
_DOING = re.compile(
    r"(?:#Person\d# (?:will|wants to|would like to|is going to|has to|needs to|plans to|decides to|offers to|agrees to|"
    r"hopes to|asks #Person\d# to|should)|\bI(?:'ll| will| want to| need to| have to|'d like to|'m going to| plan to)|"
    r"\b(?:[Cc]an|[Cc]ould) you(?: please)?|\b[Ll]et's|\b[Yy]ou should) "
    r"(?P<do>[a-z]+ [^.,;#?!]*?)(?=[.,?!]| because | but | so | since | when | and (?:#Person|I\b|you\b))"
)
_OTHERS = re.compile(
    r"\b(?:I|my|me|mine|you|your|yours|we|us|our|h(?:e|im|is|er|ers)|she|they|their|them|it|its|this|that|these|those|"
    r"each|other|another|both|one|so|too|also|there|then|first|instead|not|be|become|have|like|know|think|of course|"
    r"always|just|never|\w+sel(?:f|ves)|to(?:day|night|morrow)|day|week|month|year|\w+day)\b|\d|\b[A-Z]\w{,2}$"
)
_FIRST = {"I'm": "is", "I've": "has", "I have": "has", "I was": "was", "I": "", "my": ""}


class Fact(NamedTuple):
    """What people write, and what is true then.

    Args:
        told: ways to write it, messages of the roles A, B and C.
        summary: sentences that are true of each of them.
    """

    told: Sequence[str]
    summary: Sequence[str]


FACTS = tuple(Fact(**fact) for fact in _TABLE["facts"])


def doings(texts: Iterable[str]) -> list[str]:
    """Collect what texts say that somebody will do or wants to do, of three to nine words that name no person."""
    phrases = dict.fromkeys(match["do"].strip() for text in texts for match in _DOING.finditer(text))
    return [
        phrase
        for phrase in phrases
        if 3 <= len(phrase.split()) <= 9 and not _OTHERS.search(phrase) and not NAMES & set(phrase.split())
    ]


def group_chat(doing: Sequence[str], random: np.random.Generator, talk: SmallTalk = OWN) -> Chat | None:
    """Make a chat of one to three facts.

    Args:
        doing: what people may do, see `doings`.
        random: of all choices.
        talk: exchanges about nothing, with which a chat may begin or end.

    Returns:
        The chat with its summary; None if somebody is named who does not write, or it would not be read as the same
        messages again.
    """
    people = 2 + int(random.choice(len(PEOPLE), p=PEOPLE))
    tags = [f"#Person{number}#" for number in random.permutation(people) + 1]
    messages: list[Message] = []
    sentences: list[str] = []
    for _ in range(int(random.integers(1, 4))):
        roles = dict(zip("ABC", random.permutation(tags).tolist(), strict=False))
        more, sentence = told(FACTS[int(random.integers(len(FACTS)))], roles, doing, random)
        if more and sentence not in sentences:
            messages += more
            sentences.append(sentence)
    speakers = {message.speaker for message in messages}
    named = set(TAG.findall(" ".join([*(message.text for message in messages), *sentences])))
    if len(speakers) < 2 or not named <= speakers:
        return None
    if random.random() < 0.3:
        messages = bystander(messages, random)
    return written(messages, _joined(sentences, random), {}, random, talk)


def told(
    fact: Fact, roles: Mapping[str, str], doing: Sequence[str], random: np.random.Generator
) -> tuple[list[Message], str]:
    """Let people tell a fact, and say what is true then.

    Args:
        fact: ways to write it.
        roles: tags of A, B and, in a group, C.
        doing: what people may do.
        random: of all choices.

    Returns:
        The messages and a sentence; no message if no way to write it does without C.
    """
    few = [[way for way in ways if "C" in roles or not _third(way)] for ways in fact]
    if not all(few):
        return [], ""
    way, sentence = (str(random.choice(ways)) for ways in few)
    chosen: dict[str, str] = {}

    def filled(match: re.Match[str]) -> str:
        name, _, role = match.group(1).partition("_")
        if name in roles:
            return roles[name]
        kind = name.removesuffix("2")
        word = str(random.choice(doing if kind == "do" else WORDS[kind]))
        if kind in ANSWERS:
            return word
        word = chosen.setdefault(name, word)
        return of_another(word, roles[role]) if role else word

    lines = [line.split(": ", 1) for line in way.split(" | ")]
    messages = [Message(_SLOT.sub(filled, role), _capital(_SLOT.sub(filled, text))) for role, text in lines]
    return messages, _capital(_SLOT.sub(filled, sentence))


def of_another(clause: str, tag: str) -> str:
    """Say of somebody what this person has said with "I" or "my" as its first word.

    Args:
        clause: such as "I have to work".
        tag: of the person.
    """
    begin = next(first for first in _FIRST if re.match(rf"{first}\b", clause))
    rest = clause.removeprefix(begin).strip()
    if begin == "my":
        return f"{tag}'s {rest}"
    return f"{tag} {_FIRST[begin]} {rest}".replace("  ", " ").replace(" my ", f" {tag}'s ")


def _third(way: str) -> bool:
    return "{C}" in way or "_C}" in way


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _joined(sentences: Sequence[str], random: np.random.Generator) -> str:
    """Join sentences, some of them with "and" or "while"."""
    text = sentences[0]
    for sentence in sentences[1:]:
        simple = " and " not in text.split(". ")[-1] and " because " not in text.split(". ")[-1]
        if simple and sentence.startswith("#") and sentence.count(". ") == 0 and random.random() < 0.4:
            text = text.removesuffix(".") + str(random.choice([" and ", ", and ", ", while ", ". "])) + sentence
        else:
            text += f" {sentence}"
    return text
