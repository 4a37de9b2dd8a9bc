"""`report` on the command line."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import DIALOGUE, refusals

BY_HAND = ("--strategy", "greedy", "--max-tokens", 9, "--head", "2.1", "--head", "1.mean.contributions")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "dialogue.txt"
    file.write_text(DIALOGUE, encoding="utf-8")
    return file


def without_times(file: Path) -> str:
    """The report without when it was made and how long the run took."""
    text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?", "", file.read_text(encoding="utf-8"))
    return re.sub(r"[\d.]+ s</dd>", "", text)


def test_it_writes_one_file_and_says_which(run, chat, tmp_path):
    output = tmp_path / "out" / "mine.html"
    output.parent.mkdir()
    result = run("report", chat, "--checkpoint", "TINY", "--output", output, "--reference", "Maya lost a suitcase.")
    size = output.stat().st_size
    assert (result.status, result.out) == (0, f"{output} ({size:,} bytes)\n")
    assert os.listdir(output.parent) == ["mine.html"]
    assert output.read_text(encoding="utf-8").count("<figure>") == 5  # four heads and the copy distribution
    assert "I lost my suitcase in" in re.sub("<[^>]*>", "", output.read_text(encoding="utf-8"))


def test_the_command_that_it_names_makes_the_same_report_again(run, chat, tmp_path):
    first = tmp_path / "first.html"
    given = ("--checkpoint", "TINY", "--reference", 'It\'s "lost"; $HOME')
    result = run("report", "-", *given, *BY_HAND, "--output", first, "--json", stdin=DIALOGUE.encode())
    report = json.loads(result.out)
    assert report["report"] == str(first) and report["heads"] == ["2.1", "1.mean.contributions"]
    assert "vectors of all tokens and biases add up" in first.read_text(encoding="utf-8")
    assert report["bytes"] == first.stat().st_size and len(report["tokens"]) <= 9 and report["summary"]
    words = shlex.split(report["command"])[3:]
    assert words[:4] == ["report", "dialogue.txt", "--checkpoint", "tiny"]
    again = tmp_path / "again.html"
    words[1], words[3], words[-1] = str(chat), "TINY", str(again)
    assert run(*words).status == 0
    assert without_times(again) == without_times(first)


def test_bertscore_is_computed_where_it_is_asked_for(run, chat, tmp_path):
    output = tmp_path / "report.html"
    call = ("report", chat, "--checkpoint", "TINY", "--output", output, "--reference", "Maya lost a suitcase.")
    assert run(*call).status == 0 and "BERTScore F1" not in output.read_text(encoding="utf-8")
    assert run(*call, "--metric", "bertscore", "--overwrite").status == 0
    assert "BERTScore F1" in output.read_text(encoding="utf-8")


def test_bad_input_is_refused_in_one_line_and_leaves_no_file(snapshot, run, chat, tmp_path, only_tiny):
    output = tmp_path / "never.html"
    call = ("report", chat, "--checkpoint", "TINY", "--output", output)
    calls = [[*call, "--head", "9.9"], [*call, "--head", "../x"], [*call, *("--head", "1.1") * 9]]
    calls += [[*call, *("--reference", "x") * 11], [*call, "--reference", "x" * 10_001]]
    calls += [[*call, "--metric", "bertscore"]]
    calls += [[*call, "--reference", "x", "--metric", "bertscore", "--encoder", "nope"], [*call, "--strategy", "magic"]]
    calls += [[*call[:-1], tmp_path / "no" / "x.html"], ["report", tmp_path / "none.txt", *call[2:]]]
    calls += [["report", chat, "--checkpoint", "nope", "--output", output]]
    assert refusals(run, [(words, b"") for words in calls], tmp_path) == snapshot
    assert os.listdir(tmp_path) == ["dialogue.txt"]
