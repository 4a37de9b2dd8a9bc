"""Take the picture of six pages that README.md shows: `make screenshots`.

Starts the app, opens each page in Chromium (CHROMIUM=/path/to/one: instead of the first on the PATH), and puts the six
screenshots together in docs/screenshots/pages.png.
"""

import io
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, find_browser, serve
from tests.browser.helpers import wait_for_app

PICTURE = ROOT / "docs" / "screenshots" / "pages.png"
PAGES = (
    "/summarize",
    "/attention",
    "/decoding?step=9",
    "/attention_lab",
    "/positions",
    "/architecture",
)
SIZE = (1280, 800)
TILE = (800, 500)
GAP = 12
COLUMNS = 2
COLOURS = 256
BUSY = (
    ".st-key-loading, [data-testid='stSkeleton'], [data-testid='stSpinner'], [role='progressbar'], [data-stale='true']"
)
LONGEST = 300.0
"""Seconds that a page may take; the first one waits for the model."""
QUIET = 2.0
"""Seconds without a sign of work after which a page counts as drawn."""


def settle(page: Page) -> None:
    """Wait until nothing on the page loads.

    Raises:
        TimeoutError: something still loads after `LONGEST` seconds.
    """
    started = quiet = time.monotonic()
    while time.monotonic() - quiet < QUIET:
        wait_for_app(page, LONGEST)
        if page.locator(BUSY).count():
            quiet = time.monotonic()
        if time.monotonic() - started > LONGEST:
            raise TimeoutError(f"{page.url} still loads after {LONGEST:.0f} s")
        time.sleep(0.2)


def take(url: str) -> list[Image.Image]:
    """Open the pages one after the other and return a screenshot of each."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_FLAGS)
        page = chromium.new_page(
            base_url=url, viewport=dict(zip(("width", "height"), SIZE, strict=True)), color_scheme="light"
        )
        pictures = []
        for path in PAGES:
            page.goto(path)
            settle(page)
            pictures.append(Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB"))
        chromium.close()
    return pictures


def compose(pictures: list[Image.Image]) -> Image.Image:
    """Put the pictures into rows of `COLUMNS`, in a palette of `COLOURS` colours."""
    width, height = (side + GAP for side in TILE)
    rows = -(-len(pictures) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * width + GAP, rows * height + GAP), "#818c9c")
    for number, picture in enumerate(pictures):
        row, column = divmod(number, COLUMNS)
        whole.paste(picture.resize(TILE, Image.Resampling.LANCZOS), (GAP + column * width, GAP + row * height))
    return whole.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)


def main() -> None:
    """Take the screenshots and write the picture."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "app.log") as url:
        pictures = take(url)
    PICTURE.parent.mkdir(exist_ok=True)
    compose(pictures).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
