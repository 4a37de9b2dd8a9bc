"""The health check of the image: what it asks, and with which status it ends."""

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler

from tests.deploy.servers import answering
from tests.layering import ROOT


def run(*arguments: str, port: int) -> tuple[int, str, str]:
    """Run it as the image does; a proxy of the environment must not come between."""
    environment = {**os.environ, "STREAMLIT_SERVER_PORT": str(port), "http_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "deploy/ready.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_one_question_is_the_health_check_and_waiting_repeats_it() -> None:
    asked: list[tuple[str, str]] = []

    def reply(request: BaseHTTPRequestHandler, _: bytes) -> tuple[int, bytes]:
        """Ready when it is asked for the third time."""
        asked.append((request.path, request.headers["Host"]))
        return (200, b"Ready.\n") if len(asked) > 2 else (503, b"Compiling the model\n")

    with answering(reply) as port:
        assert run(port=port) == (1, "", "Compiling the model\n")
        assert asked == [("/ready", f"127.0.0.1:{port}")]
        assert run("--wait", "20", port=port) == (0, "Ready.\n", "") and len(asked) == 3


def test_no_server_is_not_ready() -> None:
    status, _, said = run("http://127.0.0.1:9/", port=1)
    assert status == 1 and said.startswith("No server answers at http://127.0.0.1:9/: ")
