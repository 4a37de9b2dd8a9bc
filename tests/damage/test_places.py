"""Each place where the project opens a file is in places.txt, with the kinds of files that are opened there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.damage.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2]
OPENING = frozenset(
    """open open_plain open_inside read_bytes read_text read_json read_csv fromfile memmap open_memmap safe_open
    load_file from_file from_pretrained load_dataset TextIOWrapper loadtxt genfromtxt get_model get_tokenizer ZipFile
    from_csv from_parquet ParquetFile read_sql connect load_model load_weights""".split()
)
"""Names of functions that open a file, whatever they belong to."""
OF_MODULES = {"np": {"load"}, "numpy": {"load"}, "json": {"load"}, "tomllib": {"load"}, "gzip": {"open"}, "csv": set()}
"""Names that open a file only as functions of these modules."""
WRITES = ("w", "wb", "a", "ab", "x", "xb")
PLACES = dict(
    re.match(r"(\S+: \S+): (.+)", line).groups()
    for line in Path(__file__).with_name("places.txt").read_text("utf-8").splitlines()
    if line and line[0] != "#"
)
"""Of each place what is opened there: kinds, or a reason why it needs none."""
REASONS = ("by all", "of the hub", "code of", "opens ", "writes ", "what the system")


def places(path: Path) -> Iterator[str]:
    """Yield the functions of a module that call what opens a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def walk(node: ast.AST, function: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Call) and opens(node):
            yield function
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    yield from walk(tree, "the module")


def opens(call: ast.Call) -> bool:
    """Return whether a call opens a file for reading."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if owner in OF_MODULES:
        return name in OF_MODULES[owner] | OPENING
    texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return name in OPENING and not any(text in WRITES for text in texts)


def test_every_place_that_opens_files_is_known() -> None:
    paths = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    found = {f"{path.relative_to(ROOT).as_posix()}: {function}" for path in paths for function in places(path)}
    assert found - PLACES.keys() == set(), "new: add its kind of file to kinds.py, and the place to places.txt"
    assert PLACES.keys() - found == set(), "gone: take it out"


def test_every_place_names_kinds_that_are_damaged() -> None:
    kinds = {kind.name for kind in KINDS}
    for place, about in PLACES.items():
        if not about.startswith(REASONS):
            assert set(about.split("; ")) <= kinds, place


def test_a_new_place_would_be_seen() -> None:
    for code, found in [
        ("open(path)", True), ("path.open()", True), ("path.open('rb')", True), ("np.load(path)", True),
        ("json.load(file)", True), ("path.read_text()", True), ("path.open('w')", False),
        ("Summarizer.load(name)", False), ("json.loads(text)", False), ("csv.reader(lines)", False),
    ]:  # fmt: skip
        assert opens(ast.parse(code).body[0].value) == found, code
