"""The recipes of CONTRIBUTING.md: each is followed in a copy of the tree, and touches as many files as it says."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po

from tests.layering import ROOT
from tests.recipes import Step, changed, copy, follow, guard, read, translated
from tests.refusals import refused
from tests.words.pseudo import wide

RECIPES = read((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
AFTER = {"A figure": "A page"}
"""Recipes that go on from another one."""


def translate(folder: Path) -> None:
    """Stand in for somebody who speaks the new language: every message and every term, in full-width letters."""
    path = folder / "core" / "words" / "de.po"
    with path.open("rb") as file:
        messages = read_po(file)
    for message in messages:
        message.string = wide(str(message.id))
    with path.open("wb") as file:
        write_po(file, messages)
    glossary = folder / "docs" / "glossary.de.md"
    lines = [_translated(line) for line in glossary.read_text("utf-8").splitlines()]
    glossary.write_text("\n".join([*lines, ""]), "utf-8")


def _translated(line: str) -> str:
    if line.startswith("Source: "):
        return f"Quelle: {line.removeprefix('Source: ')}"
    text = TAG.join(map(wide, line.split(TAG)))
    return f"### {wide(line[4:])} ({line[4:]})" if line.startswith("### ") else text


TAG = "#Person1#"
"""Stays as it is in every language."""
BY_HAND = {"A language": translate}
"""What a recipe leaves to a person, done before its last command."""


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, set[str]]]:
    """Return the copy of the tree in which a recipe has been followed up to its tests, and what it touched there."""
    made: dict[str, tuple[Path, set[str]]] = {}

    def follow_once(name: str) -> tuple[Path, set[str]]:
        if name not in made:
            before = follow_once(AFTER[name])[0] if name in AFTER else ROOT
            folder = copy(before, tmp_path_factory.mktemp("recipe") / "tree")
            touched = follow(RECIPES[name], folder)
            BY_HAND.get(name, lambda _: None)(folder)
            made[name] = folder, touched
        return made[name]

    return follow_once


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_touches_as_many_files_as_it_says_and_leaves_them_clean(name, followed):
    folder, touched = followed(name)
    assert len(touched) == RECIPES[name].files, sorted(touched)
    code = sorted(file for file in touched if file.endswith(".py"))
    for check in (["check"], ["format", "--check", "--diff"]):
        done = subprocess.run([sys.executable, "-m", "ruff", *check, *code], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_what_was_made_by_a_recipe_passes_the_tests_that_guard_it(name, followed):
    guard(RECIPES[name], followed(name)[0])


def test_a_recipe_without_a_file_or_without_tests_is_refused():
    with pytest.raises(ValueError, match="A page: no file is named before the block that begins with 'x'"):
        read("### A page (1 file)\n\n```python\nx\n```\n")
    with pytest.raises(ValueError, match="A page: its last block must be the command that runs its tests"):
        read("### A page (1 file)\n\n`x.py`:\n\n```python\nx\n```\n")


def test_a_change_whose_lines_do_not_stand_there_once_is_refused():
    step = Step("diff", " a\n-b\n+B\n…\n c\n+d\n", "list.py")
    for text in ("a\nx\nb\nc\n", "a\nb\na\nb\nc\n", "a\nb\nx\n"):
        refused(ValueError, "list.py: these lines must stand there once", changed, text, step)


def test_a_translation_of_what_is_translated_already_is_refused():
    text = '#: a.py\nmsgid "One"\nmsgstr ""\n\nmsgid "Two"\nmsgstr "Iki"\n'
    with pytest.raises(ValueError, match='tr.po: there is no untranslated message msgid "Two"'):
        translated(text, Step("po", 'msgid "Two"\nmsgstr "Iki"\n', "tr.po"))
