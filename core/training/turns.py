"""The turns of a source as lists of ids."""

from collections.abc import Sequence

from core.config import END, TURN

Turns = list[list[int]]


def split(ids: Sequence[int]) -> Turns:
    """The ids of each turn, without marks and [EOS]; empty turns are left out."""
    turns: Turns = [[]]
    for token in ids:
        if token == TURN:
            turns.append([])
        elif token != END:
            turns[-1].append(token)
    return [turn for turn in turns if turn]


def join(turns: Sequence[Sequence[int]]) -> list[int]:
    """The turns as one sequence, a mark between two, no [EOS]."""
    return [token for number, turn in enumerate(turns) for token in ([TURN, *turn] if number else turn)]
