"""What a machine lacks is said once, with the number of tests that were skipped for it, and fails in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layering import ROOT

TESTS = """
import pytest
from tests.needs import need

@pytest.fixture
def browser():
    need(None, "Chromium", "`apt-get install chromium`")

@pytest.mark.parametrize("number", range(3))
def test_in_the_browser(browser, number):
    pass

def test_a_mounted_disk():
    need(False, "right to mount a disk", "run it as root", in_ci=False)

def test_what_is_there():
    need("/usr/bin/nginx", "nginx", "`apt-get install nginx`")
"""


DISK = "SKIPPED 1 test: no right to mount a disk: run it as root"


def run(folder: Path, *options: str, ci: str = "") -> tuple[int, list[str]]:
    (folder / "test_all.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.needs", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--rootdir", str(folder), str(folder), *options]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "CI": ci}, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two"])
def test_a_line_says_what_is_lacking_how_to_get_it_and_how_many_tests_it_skipped(tmp_path, options):
    status, said = run(tmp_path, *options)
    skipped = [line for line in said if line.startswith("SKIPPED")]
    assert status == 0 and skipped == ["SKIPPED 3 tests: no Chromium: `apt-get install chromium`", DISK]
    assert said[-1].startswith("1 passed, 4 skipped")


def test_in_ci_it_fails_unless_even_that_machine_may_lack_it(tmp_path):
    status, said = run(tmp_path, ci="true")
    assert status == 1 and said[-1].startswith("1 passed, 1 skipped, 3 errors")
    assert [line for line in said if line.startswith("SKIPPED")] == [DISK]
