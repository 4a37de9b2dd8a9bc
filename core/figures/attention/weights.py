"""Attention weights with the tokens, words, turns or speakers that label them.

Shapes: H heads, R queries (rows, what looks), C keys (columns, what is looked at).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.config import END, PAD, START, TURN
from core.explain.attention.inside import Kind
from core.explain.attribution.methods import MAPS
from core.explain.shared.rollup import Group, Unit, groups
from core.figures.attention import maps as figures
from core.figures.attention.stages import numbered
from core.figures.shared.files import MatrixTable
from core.figures.shared.picture import Picture
from core.figures.shared.wording import KIND_NAMES, plain
from core.text.dialogue import Dialogue
from core.trace import Array, Token
from core.words import later, say

AXES: dict[Kind, tuple[str, str]] = {
    "cross": (later("Summary, being written"), later("Dialogue, looked at")),
    "encoder": (later("Dialogue, looking"), later("Dialogue, looked at")),
    "decoder": (later("Summary, being written"), later("Summary so far, looked at")),
}
TAKEN_IN: dict[Kind, tuple[str, str]] = {
    "cross": (later("Summary, being written"), later("Dialogue, taken in")),
    "encoder": (later("Dialogue, taking in"), later("Dialogue, taken in")),
    "decoder": (later("Summary, being written"), later("Summary so far, taken in")),
}
"""The same for maps that are not weights: they do not show where a token looks."""
SPECIALS = {PAD: later("padding"), START: later("start"), END: later("end"), TURN: later("⏎ turn")}
ENDS = {START: later("the start"), END: later("the end")}
"""Special tokens in sentences and tables, where they differ."""


def axes(kind: Kind, shows: str = "weights") -> tuple[str, str]:
    """Return the titles of the rows and columns of a map, translated."""
    rows, columns = (AXES if shows == "weights" else TAKEN_IN)[kind]
    return say(rows), say(columns)


def with_map(what: str, shows: str) -> str:
    """Return what is shown, with the name of the map unless it is of the weights."""
    return what if shows == "weights" else f"{what}, {say(MAPS[shows].name)}"


@dataclass(frozen=True)
class Label:
    """What labels a row or a column.

    Args:
        text: as it is drawn, without blanks around it.
        members: indices of its tokens.
        turn: index of its turn, None where it has none or several.
        speaker: who says it, None where nobody does or several do.
        special: whether it is no text of the dialogue.
        joined: whether no blank stands before it.
        detail: the spoken text, if it is a turn.
        whole: the text in sentences and tables, if it is another.
    """

    text: str
    members: tuple[int, ...]
    turn: int | None = None
    speaker: str | None = None
    special: bool = False
    joined: bool = False
    detail: str = ""
    whole: str = ""

    @property
    def last(self) -> int:
        """Return its last token; of tokens with others between them, as a speaker's, the first."""
        together = self.members[-1] - self.members[0] + 1 == len(self.members)
        return self.members[-1 if together else 0]

    @property
    def long(self) -> str:
        """Return the text for sentences and tables: a turn with its spoken text."""
        if self.detail and self.turn is not None:
            spoken = f"{self.speaker}: {self.detail}" if self.speaker else self.detail
            return f"{self.turn + 1} · {spoken}"
        return self.whole or self.text


def labels(tokens: Sequence[Token], unit: Unit, dialogue: Dialogue | None = None) -> tuple[Label, ...]:
    """Return the labels of tokens by unit, in the order of `rollup.groups`; a dialogue tells its turns."""
    return tuple(_label(tokens, part, unit, dialogue) for part in groups(tokens, unit))


def _label(tokens: Sequence[Token], part: Group, unit: Unit, dialogue: Dialogue | None) -> Label:
    first = tokens[part.members[0]]
    special = first.id in SPECIALS and (len(part.members) == 1 or unit in ("token", "word"))
    turn = None if first.id in (PAD, START, END) else part.turn
    if unit == "turn" and turn is not None:
        spoken = dialogue.turns[turn].text if dialogue else ""
        name = say("turn {number}", number=turn + 1)
        return Label(name, part.members, turn, part.speaker, detail=spoken)
    text = say(SPECIALS[first.id]) if special else plain(part.label)
    place = part.members[0]
    joined = unit == "token" and not special and place > 0 and first.start == tokens[place - 1].end
    whole = say(ENDS[first.id]) if special and first.id in ENDS else ""
    return Label(text, part.members, turn, part.speaker, special, joined, whole=whole)


def texts(row_labels: Sequence[Label]) -> list[str]:
    """Return the long texts of labels; one that occurs again keeps its number."""
    return numbered([label.long for label in row_labels])


@dataclass(frozen=True, eq=False)
class Weights:
    """Attention weights and what labels them.

    Args:
        kind: which attention.
        place: which layer and head: "layer 1, head 2".
        values: [R, C] of one head or a mean of heads, or [H, R, C].
        rows: labels of the queries.
        columns: labels of the keys.
        causal: whether the keys after a row's own place are masked.
        shows: what the values are, one of `MAPS`.

    Raises:
        ValueError: the labels do not fit the values.
    """

    kind: Kind
    place: str
    values: Array
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    causal: bool = False
    shows: str = "weights"

    def __post_init__(self) -> None:
        shape = (len(self.rows), len(self.columns))
        if self.values.shape[-2:] != shape:
            raise ValueError(
                f"weights must have the shape {list(shape)} of their labels. Received: {list(self.values.shape)}"
            )

    @property
    def title(self) -> str:
        """Return which attention it is, of which head, and what is shown of it."""
        return with_map(f"{say(KIND_NAMES[self.kind])}, {self.place}", self.shows)

    @property
    def axes(self) -> tuple[str, str]:
        """Return the titles of rows and columns, translated."""
        return axes(self.kind, self.shows)

    @cached_property
    def texts(self) -> tuple[list[str], list[str]]:
        """Return the long texts of rows and columns."""
        return texts(self.rows), texts(self.columns)

    def table(self, heads: Sequence[int] = ()) -> MatrixTable:
        """Return a row for each weight: query, key and weight; before them the head, of heads with these numbers."""
        return figures.matrix_table(self.values, *self.texts, self.shows, heads)

    def caption(self, what: str) -> str:
        """Return one sentence about one head; `what` names it."""
        return figures.matrix_caption(self.values, *self.texts, what, self.shows)

    def picture(self, what: str) -> Picture:
        """Draw one head as a chart; `what` names it."""
        return figures.matrix(self.values, *self.texts, self.axes, what, self.shows)
