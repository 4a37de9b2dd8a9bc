"""Imports point down only: this reads every import of the project and fails on a breach of the layering.

`errors, config, files < trace < text, model < decoding < checkpoints < training, service < evaluation`; the command
line (`core.__main__`, `core.cli*`) stands on top; `scoring`, `explain` and `figures` work on values, `experiments`
run the model again. Pages import `core` and `pages.shared`, never each other; a page too long for one file has its
parts in `pages/parts/<page>/`. What is slow to import waits inside the function that needs it, so that the first page
paints at once.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

VALUES = frozenset({"errors", "config", "files", "trace"})
LIBRARY = VALUES | {"backend", "text", "model"}
MAY_IMPORT = {
    "": frozenset(),  # core/__init__.py runs before everything else
    "errors": frozenset(),
    "config": frozenset({"errors"}),
    "files": frozenset(),
    "backend": frozenset({"errors", "config"}),
    "trace": frozenset({"errors", "config", "files"}),
    "text": VALUES,
    "model": VALUES | {"backend"},
    "decoding": LIBRARY,
    "checkpoints": LIBRARY | {"decoding"},
    "training": LIBRARY | {"decoding", "checkpoints", "scoring"},
    "service": LIBRARY | {"decoding", "checkpoints"},
    "scoring": VALUES,
    "explain": VALUES | {"backend"},
    "experiments": LIBRARY | {"decoding", "checkpoints", "service", "explain"},
    "faults": LIBRARY | {"decoding", "checkpoints", "service", "scoring", "explain", "experiments"},
    "figures": VALUES | {"explain", "scoring", "faults"},
    "evaluation": LIBRARY | {"decoding", "checkpoints", "training", "service", "scoring", "explain", "faults"},
    "observing": LIBRARY | {"decoding", "checkpoints", "training", "service", "scoring", "evaluation"},
    "recipes": LIBRARY | {"decoding", "checkpoints", "training", "observing", "service", "scoring", "evaluation"},
    "refining": LIBRARY
    | {"decoding", "checkpoints", "training", "observing", "recipes", "service", "scoring", "evaluation"},
    "describe": LIBRARY,
    "options": VALUES | {"checkpoints"},
}
"""For each part of core, the other parts that it may import."""

EAGER = ("core", "core.config", "core.errors", "core.trace", "core.text")
"""What a page imports before it paints, beside `app` and `pages` themselves."""

HEAVY = frozenset(
    {"bert_score", "datasets", "jax", "keras", "sentence_transformers", "tensorflow", "torch", "transformers"}
)
"""Packages that take seconds to import."""

BACKENDS = frozenset({"jax", "jaxlib", "tensorflow"})


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


def imports_of(source: str, module: str, *, is_package: bool = False) -> list[Import]:
    """List the absolute names that a module imports; `from a import b` gives `a.b`, be it a module or a value."""
    return list(_walk(ast.parse(source), module, is_package, at_import=True, typing_only=False))


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
    """Name the part of core that a module belongs to; the command line is one part."""
    parts = module.split(".")
    part = parts[1] if len(parts) > 1 else ""
    return "cli" if part == "__main__" or part.startswith("cli") else part


def breaches(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> list[str]:
    """Check modules (dotted name → source) and return one line for each breach.

    Args:
        sources: The modules; `packages` names those that are an `__init__.py`.
        packages: Names in `sources` that are packages: relative imports start from them.
    """
    found = {name: imports_of(source, name, is_package=name in packages) for name, source in sources.items()}
    lines = []
    for module, imports in found.items():
        for item in imports:
            for reason in _reasons(module, item, sources):
                lines.append(f"{module}:{item.line} imports {item.name}: {reason}")
    return lines + _late_breaches(found)


def _reasons(module: str, item: Import, sources: Mapping[str, str]) -> Iterator[str]:
    in_core = module.split(".")[0] == "core"
    if item.package in BACKENDS and module != "core.backend":
        yield "only core/backend.py imports tensorflow or jax"
    if item.package == "plotly" and not f"{module}.".startswith("core.figures."):
        yield "only core/figures imports plotly"
    if in_core:
        yield from _core_reasons(module, item, sources)
    elif item.package == "app":
        yield "nothing imports the app"
    elif item.package == "pages" and not f"{item.name}.".startswith(("pages.shared.", _own_parts(module))):
        yield "pages import core and pages.shared, never each other"


def _own_parts(module: str) -> str:
    """The package that holds the parts of a page: its own, for a page and for the parts themselves."""
    names = module.split(".")
    page = names[2] if names[1:2] == ["parts"] and len(names) > 2 else names[-1]
    return f"pages.parts.{page}."


def _core_reasons(module: str, item: Import, sources: Mapping[str, str]) -> Iterator[str]:
    if item.package == "streamlit":
        yield "core never imports streamlit"
    if item.package in ("app", "pages"):
        yield "core never imports the app or its pages"
    if item.package != "core":
        return
    here, there = part_of(module), part_of(_resolve(item.name, sources))
    if here == there or here == "cli" or there == "":
        return
    if here not in MAY_IMPORT:
        yield f"core.{here} has no place in the layering yet: add it to MAY_IMPORT"
    elif there not in MAY_IMPORT[here] and not (item.typing_only and here in ("scoring", "explain", "figures")):
        yield f"core.{here or '__init__'} may not import core.{there}"


def _resolve(name: str, sources: Mapping[str, str]) -> str:
    """Reduce `core.trace.Token` to the module `core.trace`; an unknown name stays."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if (candidate := ".".join(parts[:length])) in sources and (length > 1 or len(parts) == 1):
            return candidate
    return name


