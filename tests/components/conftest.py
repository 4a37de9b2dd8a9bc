"""Fixtures of the component tests: one Chromium and one page a test file."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import browser, chromium  # noqa: F401
from tests.components.harness import Stage, serve
from tests.components.samples import SAMPLES

WIDE, PHONE = {"width": 1100, "height": 900}, {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def shared_page(browser: Browser) -> tuple[Page, list[str]]:  # noqa: F811
    """A page, and what went wrong in it."""
    page = browser.new_context(viewport=WIDE, accept_downloads=True).new_page()
    serve(page)
    page.set_default_timeout(30_000)
    wrong: list[str] = []
    page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return page, wrong


@pytest.fixture
def page(shared_page: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page, as wide as a laptop's; nothing may go wrong in it."""
    page, wrong = shared_page
    wrong.clear()
    page.set_viewport_size(WIDE)
    page.mouse.move(5, 5)
    yield page
    assert wrong == []


@pytest.fixture
def stage(page: Page) -> Callable[..., Stage]:
    """Draw a component with its sample, or with other data."""

    def draw(name: str, data: dict[str, Any] | None = None, **options: Any) -> Stage:
        return Stage(page, name, SAMPLES[name]() if data is None else data, **options)

    return draw


@pytest.fixture
def clock(page: Page) -> Iterator[Any]:
    """The page's clock, which stands still until a test lets time pass."""
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    yield page.clock
    page.clock.resume()
