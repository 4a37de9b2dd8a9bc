"""More people in a chat: somebody who has nothing to do with the matter, or turns that others take over.

Turns are given away only where the summary stays true: it does not speak of who loses them, or of all at once.
"""

import re
from collections.abc import Sequence

import numpy as np

from benchmarks.chats.casting import Message, told_by_tags
from benchmarks.chats.phrases import ASIDES, REACTIONS

FEWEST = 5
"""Fewest messages of a dialogue of which some are given away."""
_BOTH = re.compile(r"\b(?:both|two|couple|pair|each other|one another)\b", re.IGNORECASE)
_JOINT = re.compile(r"(#Person[1-9]#) and (#Person[1-9]#)(?!['’]s)")


def tag(messages: Sequence[Message]) -> str | None:
    """Return the next free tag, None if all nine are taken."""
    taken = {each.speaker for each in messages}
    return next((name for number in range(1, 10) if (name := f"#Person{number}#") not in taken), None)


def bystander(messages: Sequence[Message], random: np.random.Generator) -> list[Message]:
    """Let one more person write in between, who says nothing of the matter."""
    new = tag(messages)
    if new is None:
        return list(messages)
    speakers = list(dict.fromkeys(each.speaker for each in messages))
    found = list(messages)
    for _ in range(int(random.integers(2, 5))):
        text = str(random.choice(REACTIONS))
        if random.random() < 0.4:
            text = str(random.choice(ASIDES)).format(name=random.choice(speakers))
        found.insert(int(random.integers(0, len(found) + 1)), Message(new, text))
    return found


def shared(messages: Sequence[Message], summary: str, random: np.random.Generator) -> list[Message] | None:
    """Give some turns of a speaker of whom the summary does not tell to somebody new; None if there is no such one."""
    new = tag(messages)
    silent = [
        speaker
        for speaker in dict.fromkeys(each.speaker for each in messages)
        if speaker not in summary and sum(each.speaker == speaker for each in messages) > 2
    ]
    if new is None or not silent or len(messages) < FEWEST or not told_by_tags(summary):
        return None
    loser = str(random.choice(silent))
    own = [place for place, each in enumerate(messages) if each.speaker == loser]
    given = set(random.choice(own, size=int(random.integers(1, len(own))), replace=False).tolist())
    return [Message(new, each.text) if place in given else each for place, each in enumerate(messages)]


def joined(messages: Sequence[Message], summary: str, random: np.random.Generator) -> tuple[list[Message], str] | None:
    """Let somebody new take turns of both speakers where the summary only speaks of "#Person1# and #Person2#".

    Returns:
        The messages, and the summary, which names the new one with them; None where it names one of them alone, or
        counts them.
    """
    new = tag(messages)
    rest = _JOINT.sub("", summary)
    single = rest == summary or "#Person" in rest or _BOTH.search(summary) or not told_by_tags(summary)
    if new is None or len(messages) < FEWEST + 1 or single:
        return None
    given = {place for place in range(1, len(messages)) if random.random() < 0.3}
    if len(given) < 2:
        return None
    changed = [Message(new, each.text) if place in given else each for place, each in enumerate(messages)]
    if len({each.speaker for each in changed}) < 3:
        return None
    return changed, _JOINT.sub(rf"\1, \2 and {new}", summary)
