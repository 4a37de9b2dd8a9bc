"""What each part of the project may import, and the reader that lists what it does import.

`tests/test_imports.py` compares the two; `docs/imports.py` draws what is read.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

VALUES = frozenset(
    {"errors", "words", "runtime.imports", "limits", "config", "files", "place", "text.marks", "text.dialogue", "trace"}
)
LIBRARY = VALUES | {"runtime.queue", "runtime.backend", "text", "model"}
MAY_IMPORT = {
    "": frozenset({"notebook", "service"}),  # core/__init__.py runs before everything else: inside functions alone
    "words": frozenset(),
    "errors": frozenset({"words"}),
    "runtime": frozenset(),
    "runtime.imports": frozenset(),
    "runtime.version": frozenset(),
    "limits": frozenset({"words", "errors"}),
    "lessons.following": frozenset({"words", "errors", "limits", "place"}),
    "runtime.memory": frozenset(),
    "runtime.queue": frozenset({"words", "errors"}),
    "place": frozenset(),
    "config": frozenset({"words", "errors", "files"}),
    "files": frozenset({"words", "errors"}),
    "runtime.backend": frozenset({"words", "errors", "runtime.imports", "config"}),
    "text.marks": frozenset(),
    "text.dialogue": frozenset({"words", "errors", "text.marks"}),
    "trace": frozenset({"words", "errors", "limits", "config", "files", "text.dialogue"}),
    "text": VALUES,
    "model": VALUES | {"runtime.backend"},
    "decoding": LIBRARY,
    "checkpoints": LIBRARY | {"decoding"},
    "training": LIBRARY | {"decoding", "checkpoints", "scoring"},
    "service": LIBRARY | {"decoding", "checkpoints"},
    "scoring": VALUES | {"runtime.queue"},
    "importing": LIBRARY | {"decoding", "checkpoints"},
    "explain": VALUES | {"runtime.backend"},
    "experiments": LIBRARY | {"decoding", "checkpoints", "service", "explain"},
    "faults": LIBRARY | {"decoding", "checkpoints", "service", "scoring", "explain", "experiments"},
    "figures": VALUES | {"text", "explain", "scoring", "faults"},
    "evaluation": LIBRARY
    | {"runtime.version", "decoding", "checkpoints", "service", "scoring", "explain", "faults", "behaviour"},
    "behaviour": LIBRARY | {"decoding", "service", "training", "scoring", "explain", "experiments", "faults"},
    "training.recipes": LIBRARY | {"decoding", "checkpoints", "training", "service", "scoring", "evaluation", "faults"},
    "report": VALUES | {"text", "scoring", "explain", "faults", "figures"},
    "visited": VALUES | {"text", "report"},
    "lessons": LIBRARY | {"checkpoints", "service", "scoring", "explain", "experiments", "faults", "figures"},
    "notebook": VALUES | {"runtime.queue", "model", "scoring", "service", "explain", "experiments", "figures"},
}
"""For each part of core, the other parts that it may import; a part with a dot lies inside another one."""


@dataclass(frozen=True)
class Import:
    """One imported name: where it stands, and whether it runs when its module is imported."""

    name: str
    line: int
    at_import: bool
    typing_only: bool

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]


@cache
def imports_of(source: str, module: str, *, is_package: bool = False) -> tuple[Import, ...]:
    """List the absolute names that a module imports; `from a import b` gives `a.b`, be it a module or a value."""
    return tuple(_walk(ast.parse(source), module, is_package, at_import=True, typing_only=False))


def _walk(node: ast.AST, module: str, is_package: bool, *, at_import: bool, typing_only: bool) -> Iterator[Import]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        at_import = False
    for name in _names(node, module, is_package):
        yield Import(name, node.lineno, at_import and not typing_only, typing_only)
    if isinstance(node, ast.If) and (special := _condition(node.test)):
        for child in node.body:
            only = typing_only or special == "TYPE_CHECKING"
            yield from _walk(child, module, is_package, at_import=False, typing_only=only)
        children = node.orelse
    else:
        children = list(ast.iter_child_nodes(node))
    for child in children:
        yield from _walk(child, module, is_package, at_import=at_import, typing_only=typing_only)


def _condition(test: ast.expr) -> str | None:
    """Name the two conditions whose body does not run on import."""
    text = ast.unparse(test)
    if text in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        return "TYPE_CHECKING"
    return "main" if text == "__name__ == '__main__'" else None


def _names(node: ast.AST, module: str, is_package: bool) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            above = parts[: len(parts) - node.level + is_package]
            base = ".".join([*above, base] if base else above)
        return [f"{base}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called, argument = ast.unparse(node.func), node.args[0].value
        if called in ("__import__", "import_module", "importlib.import_module") and isinstance(argument, str):
            return [argument]
    return []


def part_of(module: str) -> str:
    """Name the part of core that a module belongs to: the innermost that the layering names."""
    names = module.split(".")[1:]
    inner = ".".join(names[:2])
    part = inner if inner in MAY_IMPORT else "".join(names[:1])
    return "cli" if part == "__main__" else part


def resolve(name: str, sources: Mapping[str, str]) -> str:
    """Reduce `core.trace.Token` to the module `core.trace`; an unknown name stays."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if (candidate := ".".join(parts[:length])) in sources and (length > 1 or len(parts) == 1):
            return candidate
    return name


def project() -> tuple[dict[str, str], frozenset[str]]:
    """Read the modules of app.py, pages/ and core/, and which of them are packages."""
    files = [path for pattern in ("app.py", "pages/**/*.py", "core/**/*.py") for path in sorted(ROOT.glob(pattern))]
    sources, packages = {}, set()
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name] = path.read_text("utf-8")
        if parts[-1] == "__init__":
            packages.add(name)
    return sources, frozenset(packages)
