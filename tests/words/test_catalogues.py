"""The catalogues: every message of the code in every language, with its places, icons, formulas and code."""

import re
import string
from collections import Counter
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po

from core.words import ENGLISH, HERE, LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
METHODS, OPTIONS = parse_mapping_cfg(StringIO((ROOT / "babel.cfg").read_text("utf-8")))
KEYWORDS = {"say": None, "later": None}
LIKE_CODE = re.compile(r":material/\w+:|`[^`]+`|\$[^$]+\$|</?[a-z]+[^<>]*>|https?://\S+|\]\([^)]*\)")
OTHERS = sorted(LANGUAGES.keys() - {ENGLISH})


@cache
def messages() -> frozenset[str]:
    """The messages of the code."""
    found = set()
    for folder in ("core", "pages", "checkpoints/dialoscope", "."):
        kinds = [("app.py", "docs.gather:messages")] if folder == "." else METHODS
        for _, _, message, *_ in extract_from_dir(ROOT / folder, kinds, OPTIONS, KEYWORDS, directory_filter=_is_ours):
            found.add(message)
    return frozenset(found)


def _is_ours(folder: str | Path) -> bool:
    return not Path(folder).name.startswith((".", "_"))


@cache
def translated(code: str) -> dict[str, str]:
    with (HERE / f"{code}.po").open("rb") as file:
        return {str(each.id): str(each.string) for each in read_po(file, abort_invalid=True) if each.id}


def places(message: str) -> Counter[tuple[str | None, str | None]]:
    return Counter((name, spec) for _, name, spec, _ in string.Formatter().parse(message) if name is not None)


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_message_and_no_other(code):
    """`make words` brings the files up to date; what it leaves empty has to be translated."""
    have = {message for message, text in translated(code).items() if text}
    assert not sorted(messages() - have) and not sorted(translated(code).keys() - messages())


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_places_of_its_message(code):
    wrong = [text for message, text in translated(code).items() if _fails(message, text)]
    assert not wrong, "\n".join(wrong)


def _fails(message: str, text: str) -> bool:
    try:
        return set(places(message)) != set(places(text))
    except ValueError:  # braces of a formula: it is used without values
        return message.count("{") != text.count("{")


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_icons_code_formulas_and_edges_of_its_message(code):
    def kept(text: str) -> tuple[object, ...]:
        return Counter(LIKE_CODE.findall(text)), text.count("**"), text[:1].isspace(), text[-1:].isspace()

    wrong = [text for message, text in translated(code).items() if kept(message) != kept(text)]
    assert not wrong, "\n".join(wrong)


def test_messages_are_literals():
    """A message that is put together while the app runs is in no catalogue."""
    calls = re.compile(r"\b(?:say|later)\(\s*f[\"']")
    files = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    ours = [file for file in files if ROOT / "core" / "cli" not in file.parents]
    assert not [file for file in ours if calls.search(file.read_text("utf-8"))]
    scripts = [*(ROOT / "pages").rglob("*.js"), *(ROOT / "core").rglob("*.js")]
    hidden = re.compile(r"\bsay\(\s*[`']|\$\{say\(\s*\"")  # Babel does not look into a template
    assert not [file for file in scripts if hidden.search(file.read_text("utf-8"))]
