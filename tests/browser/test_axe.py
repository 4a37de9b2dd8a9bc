"""Every view of every page: axe-core finds nothing that keeps anybody out, and nothing is too wide for a phone."""

import pytest
from playwright.sync_api import expect

from pages.shared.frame import address
from tests.browser.attention import wide
from tests.browser.axe import violations
from tests.browser.helpers import wait_for_app
from tests.pages.conftest import ROOT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
MORE = {"errors": "&err_row=lost-suitcase", "bertscore": "&bert_candidate=turns&bert_encoder=roberta-large"}
"""What else a link to a page asks for: an opened row, an encoder that is not here."""


def links(page: str) -> list[str]:
    """List the addresses of a page's views."""
    declared, path = address.page_at(page), "" if page == address.FIRST else page
    return [f"/{path}?{declared.view.name}={view}{MORE.get(page, '')}" for view in declared.views]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_view_can_be_used_by_everybody(page, name):
    found = []
    for link in links(name):
        page.goto(link)
        wait_for_app(page, 240)
        expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0, timeout=60_000)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)
            wait_for_app(page, 240)
            found += [f"{link}, {scheme}: {line}" for line in violations(page)]
        page.set_viewport_size({"width": 390, "height": 844})
        wait_for_app(page)
        found += [f"{link}, on a phone: {name} is too wide" for name in wide(page)]
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
    assert found == [], "\n".join(found)
