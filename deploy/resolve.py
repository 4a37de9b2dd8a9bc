"""Resolve the pinned packages for every Python that pyproject.toml allows; status 1 where they cannot be installed.

python deploy/resolve.py [--index URL]          another index than the one that pip is set up with

uv reads what the packages ask for and downloads none of them. Where the index cannot be reached this is said in one
line, and nothing fails: most work needs no network.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("requirements-dev.txt", "requirements-ray.txt", "requirements-bench.txt")
PINS = ("requirements.txt", *FILES, "constraints.txt")
BUILT = frozenset({"rouge-score"})
"""Packages that come as their source alone; all others must have a wheel: nobody builds TensorFlow to try an app."""
PROBE = "pytest"
"""A package that the index must know."""
PATIENCE = 8.0
"""Seconds in which it must say so, the start of uv included."""


def pythons() -> list[str]:
    """Return the versions of Python that the project allows, from "3.11" on."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', text, re.MULTILINE)
    if not found:
        raise ValueError("requires-python in pyproject.toml must read >=3.x,<3.y")
    return [f"3.{minor}" for minor in range(int(found[1]), int(found[2]))]


def pinned() -> list[str]:
    """Return the names of all pinned packages."""
    lines = [line for name in PINS for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return sorted({found[1] for line in lines if (found := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==", line))})


def index_of_pip() -> str | None:
    """Return the index that pip is set up with; None: its usual one, which is that of uv."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True)
    return os.environ.get("PIP_INDEX_URL") or done.stdout.strip() or None


def uv(*arguments: str, index: str | None, **options: object) -> subprocess.CompletedProcess[str]:
    """Let uv resolve requirements."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-config", "--system-certs"]
    command += [
        "--no-header",
        "--no-annotate",
        "--no-python-downloads",
        "--python",
        sys.executable,
        *(["--default-index", index] if index else []),
        *arguments,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)  # type: ignore[call-overload]


def reached(index: str | None) -> bool:
    """Return whether the index answers, and knows a package that it has to know."""
    once = {**os.environ, "UV_HTTP_RETRIES": "0"}
    try:
        asked = ("-", "--no-deps", "--refresh")
        return uv(*asked, index=index, input=PROBE, env=once, timeout=PATIENCE).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def resolve(python: str, index: str | None) -> int | str:
    """Return how many packages an installation for a version of Python brings, or why there is none."""
    wheels = [text for name in pinned() if name not in BUILT for text in ("--only-binary", name)]
    done = uv(*FILES, "--python-version", python, *wheels, index=index)
    if done.returncode:
        return done.stderr.strip() or f"uv ended with status {done.returncode}"
    return sum(line[:1].isalnum() for line in done.stdout.splitlines())


def main() -> int:
    """Resolve for each version, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", default=index_of_pip())
    index = parser.parse_args().index
    if find_spec("uv") is None:
        print("Not resolved: uv is missing; requirements-dev.txt has it.", file=sys.stderr)
        return 1
    if not reached(index):
        print(f"Not resolved: the index of packages cannot be reached ({index or 'the usual one'}).")
        return 0
    with ThreadPoolExecutor() as pool:  # each waits for the network
        found = dict(zip(pythons(), pool.map(lambda python: resolve(python, index), pythons()), strict=True))
    wrong = {python: said for python, said in found.items() if isinstance(said, str)}
    for python, said in wrong.items():
        print(f"Not to be installed on Python {python}:\n{said}", file=sys.stderr)
    if not wrong:
        print("Resolved:", ", ".join(f"{count} packages for Python {python}" for python, count in found.items()) + ".")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
