"""The projector: its switch, its links, and how much of a page it leaves on the screen."""

import pytest

from pages.shared.place import declarations
from pages.shared.teaching import projector
from tests.pages.conftest import ROOT
from tests.pages.driver import go, open_link

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


def is_on(app) -> bool:
    """Whether a page is drawn for a projector."""
    return any("font-size: max(18.4px," in each.proto.body for each in app.get("html"))


def test_a_link_opens_it_and_it_stays_on_from_page_to_page_until_the_switch(app):
    shown = open_link("pages/masks.py", app, projector="on")
    assert is_on(shown) and shown.query_params["projector"] == "on"
    go(shown, "pages/start.py")
    assert is_on(shown) and shown.query_params["projector"] == "on"
    shown.button(projector.SWITCH).click().run()
    assert not is_on(shown) and "projector" not in shown.query_params
    shown.button(projector.SWITCH).click().run()
    assert is_on(shown)


def test_what_stands_before_a_picture_is_hidden_but_no_picture_no_title_and_no_error():
    style = projector.folding(("grid", "table_*"), "see")
    assert style.count("display: none") == 1 and ":not([data-unfolded])" in style
    before, stays = style.split(":not(.st-key-grid")
    assert "~ .st-key-grid, ~ * .st-key-grid" in before and '~ * [class*="st-key-table_"]' in before
    for kept in (".st-key-see", ".st-key-projector_title", ".st-key-projector_keys", "stAlert"):
        assert f":has({kept}" in stays or f":has([data-testid={kept}" in stays
    assert projector.folding((), "see") == ""


@pytest.mark.parametrize("name", PAGES)
def test_every_view_says_what_must_be_seen(name):
    views = declarations.page_at(name).views
    assert (
        name in ("lessons", "visited", "glossary") or [view.name for view in views.values() if not view.pictures] == []
    )
