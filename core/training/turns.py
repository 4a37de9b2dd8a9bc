"""The turns of a source as lists of ids."""

from collections.abc import Sequence

from core.config import END, TURN

Turns = list[list[int]]


def split(ids: Sequence[int]) -> Turns:
    """Split source ids into turns, without [TURN] and [EOS]; empty turns are left out."""
    turns: Turns = [[]]
    for token in ids:
        if token == TURN:
            turns.append([])
        elif token != END:
            turns[-1].append(token)
    return [turn for turn in turns if turn]


def join(turns: Sequence[Sequence[int]]) -> list[int]:
    """Join turns to one sequence, with [TURN] between two, without [EOS]."""
    return [token for number, turn in enumerate(turns) for token in ([TURN, *turn] if number else turn)]
