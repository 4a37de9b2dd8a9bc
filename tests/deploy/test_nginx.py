"""The shipped nginx.conf before two real replicas: who gets in, where a visitor stays, and what a crash costs."""

import contextlib
import gzip
import http.client
import re
import shlex
import ssl
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from core.text import links
from pages.shared.guard.server_access import HEADERS
from tests.browser.conftest import CHROMIUM_FLAGS, find_browser
from tests.browser.helpers import SLOW, paste_here, wait_for_app
from tests.deploy.client import NAME, answer, asked, connected, unencrypted, websocket
from tests.deploy.conftest import SHIPPED, Front, Replica, checked
from tests.layering import ROOT
from tests.needs import BROWSER, need

pytestmark = pytest.mark.slow
DOCUMENT = ROOT / "docs" / "deploy.md"
TABS = 60
"""Tabs of one address in the shipped configuration."""


def test_the_command_in_the_document_leaves_one_replica_to_nginx(tmp_path: Path) -> None:
    command = re.search(r"^sed -i (.*replica-b.*) deploy/nginx\.conf$", DOCUMENT.read_text("utf-8"), re.M)[1]
    alone = subprocess.run(["sed", *shlex.split(command), SHIPPED], check=True, capture_output=True, text=True).stdout
    blocks = re.findall(r"upstream \w+ \{(.*?)\}", alone, re.S)
    assert [re.findall(r"server ([^\s;]+)", block) for block in blocks] == 5 * [["replica-a:8501"]]
    assert "backup" not in alone
    front = Front(tmp_path, {name: Replica(port, tmp_path / name) for name, port in (("a", 8501), ("b", 8502))})
    checked(front, front.configuration(alone))


def test_a_page_comes_with_the_apps_headers_once_and_with_tls_headers(front: Front) -> None:
    page = answer(front.port, "/tokens?t=abc")
    assert page.status == 200 and b"<title>" in page.body
    for name, value in HEADERS.items():
        assert page.all(name.lower()) == [value], "the app sends it, and nginx does not repeat it"
    assert page.all("strict-transport-security") == ["max-age=31536000"]
    assert all("secure" in each.lower() for each in page.all("set-cookie"))
    assert "nginx/" not in "".join(page.all("server"))
    assert answer(front.port, "/_stcore/metrics").status == 404
    moved = unencrypted(front.plain_port, "/tokens?t=abc", NAME)
    assert (moved.status, moved.all("location")) == (301, [f"https://{NAME}/tokens?t=abc"])


def test_another_name_gets_nothing_and_another_origin_no_websocket(front: Front) -> None:
    with pytest.raises(ssl.SSLError):
        answer(front.port, "/", name="evil.example", host="evil.example")
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        answer(front.port, "/", host="evil.example")
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        unencrypted(front.plain_port, "/", "evil.example")
    assert unencrypted(front.replicas["a"].port, "/", "evil.example").status == 403, "the guard behind nginx stays"
    for origin, status in ((front.url, "101"), ("https://evil.example", "403")):
        head, connection = websocket(front.port, origin=origin)
        connection.close()
        assert head.startswith(f"HTTP/1.1 {status}")


def test_scripts_are_compressed_and_kept(front: Front) -> None:
    page = answer(front.port, "/").body.decode()
    script = "/" + re.search(r'src="\./(static/js/[^"]+\.js)"', page)[1]
    packed = answer(front.port, script, Accept_Encoding="gzip")
    plain = answer(front.port, script)
    assert packed.all("content-encoding") == ["gzip"] and plain.all("content-encoding") == []
    assert "Accept-Encoding" in packed.all("vary")[0]
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < 0.45 * len(plain.body) > 100_000
    assert packed.all("content-security-policy") == [HEADERS["Content-Security-Policy"]]
    assert any(each.is_file() for each in (front.folder / "scripts").rglob("*")), "nginx keeps a copy"


def test_a_body_over_the_limit_is_refused_before_it_is_read(front: Front) -> None:
    assert answer(front.port, "/", method="POST", body=bytes(2_000_000)).status == 413
    path = "/_stcore/upload_file/session/file"
    large = answer(front.port, path, method="PUT", Content_Length=str(102 * 2**20), Expect="100-continue")
    assert large.status == 413 and large.body == b"This file is larger than the app takes.\n"
    assert large.all("content-security-policy") == ["default-src 'none'"]
    allowed = answer(front.port, path, method="PUT", Content_Length="2000000", Expect="100-continue")
    assert allowed.status == 403 and allowed.all("x-frame-options"), "it reached the app, which asks for its token"


def test_bodies_that_the_app_refuses_do_not_cost_a_replica_its_visitors(front: Front) -> None:
    for _ in range(8):
        # the app hangs up while the body is on its way: 403, or 502 where the answer was lost by that; or the front
        # ends the connection, too, before all of the body was sent
        with contextlib.suppress(ConnectionError, ssl.SSLEOFError):
            refused = answer(front.port, "/_stcore/upload_file/session/file", method="PUT", body=bytes(8_000_000))
            assert refused.status in (403, 502)
    assert {answer(front.port, "/").cookie() for _ in range(4)} == {"a", "b"}


