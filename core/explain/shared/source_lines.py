"""Find the line of our source that computes something, at run time, so that no line number goes stale.

The files are read as text, so that nothing heavy is imported.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.files import table

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line.

    Args:
        file: relative to the project.
        line: from 1.
        code: text of the line.
    """

    file: str
    line: int
    code: str

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"


PLACES: Mapping[str, list[str]] = table(__file__)
"""Name of a computation → file, function, and a part of its line."""


@cache
def source_line(what: str) -> SourceLine:
    """Find the line of our source that computes something.

    Args:
        what: the computation, a key of `PLACES`.

    Raises:
        LookupError: no such line, or several.
    """
    file, function, piece = PLACES[what]
    text = (ROOT / file).read_text(encoding="utf-8")
    node = _function(ast.parse(text), function.split("."))
    lines = text.splitlines()
    numbers = [number for number in range(node.lineno, (node.end_lineno or 0) + 1) if piece in lines[number - 1]]
    if len(numbers) != 1:
        raise LookupError(f"{piece!r} must stand once in {function} of {file}. Received: {len(numbers)} lines")
    return SourceLine(file, numbers[0], lines[numbers[0] - 1].strip())


def _function(node: ast.AST, names: list[str]) -> ast.FunctionDef:
    """Find a function by its name, inside the classes named before it."""
    for name in names:
        inside = [child for child in ast.iter_child_nodes(node) if getattr(child, "name", None) == name]
        if not inside:
            raise LookupError(f"there is no {'.'.join(names)}")
        node = inside[0]
    if not isinstance(node, ast.FunctionDef):
        raise LookupError(f"{'.'.join(names)} is no function")
    return node
