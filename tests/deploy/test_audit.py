"""The audit of the pinned packages: a database that knows, one that knows nothing, and none."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deploy import audit
from tests.layering import ROOT

KNOWN = {
    "id": "GHSA-aaaa-bbbb-cccc",
    "aliases": ["CVE-2026-0001"],
    "summary": "",
    "affected": [
        {
            "package": {"name": "X", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


@pytest.fixture
def database() -> Iterator[Callable[[set[str]], str]]:
    """Start a database that knows something bad of the packages of these names."""
    servers: list[ThreadingHTTPServer] = []

    def start(bad: set[str]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]["name"].lower()
                vulns = [json.loads(json.dumps(KNOWN).replace('"X"', f'"{asked}"'))] if asked in bad else []
                body = json.dumps({"vulns": vulns} if vulns else {}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def run(address: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "deploy/audit.py", "--database", address]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_a_known_vulnerability_fails_and_names_the_version_to_take(database: Callable[[set[str]], str]) -> None:
    done = run(database({"jinja2", "streamlit", "urllib3"}))
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and lines[0] == "Known vulnerabilities:"
    assert [line.split()[0] for line in lines[1:]] == ["jinja2", "streamlit", "urllib3"], "asked for and brought along"
    assert lines[2].endswith(": CVE-2026-0001, GHSA-aaaa-bbbb-cccc; mended in 99.1")


def test_nothing_known_passes_and_counts(database: Callable[[set[str]], str], monkeypatch, capsys) -> None:
    monkeypatch.setattr(audit, "reached", lambda _: True)
    monkeypatch.setattr(sys, "argv", ["audit.py", "--database", database(set())])
    assert audit.main() == 0
    said = capsys.readouterr().out
    assert said.endswith(" packages audited: no known vulnerability.\n") and int(said.split()[0]) > 120


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no-such-name.invalid"])
def test_without_a_database_one_line_says_so_and_nothing_fails(address: str) -> None:
    began = time.monotonic()
    done = run(address)
    assert (done.returncode, done.stderr) == (0, "") and time.monotonic() - began < audit.PATIENCE + 5
    assert done.stdout == f"Not audited: the database of known vulnerabilities cannot be reached ({address}).\n"


def test_an_answer_that_knows_nothing_bad_of_a_bad_package_is_no_database(
    database: Callable[[set[str]], str],
) -> None:
    """Such as a mirror of a package index, which answers everything alike."""
    assert not audit.reached(database(set())) and audit.reached(database({"jinja2"}))


def test_an_audit_that_breaks_off_fails(database: Callable[[set[str]], str], monkeypatch, capsys, tmp_path) -> None:
    (tmp_path / "requirements.txt").write_text("streamlit>=1\n", "utf-8")
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "FILES", ("requirements.txt",))
    monkeypatch.setattr(sys, "argv", ["audit.py", "--database", database({"jinja2"})])
    assert audit.main() == 1 and "The audit failed: " in capsys.readouterr().err
