"""Whom the server answers: over raw websockets, for each address that it may listen on."""

import base64
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit
from streamlit import config

from pages.shared.guard.server_access import HEADERS, Guard, answered_names, refusal
from tests.pages import driver

LISTENING = [
    ("localhost", []), ("192.168.1.5", []), ("0.0.0.0", []), ("", []),
    ("0.0.0.0", ["class.example", "*.school.example"]), ("0.0.0.0", ["*"]),
]  # fmt: skip
"""The address that the server listens on, and server.allowedHosts."""
HOSTS = """localhost:8501 LOCALHOST:8501 localhost. 127.0.0.1:8501 [::1]:8501 evil.example localhost.evil.example
192.168.1.5 192.168.1.5:8501 192.168.1.6:8501 [fe80::1]:8501 192.168.1.5.evil.example class.example
a.school.example school.example user@localhost:8501 localhost:port localhost/a""".split()
ASKED = [(host, f"http://{host}") for host in HOSTS] + [
    ("localhost:8501", None), ("evil.example:8501", None), ("", None), ("localhost:8501", "http://evil.example"),
    ("localhost:8501", "http://localhost:9999"), ("localhost:8501", "null"), ("localhost:8501", ""),
    ("192.168.1.5:8501", "http://192.168.1.6:8501"), ("class.example", "https://class.example"),
    ("evil.example", "http://other.example"),
]  # fmt: skip
"""What a browser sends as Host and Origin."""


async def _inner(scope, receive, send) -> None:
    """Answer whatever comes through."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a page"})


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[Guard, int]]:
    """A guard, whose names a test sets, and the free port on which a server runs behind it."""
    guard = Guard(_inner)
    with driver.serving(guard, lifespan="off") as port:
        yield guard, port


def _ask(port: int, host: str, *lines: str, path: str = "/") -> str:
    """Send a request as it stands, and return the whole answer up to its body's first part."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(4096)
    return answer.decode("latin-1")


def opened(port: int, host: str, origin: str | None, path: str = "/") -> str:
    """Ask for a websocket, and return the answer's first line."""
    upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    key = f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}"
    sent = [] if origin is None else [f"Origin: {origin}"]
    return _ask(port, host, *upgrade, key, *sent, path=path).partition("\r\n")[0]


@pytest.mark.parametrize(
    ("address", "allowed"), LISTENING, ids=[f"{each[0]} {' '.join(each[1])}" for each in LISTENING]
)
def test_a_websocket_is_opened_for_the_apps_own_names_and_pages(guarded, address, allowed, snapshot) -> None:
    guard, port = guarded
    guard.names = answered_names(address, allowed)
    answers = {"HTTP/1.1 101 Switching Protocols": "answered", "HTTP/1.1 403 Forbidden": "refused"}
    lines = [f"{answers[opened(port, host, origin)]}: {host or None} from {origin}" for host, origin in ASKED]
    assert "\n".join(lines) == snapshot


def test_a_page_is_refused_with_the_reason_and_every_answer_has_the_headers(guarded: tuple[Guard, int]) -> None:
    guard, port = guarded
    guard.names = answered_names("localhost", [])
    page, refused = _ask(port, "localhost", "Connection: close"), _ask(port, "evil.example", "Connection: close")
    assert page.startswith("HTTP/1.1 200") and refused.startswith("HTTP/1.1 403")
    for name, value in HEADERS.items():
        assert f"{name.lower()}: {value}\r\n" in page and f"{name.lower()}: {value}\r\n" in refused
    said = refusal(guard.names, "evil.example", None)
    assert said is not None and "Received: 'evil.example'; allowed: 127.0.0.1, ::1, localhost." in said


def test_a_demonstration_takes_no_upload(guarded: tuple[Guard, int], monkeypatch: pytest.MonkeyPatch) -> None:
    guard, port = guarded
    guard.names = answered_names("localhost", [])
    path, close = "/_stcore/upload_file/session/file", "Connection: close"
    assert _ask(port, "localhost", close, path=path).startswith("HTTP/1.1 200")
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    assert _ask(port, "localhost", close, path=path).startswith("HTTP/1.1 403")
    assert _ask(port, "localhost", close).startswith("HTTP/1.1 200")


def test_the_machines_own_name_is_answered_and_other_origins_where_the_setting_names_them() -> None:
    names, origin = answered_names("localhost", []), "https://class.example"
    assert refusal(answered_names("0.0.0.0", []), f"{socket.gethostname()}:8501", None) is None
    assert refusal(names, "localhost:8501", origin, [origin]) is None
    said = refusal(names, "localhost:8501", origin)
    assert said is not None and "a connection from 'https://class.example' to 'localhost:8501'" in said


def test_the_guard_reads_the_servers_settings() -> None:
    before = config.get_option("server.address")
    assert Guard(_inner).names == answered_names(before or "", config.get_option("server.allowedHosts"))


def test_the_policy_names_the_scripts_of_streamlits_page_and_no_others() -> None:
    policy = HEADERS["Content-Security-Policy"]
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    assert policy.count("'sha256-") == len(re.findall(r"<script>", page)) > 0
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe-inline" not in scripts and "'unsafe-eval'" not in policy
