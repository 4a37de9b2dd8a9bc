"""No bound of a comparison stands without its reason: `tests.closeness` derives it, or a comment says why it holds.

`approx` and `assert_allclose` without a bound allow a millionth and a ten-millionth: enough wherever a few numbers are
added up in double precision, by hand or by numpy. What a network computes is compared in `ROOMS`, where both need one.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests", "benchmarks")
FILES = sorted(path for name in FOLDERS for path in (ROOT / name).rglob("*.py") if path != Path(__file__))
ROOMS = ("decoding", "experiments", "importing", "model")
"""Folders of tests whose numbers come out of networks."""
OPEN = re.compile(r"\b(?:approx|assert_allclose)\(")
BOUND = re.compile(
    r"""\b(?:atol|rtol|abs|rel)\s*=\s*(?!0\b(?!\.))[\d.]   # a keyword of approx, isclose or assert_allclose
    | "(?:atol|rtol|abs|rel)":\s*(?!0\b(?!\.))[\d.]        # the same in a dictionary of arguments
    | <=?\s*[\d.]+e-\d+                                    # smaller than a small number""",
    re.VERBOSE,
)


def bare(source: str) -> Iterator[int]:
    """Yield the lines with a bound and no comment, neither in the statement nor on the line above it."""
    comments, texts = set(), {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("# fmt"):
            comments.add(token.start[0])
        elif token.type in (tokenize.STRING, tokenize.FSTRING_START if hasattr(tokenize, "FSTRING_START") else -1):
            texts |= dict.fromkeys(range(token.start[0] + 1, token.end[0] + 1), True)  # inside of a long text
    for number, line in enumerate(source.splitlines(), 1):
        if BOUND.search(line.partition("#")[0]) and number not in texts and not {number, number - 1} & comments:
            yield number


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_bound_has_its_reason(path: Path) -> None:
    lines = list(bare(path.read_text(encoding="utf-8")))
    assert not lines, f"{path.name}, lines {lines}: use tests.closeness, or say behind it why the number holds"


def without_bound(source: str) -> Iterator[int]:
    """Yield the lines that begin a comparison without a bound in the statement and without a comment."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and OPEN.search(f"{ast.unparse(node.func)}("):
            told = {each.arg for each in node.keywords} & {"abs", "rel", "atol", "rtol", None}
            lines = source.splitlines()[node.lineno - 1 : node.end_lineno]
            if not told and not any("#" in line for line in lines):
                yield node.lineno


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_network_computes_is_compared_with_a_bound(room: str) -> None:
    found = {
        path.name: lines
        for path in (ROOT / "tests" / room).rglob("*.py")
        if (lines := list(without_bound(path.read_text(encoding="utf-8"))))
    }
    assert not found, "use tests.closeness, or say behind it why a millionth holds"


def test_a_bare_bound_is_found() -> None:
    for line, found in [
        ("near(a, b, terms=4)", False), ("allclose(a, b, rtol=0, atol=1e-5)", True),
        ("allclose(a, b, atol=1e-5)  # three digits are shown", False), ("assert gap < 1e-4", True),
        ("assert gap > 1e-4", False), ("allclose(a, b, rtol=0)", False), ("approx(1, abs=0.01)", True),
        ('CLOSE = {"atol": 5e-5}', True), ("# printed with three digits\napprox(1, abs=0.01)", False),
        ('x = """\nassert gap < 1e-4\n"""', False),
    ]:  # fmt: skip
        assert bool(list(bare(line + "\n"))) == found, line
    assert list(without_bound("assert x == approx(1)\nassert x == approx(1, abs=2)\napprox(2)  # exact")) == [1]
