"""Imports point down only: this reads every import of the project and fails on a breach of the layering.

`errors, config, files, text.dialogue < trace < text, model < decoding < checkpoints < training, service < evaluation <
training.recipes`; the command line (`core.__main__`, `core.cli`) and the surface for notebooks (`core.load`,
`core.notebook`) stand on top; `scoring`, `explain` and `figures`
work on values, `experiments` run the model again. The recipes (from corpora to a scored checkpoint) are a layer of
their own: they summarize and score, which training itself must not know. Pages import `core` and `pages.shared`, never
each other; a page too long for one file has its parts in `pages/parts/<page>/`. What is slow to import waits inside
the function that needs it, so that the first page paints at once. No module reaches itself by what it imports, imports
inside functions and for types included.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

from tests.layering import MAY_IMPORT, ROOT, Import, imports_of, part_of, project, resolve

EAGER = ("core", "core.config", "core.errors", "core.trace", "core.text")
"""What a page imports before it paints, beside `app` and `pages` themselves."""

HEAVY = frozenset(
    {"bert_score", "datasets", "jax", "keras", "sentence_transformers", "tensorflow", "torch", "transformers"}
)
"""Packages that take seconds to import."""

BACKENDS = frozenset({"jax", "jaxlib", "tensorflow"})


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
    if item.package in BACKENDS and module != "core.runtime.backend":
        yield "only core/runtime/backend.py imports tensorflow or jax"
    if in_core and item.package == "keras" and module != "core.runtime.backend":
        yield "core takes Keras from core/runtime/backend.py"
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
    here, there = part_of(module), part_of(resolve(item.name, sources))
    if here == there or here == "cli" or there == "":
        return
    if here not in MAY_IMPORT:
        yield f"core.{here} has no place in the layering yet: add it to MAY_IMPORT"
    elif here == "" and item.at_import:
        yield f"core.__init__ may not import core.{there} at once: do so where needed"
    elif there not in MAY_IMPORT[here] and not (item.typing_only and here in ("scoring", "explain", "figures")):
        yield f"core.{here or '__init__'} may not import core.{there}"


def _late_breaches(found: Mapping[str, tuple[Import, ...]]) -> list[str]:
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


def _runs(name: str, found: Mapping[str, tuple[Import, ...]]) -> list[str]:
    """List the modules that importing a dotted name runs: its packages, from the outside in, and itself."""
    parts = name.split(".")
    prefixes = [".".join(parts[: length + 1]) for length in range(len(parts))]
    return [prefix for prefix in prefixes if prefix in found]


def test_the_project_keeps_the_layering_without_circles_and_what_it_imports_is_there():
    sources, packages = project()
    assert {"app", "core.config", "core.errors"} <= set(sources)
    assert {part_of(name) for name in sources if name.startswith("core.")} - {"cli"} <= set(MAY_IMPORT)
    assert not (lines := breaches(sources, packages) + missing(sources, packages)), "\n" + "\n".join(lines)
    assert circles(sources, packages) == []


def test_what_one_page_shows_lies_in_rooms_of_its_name_and_the_tests_mirror_them():
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")}
    for part in ("figures", "explain", "experiments"):
        rooms = {path.parent.name for path in (ROOT / "core" / part).glob("*/__init__.py")}
        assert rooms <= pages | {"shared", "attribution"}  # one registry of methods for all pages
        tested = {path.parent.name for path in (ROOT / "tests" / part).glob("*/test_*.py")}
        assert tested <= rooms, f"tests/{part} has rooms that core/{part} has not"
        for path in (ROOT / "tests" / part).rglob("test_*.py"):
            held = (ROOT / "core" / path.parent.relative_to(ROOT / "tests")).glob("*.py")
            assert any(path.stem.startswith(f"test_{each.stem}") for each in held), f"{path.stem} tests no file"


def test_the_order_is_that_of_the_design():
    order = [["errors", "config", "text.dialogue"], ["trace"], ["text", "model"], ["decoding"], ["checkpoints"]]
    order += [["training", "service"], ["evaluation"], ["training.recipes"]]
    for level, parts in enumerate(order):
        below = {part for lower in order[:level] for part in lower}
        level_or_above = {part for higher in order[level:] for part in higher}
        for part in parts:
            assert not MAY_IMPORT[part] & level_or_above or part in ("config", "text.dialogue")
            assert MAY_IMPORT[part] >= below or part in ("text", "model", "config", "text.dialogue", "evaluation")


def missing(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> list[str]:
    """List the imports of project modules that are not there; a function that imports one would fail when it runs."""
    lines = []
    for module, source in sources.items():
        for item in imports_of(source, module, is_package=module in packages):
            found = resolve(item.name, sources)
            value = item.name.removeprefix(found).lstrip(".")
            named = "." not in value and (found not in packages or value in sources[found])
            if item.package in ("app", "core", "pages") and not named:
                lines.append(f"{module}:{item.line} imports {item.name}, which is not there")
    return lines


def test_an_import_of_a_module_that_has_moved_is_found():
    sources = {"core": "", "core.model": "", "core.model.masks": "", "app": "def f():\n    from core.model import mask"}
    assert missing(sources, frozenset({"core", "core.model"})) == ["app:2 imports core.model.mask, which is not there"]
    sources["app"] = "from core import load\nfrom core.model import masks\nfrom core.model.masks import padding_mask"
    sources["core"] = "def load(): ..."
    assert missing(sources, frozenset({"core", "core.model"})) == []


def circles(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> list[list[str]]:
    """List the groups of modules that import one another, directly or by way of others, whenever the import runs."""
    graph = {
        name: {resolve(item.name, sources) for item in imports_of(source, name, is_package=name in packages)} - {name}
        for name, source in sources.items()
    }
    reached = {name: _reach(name, graph) for name in graph}
    groups = {
        tuple(sorted({other for other in reached[name] if name in reached[other]}))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, groups))


def _reach(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Follow the imports of a module; it reaches itself only in a circle."""
    seen: set[str] = set()
    queue = [start]
    while queue:
        new = (graph[queue.pop()] & graph.keys()) - seen
        seen |= new
        queue.extend(new)
    return seen


