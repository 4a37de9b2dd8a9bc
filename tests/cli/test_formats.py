"""Chats and meetings on the command line: what was recognised is said, and can be refused or read in another way."""

import json
from pathlib import Path

from tests.cli.test_commands import run  # noqa: F401

CHAT = "12.03.25, 21:13 - Anna added Ben\n12.03.25, 21:14 - Anna: Which hat?\n12.03.25, 21:15 - Ben: My goat ate it.\n"
SAID = "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice."


def test_summarize_json_has_the_format_and_the_turns(run, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "chat.txt").write_text(CHAT, "utf-8")
    result = run("summarize", tmp_path / "chat.txt", "--checkpoint", "TINY", "--json")
    found = json.loads(result.out)
    assert result.status == 0 and SAID in result.err
    left = {"name": "whatsapp", "unit": "message", "taken": 2, "joined": 0, "left_out": {"notice": 1}, "notes": []}
    assert found["format"] == left
    assert found["turns"] == [{"speaker": "Anna", "text": "Which hat?"}, {"speaker": "Ben", "text": "My goat ate it."}]


def test_strict_refuses_what_is_not_taken_whole(run) -> None:  # noqa: F811
    call = ("summarize", "-", "--checkpoint", "TINY", "--strict")
    result = run(*call, stdin=CHAT.encode())
    assert result.status == 2 and SAID in result.err and not result.out
    assert run(*call, stdin=b"Anna: Which hat?\nBen: My goat ate it.\n").status == 0


def test_a_file_is_read_as_the_format_that_is_named(run) -> None:  # noqa: F811
    result = run("summarize", "-", "--checkpoint", "TINY", "--json", "--format", "plain", stdin=CHAT.encode())
    assert [turn["text"] for turn in json.loads(result.out)["turns"]] == CHAT.splitlines()
    result = run("summarize", "-", "--checkpoint", "TINY", "--format", "fax", stdin=CHAT.encode())
    assert result.status == 2 and "'fax' is no format. Allowed: slack" in result.err


def test_a_chat_that_is_too_long_is_summarized_part_by_part(run, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "long.txt"
    file.write_text("".join(f"{1 + day:02d}.03.25, 21:14 - Anna: {day}?\n" * 150 for day in range(20)), "utf-8")
    found = json.loads(run("summarize", file, "--checkpoint", "TINY", "--parts", "--json").out)["parts"]
    assert [(row["first"], row["last"], row["day"]) for row in found] == [
        (1, 1950, "01.03.25"),
        (1951, 3000, "14.03.25"),
    ]
    assert "2: turns 1951 to 3000  14.03.25  Anna: 13?" in run("summarize", file, "--checkpoint", "TINY", "--parts").out
    assert run("summarize", file, "--checkpoint", "TINY", "--part", "2").status == 0
    refused = run("summarize", file, "--checkpoint", "TINY", "--part", "3")
    assert refused.status == 2 and "allowed: 1 to 2" in refused.err
