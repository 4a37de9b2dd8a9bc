"""The glossary: every term once, with a definition that fits into a tooltip."""

import ast
import re

import pytest

from core.text.glossary import LONGEST, PATH, definition, parse
from tests.layering import ROOT

ENTRIES = parse(PATH.read_text("utf-8"))


def test_a_term_is_read_with_the_paragraph_below_it():
    text = "# Title\n\n## Group\n\n### head\n\nOne of\nseveral.\n\nSource: A 2017.\n\n## Other\n\n### p_gen\n\nIt.\n"
    assert parse(text) == [("head", "One of several."), ("p_gen", "It.")]
    assert parse("# Title\n\n### empty\n\n## Group\n") == [("empty", "")]


def test_every_term_stands_there_once():
    terms = [term.casefold() for term, _ in ENTRIES]
    assert len(terms) > 100
    assert sorted(set(terms)) == sorted(terms)


def test_every_definition_fits_into_a_tooltip():
    for term, text in ENTRIES:
        assert 0 < len(text) <= LONGEST, term
        assert text.endswith(".") and not text.startswith("Source"), term
        assert not re.search(r"[*`$<>#~]|\]\(", text.replace("#Person1#", "")), f"{term}: a tooltip shows plain text"


def test_a_definition_is_found_by_its_term():
    assert definition("teacher forcing").startswith("In training the decoder reads the reference")
    with pytest.raises(KeyError, match="teacher forcin"):
        definition("teacher forcin")


def test_every_term_that_the_app_asks_for_is_there():
    asked = {
        node.args[0].value
        for path in [*ROOT.glob("pages/**/*.py"), *ROOT.glob("core/**/*.py")]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "definition"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert "beam size" in asked
    assert asked <= {term for term, _ in ENTRIES}
