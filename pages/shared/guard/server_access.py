"""Whom the server answers, and the headers of every response.

A page in any browser may point a name of its own at this machine and then speak to the app as that name (DNS
rebinding), so a name that nobody gave the app is refused, and so is a websocket that another page opens.
"""

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import urlsplit

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config

from pages.shared.guard import demo

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this machine for itself: always answered."""
_UPLOAD = "_stcore/upload_file"
EVERYWHERE = frozenset({"", "0.0.0.0", "::"})
"""Addresses that listen on every network of the machine."""


def _inline_scripts() -> list[str]:
    """Return the hashes of the scripts inside Streamlit's page, which a policy may name."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]


HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: 'wasm-unsafe-eval' {' '.join(_inline_scripts())}",  # blob: our components
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every response: nothing is loaded from elsewhere, no text becomes a script, and no foreign page shows the
app in a frame."""


def root() -> str:
    """Return the path under which the app stands: "/", unless the server's setting server.baseUrlPath says more."""
    return f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/") + "/"


def answered_names(address: str, allowed: Iterable[str], shown: str = "") -> frozenset[str]:
    """Return the names under which the app answers.

    Args:
        address: the address that the server listens on; one of `EVERYWHERE` for all of them.
        allowed: Streamlit's `server.allowedHosts`; where it names any, no other name but `LOOPBACK` counts.
        shown: the address that the app prints for its visitors.

    Returns:
        Names in small letters; "*.example.org" stands for all names below, "*" for every name, "#" for every numeric
        address.
    """
    names = {name.strip().lower().rstrip(".") for name in allowed} - {""}
    if not names:
        names = {address.lower(), shown.lower()} - EVERYWHERE
        if address in EVERYWHERE:
            machine = socket.gethostname().lower()
            names |= {machine, machine.partition(".")[0], machine.partition(".")[0] + ".local", "#"}
    return LOOPBACK | names


def refusal(names: Collection[str], host: str | None, origin: str | None, origins: Collection[str] = ()) -> str | None:
    """Return why a request is refused, or None.

    Args:
        names: as `answered_names` returns them.
        host: the header Host.
        origin: the header Origin of a websocket; None where a client sends none, as no browser does.
        origins: Streamlit's `server.corsAllowedOrigins`.
    """
    name = _name(host)
    if name is None or not any(_matches(name, allowed) for allowed in names):
        shown = ", ".join("numeric addresses" if allowed == "#" else allowed for allowed in sorted(names))
        return (
            f"The app does not answer under this name. Received: {host!r}; allowed: {shown}. "
            "The server's setting server.allowedHosts names others."
        )
    if origin is not None and urlsplit(origin).netloc.lower() != (host or "").lower() and origin not in origins:
        return f"The app answers its own pages only. Received: a connection from {origin!r} to {host!r}."
    return None


def _name(host: str | None) -> str | None:
    """Read the name in a header Host; None if it is no plain name with a port at most."""
    try:
        parts = urlsplit(f"//{host or ''}")
        _ = parts.port
    except ValueError:
        return None
    if parts.hostname is None or "@" in parts.netloc or parts.path or parts.query or parts.fragment:
        return None
    return parts.hostname.rstrip(".")


def _matches(name: str, allowed: str) -> bool:
    if allowed == "#":
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
    return allowed in ("*", name) or (allowed.startswith("*.") and name.endswith(allowed[1:]))


class Guard:
    """Answer the app's own names and pages only, and put `HEADERS` on every response.

    Args:
        app: the app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.names = answered_names(
            config.get_option("server.address") or "",
            config.get_option("server.allowedHosts"),
            config.get_option("browser.serverAddress") if config.is_manually_set("browser.serverAddress") else "",
        )
        self.origins = frozenset(config.get_option("server.corsAllowedOrigins"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a websocket, or refuse it with status 403 and the reason."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin") if scope["type"] == "websocket" else None
        reason = refusal(self.names, headers.get("host"), origin, self.origins)
        if reason is None and demo.on() and _UPLOAD in scope["path"]:
            reason = "This is a demonstration: it takes no files."
        if reason is None:
            await self.app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)  # before it is accepted: the answer is a 403
        else:
            await PlainTextResponse(reason + "\n", 403)(scope, receive, send_with_headers)
