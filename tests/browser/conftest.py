"""Fixtures of the browser tests: Chromium, the running app, and a page that collects its errors."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect, sync_playwright

from tests.browser.helpers import ASKED, SLOW, is_noise
from tests.needs import BROWSER, need

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = Path(__file__).resolve().parent / "screenshots"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # needed as root, as in most containers
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
START_SECONDS = 90
LOG_LINES = 60

app_log = pytest.StashKey[Path]()
failed = pytest.StashKey[bool]()
running = pytest.StashKey[ExitStack]()

expect.set_options(timeout=SLOW)  # whoever waits is not slower for it; 5 s are the default


def find_browser() -> str | None:
    """The path of the browser: CHROMIUM, or the first one on the PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser."""
    path = find_browser()
    need(path, *BROWSER)
    return path


@pytest.fixture(scope="session")
def app_url(chromium: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, started once on a free port of the loopback interface."""
    log = tmp_path_factory.mktemp("app") / "app.log"
    request.config.stash[app_log] = log
    with ExitStack() as stack:
        request.config.stash[running] = stack
        yield stack.enter_context(serve(log))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Stop the app after the last browser test of a process: it holds gigabytes that the other tests need."""
    if nextitem is None or not nextitem.get_closest_marker("browser"):
        item.config.stash.get(running, ExitStack()).close()


def launch(port: int, log: Path, **options: object) -> subprocess.Popen:
    """Start the app in a process of its own; its output and imports go beside `log`."""
    options = {"port": port, "headless": "true", "fileWatcherType": "none", **options}
    command = [sys.executable, "-m", "tests.browser.app", "run", "app.py", "--browser.gatherUsageStats", "false"]
    command += [text for name, value in options.items() for text in (f"--server.{name}", str(value))]
    environment = {**os.environ, "DIALOSCOPE_IMPORTED": str(log.parent / "imported")}
    with log.open("ab") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )


def stop(process: subprocess.Popen) -> None:
    """End a process, by force after ten seconds."""
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def serve(log: Path) -> Iterator[str]:
    """Run the app for the length of a block; yield its address."""
    port = free_port()
    process = launch(port, log, address="127.0.0.1")
    try:
        _wait_until_healthy(process, f"http://127.0.0.1:{port}", log)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium a test file: kept longer, Playwright's event loop would reach into the other tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def errors() -> list[str]:
    """What went wrong in any page."""
    return []


@pytest.fixture
def page_errors(errors: list[str]) -> list[str]:
    """What went wrong in the page so far: errors of its console but known noise, exceptions, requests to elsewhere."""
    errors.clear()
    return errors


@pytest.fixture(scope="module")
def spare() -> defaultdict[Hashable, list[Page]]:
    """Pages that a test left empty, by what they were opened with: a new browser takes seconds to learn the app."""
    return defaultdict(list)


@pytest.fixture
def open_page(
    browser: Browser,
    page_errors: list[str],
    spare: defaultdict[Hashable, list[Page]],
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Page]]:
    """Open pages of any size or colour scheme, each in a context of its own; arguments of `new_context`."""
    opened: list[tuple[str, Hashable, Page]] = []

    def open_one(url: str, width: int = 1280, height: int = 900, **options: object) -> Page:
        size = {"width": width, "height": height}
        kind = (url, *sorted(options.items()))
        if spare[kind]:
            page = spare[kind].pop()
            page.set_viewport_size(size)
        else:
            context = browser.new_context(base_url=url, viewport=size, accept_downloads=True, **options)
            context.add_init_script(ASKED)
            page = context.new_page()
            page.on("console", on_console)
            page.on("pageerror", lambda error: page_errors.append(f"exception: {error}"))
            page.on("request", lambda asked: on_request(url, asked.url))
        opened.append((url, kind, page))
        return page

    def on_console(message) -> None:
        line = f"console: {message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not is_noise(line):
            page_errors.append(line)

    def on_request(url: str, asked: str) -> None:
        if urlsplit(asked).scheme not in ("data", "blob") and urlsplit(asked).netloc != urlsplit(url).netloc:
            page_errors.append(f"request: {asked} is not at the app's own address")

    yield open_one
    wrong = request.node.stash.get(failed, False) or page_errors != []
    for number, (url, kind, page) in enumerate(opened):
        if wrong:
            SCREENSHOTS.mkdir(exist_ok=True)
            name = re.sub(r"\W+", "-", request.node.name)
            for each in page.context.pages:
                each.screenshot(path=SCREENSHOTS / f"failed-{name}-{number}.png")
        if wrong or page.is_closed():
            page.context.close()
        else:
            _empty(page, url)
            spare[kind].append(page)
    assert page_errors == [], "no test may leave an error in the console"


def _empty(page: Page, url: str) -> None:
    """Leave nothing of a test in a page and its context."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.context.set_offline(False)
    page.context.clear_cookies()
    page.goto(f"{url}/_stcore/health")
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.mouse.move(0, 0)


@pytest.fixture
def page(open_page: Callable[..., Page], app_url: str) -> Page:
    """A page of 1280 × 900 in a context of its own; relative addresses lead to the app."""
    return open_page(app_url)


@pytest.fixture
def slow_answers(page: Page, request: pytest.FixtureRequest) -> Iterator[Callable[[], AbstractContextManager[list]]]:
    """Hold the server's answers back for the length of a block, which gets them; ask for it before the page opens."""
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    slow = False

    def route(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        server.on_message(lambda message: held.append((browser, message)) if slow else browser.send(message))

    @contextmanager
    def hold() -> Iterator[list]:
        nonlocal slow
        slow = True
        yield held
        slow = False
        for browser, message in held:
            browser.send(message)
        held.clear()

    page.route_web_socket(re.compile("/_stcore/stream"), route)
    yield hold
    if not request.node.stash.get(failed, False):
        page.close()  # the route cannot be taken back: the page is for no other test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the app's log and the page's errors beside a failure."""
    report = yield
    if report.failed:
        item.stash[failed] = True
        errors = getattr(item, "funcargs", {}).get("page_errors")
        if errors:
            report.sections.append(("errors in the page", "\n".join(errors)))
        log = item.config.stash.get(app_log, None)
        if log is not None:
            report.sections.append(("log of the app", _tail(log)))
    return report


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_healthy(process: subprocess.Popen, url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"the app ended with status {process.returncode}:\n{_tail(log)}", pytrace=False)
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    pytest.fail(f"the app was not healthy after {START_SECONDS} s:\n{_tail(log)}", pytrace=False)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:])
