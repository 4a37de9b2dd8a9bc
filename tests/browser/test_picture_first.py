"""What one came to see comes first: where the first picture of every view begins, and the way to a word's reasons."""

import re

import pytest
from playwright.sync_api import FloatRect, Page, expect

from pages.shared.place import declarations, menu
from pages.shared.teaching import projector
from tests.browser.helpers import FIRST_TOKENS, small_texts, wait_for_app

VIEWS = [
    (name, view.name, projector.selectors(view.pictures))
    for name in menu.ENTRIES
    for view in declarations.page_at("" if name == declarations.FIRST else name).views.values()
    if view.pictures
]
STARTED = {
    ("errors", "behaviour"): ("", "Change and summarize again", "errors_behaviour_picture"),
    ("experiments", "compare"): ("&checkpoint=tiny-copier", "Compare all methods", "curves"),
    ("masks", "lesson"): ("&mask_steps=50&mask_seed=1", "Train both", "lesson_picture"),
    ("training", "tiny"): ("&train_task=copy", "Train it", "train_live_picture"),
}
"""Views whose picture is drawn while something is computed: what makes it short, its button, and the picture."""
WAITING = {*STARTED, ("errors", "agreement")}
"""The same, and the view whose picture needs two readers of the same summaries: test_labels measures it."""
SCREENS = {"desk": (1280, 800, 400), "phone": (390, 844, 520)}
"""Pixels of a screen, and the lowest place where the first picture may begin."""
LEAST = 300
"""Pixels of a picture that are seen, if it has as many."""


def link(name: str, view: str) -> str:
    page = declarations.page_at("" if name == declarations.FIRST else name)
    path = "/" if name == declarations.FIRST else f"/{name}"
    return f"{path}?{page.view.name}={view}" if len(page.views) > 1 else path


def on_a_projector(page: Page, pictures: list[str]) -> list[str]:
    """Return what is too small in the pictures of a view when its projector is turned on."""
    page.keyboard.press("Alt+p")
    expect(page.locator(".st-key-projector_keys .bar")).to_be_visible()
    for frame in page.frames:  # each side of Side by side is an app of its own
        wait_for_app(frame)
    return small_texts(page, pictures)


DRAWN = """selectors => {
  const node = selectors.map(each => document.querySelector(`[data-testid=stMain] ${each}`)).find(Boolean);
  const { y, height } = node?.getBoundingClientRect() ?? {};
  return height > 1 && { y, height };
}"""


def place(page: Page, pictures: list[str]) -> FloatRect:
    """Return where the first of these is in one look: while a page works, it may draw its pictures anew."""
    return page.wait_for_function(DRAWN, arg=pictures).json_value()


def too_late(box: FloatRect, width: int, height: int, lowest: int) -> list[tuple[float, float]]:
    """Return where a picture begins and how much of it is seen, if that is too low or too little."""
    seen = min(box["y"] + box["height"], height) - box["y"]
    missed = box["y"] > lowest or width > 640 and seen < min(LEAST, box["height"]) - 1
    return [(box["y"], seen)] if missed else []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), STARTED, ids=map("/".join, STARTED))
def test_a_picture_that_a_button_starts_is_on_the_screen(page: Page, name: str, view: str) -> None:
    more, button, picture = STARTED[name, view]
    page.goto(link(name, view) + more)
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name=button).click(timeout=FIRST_TOKENS)
    chart = main.locator(f".st-key-{picture}").first
    for width, height, lowest in SCREENS.values():
        page.set_viewport_size({"width": width, "height": height})
        expect(chart.locator(".main-svg").first).to_be_visible()
        page.wait_for_timeout(500)  # the work goes on: the app is never at rest
        assert not too_late(place(page, [f".st-key-{picture}"]), width, height, lowest)
    stops = main.get_by_role("button", name="Stop", exact=True)
    stops.evaluate_all("nodes => nodes.forEach(node => node.click())")  # it may end by itself meanwhile
    expect(stops).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height", "lowest"), SCREENS.values(), ids=SCREENS)
def test_the_first_picture_of_every_view_is_on_the_screen(page: Page, width: int, height: int, lowest: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    late, tall, small = {}, [], {}
    for name, view, pictures in VIEWS:
        if (name, view) in WAITING:
            continue
        page.goto(link(name, view))
        main = page.get_by_test_id("stMain")
        expect(main.locator(", ".join(pictures)).first).to_be_visible(timeout=FIRST_TOKENS)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=FIRST_TOKENS)  # the model is there
        wait_for_app(page)
        if missed := too_late(place(page, pictures), width, height, lowest):
            late[name, view] = missed
        assert main.evaluate("node => node.scrollWidth - node.clientWidth") <= 0, (name, view)
        tall.append(page.get_by_test_id("stMainBlockContainer").evaluate("node => node.scrollHeight"))
        if width > 640 and (found := on_a_projector(page, pictures)):
            small[name, view] = found
    assert not late and not small
    assert width < 640 or sorted(tall)[len(tall) // 2] <= 1600


def test_a_newcomer_asks_why_a_word_was_written_in_three_clicks(page: Page) -> None:
    page.goto("/")
    writing = page.locator(".st-key-writing")
    expect(writing.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    writing.locator(".token", has_text="wallet").click()
    writing.locator(".see", has_text="Decoding").click()
    page.get_by_role("button", name="What did this token depend on?").click(timeout=FIRST_TOKENS)
    expect(page).to_have_url(re.compile("/experiments.*experiment=words"))
    reason = page.get_by_test_id("stMain").get_by_text(re.compile("log p of “wallet”", re.I)).first
    expect(reason).to_be_visible(timeout=FIRST_TOKENS)


@pytest.mark.parametrize(
    ("part", "path"),
    [("tokens", "/tokens"), ("embedding", "/positions.*pos_view=sum"), ("cross", "/attention.*see=head")],
)
def test_a_part_of_the_whole_is_a_door_and_back_leads_to_start(page: Page, part: str, path: str) -> None:
    page.goto("/")
    box = page.locator(f".st-key-writing .box.{part}")
    expect(box).to_be_visible(timeout=FIRST_TOKENS)
    box.press("Enter")
    expect(page).to_have_url(re.compile(path))
    wait_for_app(page)
    page.go_back()
    expect(page.locator(".st-key-writing .box").first).to_be_visible()
