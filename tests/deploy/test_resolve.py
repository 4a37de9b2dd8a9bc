"""Resolving the pins for each Python: an index that has the wheels, one that lacks some, and none."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from deploy import resolve
from tests.deploy.servers import answering
from tests.layering import ROOT

METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needs}"
NEEDS = {"app": "Requires-Dist: table\n"}


@pytest.fixture
def index() -> Iterator[Callable[[dict[str, list[str]]], str]]:
    """Start an index of packages that have wheels for these tags, such as cp311-none."""

    def start(wheels: dict[str, list[str]]) -> str:
        def reply(asked: BaseHTTPRequestHandler, _: bytes) -> tuple[int, bytes]:
            folder, name = asked.path.strip("/").split("/")
            if folder == "files":
                package = name.partition("-")[0]
                return 200, METADATA.format(name=package, needs=NEEDS.get(package, "")).encode()
            if name not in wheels:
                return 404, b""
            names = [f"{name}-1.0-{tag}-any.whl" for tag in wheels[name]]
            files = [{"filename": each, "url": f"/files/{each}", "hashes": {}, "core-metadata": True} for each in names]
            return 200, json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()

        port = stack.enter_context(answering(reply, "application/vnd.pypi.simple.v1+json"))
        return f"http://127.0.0.1:{port}/simple"

    with ExitStack() as stack:
        yield start


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> Callable[[str], tuple[int, str, str]]:
    """Resolve the pins of a small project with an index; returns the status and what was said."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    for name in resolve.PINS:
        (tmp_path / name).write_text("-c constraints.txt\napp==1.0\n" if name.startswith("req") else "table==1.0\n")
    monkeypatch.setattr(resolve, "ROOT", tmp_path)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))

    def main(address: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["resolve.py", "--index", address])
        status = resolve.main()
        return status, *capsys.readouterr()

    return main


def test_pins_that_every_python_can_install_are_counted(index, run) -> None:
    status, said, wrong = run(index({"app": ["py3-none"], "table": ["py3-none"], "pytest": ["py3-none"]}))
    assert (status, wrong) == (0, "")
    assert said == "Resolved: 2 packages for Python 3.11, 2 packages for Python 3.12, 2 packages for Python 3.13.\n"


def test_a_pin_without_a_wheel_for_a_python_fails_and_is_named(index, run) -> None:
    status, said, wrong = run(
        index({"app": ["py3-none"], "table": ["cp311-none", "cp312-none"], "pytest": ["py3-none"]})
    )
    assert (status, said) == (1, "") and "table" in wrong
    assert [line for line in wrong.splitlines() if line.startswith("Not")] == ["Not to be installed on Python 3.13:"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/simple", "http://no-such-name.invalid/simple"])
def test_without_an_index_one_line_says_so_and_nothing_fails(run, address: str) -> None:
    began = time.monotonic()
    assert run(address) == (0, f"Not resolved: the index of packages cannot be reached ({address}).\n", "")
    assert time.monotonic() - began < resolve.PATIENCE + 5


def test_what_does_not_know_a_package_that_every_index_has_is_no_index(index) -> None:
    assert not resolve.reached(index({"app": ["py3-none"]})) and resolve.reached(index({"pytest": ["py3-none"]}))


def test_every_pinned_package_but_those_that_come_as_source_needs_a_wheel() -> None:
    names = resolve.pinned()
    assert {"tensorflow", "torch", "ray", "uv", "absl-py"} <= set(names) and set(names) >= resolve.BUILT
    assert len(names) > 150
