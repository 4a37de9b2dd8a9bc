"""A hub on this machine: the part of its protocol that downloads use, over folders, with faults on demand."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIECE = 16_384
LARGE = 10_000
"""Bytes from which on a file is kept as the hub keeps large ones: with its SHA-256."""


@dataclass
class Hub:
    """What the hub has and how it behaves.

    Args:
        models: folder of each model by its name.
        gated: names whose files nobody may have.
        pace: seconds between two pieces of a file.
        cut: bytes of a file after which connections are closed; None: never.
        cuts: how often.
        ranges: whether it sends parts of files.
        spoilt: whether it sends other bytes than it says.
        asked: method, path and first byte of every request.
    """

    models: dict[str, Path] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    pace: float = 0.0
    cut: int | None = None
    cuts: int = 1
    ranges: bool = True
    spoilt: bool = False
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    url: str = ""

    def downloads(self, file: str) -> list[int]:
        """The bytes at which downloads of a file began."""
        return [first for method, path, first in self.asked if method == "GET" and path.endswith(f"/{file}")]


@contextmanager
def serve() -> Iterator[Hub]:
    """Run a hub for the length of a block."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path).strip("/")
            first = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
            hub.asked.append((self.command, path, first))
            api, _, name = path.partition("api/models/")
            name, tree, _ = name.partition("/tree/")
            if tree:
                self.tree(name)
            elif name and not api:
                name, _, revision = name.partition("/revision/")
                self.model(name, revision or "main")
            else:
                name, _, rest = path.partition("/resolve/")
                self.file(name, rest.partition("/")[2], first)

        def model(self, name: str, revision: str) -> None:
            if name not in hub.models:
                return self.refuse(401, "RepoNotFound")
            if revision not in ("main", COMMIT, "refs/pr/1"):
                return self.refuse(404, "RevisionNotFound")
            folder = hub.models[name]
            readme = (folder / "README.md").read_text("utf-8") if (folder / "README.md").exists() else ""
            siblings = [sibling(path) for path in sorted(folder.iterdir())]
            card = {"license": readme.partition("license: ")[2].partition("\n")[0]} if readme else None
            self.answer(json.dumps({"id": name, "sha": COMMIT, "siblings": siblings, "cardData": card}).encode())

        def tree(self, name: str) -> None:
            files = sorted(hub.models[name].iterdir())
            found = [
                {"type": "file", "path": path.name, "oid": "0" * 40, "size": path.stat().st_size} for path in files
            ]
            self.answer(json.dumps(found).encode())

        def file(self, name: str, file: str, first: int) -> None:
            if name in hub.gated:
                return self.refuse(403, "GatedRepo")
            path = hub.models.get(name, Path()) / file
            if name not in hub.models or not path.is_file():
                return self.refuse(404, "EntryNotFound")
            self.answer(path.read_bytes(), first if hub.ranges else 0, {"ETag": f'"{blob(path)}"'})

        def refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def answer(self, content: bytes, first: int = 0, headers: dict[str, str] | None = None) -> None:
            self.send_response(206 if first else 200)
            for key, value in {"X-Repo-Commit": COMMIT, **(headers or {})}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content) - first))
            self.end_headers()
            if self.command == "HEAD":
                return
            if hub.spoilt and len(content) > LARGE:
                content = bytes(len(content))
            for start in range(first, len(content), PIECE):
                if hub.cut is not None and start >= hub.cut and hub.cuts:
                    hub.cuts -= 1
                    self.close_connection = True
                    return
                time.sleep(hub.pace)
                try:
                    self.wfile.write(content[start : start + PIECE])
                except OSError:  # the client has gone
                    self.close_connection = True
                    return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sibling(path: Path) -> dict[str, object]:
    """What the hub says of a file."""
    size = path.stat().st_size
    large = {"sha256": blob(path), "size": size, "pointerSize": 130}
    return {"rfilename": path.name, "size": size, "blobId": "0" * 40, **({"lfs": large} if size > LARGE else {})}


def blob(path: Path) -> str:
    """Hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
