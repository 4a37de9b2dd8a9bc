"""Time from a key or a click to the picture that answers it, in a browser beside a running app.

    make app                                     (in another window)
    python benchmarks/pages.py [URL]             (CHROMIUM=/path/to/one: instead of the first on the PATH)

Prints the median of five in seconds, and as a share of what opening the page anew takes in this run.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.attention import open_attention
from tests.browser.conftest import CHROMIUM_FLAGS, find_browser
from tests.browser.helpers import open_decoding, wait_for_app


def timed(action: Callable[[], object], seen: Callable[[], object]) -> float:
    """Wall time from an action to what shows that it arrived."""
    started = time.perf_counter()
    action()
    seen()
    return time.perf_counter() - started


def steps(page: Page) -> Iterator[float]:
    """Decoding: the next step by the arrow key."""
    chosen = page.locator(".st-key-next_token tr.chosen .word")
    for _ in range(5):
        before = chosen.inner_text()
        yield timed(lambda: page.keyboard.press("ArrowRight"), lambda b=before: expect(chosen).not_to_have_text(b))
        wait_for_app(page)


def heads(page: Page) -> Iterator[float]:
    """Attention: another head from the list."""
    name = page.locator(".st-key-head_matrix .title")
    for head in "23412":
        page.locator(".st-key-head").get_by_role("combobox").click()
        option = page.get_by_role("option", name=head, exact=True)
        option.wait_for()
        yield timed(option.click, lambda h=head: expect(name).to_have_text(f"Cross-attention, layer 1, head {h}"))
        wait_for_app(page)


def main() -> None:
    """Measure and print."""
    url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_FLAGS)
        for name, link, opened, measure in (
            ("Decoding, one step", "", open_decoding, steps),
            ("Attention, another head", "?see=head&layer=1&head=1", open_attention, heads),
        ):
            page = chromium.new_page(base_url=url, viewport={"width": 1280, "height": 900})
            opened(page, link)  # not counted: the first visitor waits for the model
            started = time.perf_counter()
            opened(page, link)
            whole = time.perf_counter() - started
            found = statistics.median(measure(page))
            print(f"{name:24} {found:5.2f} s  {found / whole:5.2f} of opening the page ({whole:.2f} s)")
            page.close()


if __name__ == "__main__":
    main()
