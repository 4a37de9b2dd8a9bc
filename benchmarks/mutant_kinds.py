"""The faults of `mutants.py`: what they change, how they are drawn, and how one is found again in later source."""

import ast
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOMS = ("model", "decoding", "explain", "experiments", "text", "scoring", "faults", "importing")
COMPARE = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in",
    "is": "is not", "is not": "is",
}  # fmt: skip
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "//", "**": "*"}
TWINS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "argmax": "argmin", "argmin": "argmax",
    "maximum": "minimum", "minimum": "maximum", "startswith": "endswith", "endswith": "startswith",
    "floor": "ceil", "ceil": "floor", "sin": "cos", "cos": "sin", "logical_and": "logical_or",
    "logical_or": "logical_and", "ones": "zeros", "zeros": "ones", "zeros_like": "ones_like",
    "ones_like": "zeros_like", "find": "rfind", "rfind": "find",
}  # fmt: skip
PEELED = {"sqrt", "rsqrt", "exp", "log", "abs", "sorted", "reversed", "square", "softmax", "relu", "float", "set"}
"""Functions of one value that a fault leaves out."""
STRIPPED = {"strip", "rstrip", "lstrip", "casefold", "lower", "copy"}
"""Methods without arguments that a fault leaves out."""
SILENT = {"say", "later", "print", "warn", "count", "info", "warning", "debug"}
"""Functions whose arguments are messages."""
CHANGES = {"append", "add", "update", "extend", "sort", "insert", "pop", "discard", "remove", "clear", "setdefault"}
UNTESTED = {"__repr__", "__str__", "get_config"}


@dataclass(frozen=True)
class Mutant:
    """A fault: `old` at the column `at` of a line becomes `new`.

    Args:
        number: from 0.
        file: path from the root of the repository.
        line: its number when it was drawn.
        text: this line, by which it is found in later source.
        at: column in characters.
        old: source text; it can be of several lines.
        new: what replaces it.
        kind: of the fault.
        scope: the function or class, "" for the module.
        equivalent: why no test can notice it, or "gone: …", why the code has no such line any more; "" = one can.
    """

    number: int
    file: str
    line: int
    text: str
    at: int
    old: str
    new: str
    kind: str
    scope: str
    equivalent: str = ""

    @property
    def room(self) -> str:
        """The folder inside of `core`."""
        return self.file.split("/")[1]

    def place(self, source: str) -> int | None:
        """Return where `old` starts in a source, the nearest to its former line if there are several; None: gone."""
        starts, offset = [], 0
        for number, line in enumerate(source.splitlines(keepends=True), 1):
            if line.rstrip("\n") == self.text and source.startswith(self.old, offset + self.at):
                starts.append((abs(number - self.line), offset + self.at))
            offset += len(line)
        return min(starts)[1] if starts else None

    def apply(self, source: str) -> str | None:
        """Return the source with the fault; None: it has no such line."""
        start = self.place(source)
        return None if start is None else source[:start] + self.new + source[start + len(self.old) :]


