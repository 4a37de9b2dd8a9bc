"""Helpers of the tests of the Experiments page: opening it, its views, and what they show."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import press
from tests.browser.helpers import FIRST_TOKENS, wait_for_app

VIEWS = {
    "turns": ("Turns", ".st-key-turn_rewrites .js-plotly-plot"),
    "heads": ("Heads", ".st-key-head_switches .switch"),
    "words": ("Words", ".st-key-turn_gradients .js-plotly-plot"),
    "lenses": ("Lenses", ".st-key-logit_lens_picture .js-plotly-plot"),
}
"""For each view, its name on the page and something that only it shows."""
SLOW = 120_000
"""Milliseconds for what compiles a graph, on a busy machine."""


def open_experiments(page: Page, link: str = "") -> None:
    """Open the Experiments page and wait for its view; `link` stands after the path, "?word=3" for instance."""
    page.goto(f"/experiments{link}")
    found = re.search("experiment=([a-z]+)", link)
    shown(page, found[1] if found else "turns", FIRST_TOKENS)


def shown(page: Page, name: str, timeout: int = SLOW) -> None:
    """Wait until a view is drawn, and whatever it measures by itself is measured."""
    expect(page.locator(VIEWS[name][1]).first).to_be_visible(timeout=timeout)
    if name == "turns":
        expect(page.get_by_text(re.compile(r"All \d+ turns are measured"))).to_be_visible(timeout=SLOW)
    wait_for_app(page)


def see(page: Page, name: str) -> None:
    """Open a view by its button."""
    press(page, "experiment", VIEWS[name][0])
    shown(page, name)


def row(page: Page, number: int) -> Locator:
    """A turn on the bench, by its number."""
    count = page.locator(".count", has_text=re.compile(rf"^{number}$"))
    return page.locator(".st-key-turn_bench .row").filter(has=count)


def tool(page: Page, name: str) -> None:
    """Press a button of the bench and wait for what comes of it."""
    page.locator(".st-key-turn_bench").get_by_role("button", name=name, exact=True).click()
    wait_for_app(page)


def order(page: Page) -> list[int]:
    """The numbers of the turns on the bench, from the top."""
    return [int(text) for text in page.locator(".st-key-turn_bench .count").all_inner_texts()]


def switch(page: Page, name: str) -> None:
    """Click a head, or the name of a layer, by what is said of it: "Cross-attention, layer 3, head 2: on"."""
    page.locator(".st-key-head_switches").get_by_role("button", name=name).click()
    wait_for_app(page)


def measured(page: Page) -> dict[str, float]:
    """The effect of the heads that were ablated, by where they stand: "cross.0.1"."""
    cells = page.locator(".st-key-head_switches .switch:not(.unmeasured)")
    found = cells.evaluate_all("nodes => nodes.map(n => [n.dataset.place, n.innerText.replace('−', '-')])")
    return {place: float(text) for place, text in found}


def dark(page: Page) -> list[str]:
    """The heads that are off, by where they stand."""
    cells = page.locator(".st-key-head_switches .switch[aria-pressed='false']")
    return cells.evaluate_all("nodes => nodes.map(n => n.dataset.place)")


def compared(page: Page) -> list[list[float]]:
    """The numbers that compare the untouched and the new summary: without the change, with it, the difference."""
    toolbar = page.locator("button[aria-label*='Mean log-probability']")
    frame = page.get_by_test_id("stDataFrame").filter(has=toolbar)
    frame.scroll_into_view_if_needed()
    rows = frame.locator("tbody tr")
    expect(rows).to_have_count(2)
    cells = rows.evaluate_all("rows => rows.map(row => [...row.cells].slice(1).map(cell => cell.textContent))")
    return [[float(text) for text in row] for row in cells]


def held(page: Page) -> str:
    """Where the focus is inside one of the page's components."""
    return page.evaluate(
        """() => {
            let node = document.activeElement;
            while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
            return node.dataset.place ?? node.tagName;
        }"""
    )


def packed(text: str) -> str:
    """A text without white space."""
    return re.sub(r"\s", "", text)


def expect_diff(page: Page, key: str, before: str) -> str:
    """Check that a word diff starts from a text, and return the other one, packed."""
    view = page.locator(f".st-key-{key}")
    expect(view.locator("del, ins").first).to_be_visible()
    assert packed("".join(view.locator("span, del").all_text_contents())) == packed(before)
    return packed("".join(view.locator("span, ins").all_text_contents()))
