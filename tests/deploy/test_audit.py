"""The audit of the pinned packages: a database that knows, one that knows nothing, and none."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from deploy import audit
from tests.deploy.servers import answering

RANGE = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str, str]]:
    """Audits by a database; returns status, output and errors."""

    def audited(address: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["audit.py", "--database", address])
        return audit.main(), *capsys.readouterr()

    return audited


@pytest.fixture
def database() -> Iterator[Callable[..., str]]:
    """Start a database that knows something bad of the packages of these names."""

    def start(*bad: str) -> str:
        def reply(_: object, body: bytes) -> tuple[int, bytes]:
            name = json.loads(body)["package"]["name"].lower()
            affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": [RANGE]}]
            known = {"id": "GHSA-a-b-c", "aliases": ["CVE-2026-0001"], "summary": "", "affected": affected}
            return 200, json.dumps({"vulns": [known]} if name in bad else {}).encode()

        return f"http://127.0.0.1:{stack.enter_context(answering(reply))}"

    with ExitStack() as stack:
        yield start


def test_a_known_vulnerability_fails_and_nothing_known_passes(run, database, monkeypatch: pytest.MonkeyPatch) -> None:
    address = database("jinja2", "streamlit", "urllib3")
    found = audit.report(address)
    monkeypatch.setattr(audit, "report", lambda _: found)
    status, _, said = run(address)
    lines = said.splitlines()
    assert status == 1 and lines[0] == "Known vulnerabilities:"
    assert [line.split()[0] for line in lines[1:]] == ["jinja2", "streamlit", "urllib3"], "asked for and brought along"
    assert lines[2].endswith(": CVE-2026-0001, GHSA-a-b-c; mended in 99.1")
    for each in found["dependencies"]:
        each.pop("vulns", None)
    status, said, _ = run(address)
    assert status == 0 and said.endswith(" packages audited: no known vulnerability.\n") and int(said.split()[0]) > 120


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no-such-name.invalid"])
def test_without_a_database_one_line_says_so_and_nothing_fails(run, address: str) -> None:
    began = time.monotonic()
    said = f"Not audited: the database of known vulnerabilities cannot be reached ({address}).\n"
    assert run(address) == (0, said, "") and time.monotonic() - began < audit.PATIENCE + 5


def test_an_answer_that_knows_nothing_bad_of_a_bad_package_is_no_database(database) -> None:
    """Such as a mirror of a package index, which answers everything alike."""
    assert not audit.reached(database()) and audit.reached(database("jinja2"))


def test_an_audit_that_breaks_off_fails(run, database, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "requirements.txt").write_text("streamlit>=1\n", "utf-8")
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "FILES", ("requirements.txt",))
    status, _, said = run(database("jinja2"))
    assert status == 1 and "The audit failed: " in said