class _Source:
    """A file with its tree, and the character offsets of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tree = ast.parse(text)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position as `ast` counts it: columns in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def start(self, node: Any) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        return self.offset(node.end_lineno, node.end_col_offset)

    def holds(self, node: Any, place: int) -> bool:
        return self.start(node) <= place < self.end(node)

    def segment(self, node: Any) -> str:
        return self.text[self.start(node) : self.end(node)]


Change = tuple[int, int, str, str, str]
"""Start, end, new text, kind and scope."""


class _Faults(ast.NodeVisitor):
    """Collects what can be changed; what only says something, or describes types, is left out."""

    def __init__(self, source: _Source) -> None:
        self.source = source
        self.found: list[Change] = []
        self.scope: list[str] = []

    def put(self, node: Any, new: str, kind: str) -> None:
        self.found.append((self.source.start(node), self.source.end(node), new, kind, ".".join(self.scope)))

    def text(self, node: Any) -> str:
        return self.source.segment(node)

    def between(self, left: Any, right: Any, names: dict[str, str], kind: str) -> None:
        """Replace the operator between two operands."""
        start, end = self.source.end(left), self.source.start(right)
        gap = self.source.text[start:end]
        match = re.search(r"not\s+in|is\s+not|\bin\b|\bis\b|\band\b|\bor\b|<=|>=|==|!=|//|\*\*|[<>+\-*/%]", gap)
        name = re.sub(r"\s+", " ", match[0]) if match else ""
        if match and name in names and "#" not in gap:
            place = start + match.start()
            self.found.append((place, place + len(match[0]), names[name], kind, ".".join(self.scope)))

    def _inside(self, node: Any) -> None:
        if node.name in UNTESTED:
            return
        self.scope.append(node.name)
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if isinstance(default, ast.Constant):
                    self._constant(default, "default")
        for statement in node.body:
            self.visit(statement)
        self.scope.pop()

    visit_FunctionDef = visit_ClassDef = _inside

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        return

    visit_JoinedStr = visit_Import = visit_ImportFrom = visit_Assert = visit_Raise  # type: ignore[assignment]

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in self.text(node.test):
            return
        if not isinstance(node.test, ast.Compare):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        if not isinstance(node.test, ast.Compare):
            self._negate(node.test)
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.UnaryOp):
            self.put(test, f"not ({self.text(test)})", "condition negated")

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.put(test, "True", "filter dropped")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip((node.left, *node.comparators), node.comparators, strict=False):
            self.between(left, right, COMPARE, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        swap = {"and": "or"} if isinstance(node.op, ast.And) else {"or": "and"}
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, swap, "and or or")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.put(node, f"({self.text(node.operand)})", "not dropped")
        elif isinstance(node.op, ast.USub):
            self.put(node, self.text(node.operand), "minus dropped")
            if isinstance(node.operand, ast.Constant):
                return
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.BitOr):  # mostly of types
            return
        words = any(
            isinstance(side, ast.JoinedStr | ast.List | ast.Tuple)
            or (isinstance(side, ast.Constant) and isinstance(side.value, str))
            for side in (node.left, node.right)
        )
        if not words:
            self.between(node.left, node.right, ARITHMETIC, "arithmetic")
            if isinstance(node.op, ast.Mult | ast.Div):
                self.put(node, self.text(node.left), "factor dropped")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.put(node, "pass", "statement removed")
        self.visit(node.value)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.put(node, "break", "loop left")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        name = _name(node.value)
        if isinstance(node.value, ast.Call) and name not in SILENT and "super()" not in self.text(node):
            self.put(node, "pass", "statement removed")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node)
        if name in SILENT or name in ("TypeVar", "Literal", "cast", "getLogger"):
            return
        if name in TWINS:
            place = self.source.end(node.func) - len(name)
            self.found.append((place, place + len(name), TWINS[name], "twin called", ".".join(self.scope)))
        if name in PEELED and len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp | ast.Starred):
            new = self.text(node.args[0])
            self.put(node, f"list({new})" if name in ("sorted", "reversed") else f"({new})", "call left out")
        if name in STRIPPED and not node.args and not node.keywords and isinstance(node.func, ast.Attribute):
            self.put(node, self.text(node.func.value), "call left out")
        first = node.args[:2]
        if len(first) == 2 and all(isinstance(each, ast.Name | ast.Attribute) for each in first):
            one, two = (self.text(each) for each in first)
            between = self.source.text[self.source.end(first[0]) : self.source.start(first[1])]
            if one != two and "#" not in between and name not in ("isinstance", "zip"):
                start, end = self.source.start(first[0]), self.source.end(first[1])
                self.found.append((start, end, f"{two}{between}{one}", "arguments swapped", ".".join(self.scope)))
        self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            self._keyword(keyword)

    def _keyword(self, keyword: ast.keyword) -> None:
        text = self.text(keyword.value)
        if keyword.arg == "axis" and text in ("-1", "1", "0"):
            self.put(keyword.value, "1" if text == "0" else "0", "axis")
        elif keyword.arg not in ("dtype", "name", "strict", "encoding", "frozen", "slots", "repr", "ensure_ascii"):
            self.visit(keyword.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if _name(node.value) in ("Literal", "Annotated", "NDArray", "dict", "list", "tuple", "Sequence", "Mapping"):
            return
        self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, ast.Constant | ast.UnaryOp):
                self.put(bound, f"({self.text(bound)}) + 1", "slice bound")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        self._constant(node, "constant")

    def _constant(self, node: ast.Constant, kind: str) -> None:
        value = node.value
        if isinstance(value, bool):
            self.put(node, str(not value), kind)
        elif isinstance(value, int):
            self.put(node, str(value + 1), kind)
            if value > 0:
                self.put(node, str(value - 1), kind)
        elif isinstance(value, float):
            self.put(node, repr(value * 2 if value else 1.0), kind)


def _name(node: Any) -> str:
    """Return the last name of a called function or of a value."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def changes(text: str) -> list[Change]:
    """Return every fault that a source can have, in order."""
    source = _Source(text)
    faults = _Faults(source)
    faults.visit(source.tree)
    return sorted({change for change in faults.found if text[change[0] : change[1]] != change[2]})


