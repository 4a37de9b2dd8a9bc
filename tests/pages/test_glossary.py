"""The glossary page: every term, the search, and the page on which each is seen."""

import pytest

from core.text import glossary
from core.text.glossary import PATH, parse
from core.words import LANGUAGES, speaking
from pages.parts.glossary.terms import DOORS, GROUPS, door
from pages.shared.place import declarations, menu
from tests.pages.driver import enter, go, press

TERMS = [term for terms in parse(PATH.read_text("utf-8")).values() for term in terms]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_same_terms_in_the_same_groups(code):
    with speaking(code):
        found = glossary.groups()
    assert [(term.name, term.group) for terms in found.values() for term in terms] == [(t.name, t.group) for t in TERMS]


def test_every_group_has_a_page_and_every_door_a_term():
    assert len(GROUPS) == max(term.group for term in TERMS) + 1
    named = [name for _, names in DOORS for name in names]
    assert sorted(set(named)) == sorted(named) and set(named) <= {term.name for term in TERMS}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_door_leads_to_a_view_that_is_there(term):
    page, view, fields = door(term)
    declared = {field.name: field for field in declarations.page_at(page).fields}
    assert page in menu.ENTRIES and (not view or view in declarations.page_at(page).views)
    assert all(declared[name].parse(value) == value for name, value in fields.items())


def test_the_search_finds_terms_and_words_of_definitions(app):
    page = enter(go(app.run(), "pages/glossary.py"), "search", "teacher forcing")
    said = [each.value for each in page.markdown]
    assert any(text.startswith("**teacher forcing**") for text in said)
    assert not any(text.startswith("**head**") for text in said)


def test_a_search_without_a_result_says_so(app):
    page = enter(go(app.run(), "pages/glossary.py"), "search", "*zzz*")
    assert page.info[0].value == r"No term and no definition has “\*zzz\*”."


def test_a_term_leads_to_its_page(app, visited):
    press(go(app.run(), "pages/glossary.py"), "see_beam search")
    assert visited == [("pages/decoding.py", {"view": "beam"})]
