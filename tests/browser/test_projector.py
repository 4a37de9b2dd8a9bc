"""The projector: every page by keys alone with its picture whole on 1280 × 720, and texts of a contrast of 7:1."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from app import MENU
from pages.shared.place import declarations
from pages.shared.teaching.projector import selectors
from tests.browser.axe import pale
from tests.browser.helpers import FIRST_TOKENS, bar_hides, wait_for_app

WIDTH, HEIGHT = 1280, 720
BAR = ".st-key-projector_keys .bar"


def key(page: Page, name: str) -> None:
    page.keyboard.press(name)
    wait_for_app(page)


def pictures(page: Page, name: str, view: str) -> list[dict[str, float]]:
    """Where the pictures of a view are that must be seen."""
    keys = declarations.page_at(name).views[view].pictures
    found = (page.locator(f"[data-testid='stMain'] {each}").first for each in selectors(keys))
    return [box for each in found if each.count() and (box := each.bounding_box()) and box["height"] > 20]


def expect_whole(page: Page, name: str, view: str, seconds: float = FIRST_TOKENS / 1000) -> None:
    """Wait until the pictures of a view are there, and lie in the window without scrolling."""
    if not declarations.page_at(name).views[view].pictures:
        return
    end, boxes = time.monotonic() + seconds, []
    while time.monotonic() < end:
        boxes = pictures(page, name, view)
        if boxes and all(box["y"] >= 0 and box["y"] + box["height"] <= HEIGHT for box in boxes):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{name}, {view}: not whole in the window: {boxes}")


@pytest.mark.slow
def test_every_page_by_keys_alone_with_its_picture_whole(page):
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto("/")
    sidebar = page.get_by_test_id("stSidebarNav")
    expect(sidebar.get_by_role("link", name="Start")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Projector")).to_be_visible()  # which listens to its key
    wait_for_app(page)
    key(page, "n")
    expect(page).to_have_url(re.compile("/$"))  # without the projector, keys mean what they always do
    key(page, "Alt+p")
    expect(page.locator(BAR)).to_be_visible()
    expect(sidebar).not_to_be_in_viewport()
    names = [name for group in MENU.values() for name, *_ in group]
    for place, name in enumerate(names):
        path = f"/{'' if name == declarations.FIRST else name}"
        expect(page).to_have_url(re.compile(rf"{path}\?(.*&)?projector=on"))
        wait_for_app(page, 240)
        expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0, timeout=FIRST_TOKENS)
        expect_whole(page, name, next(iter(declarations.page_at(name).views)))
        assert page.get_by_test_id("stMain").evaluate("node => node.scrollTop") == 0
        if place + 1 < len(names):
            key(page, "n")
    key(page, "2")
    expect(page).to_have_url(re.compile("err_view=spread"))
    key(page, "f")
    expect(page.get_by_role("button", name="Dialogue:").or_(page.locator(".st-key-err_data"))).to_be_visible()
    key(page, "p")
    expect(page.locator(BAR)).to_have_count(0)
    expect(sidebar).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"\?err_view=spread$"))
    expect(page.locator("html")).to_have_css("font-size", "16px")


@pytest.mark.parametrize(("name", "view"), [("attention_lab", "block"), ("errors", "hints")])
def test_views_of_many_rows_are_whole_too_and_no_text_is_pale(page, name, view):
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto(f"/{name}?{declarations.page_at(name).view.name}={view}&projector=on")
    wait_for_app(page, 240)
    expect_whole(page, name, view)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)
        wait_for_app(page)
        assert pale(page, rule="color-contrast-enhanced") == [], scheme
    page.emulate_media(color_scheme="light")
    key(page, "f")
    bar, title = page.locator(BAR).bounding_box(), page.locator(".st-key-projector_title")
    for part in (title.get_by_role("heading"), title.locator("p")):
        box = part.bounding_box()
        assert box["y"] >= bar["y"] + bar["height"] or box["x"] + box["width"] <= bar["x"], "it runs into Controls"
    assert bar_hides(page)