def draw(root: Path, count: int, seed: int) -> list[Mutant]:
    """Draw faults over the rooms by their number of lines, at most one a line.

    In a room every line with faults is as likely as another, and on a line every kind of fault; arguments are swapped
    where there is nothing else, because that mostly ends in an error.
    """
    texts = {path: path.read_text(encoding="utf-8") for room in ROOMS for path in (root / "core" / room).glob("*.py")}
    lines: Counter[str] = Counter()
    for path, text in texts.items():
        lines[path.parent.name] += text.count("\n")
    mutants: list[Mutant] = []
    for room in ROOMS:
        places: dict[tuple[Path, int], list[Change]] = defaultdict(list)
        for path, text in sorted(texts.items()):
            if path.parent.name == room:
                for change in changes(text):
                    places[path, text.count("\n", 0, change[0])].append(change)
        chosen = random.Random(f"{seed} {room}")
        share = round(count * lines[room] / lines.total())
        for path, line in sorted(chosen.sample(sorted(places), share)):
            kinds = sorted({change[3] for change in places[path, line]})
            kind = chosen.choice([each for each in kinds if each != "arguments swapped"] or kinds)
            start, end, new, _, scope = chosen.choice([change for change in places[path, line] if change[3] == kind])
            text, file = texts[path], path.relative_to(root).as_posix()
            at = start - text.rfind("\n", 0, start) - 1
            whole = text.splitlines()[line]
            mutants.append(Mutant(len(mutants), file, line + 1, whole, at, text[start:end], new, kind, scope))
            ast.parse(text[:start] + new + text[end:])
    return mutants


def read(path: Path) -> list[Mutant]:
    """Read mutants, one a line."""
    return [Mutant(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, mutants: list[Mutant]) -> None:
    """Write mutants, one a line."""
    rows = []
    for mutant in mutants:
        row = asdict(mutant)
        if not mutant.equivalent:
            del row["equivalent"]
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    path.write_text("".join(rows), encoding="utf-8")


def probed(text: str, mutants: list[Mutant]) -> tuple[str, set[int]]:
    """Let a source say when the statements of mutants run.

    Returns:
        The source, whose lines stay where they were, and the mutants that run only when the module is imported.
    """
    if any(not mutant.file.endswith(".py") for mutant in mutants):  # a table beside a module
        return text, {mutant.number for mutant in mutants}
    source = _Source(text)
    inserts: list[tuple[int, str]] = []
    loose = set()
    for mutant in mutants:
        place = mutant.place(text)
        call = f'__import__("core.mutation_probe", fromlist=["hit"]).hit({mutant.number})'
        reports = [] if place is None else _reports(source, place, call)
        if not reports:
            loose.add(mutant.number)
        inserts += reports
    for where, insert in sorted(inserts, reverse=True):
        text = text[:where] + insert + text[where:]
    return text, loose


def _reports(source: _Source, place: int, call: str) -> list[tuple[int, str]]:
    """Return what to insert, and where, so that the statement at a place makes a call; nothing outside of functions."""
    around = [node for node in ast.walk(source.tree) if isinstance(node, ast.stmt) and source.holds(node, place)]
    if not any(isinstance(node, ast.FunctionDef) for node in around):
        return []
    return _report(source, max(around, key=source.start), call)


def _report(source: _Source, statement: ast.stmt, call: str) -> list[tuple[int, str]]:
    match statement:
        case (
            ast.FunctionDef(body=[ast.Expr(value=ast.Constant()), following, *_])
            | ast.FunctionDef(body=[following, *_])
        ):
            return _report(source, following, call)
        case ast.Try(body=[following, *_]):
            return _report(source, following, call)
        case ast.If(test=asked) | ast.While(test=asked) | ast.For(iter=asked) | ast.Match(subject=asked):
            pass
        case ast.With(items=[ast.withitem(context_expr=asked), *_]):
            pass
        case ast.ClassDef():
            return []
        case _:
            return [(source.start(statement), f"{call}; ")]
    return [(source.start(asked), f"{call} or ("), (source.end(asked), ")")]


def by_file(mutants: list[Mutant]) -> Iterator[tuple[str, list[Mutant]]]:
    """Yield files and their mutants."""
    files: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        files[mutant.file].append(mutant)
    yield from files.items()
