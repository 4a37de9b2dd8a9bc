"""List our source as it ran: every function that made a tensor, with the shapes at its lines."""

import inspect
import linecache
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from core.words import say

if TYPE_CHECKING:
    from core.experiments.architecture.describe import TensorFact

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Listing:
    """One function.

    Args:
        file: relative to the project.
        start: number of its first line.
        text: its lines with numbers, and below a line the shapes of its tensors.
    """

    file: str
    start: int
    text: str


def listings(facts: "Iterable[TensorFact]") -> list[Listing]:
    """List the functions that made some tensors, in the order of their first tensor; each shape once per line."""
    shapes: dict[tuple[str, int], dict[int, dict[tuple[int, ...], None]]] = {}
    for fact in facts:
        shapes.setdefault((fact.file, fact.start), {}).setdefault(fact.line, {})[fact.shape] = None
    return [Listing(file, start, _text(file, start, lines)) for (file, start), lines in shapes.items()]


def _text(file: str, start: int, shapes: dict[int, dict[tuple[int, ...], None]]) -> str:
    lines = inspect.getblock(linecache.getlines(str(ROOT / file))[start - 1 :])
    block = textwrap.dedent("".join(lines)).rstrip().split("\n")
    shown = []
    for number, line in enumerate(block, start):
        shown.append(f"{number:>4}  {line}".rstrip())
        if number in shapes:
            indent = " " * (len(line) - len(line.lstrip()))
            shown.append(f"      {indent}# → {_joined(str(list(shape)) for shape in shapes[number])}")
    return "\n".join(shown)


def _joined(shapes: Iterable[str]) -> str:
    return reduce(lambda one, other: say("{one} and {other}", one=one, other=other), shapes)
