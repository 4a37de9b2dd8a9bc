"""Every view of every page: axe-core finds nothing that keeps anybody out, nothing is too wide for a phone or too small
for a finger.

The panel of a lesson is in test_lessons.py, the file of a report in test_report.py, a list with entries in
test_visited.py.
"""

import pytest
from playwright.sync_api import Page, expect

from pages.shared.place import declarations
from tests.browser.axe import pale, violations
from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app
from tests.browser.targets import small_targets
from tests.pages.conftest import ROOT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
MORE = {
    "errors": "&err_row=lost-suitcase",
    "bertscore": "&bert_candidate=turns&bert_encoder=roberta-large",
    "decoding": "&branch=3.500",
    "experiments": "&off=cross1.2&turns=1.3",
}
"""What else a link to a page asks for: an opened row, an encoder that is not here, a branch, a change."""
BOXES = {
    "steps": ("Dialogue:", "Save or open"),
    "summarize": ("Download",),
    "examples": ("Bring your own", "Save or read labels"),
    "curves": ("Bring a history.csv",),
    "words": ("Table", "Save"),
    "list": ("Open a saved list",),
}
"""Of a view the boxes that its buttons open; of each kind of box one."""
BOX, SIDEBAR = "[data-testid='stPopoverBody']", "[data-testid='stSidebar']"


def links(page: str) -> dict[str, str]:
    """Return the addresses of a page's views by their names."""
    declared, path = declarations.page_at(page), "" if page == declarations.FIRST else page
    return {view: f"/{path}?{declared.view.name}={view}{MORE.get(page, '')}" for view in declared.views}


def in_box(page: Page, button: str) -> list[str]:
    """List what is wrong in the box that a button opens with the keyboard."""
    opener = page.get_by_test_id("stMain").get_by_role("button", name=button).first
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator(BOX)).to_be_focused()  # else all other controls of the page would come first
    wait_for_app(page)
    found = [*violations(page, BOX), *small_targets(page, BOX)]
    page.keyboard.press("Escape")
    expect(page.locator(BOX)).to_have_count(0)
    expect(opener).to_be_focused()
    return [f"{button}: {line}" for line in found]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_view_can_be_used_by_everybody(page, name):
    found = []
    page.emulate_media(reduced_motion="reduce")  # on the way from one scheme to the other, colours have less contrast
    for number, (view, link) in enumerate(links(name).items()):
        page.goto(link)
        wait_for_app(page, 240)
        expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0, timeout=FIRST_TOKENS)
        wait_for_app(page, 240)
        expect(page.locator(".stApp")).to_have_css("color-scheme", "light")
        found += [f"{link}, light: {line}" for line in violations(page)]
        found += [f"{link}, {line}" for button in BOXES.get(view, ()) for line in in_box(page, button)]
        page.emulate_media(color_scheme="dark")
        expect(page.locator(".stApp")).to_have_css("color-scheme", "dark")
        if not number:  # every view has the same sidebar, which a phone folds away
            wait_for_app(page, 240)
            lines = [*pale(page, SIDEBAR), *small_targets(page, SIDEBAR)]
            found += [f"{link}, sidebar, dark: {line}" for line in lines]
        page.set_viewport_size({"width": 390, "height": 844})
        wait_for_app(page, 240)
        found += [f"{link}, dark on a phone: {name} is too wide" for name in sideways(page, "")]
        found += [f"{link}, dark on a phone: {line}" for line in (*violations(page), *small_targets(page))]
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
    assert found == [], "\n".join(found)