def _late_breaches(found: Mapping[str, list[Import]]) -> list[str]:
    """Follow what importing a page runs, and report each heavy package that it reaches, with the way there."""
    lines = []
    paths = {module: [module] for module in found if _is_eager(module)}
    queue = list(paths)
    while queue:
        module = queue.pop(0)
        way = " → ".join(paths[module])
        for item in found[module]:
            if not item.at_import:
                continue
            if item.package in HEAVY:
                lines.append(f"{module}:{item.line} imports {item.name} at once, by way of {way}: do so where needed")
            for reached in _runs(item.name, found):
                if reached not in paths:
                    paths[reached] = [*paths[module], reached]
                    queue.append(reached)
    return lines


def _is_eager(module: str) -> bool:
    if module.split(".")[0] in ("app", "pages"):
        return True
    return module in EAGER or module.startswith("core.text.")


def _runs(name: str, found: Mapping[str, list[Import]]) -> list[str]:
    """List the modules that importing a dotted name runs: its packages, from the outside in, and itself."""
    parts = name.split(".")
    prefixes = [".".join(parts[: length + 1]) for length in range(len(parts))]
    return [prefix for prefix in prefixes if prefix in found]


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


def test_the_project_keeps_the_layering():
    sources, packages = project()
    assert {"app", "core.config", "core.errors"} <= set(sources)
    assert not (lines := breaches(sources, packages)), "\n" + "\n".join(lines)


def test_every_part_of_core_has_a_place():
    parts = {part_of(name) for name in project()[0] if name.split(".")[0] == "core"}
    assert parts - {"cli"} <= set(MAY_IMPORT)


def test_the_order_is_that_of_the_design():
    order = [["errors", "config"], ["trace"], ["text", "model"], ["decoding"], ["checkpoints"]]
    order += [["training", "service"], ["evaluation"]]
    for level, parts in enumerate(order):
        below = {part for lower in order[:level] for part in lower}
        level_or_above = {part for higher in order[level:] for part in higher}
        for part in parts:
            assert not MAY_IMPORT[part] & level_or_above or part == "config"
            assert MAY_IMPORT[part] >= below or part in ("text", "model", "config")


def names(source: str, module: str = "core.model.layers", **options: bool) -> list[str]:
    return [item.name for item in imports_of(source, module, **options)]


def test_imports_of_names_every_form():
    assert names("import numpy as np, os.path") == ["numpy", "os.path"]
    assert names("from core.model import masks, attention") == ["core.model.masks", "core.model.attention"]
    assert names("from . import masks") == ["core.model.masks"]
    assert names("from .masks import padding_mask") == ["core.model.masks.padding_mask"]
    assert names("from ..config import PAD") == ["core.config.PAD"]
    assert names("from .masks import padding_mask", "core.model", is_package=True) == ["core.model.masks.padding_mask"]
    assert names("import importlib\nimportlib.import_module('jax')") == ["importlib", "jax"]
    assert names("__import__('torch')") == ["torch"]
    assert names("importlib.import_module(name)") == []


