"""Raw requests to nginx, from any address of the loopback network, and under any name."""

import base64
import contextlib
import http.client
import socket
import ssl
from dataclasses import dataclass

NAME = "class.example.org"
"""The name in the shipped configuration."""


@dataclass(frozen=True)
class Answer:
    """What came back; names of headers in small letters, as often as they came."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each == name]

    def cookie(self) -> str | None:
        """The replica that the answer names."""
        found = [value for value in self.all("set-cookie") if value.startswith("replica=")]
        return found[0].partition(";")[0].removeprefix("replica=") if found else None


def connected(port: int, name: str = NAME, source: str = "127.0.0.1") -> ssl.SSLSocket:
    """A connection to nginx, encrypted, from an address."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
    try:
        return context.wrap_socket(plain, server_hostname=name)
    except BaseException:
        plain.close()
        raise


def answer(
    port: int, path: str, *, host: str | None = None, name: str = NAME, source: str = "127.0.0.1",
    method: str = "GET", body: bytes | None = None, **headers: str,
) -> Answer:  # fmt: skip
    """Ask for a path; a header `content_length` is sent as Content-Length."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.sock = connected(port, name, source)
    try:
        return asked(connection, path, method, body, {"Host": host or f"{NAME}:{port}", **headers})
    finally:
        connection.close()


def unencrypted(port: int, path: str, host: str) -> Answer:
    """Ask over plain HTTP."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        return asked(connection, path, headers={"Host": host})


def asked(
    connection: http.client.HTTPConnection, path: str, method: str = "GET", body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:  # fmt: skip
    """Ask over a connection that is there."""
    named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
    connection.request(method, path, body, named)
    reply = connection.getresponse()
    try:
        content = reply.read()
    except http.client.IncompleteRead as error:  # the connection was cut behind the head
        content = error.partial
    return Answer(reply.status, [(name.lower(), value) for name, value in reply.getheaders()], content)


def websocket(port: int, source: str = "127.0.0.1", cookie: str = "", origin: str = "") -> tuple[str, ssl.SSLSocket]:
    """Open a websocket; the whole head of the answer, and the connection, which stays open."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {NAME}:{port}",
        f"Origin: {origin or f'https://{NAME}:{port}'}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: streamlit",
        f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
    ]
    lines += [f"Cookie: replica={cookie}"] if cookie else []
    connection = connected(port, source=source)
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head and (part := connection.recv(4096)):
        head += part
    return head.partition(b"\r\n\r\n")[0].decode("latin-1"), connection