def test_a_session_sticks_to_the_replica_that_answered_first(front: Front) -> None:
    homes = []
    for number in range(6):
        source = f"127.0.1.{number + 1}"
        home = answer(front.port, "/", source=source).cookie()
        assert home == front.answered("/", source)
        homes.append(home)
        for path in ("/media/picture.png", "/_stcore/upload_file/session/file", "/masks"):
            later = answer(front.port, path, source=source, Cookie=f"replica={home}")
            assert later.cookie() is None and front.answered(path, source) == home
        head, connection = websocket(front.port, source, cookie=home)
        connection.close()
        assert head.startswith("HTTP/1.1 101") and "replica=" not in head
        assert front.answered("/_stcore/stream", source) == home
    assert set(homes) == {"a", "b"}, "new visitors take turns"
    odd = answer(front.port, "/", Cookie="replica=../../c")
    assert odd.status == 200 and odd.cookie() in ("a", "b")


def test_one_address_has_so_many_tabs_and_no_more(front: Front) -> None:
    opened = [websocket(front.port, source="127.0.0.9") for _ in range(TABS + 3)]
    try:
        lines = [head.partition("\r\n")[0] for head, _ in opened]
        assert all(" 101 " in line for line in lines[:TABS])
        assert [line.split()[1] for line in lines[TABS:]] == ["429"] * 3
        head, other = websocket(front.port, source="127.0.0.10")
        other.close()
        assert " 101 " in head, "another address is not concerned"
    finally:
        for _, connection in opened:
            connection.close()


def test_a_flood_of_requests_is_refused_for_its_address_alone(front: Front) -> None:
    refused = threading.Event()

    def flood(_: int) -> Counter[int]:
        statuses: Counter[int] = Counter()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)) as connection:
            while statuses.total() < 1000 and not refused.is_set():
                if connection.sock is None:
                    connection.sock = connected(front.port, source="127.0.0.11")
                page = asked(connection, "/_stcore/health", headers={"Host": f"{NAME}:{front.port}"})
                statuses[page.status] += 1
                if page.status == 429:
                    refused.set()
        return statuses

    with ThreadPoolExecutor(8) as pool:
        statuses = sum(pool.map(flood, range(8)), Counter())
    assert statuses.keys() == {200, 429} and statuses[200] >= 600, "600 at once pass: a class that opens the app"
    assert answer(front.port, "/_stcore/health").status == 200


@pytest.fixture
def visitor(front: Front) -> Iterator[Callable[[str], Page]]:
    """Open the app as a new visitor."""
    path = find_browser()
    need(path, *BROWSER)
    flags = [*CHROMIUM_FLAGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=flags)

        def come(path: str) -> Page:
            page = browser.new_context(base_url=front.url, ignore_https_errors=True).new_page()
            page.goto(path)
            wait_for_app(page)
            return page

        yield come
        browser.close()


def home(page: Page) -> str:
    """The replica in a visitor's cookie."""
    return next(each["value"] for each in page.context.cookies() if each["name"] == "replica")


def dialogue_of(page: Page) -> str:
    """The dialogue in the link that the page has."""
    return links.unpack(parse_qs(urlsplit(page.url).query)["t"][0])


def test_a_killed_replica_costs_nobody_the_dialogue(front: Front, visitor: Callable[[str], Page]) -> None:
    texts = {
        "Nora": "Nora: The goat has eaten the timetable again.\nPim: Then how do we know when the ferry leaves?",
        "Olaf": "Olaf: My kite is in your pear tree.\nRuth: It came down at noon, with three pears.",
    }
    visitors = {name: visitor("/tokens") for name in texts}
    assert {home(page) for page in visitors.values()} == {"a", "b"}
    for name, page in visitors.items():
        paste_here(page, texts[name])
        assert dialogue_of(page) == texts[name]
    hurt, spared = visitors["Nora"], visitors["Olaf"]
    lost, left = home(hurt), home(spared)

    front.replicas[lost].kill()
    app = hurt.get_by_test_id("stApp")
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED", timeout=SLOW)
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=SLOW)
    wait_for_app(hurt)
    expect(hurt.get_by_role("button", name="Dialogue: Nora: The goat")).to_be_visible(timeout=SLOW)
    assert home(hurt) == left, "the open page came back by itself"
    hurt.reload()
    wait_for_app(hurt)
    expect(hurt.get_by_role("button", name="Dialogue: Nora: The goat")).to_be_visible(timeout=SLOW)
    assert home(hurt) == left and dialogue_of(hurt) == texts["Nora"]
    expect(spared.get_by_role("button", name="Dialogue: Olaf: My kite")).to_be_visible()
    assert home(spared) == left

    front.replicas[lost].start()
    front.replicas[lost].wait()
    time.sleep(5.5)  # until nginx tries it again: fail_timeout
    hurt.get_by_test_id("stSidebarNav").get_by_role("link", name="Masks", exact=True).click()
    wait_for_app(hurt)
    assert dialogue_of(hurt) == texts["Nora"] and home(hurt) == left, "it stays where its session is"
    newcomers = {answer(front.port, "/").cookie() for _ in range(4)}
    assert newcomers == {"a", "b"}, "who comes now is shared between both again"
    logs = [(front.folder / name).read_text("utf-8") for name in ("access.log", "error.log")]
    assert "t=" not in "".join(logs), "no log holds a dialogue"
