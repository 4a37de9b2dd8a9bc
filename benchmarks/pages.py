"""Time from a key or a click to the picture that answers it, in a browser beside a running app.

    make app                                              (in another window)
    python benchmarks/pages.py [URL] [--rounds 5]         (CHROMIUM=/path/to/one: instead of the first on the PATH)

Opens every view of every page once, so that what it computes is in the cache, then goes through the views of each page
again and again, and through steps and heads by key. Prints the median and the longest time of each in seconds, from the
event until the page changes no more, and over everything the median, p95, and the median as a share of what opening a
page anew takes in this run.
"""

import argparse
import math
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, sync_playwright

from tests.browser.attention import open_attention
from tests.browser.conftest import CHROMIUM_FLAGS, find_browser
from tests.browser.helpers import FIRST_TOKENS, open_decoding, wait_for_app

PAGES = (
    "tokens", "positions", "masks", "attention", "decoding", "architecture", "attention_lab", "experiments", "training",
    "bertscore", "errors",
)  # fmt: skip
WATCH = """() => {
  const now = () => performance.now();
  window.began = window.changed = now();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { window.began = now(); }, true);
  new MutationObserver(() => { window.changed = now(); }).observe(
    document.querySelector("[data-testid='stMain']"),
    { subtree: true, childList: true, attributes: true, characterData: true },
  );
}"""
"""Notes when a key or the pointer was pressed, and when the page last changed."""


def answered(page: Page, action: Callable[[], object]) -> float:
    """Return the seconds from an event until the page changes no more."""
    action()
    wait_for_app(page)
    return float(page.evaluate("() => Math.max(0, window.changed - window.began) / 1000"))


def views(page: Page, name: str, rounds: int) -> dict[str, list[float]]:
    """Go through the views of a page; the first time round is not counted."""
    page.goto(f"/{name}")
    control = page.get_by_test_id("stMain").get_by_role("radiogroup").first
    control.get_by_role("radio").first.wait_for(timeout=FIRST_TOKENS)
    wait_for_app(page)
    page.evaluate(WATCH)
    segments = control.get_by_role("radio")
    found: dict[str, list[float]] = {}
    for number in range(rounds + 1):
        for place in range(segments.count()):
            label = segments.nth(place).inner_text().split("\n")[-1]
            seconds = answered(page, segments.nth(place).click)
            if number:
                found.setdefault(f"{name}: {label}", []).append(seconds)
    return found


def steps(page: Page, rounds: int) -> list[float]:
    """Decoding: the next step by the arrow key; the stepper waits for more keys before it asks the server."""
    open_decoding(page)
    page.evaluate(WATCH)

    def press(step: int) -> None:
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(rf"step={step}\b"))

    return [answered(page, lambda step=step: press(step)) for step in range(2, rounds + 2)]


def heads(page: Page, rounds: int) -> list[float]:
    """Attention: the next head from the list, by keys."""
    open_attention(page, "?see=head&layer=1&head=1")
    page.evaluate(WATCH)
    box = page.locator(".st-key-head").get_by_role("combobox")
    found = []
    for _ in range(rounds):
        box.click()
        page.keyboard.press("ArrowDown")
        found.append(answered(page, lambda: page.keyboard.press("Enter")))
    return found


def opening(page: Page) -> float:
    """Return the seconds that opening the Decoding page anew takes."""
    open_decoding(page)
    started = time.perf_counter()
    open_decoding(page)
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url", nargs="?", default="http://localhost:8501")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_FLAGS)
        page = chromium.new_page(base_url=options.url, viewport={"width": 1280, "height": 900})
        whole = opening(page)
        found = {"decoding: another step": steps(page, options.rounds)}
        found["attention: another head"] = heads(page, options.rounds)
        for name in PAGES:
            found |= views(page, name, options.rounds)
    for name, times in found.items():
        print(f"{name:44} median {statistics.median(times):5.2f} s  longest {max(times):5.2f}")
    every = sorted(value for times in found.values() for value in times)
    middle, late = statistics.median(every), every[math.ceil(0.95 * len(every)) - 1]
    print(f"all: median {middle:.2f} s, p95 {late:.2f} s; the median is {middle / whole:.2f} of opening a page")


if __name__ == "__main__":
    main()
