"""Names of every tensor of a forward pass in words, and its axes as letters.

A key is the function that makes the tensor and its name there (`core.model.recording.Made`); a name that a function
uses several times has several entries, in that order.

Axes: B batch, S source, T target, H heads, K width of a head, D d_model, F inner width of the feed-forward network, V
target vocabulary, L positions in the table, C heads that copy, W = 1 + C; Q stands for the length of the queries and N
for that of the keys, S or T.
"""

from collections.abc import Mapping
from typing import NamedTuple

from core.files import table


class Name(NamedTuple):
    """A tensor in words and letters.

    Args:
        text: its name, to be said; {projection} is the query, key or value that was made before.
        axes: one word for each axis: a letter, a number, or letters that are multiplied.
    """

    text: str
    axes: str


NAMES: Mapping[tuple[str, str], tuple[Name, ...]] = {
    (function, name): tuple(Name(**each) for each in (entry if isinstance(entry, list) else [entry]))
    for function, names in table(__file__)["names"].items()
    for name, entry in names.items()
}
