"""Command line and notebook take as much as the app, and say long lists shortly."""

import json
from pathlib import Path

from core.errors import DialogueError
from core.limits import FULL
from core.notebook import Model
from core.text.dialogue import parse_dialogue
from core.words import first_few
from tests.cli.conftest import DIALOGUE, assert_refused
from tests.refusals import refused

MANY = "A: Hi\nB: O\n" * 15_000


def test_too_many_turns_are_refused_at_the_command_line(run, tmp_path: Path) -> None:
    file, output = tmp_path / "chat.txt", tmp_path / "out.html"
    file.write_text(MANY, encoding="utf-8")
    for words in (("summarize", file), ("report", file, "--output", output), ("summarize", "-")):
        refused = run(*words, "--checkpoint", "TINY", stdin=MANY.encode())
        assert_refused(refused, "30,000 turns", f"allowed: {FULL.dialogue_turns:,}")


def test_too_large_a_file_is_refused_before_it_is_read(run, tmp_path: Path) -> None:
    data = b"x" * (FULL.dialogue_file + 1)
    (tmp_path / "chat.txt").write_bytes(data)
    for file, stdin in ((tmp_path / "chat.txt", b""), ("-", data)):
        assert_refused(run("summarize", file, "--checkpoint", "TINY", stdin=stdin), "2,000,001 bytes", "2,000,000")


def test_too_many_turns_are_refused_in_a_notebook(tiny) -> None:
    for dialogue in (MANY, parse_dialogue(MANY)):
        refused(DialogueError, "30,000 turns; allowed: 2,000", Model(tiny).summarize, dialogue)


def test_a_row_that_is_too_long_is_left_out_of_a_corpus(run, tmp_path: Path) -> None:
    rows = [{"dialogue": text, "summary": "They talk."} for text in (MANY, DIALOGUE)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = run("evaluate", tmp_path / "data.jsonl", "--checkpoint", "TINY", "--json").json
    assert found["count"] == 1 and "30,000 turns" in found["skipped"][0]["reason"]


def test_turns_that_were_left_out_are_named_up_to_ten(run) -> None:
    result = run("summarize", "-", "--checkpoint", "TINY", stdin=MANY[: 11 * 500].encode())
    (line,) = [each for each in result.err.splitlines() if "turns left out" in each]
    assert line.count(", ") <= 10 and " more" in line and len(line) < 200


def test_lines_that_were_skipped_are_named_up_to_ten(run, tmp_path: Path) -> None:
    good = json.dumps({"dialogue": DIALOGUE, "summary": "They talk."})
    (tmp_path / "data.jsonl").write_text("no JSON\n" * 300 + good, encoding="utf-8")
    result = run("evaluate", tmp_path / "data.jsonl", "--checkpoint", "TINY", "--json")
    first, *said = [each for each in result.err.splitlines() if "skipped" in each]
    assert first == "data.jsonl: 1 row taken, 0 of them joined to an earlier row of the same dialogue, 300 skipped"
    assert len(said) == 11 and said[-1] == "and 290 more lines skipped" and len(result.json["skipped"]) == 300


def test_a_list_ends_after_ten() -> None:
    assert first_few(range(3)) == "0, 1, 2" and first_few([]) == ""
    assert first_few(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert first_few(range(1012)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1,002 more"
