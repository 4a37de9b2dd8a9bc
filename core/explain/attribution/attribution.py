"""The answer of a method: a matrix bound to the tokens that label it, with the check that it passed or failed.

Three words are never mixed. *Looks at*: weights of attention. *Carries*: norms and contributions of vectors. *Depends
on*: what changes when something is changed. None of them is called the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from core.errors import SettingsError
from core.explain.shared.rollup import Group, Unit, groups
from core.trace import Array, Summary, Token
from core.words import first_few, later

Word = Literal["looks at", "carries", "depends on", "chance"]
"""What the numbers of a method say."""
UNITS = {
    "share": later("share"),
    "nats": later("nats"),
    "cosine distance": later("cosine distance"),
    "logits": later("logits"),
}
"""Units of values: a row of shares sums to 1; nats are natural logarithms of probability."""


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold of the numbers if they are right.

    Args:
        name: what is compared, in words.
        value: how far from it they are, 0 or more.
        bound: the most that rounding, or the method's own approximation, explains.
    """

    name: str
    value: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the numbers passed."""
        return bool(self.value <= self.bound)  # False for what is no number

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain JSON types; a value that is no finite number is None."""
        value = float(f"{self.value:.6g}") if np.isfinite(self.value) else None
        return {"name": self.name, "value": value, "bound": self.bound, "holds": self.holds}


@dataclass(frozen=True, eq=False)
class Attribution:
    """How much each part of the dialogue counts for each written token.

    R rows, C columns, T written tokens.

    Args:
        method: its name in the registry.
        target: the number F that is explained, in words.
        rows: labels: the written tokens, or one for the whole summary.
        source: the tokens that the encoder read.
        columns: groups of these tokens; tokens that a method cannot take away are in none.
        values: [R, C].
        prefix: [R, T] of the decoder's inputs: [SOS] first, then the written tokens but the last; None where a method
            has none. A row may be 0 behind its own token, which it cannot see.
        inputs: labels of these inputs.
        unit: a key of `UNITS`.
        check: what must hold.
        interval: [R, C] half widths of 95 % intervals of the values, or None for values without chance.

    Raises:
        ValueError: a size does not fit, or a column names tokens that there are not, or one twice.
    """

    method: str
    target: str
    rows: tuple[str, ...]
    source: tuple[Token, ...]
    columns: tuple[Group, ...]
    values: Array
    unit: str
    check: Check
    prefix: Array | None = None
    inputs: tuple[str, ...] = ()
    interval: Array | None = None

    def __post_init__(self) -> None:
        """Check every size and make the arrays read-only."""
        members = [place for column in self.columns for place in column.members]
        if len(set(members)) < len(members) or not set(members) <= set(range(len(self.source))):
            raise ValueError(f"columns must hold tokens of the source once. Received: {len(members)} places")
        if self.unit not in UNITS:
            raise ValueError(f"unit must be one of {', '.join(UNITS)}. Received: {self.unit!r}")
        shapes = {
            "values": (len(self.rows), len(self.columns)),
            "prefix": (len(self.rows), len(self.inputs)),
            "interval": (len(self.rows), len(self.columns)),
        }
        for name, shape in shapes.items():
            given = getattr(self, name)
            if given is None:
                continue
            values = np.array(given, dtype=np.float32)
            if values.shape != shape:
                raise ValueError(f"{name} must have the shape {list(shape)}. Received: {list(values.shape)}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def by(self, unit: Unit) -> "Attribution":
        """Add up the columns by word, turn or speaker; what is one column already stays as it is.

        Raises:
            SettingsError: the columns are larger than that: turns cannot be taken apart into words.
        """
        wanted = groups(self.source, unit)
        if len(self.columns) == 1 or self.columns == wanted:
            return self
        home = {place: number for number, group in enumerate(wanted) for place in group.members}
        homes = [{home[place] for place in column.members} for column in self.columns]
        if any(len(each) != 1 for each in homes):
            raise SettingsError(
                "{method} was measured of parts that lie in several of the parts that are asked for. Received: {unit}",
                method=self.method,
                unit=unit,
            )
        numbers = [each.pop() for each in homes]
        kept = sorted(set(numbers))
        sums = np.zeros((len(self.columns), len(kept)), dtype=np.float32)
        sums[range(len(numbers)), [kept.index(number) for number in numbers]] = 1
        if self.interval is not None and len(kept) < len(numbers):
            raise SettingsError("intervals cannot be added up. Received: {unit}", unit=unit)
        return replace(self, columns=tuple(wanted[number] for number in kept), values=self.values @ sums)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, numbers with six digits."""
        fields: dict[str, Any] = {
            "method": self.method,
            "target": self.target,
            "rows": list(self.rows),
            "columns": [column.label for column in self.columns],
            "values": digits(self.values),
        }
        if self.prefix is not None:
            fields |= {"prefix": digits(self.prefix), "prefix_columns": list(self.inputs)}
        if self.interval is not None:
            fields["interval"] = digits(self.interval)
        return fields | {"unit": self.unit, "check": self.check.to_dict()}


def rows_of(summary: Summary, step: int | None) -> list[int]:
    """Return the rows of an answer: one written token, or all of them; raises SettingsError for one that is not."""
    if step is None:
        return list(range(len(summary.steps)))
    check_step(step, len(summary.steps))
    return [step]


def check_step(step: int, size: int) -> None:
    """Raise SettingsError for a step that is none of `size` written tokens."""
    if not 0 <= step < size:
        got = f"step={step}"
        raise SettingsError(
            "step must be from 0 to {last} for this summary. Received: {received}", last=size - 1, received=got
        )


def check_foil(foil: int, written: int, size: int) -> None:
    """Raise SettingsError for a foil that is the written token, or none of a vocabulary of `size`."""
    if not 0 <= foil < size or foil == written:
        raise SettingsError(
            "a foil is another token, its id below {size}. Received: {received}", size=size, received=foil
        )


def labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the texts of tokens; one that has no characters has its label, such as [EOS]."""
    return tuple(token.text for token in tokens)


def inputs_of(summary: Summary) -> tuple[str, ...]:
    """Return the labels of the decoder's inputs, [SOS] first."""
    return ("[SOS]", *labels(summary.tokens[:-1]))


def no_foil(method: str, allowed: Sequence[str]) -> SettingsError:
    """Return the error of a method that says nothing about one token against another."""
    return SettingsError(
        "{method} describes a state and not a choice between two tokens: it has no foil. Allowed with one: {allowed}",
        method=method,
        allowed=first_few(allowed),
    )


def digits(values: Array) -> list[list[float]]:
    """Return a matrix as lists, six digits each."""
    return [[float(f"{value:.6g}") for value in row] for row in values.tolist()]