def test_a_circle_is_found_however_it_is_imported():
    for back in (
        "from core.b import value",
        "def f():\n    from core import b",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from core.b import Value",
    ):
        others = {"core": "", "core.b": "from core.c import d", "core.c": "import core.a", "core.e": back}
        assert circles(others | {"core.a": back}) == [["core.a", "core.b", "core.c"]]
        assert circles(others | {"core.a": ""}) == []


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


def test_imports_of_tells_what_runs_at_import():
    for source, at_import in [
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
    ]:
        assert imports_of(source, "app")[-1].at_import is at_import, source
        assert bool(breaches({"app": source})) is at_import, source


BREACHES = [
    ("core.config", "from core.trace import Token", "core.config may not import core.trace"),
    ("core.errors", "import core.config", "core.errors may not import core.config"),
    ("core.text.corpus", "from core.model import masks", "core.text may not import core.model"),
    ("core.model.layers", "from ..decoding import beam", "core.model may not import core.decoding"),
    ("core.model.layers", "def f():\n    from core import service", "core.model may not import core.service"),
    ("core.service", "import core.training.loop", "core.service may not import core.training"),
    ("core.training.loop", "from core.service import Summarizer", "core.training may not import core.service"),
    ("core.training.loop", "from core.training.recipes import fitting", "may not import core.training.recipes"),
    ("core.evaluation.run", "from core.training.recipes import fitting", "may not import core.training.recipes"),
    ("core.figures.heatmap", "from core.service import Summarizer", "core.figures may not import core.service"),
    ("core.evaluation", "from core.cli import main", "core.evaluation may not import core.cli"),
    ("core", "from core.config import PAD", "core.__init__ may not import core.config"),
    ("core", "from core.notebook import Model", "core.__init__ may not import core.notebook at once"),
    ("core.service", "from core.notebook import Model", "core.service may not import core.notebook"),
    ("core.novelty", "from core.config import PAD", "core.novelty has no place"),
    ("core.service", "def f():\n    import streamlit as st", "core never imports streamlit"),
    ("core.explain.lens", "import plotly.graph_objects as go", "only core/figures imports plotly"),
    ("pages.attention", "from plotly import graph_objects", "only core/figures imports plotly"),
    ("core.decoding.loop", "def f():\n    import tensorflow as tf", "only core/runtime/backend.py"),
    ("core.decoding.loop", "from jax import numpy", "only core/runtime/backend.py"),
    ("core.model.layers", "def f():\n    import keras", "takes Keras from core/runtime/backend.py"),
    ("core.service", "from pages.shared import state", "core never imports the app or its pages"),
    ("pages.tokens", "from pages.attention import draw", "never each other"),
    ("pages.shared.state", "from pages import tokens", "never each other"),
    ("pages.tokens", "from pages.parts.decoding import branches", "never each other"),
    ("pages.shared.state", "from pages.parts.decoding import branches", "never each other"),
    ("pages.parts.tokens.table", "from pages.parts.decoding import branches", "never each other"),
    ("pages.tokens", "import app", "nothing imports the app"),
    ("core.text.corpus", "import datasets", "core.text.corpus:1 imports datasets at once"),
]


def test_a_breach_is_reported():  # the project itself holds every form that is allowed
    for module, source, expected in BREACHES:
        lines = breaches({module: source})
        assert [line for line in lines if expected in line], (module, source, lines)


def test_a_heavy_import_is_found_behind_other_modules_and_in_a_package_on_the_way():
    sources = {
        "app": "from pages.shared import state",
        "pages.shared.state": "from core.service import Summarizer",
        "core": "",
        "core.service": "from core.model.layers import Stack",
        "core.model": "",
        "core.model.layers": "import torch",
    }
    (line,) = breaches(sources)
    assert line.startswith("core.model.layers:1 imports torch at once")
    assert "pages.shared.state → core.service → core.model.layers" in line
    sources["pages.shared.state"] = "def load():\n    from core.service import Summarizer"
    assert breaches(sources) == []
    sources = {"app": "from core.decoding.beam import width", "core.decoding": "import torch", "core.decoding.beam": ""}
    (line,) = breaches(sources)
    assert "core.decoding:1 imports torch" in line


def test_keras_comes_without_the_libraries_that_it_only_looks_for():
    """They take 200 MB and two seconds of every command; whoever comes first, core.runtime.backend brings Keras."""
    modules = (
        "core.service, core.evaluation.local, core.training.recipes.fitting, core.experiments.architecture.describe"
    )
    code = f"import sys, {modules}; print(*{{'jax', 'matplotlib', 'scipy', 'sklearn'}} & sys.modules.keys())"
    environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert told.stdout.strip() == ""
    assert told.stderr == "", "TensorFlow informs nobody on standard error"