@pytest.mark.parametrize(
    ("source", "at_import"),
    [
        ("import keras", True),
        ("try:\n    import keras\nexcept ImportError:\n    keras = None", True),
        ("class A:\n    import keras", True),
        ("if x:\n    import keras", True),
        ("def load():\n    import keras", False),
        ("async def load():\n    import keras", False),
        ("class A:\n    def load(self):\n        import keras", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import keras", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\nelse:\n    import keras", True),
        ("if __name__ == '__main__':\n    import keras", False),
    ],
)
def test_imports_of_tells_what_runs_at_import(source, at_import):
    assert imports_of(source, "app")[-1].at_import is at_import
    assert bool(breaches({"app": source})) is at_import


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("core.config", "from core.trace import Token", "core.config may not import core.trace"),
        ("core.errors", "import core.config", "core.errors may not import core.config"),
        ("core.text.corpus", "from core.model import masks", "core.text may not import core.model"),
        ("core.model.layers", "from ..decoding import beam", "core.model may not import core.decoding"),
        ("core.model.layers", "def f():\n    from core import service", "core.model may not import core.service"),
        ("core.service", "import core.training.loop", "core.service may not import core.training"),
        ("core.training.loop", "from core.service import Summarizer", "core.training may not import core.service"),
        ("core.figures.heatmap", "from core.service import Summarizer", "core.figures may not import core.service"),
        ("core.evaluation", "from core.cli import main", "core.evaluation may not import core.cli"),
        ("core", "from core.config import PAD", "core.__init__ may not import core.config"),
        ("core.novelty", "from core.config import PAD", "core.novelty has no place"),
        ("core.service", "def f():\n    import streamlit as st", "core never imports streamlit"),
        ("core.explain.lens", "import plotly.graph_objects as go", "only core/figures imports plotly"),
        ("pages.attention", "from plotly import graph_objects", "only core/figures imports plotly"),
        ("core.decoding.loop", "def f():\n    import tensorflow as tf", "only core/backend.py"),
        ("core.decoding.loop", "from jax import numpy", "only core/backend.py"),
        ("core.service", "from pages.shared import state", "core never imports the app or its pages"),
        ("pages.tokens", "from pages.attention import draw", "never each other"),
        ("pages.shared.state", "from pages import tokens", "never each other"),
        ("pages.tokens", "from pages.parts.decoding import bench", "never each other"),
        ("pages.shared.state", "from pages.parts.decoding import bench", "never each other"),
        ("pages.parts.tokens.table", "from pages.parts.decoding import bench", "never each other"),
        ("pages.tokens", "import app", "nothing imports the app"),
        ("core.text.corpus", "import datasets", "core.text.corpus:1 imports datasets at once"),
    ],
)
def test_a_breach_is_reported(module, source, expected):
    lines = breaches({module: source})
    assert [line for line in lines if expected in line], lines


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.config", "from core.errors import SettingsError"),
        ("core.backend", "import tensorflow as tf"),
        ("core.model.layers", "import keras\nfrom . import masks\nfrom core import backend"),
        ("core.training.loop", "from core.checkpoints import write"),
        ("core.evaluation", "from core.service import Summarizer\nfrom core.scoring import rouge"),
        ("core.figures.heatmap", "import plotly.graph_objects as go\nfrom core.trace import Token"),
        ("core.explain.lens", "if TYPE_CHECKING:\n    from core.service import Summarizer"),
        ("core.cli_evaluate", "from core import evaluation, figures, training"),
        ("core.__main__", "from core.cli import main"),
        ("core.text.corpus", "def load():\n    import datasets"),
        ("pages.tokens", "import streamlit as st\nfrom core.figures import strip\nfrom pages.shared import state"),
        ("pages.shared.controls", "from pages.shared.state import summary"),
        ("pages.decoding", "from pages.parts.decoding import bench"),
        ("pages.parts.decoding.bench", "from pages.parts.decoding import run\nfrom pages.shared import state"),
        ("app", "import streamlit as st\nfrom pages.shared import state"),
    ],
)
def test_a_clean_module_passes(module, source):
    assert breaches({module: source}) == []


def test_a_heavy_import_is_found_behind_other_modules():
    sources = {
        "app": "from pages.shared import state",
        "pages.shared.state": "from core.service import Summarizer",
        "core": "",
        "core.service": "from core.model.layers import Stack",
        "core.model": "",
        "core.model.layers": "import keras",
    }
    (line,) = breaches(sources)
    assert line.startswith("core.model.layers:1 imports keras at once")
    assert "pages.shared.state → core.service → core.model.layers" in line
    sources["pages.shared.state"] = "def load():\n    from core.service import Summarizer"
    assert breaches(sources) == []


def test_a_heavy_import_is_found_in_a_package_on_the_way():
    sources = {"app": "from core.decoding.beam import width", "core.decoding": "import keras", "core.decoding.beam": ""}
    (line,) = breaches(sources)
    assert "core.decoding:1 imports keras" in line
