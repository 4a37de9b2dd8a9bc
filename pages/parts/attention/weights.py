"""Attention weights with the tokens, words, turns or speakers that label them: what every picture of this page shows.

Shapes: H heads, R queries (rows, what looks), C keys (columns, what is looked at).
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import END, PAD, START, TURN
from core.explain.inside import Kind
from core.explain.rollup import Group, Unit, groups
from core.figures import attention as figures
from core.figures.picture import Picture
from core.figures.wording import KIND_NAMES, plain
from core.text.dialogue import Dialogue
from core.trace import Array, Token

UNIT = 65535
"""A weight of 1, packed."""
AXES: dict[Kind, tuple[str, str]] = {
    "cross": ("Summary, being written", "Dialogue, looked at"),
    "encoder": ("Dialogue, looking", "Dialogue, looked at"),
    "decoder": ("Summary, being written", "Summary so far, looked at"),
}
SPECIALS = {PAD: "padding", START: "start", END: "end", TURN: "⏎ turn"}


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
        detail: what is said in it, if it is a turn.
    """

    text: str
    members: tuple[int, ...]
    turn: int | None = None
    speaker: str | None = None
    special: bool = False
    joined: bool = False
    detail: str = ""

    @property
    def last(self) -> int:
        """Return its last token; of tokens with others between them, as a speaker's, the first."""
        together = self.members[-1] - self.members[0] + 1 == len(self.members)
        return self.members[-1 if together else 0]

    @property
    def long(self) -> str:
        """Return the text for sentences and tables: a turn with what is said in it."""
        if self.detail and self.turn is not None:
            said = f"{self.speaker}: {self.detail}" if self.speaker else self.detail
            return f"{self.turn + 1} · {said}"
        return f"the {self.text}" if self.text in ("start", "end") and self.special else self.text


def labels(tokens: Sequence[Token], unit: Unit, dialogue: Dialogue | None = None) -> tuple[Label, ...]:
    """Return the labels of tokens by unit, in the order of `core.explain.rollup.groups`; a dialogue tells its turns."""
    return tuple(_label(tokens, part, unit, dialogue) for part in groups(tokens, unit))


def _label(tokens: Sequence[Token], part: Group, unit: Unit, dialogue: Dialogue | None) -> Label:
    first = tokens[part.members[0]]
    special = first.id in SPECIALS and (len(part.members) == 1 or unit in ("token", "word"))
    turn = None if first.id in (PAD, START, END) else part.turn
    if unit == "turn" and turn is not None:
        said = dialogue.turns[turn].text if dialogue else ""
        return Label(f"turn {turn + 1}", part.members, turn, part.speaker, detail=said)
    text = SPECIALS[first.id] if special else plain(part.label)
    joined = unit == "token" and not special and bool(first.start == _end_before(tokens, part.members[0]))
    return Label(text, part.members, turn, part.speaker, special, joined)


def _end_before(tokens: Sequence[Token], place: int) -> int | None:
    return tokens[place - 1].end if place else None


def texts(found: Sequence[Label]) -> list[str]:
    """Return the long texts of labels; one that occurs again keeps its number."""
    names = [label.long for label in found]
    often = Counter(names)
    return [f"{name} · {place + 1}" if often[name] > 1 else name for place, name in enumerate(names)]


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

    Raises:
        ValueError: the labels do not fit the values.
    """

    kind: Kind
    place: str
    values: Array
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    causal: bool = False

    def __post_init__(self) -> None:
        shape = (len(self.rows), len(self.columns))
        if self.values.shape[-2:] != shape:
            raise ValueError(
                f"weights must have the shape {list(shape)} of their labels. Received: {list(self.values.shape)}"
            )

    @property
    def title(self) -> str:
        """Return which attention it is, and of which head."""
        return f"{KIND_NAMES[self.kind]}, {self.place}"

    @cached_property
    def texts(self) -> tuple[list[str], list[str]]:
        """Return the long texts of rows and columns."""
        return texts(self.rows), texts(self.columns)

    @property
    def table(self) -> dict[str, Sequence[Any]]:
        """Return a row for each weight: query, key and weight."""
        return figures.matrix_table(self.values, *self.texts)

    def caption(self, what: str) -> str:
        """Return one sentence about one head; `what` names it."""
        return figures.matrix_caption(self.values, *self.texts, what)

    def picture(self, what: str) -> Picture:
        """Draw one head as a chart; `what` names it."""
        return figures.matrix(self.values, *self.texts, AXES[self.kind], what)

    def data(self) -> dict[str, Any]:
        """Return what the scripts of all components draw; weights travel as `packed` has them."""
        names = (label.speaker for label in (*self.columns, *self.rows))
        speakers = list(dict.fromkeys(name for name in names if name is not None))
        return {
            "title": self.title,
            "axes": AXES[self.kind],
            "weights": packed(self.values),
            "rows": _drawn(self.rows, speakers),
            "columns": _drawn(self.columns, speakers),
            "speakers": speakers,
            "causal": self.causal,
        }


def packed(weights: NDArray[Any]) -> str:
    """Return weights as base64 of little-endian uint16, value × 65,535, in C order; the error is below 1e-5.

    Raises:
        ValueError: a weight is not from 0 to 1.
    """
    values = np.asarray(weights, dtype=np.float32)
    if not np.all((values >= -1e-4) & (values <= 1 + 1e-4)):
        raise ValueError(f"weights must be from 0 to 1. Received: from {values.min()} to {values.max()}")
    return b64encode(np.rint(np.clip(values, 0, 1) * UNIT).astype("<u2").tobytes()).decode("ascii")


def _drawn(found: Sequence[Label], speakers: Sequence[str]) -> list[dict[str, Any]]:
    """Return labels for the scripts; `name` is for tooltips: in quotes if somebody said it, numbered if repeated."""
    often = Counter(label.text for label in found)
    drawn = []
    for place, label in enumerate(found):
        name = f"{label.text} · {place + 1}" if often[label.text] > 1 else label.text
        drawn.append(
            {
                "text": label.text,
                "name": name if label.special or label.detail else f"“{name}”",
                "group": None if label.turn is None else label.turn + 1,
                "speaker": -1 if label.speaker is None else speakers.index(label.speaker),
                "special": label.special,
                "joined": label.joined,
                "detail": label.detail,
            }
        )
    return drawn
