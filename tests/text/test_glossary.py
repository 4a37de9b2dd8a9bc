"""The glossary: every term once, with a definition that fits into a tooltip."""

import ast
import re

import pytest

from core.text.glossary import LONGEST, PATH, definition, file, parse
from core.words import ENGLISH, LANGUAGES, speaking
from pages.shared.controls import sidebar
from tests.layering import ROOT
from tests.refusals import refused


def pairs(text: str) -> list[tuple[str, str]]:
    return [(term.name, term.definition) for terms in parse(text).values() for term in terms]


ENTRIES = pairs(PATH.read_text("utf-8"))
OTHERS = [code for code in LANGUAGES if code != ENGLISH]
SOURCES = {"en": "Source: ", "tr": "Kaynak: ", "vi": "Nguồn: "}


def test_a_term_is_read_with_the_paragraph_below_it():
    text = "# Title\n\n## Group\n\n### head\n\nOne of\nseveral.\n\nSource: A 2017.\n\n## Other\n\n### p_gen\n\nIt.\n"
    assert pairs(text) == [("head", "One of several."), ("p_gen", "It.")]
    assert pairs("# Title\n\n### empty\n\n## Group\n") == [("empty", "")]
    assert [(name, term.source, term.group) for name, terms in parse(text).items() for term in terms] == [
        ("Group", "Source: A 2017.", 0), ("Other", "", 1)
    ]  # fmt: skip


def test_every_term_stands_there_once():
    terms = [term.casefold() for term, _ in ENTRIES]
    assert len(terms) > 100
    assert sorted(set(terms)) == sorted(terms)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_definition_fits_into_a_tooltip(code):
    for term, text in pairs(file(code).read_text("utf-8")):
        assert 0 < len(text) <= LONGEST, term
        assert text.endswith(".") and not text.startswith(SOURCES[code].strip()), term
        assert not re.search(r"[*`$<>#~]|\]\(", text.replace("#Person1#", "")), f"{term}: a tooltip shows plain text"


@pytest.mark.parametrize("code", OTHERS)
def test_every_language_has_the_terms_of_the_english_one_in_its_order_with_their_sources(code):
    text = file(code).read_text("utf-8")
    assert [term for term, _ in pairs(text)] == [term for term, _ in ENTRIES]
    assert _sourced(text, code) == _sourced(PATH.read_text("utf-8"), ENGLISH)


def _sourced(text: str, code: str) -> list[tuple[int, list[str]]]:
    """Of each group of a glossary and each entry the years of the works that it names, and where in them."""
    blocks = re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]
    found = [re.findall(rf"^{SOURCES[code]}(.*)$", block, re.MULTILINE) for block in blocks]
    return [(len(each), re.findall(r"\d[\d.]*", " ".join(each))) for each in found]


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_does_not_define_a_term_in_english(code):
    english = dict(ENTRIES)
    with speaking(code):
        for term, text in english.items():
            assert definition(term) != text, term


def test_a_definition_is_found_by_its_term():
    assert definition("teacher forcing").startswith("In training the decoder reads the reference")
    refused(KeyError, "teacher forcin", definition, "teacher forcin")


def test_every_term_that_the_app_asks_for_is_there():
    asked = {
        node.args[0].value
        for path in [*ROOT.glob("pages/**/*.py"), *ROOT.glob("core/**/*.py")]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "definition"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert "checkpoint" in asked
    assert asked | set(sidebar.TERMS.values()) <= {term for term, _ in ENTRIES}
