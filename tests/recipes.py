"""The recipes of CONTRIBUTING.md, read as steps that a program can follow, and followed in a copy of the tree.

A block belongs to the file that was named last before it, in `code`. What the blocks say is marked by their language:

- `diff`: lines to put in (+) and to take out (-) beside lines that stay; the lines that are there must be found once.
- `po`: the translations of messages that `make words` has put into a catalogue.
- `sh`: commands, run as they stand.
- anything else: a whole new file.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADING = re.compile(r"^### (.+) \((\d+) files?\)$", re.MULTILINE)
NAMED = re.compile(r"`([\w./-]+\.(?:py|md|po|json|toml)|Makefile)`")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "checkpoints", ".*_cache", "runs", "*.egg-info")
LINKED = (".venv", "checkpoints")
"""What a copy of the tree shares with it: large, and changed by no recipe."""

INSTALLED = 'make() { command make -o .venv/.dev "$@"; }; '
"""Before the commands: what is installed counts as up to date."""


@dataclass(frozen=True)
class Step:
    """A block of a recipe.

    Args:
        language: of the block, which says what to do with it.
        text: of the block.
        file: that it is about, "" for commands.
    """

    language: str
    text: str
    file: str = ""


@dataclass(frozen=True)
class Recipe:
    """A recipe: how many files it says that it touches, and its steps."""

    name: str
    files: int
    steps: tuple[Step, ...]


def read(text: str) -> dict[str, Recipe]:
    """Return the recipes of a document by their names.

    Raises:
        ValueError: a block follows no name of a file, or the last one is no command: the tests that guard the recipe.
    """
    found = {}
    for heading in HEADING.finditer(text):
        rest = text[heading.end() :]
        end = re.search(r"^#{1,3} ", rest, re.MULTILINE)
        name, count = heading.groups()
        steps = tuple(_steps(name, rest[: end.start() if end else None]))
        if not steps or steps[-1].language != "sh":
            raise ValueError(f"{name}: its last block must be the command that runs its tests")
        found[name] = Recipe(name, int(count), steps)
    return found


def _steps(recipe: str, text: str) -> Iterator[Step]:
    lines, file = iter(text.splitlines()), ""
    for line in lines:
        fence = re.match(r"( *)```(\w+)$", line)
        if not fence:
            named = NAMED.findall(line)
            file = named[-1] if named else file
            continue
        indent, language = fence.groups()
        block = []
        for inner in lines:
            if inner == f"{indent}```":
                break
            block.append(inner.removeprefix(indent))
        if language != "sh" and not file:
            raise ValueError(f"{recipe}: no file is named before the block that begins with {block[0]!r}")
        yield Step(language, "\n".join(block) + "\n", "" if language == "sh" else file)
        file = file if language == "sh" else ""


def copy(tree: Path, folder: Path) -> Path:
    """Copy a tree, or a copy of one, without what is large and stays as it is."""
    shutil.copytree(tree, folder, ignore=LEFT_OUT)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """Return a digest of each file of a copy by its path."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("__pycache__", ".pytest_cache", ".ruff_cache")]
        for name in files:
            path = Path(place, name)
            found[path.relative_to(folder).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def guard(recipe: Recipe, folder: Path) -> None:
    """Run the last command of a recipe, the tests that guard it; raises RuntimeError if one fails."""
    _run(recipe.steps[-1].text, folder)


def follow(recipe: Recipe, folder: Path) -> set[str]:
    """Do in a copy of the tree what a recipe says before its last command, and return the files that it has changed.

    Raises:
        ValueError: the tree is not as the recipe says.
        RuntimeError: a command failed.
    """
    before = contents(folder)
    for step in recipe.steps[:-1]:
        path = folder / step.file
        if step.language == "sh":
            _run(step.text, folder)
        elif step.language == "diff":
            path.write_text(changed(path.read_text("utf-8"), step), "utf-8")
        elif step.language == "po":
            path.write_text(translated(path.read_text("utf-8"), step), "utf-8")
        elif path.exists():
            raise ValueError(f"{recipe.name}: {step.file} is there already")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
    after = contents(folder)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def changed(text: str, step: Step) -> str:
    """Return a text with the change of a `diff`; a line of three dots stands between two places."""
    for part in re.split(r"^…\n", step.text, flags=re.MULTILINE):
        lines = part.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
        new = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
        places = re.findall(rf"^(?={re.escape(old)})", text, re.MULTILINE) if old.strip() else []
        if len(places) != 1:
            raise ValueError(f"{step.file}: these lines must stand there once:\n{old}")
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    return text


def translated(text: str, step: Step) -> str:
    """Return a catalogue with some translations, of messages that have none yet."""
    for entry in step.text.strip().split("\n\n"):
        message, _, translation = entry.partition("\nmsgstr ")
        empty = f'\n{message}\nmsgstr ""\n'
        if text.count(empty) != 1:
            raise ValueError(f"{step.file}: there is no untranslated message {message}")
        text = text.replace(empty, f"\n{message}\nmsgstr {translation}\n")
    return text


def _run(commands: str, folder: Path) -> None:
    """Run commands in a copy."""
    environment = {**os.environ, "WORKERS": "0", "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    for name in ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-ec", INSTALLED + commands], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{commands}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}")
