"""Roll up token values by word, turn or speaker.

Shapes: S tokens of a sequence, G groups of them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import END, PAD, START
from core.trace import Token
from core.words import say

Unit = Literal["token", "word", "turn", "speaker"]


@dataclass(frozen=True, slots=True)
class Group:
    """Tokens that belong together.

    Args:
        label: the token, the word, the number of the turn from 1 ("3"), or the speaker's name.
        members: indices of its tokens.
        turn: index of the turn, None for several or none.
        speaker: name of the speaker, None for several or none.
    """

    label: str
    members: tuple[int, ...]
    turn: int | None
    speaker: str | None


class Members(Protocol):
    """Anything that stands for some tokens."""

    @property
    def members(self) -> tuple[int, ...]:
        """Return the indices of its tokens."""


def groups(tokens: Sequence[Token], unit: Unit) -> tuple[Group, ...]:
    """Gather the tokens of a sequence, in the order of their first appearance.

    A speaker's group holds all their turns, [TURN] tokens included. [EOS], [SOS] and [PAD] belong to nobody: by turn or
    speaker they have their own group with their name. Other tokens without a turn or speaker share one labelled
    "no turn" or "no speaker".
    """
    gathered: dict[Hashable, list[int]] = {}
    for index, token in enumerate(tokens):
        gathered.setdefault(_key(index, token, unit), []).append(index)
    return tuple(_group([(index, tokens[index]) for index in members], unit) for members in gathered.values())


def sum_columns(weights: NDArray[Any], groups: Sequence[Members]) -> NDArray[Any]:
    """Add up columns: [..., S] becomes [..., G], and rows keep their sums (arXiv 2005.00928's rows sum to 1).

    Raises:
        ValueError: the groups are not of these columns.
    """
    return np.asarray(weights @ _membership(groups, weights.shape[-1]))


def mean_rows(weights: NDArray[Any], groups: Sequence[Members]) -> NDArray[Any]:
    """Average rows: [S, ...] becomes [G, ...], so that a row that sums to 1 still does.

    Raises:
        ValueError: the groups are not of these rows.
    """
    members = _membership(groups, weights.shape[0])
    sums = np.tensordot(members.T, weights, axes=1)
    return np.asarray(sums / members.sum(axis=0).reshape(-1, *[1] * (weights.ndim - 1)))


def _key(index: int, token: Token, unit: Unit) -> Hashable:
    """Return the key that the tokens of one group share."""
    if unit == "token":
        return index
    if unit == "word":
        return token.word
    return ("nobody", token.text) if _nobody(token) else getattr(token, unit)


def _nobody(token: Token) -> bool:
    """Return whether a token belongs to nobody; [EOS] has the turn before it."""
    return token.id in (END, PAD, START)


def _group(members: Sequence[tuple[int, Token]], unit: Unit) -> Group:
    said = [(None, None) if _nobody(token) else (token.turn, token.speaker) for _, token in members]
    turns, speakers = {turn for turn, _ in said}, {speaker for _, speaker in said}
    turn = turns.pop() if len(turns) == 1 else None
    speaker = speakers.pop() if len(speakers) == 1 else None
    first = members[0][1]
    if unit == "token" or _nobody(first):
        label = first.text
    elif unit == "word":
        label = _word([token for _, token in members])
    elif unit == "turn":
        label = say("no turn") if turn is None else str(turn + 1)
    else:
        label = speaker or say("no speaker")
    return Group(label, tuple(index for index, _ in members), turn, speaker)


def _word(tokens: Sequence[Token]) -> str:
    """Return the characters of a word without its leading space.

    Each part of a split character names the whole character, which is written once.
    """
    text, end = "", tokens[0].start
    for token in tokens:
        text += token.text[max(end - token.start, 0) :]
        end = max(end, token.end)
    return text.strip() or text


def _membership(groups: Sequence[Members], size: int) -> NDArray[np.float32]:
    """Return [S, G]: 1 where a token is in a group."""
    members = [index for group in groups for index in group.members]
    if sorted(members) != list(range(size)):
        raise ValueError(f"groups must hold each of {size} tokens once. Received: groups of {len(members)} tokens")
    matrix = np.zeros((size, len(groups)), dtype=np.float32)
    for column, group in enumerate(groups):
        matrix[list(group.members), column] = 1
    return matrix
