"""What the pages say of themselves to somebody new: one sentence each, and where to go next, which makes a path."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.place import declarations, menu
from tests.pages.conftest import ROOT
from tests.pages.driver import healthy

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
MAKERS = re.compile(
    r"\b(the|course) reports?\b|printed|slips?\b|lecture slides print|moments?\b|lesions?\b", re.IGNORECASE
)
"""Words that only the makers understand."""


def test_every_page_is_in_the_menu():
    assert sorted(menu.ENTRIES) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_in_one_sentence_what_it_is_about_and_where_to_go_next(name):
    page, following = declarations.page_at(name), menu.after(name)
    assert 40 <= len(page.about) <= 230 and re.fullmatch(r"[A-Z][^.?!]*\.", page.about), page.about
    ways = [(following.name, following.shows), *page.then]
    assert len(ways) <= 2 and len({name, *(target for target, _ in ways)}) == len(ways) + 1
    for target, label in ways:
        assert label.startswith(f"{menu.ENTRIES[target].title}: "), label
    assert not MAKERS.search(" ".join([page.about, *(label for _, label in ways)]))


def test_the_first_way_on_leads_through_all_pages():
    seen, name = [], declarations.FIRST
    while name not in seen:
        seen.append(name)
        name = menu.after(name).name
    assert sorted(seen) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_side_by_side_offers_the_pages_that_use_a_checkpoint(name):
    assert menu.ENTRIES[name].compared == ("checkpoint" in declarations.page_at(name).uses)


def test_the_last_line_of_a_page_leads_on_while_its_model_loads(app: AppTest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pages.shared.model.loading.ready", lambda job: False)
    healthy(app.switch_page("pages/attention.py").run())
    last = app.main.children[max(app.main.children)]
    assert [each.proto.label.partition(":")[0] for each in last if each.type == "page_link"] == [
        "Decoding", "Attention lab"
    ]  # fmt: skip
