"""The health check of the image: what it asks, and with which status it ends."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.layering import ROOT


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """A server that is ready when it is asked for the third time."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.server.asked.append((self.path, self.headers["Host"]))
            ready = len(self.server.asked) > 2
            self.send_response(200 if ready else 503)
            self.end_headers()
            self.wfile.write(b"Ready.\n" if ready else b"Compiling the model\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def run(*arguments: str, port: int) -> subprocess.CompletedProcess:
    """Run it as the image does; a proxy of the environment must not come between."""
    environment = {**os.environ, "STREAMLIT_SERVER_PORT": str(port), "http_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "deploy/ready.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_one_question_is_the_health_check_and_waiting_repeats_it(server: ThreadingHTTPServer) -> None:
    port = server.server_address[1]
    once = run(port=port)
    assert (once.returncode, once.stdout, once.stderr) == (1, "", "Compiling the model\n")
    assert server.asked == [("/ready", f"127.0.0.1:{port}")]
    waited = run("--wait", "20", port=port)
    assert (waited.returncode, waited.stdout, waited.stderr) == (0, "Ready.\n", "")
    assert len(server.asked) == 3


def test_no_server_is_not_ready() -> None:
    done = run("http://127.0.0.1:9/", port=1)
    assert done.returncode == 1 and done.stderr.startswith("No server answers at http://127.0.0.1:9/: ")
