"""Chats and meetings on the command line: what was recognised is said, and can be refused or read in another way."""

import gzip
import json
from pathlib import Path

import pytest

from core.cli.summarize import corpus_in

CHAT = "12.03.25, 21:13 - Anna added Ben\n12.03.25, 21:14 - Anna: Which hat?\n12.03.25, 21:15 - Ben: My goat ate it.\n"
SAID = "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice."


def test_summarize_json_has_the_format_and_the_turns(run, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(CHAT, "utf-8")
    result = run("summarize", tmp_path / "chat.txt", "--checkpoint", "TINY", "--json")
    found = json.loads(result.out)
    assert result.status == 0 and SAID in result.err
    left = {"name": "whatsapp", "unit": "message", "taken": 2, "joined": 0, "left_out": {"notice": 1}, "notes": []}
    assert found["format"] == left
    assert found["turns"] == [{"speaker": "Anna", "text": "Which hat?"}, {"speaker": "Ben", "text": "My goat ate it."}]


def test_strict_refuses_what_is_not_taken_whole(run) -> None:
    call = ("summarize", "-", "--checkpoint", "TINY", "--strict")
    result = run(*call, stdin=CHAT.encode())
    assert result.status == 2 and SAID in result.err and not result.out
    assert run(*call, stdin=b"Anna: Which hat?\nBen: My goat ate it.\n").status == 0


def test_a_file_is_read_as_the_format_that_is_named(run) -> None:
    result = run("summarize", "-", "--checkpoint", "TINY", "--json", "--format", "plain", stdin=CHAT.encode())
    assert [turn["text"] for turn in json.loads(result.out)["turns"]] == CHAT.splitlines()
    result = run("summarize", "-", "--checkpoint", "TINY", "--format", "fax", stdin=CHAT.encode())
    assert result.status == 2 and "'fax' is no format. Allowed: slack" in result.err


def test_a_chat_that_is_too_long_is_summarized_part_by_part(run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("".join(f"{1 + day:02d}.03.25, 21:14 - Anna: {day}?\n" * 6 for day in range(18)), "utf-8")
    call = ("summarize", file, "--checkpoint", "TINY")
    found = json.loads(run(*call, "--parts", "--json").out)["parts"]
    assert len(found) > 2 and found[0]["first"] == 1 and found[-1]["last"] == 108
    assert [row["first"] for row in found[1:]] == [row["last"] + 1 for row in found[:-1]]
    assert all(row["first"] % 6 == 1 and row["times"] == "21:14:00–21:14:00" for row in found)  # whole days
    day = found[1]["day"]
    line = f"2: turns {found[1]['first']} to {found[1]['last']}  {day}  21:14:00–21:14:00  Anna: {int(day[:2]) - 1}?"
    assert line in run(*call, "--parts").out
    assert run(*call, "--part", "2").status == 0
    refused = run(*call, "--part", "99")
    assert refused.status == 2 and f"allowed: 1 to {len(found)}" in refused.err
    whole = json.loads(run(*call, "--every-part", "--max-tokens", "4", "--json").out)
    assert all("summary" in row for row in whole["parts"]) and whole["format"]["name"] == "whatsapp"
    assert {each["part"] for each in whole["origins"]} <= {None, *(row["part"] for row in found)}
    assert run(*call, "--parts", "--every-part").status == run(*call, "--every-part", "--trace", "a.npz").status == 2


def test_an_encoding_is_chosen_where_the_guess_is_wrong(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Jiří: Přijdeš?\nŽofie: Ano.\n".encode("iso8859-2"))
    for name in ("iso8859-2", "latin2"):
        call = ("summarize", tmp_path / "a.txt", "--checkpoint", "TINY", "--encoding", name, "--json")
        assert json.loads(run(*call).out)["turns"][0] == {"speaker": "Jiří", "text": "Přijdeš?"}
    refused = run("summarize", tmp_path / "a.txt", "--checkpoint", "TINY", "--encoding", "klingon")
    assert refused.status == 2 and refused.err.startswith("'klingon' is no encoding. Allowed: utf-8")
    data = tmp_path / "a.csv"
    data.write_bytes("dialogue;summary\nJiří: Přijdeš?;Jiří se ptá.\n".encode("iso8859-2"))
    out = tmp_path / "out.jsonl"
    result = run("evaluate", data, "--checkpoint", "TINY", "--encoding", "iso8859-2", "--output", out)
    assert "1 row taken" in result.err and "read as ISO8859-2" in result.err
    assert json.loads(out.read_text("utf-8").splitlines()[0])["dialogue"] == "Jiří: Přijdeš?"


CORPORA = {
    "a.jsonl": '{"id": "x", "dialogue": "Anna: Hi.\\nBen: Yes."}\n',
    "a.json": '[{"id": "x", "text": "Anna: Hi.", "summary": "s"}, {"id": "y", "text": "Ben: A.", "summary": "s"}]',
    "a.tsv": "id\tdialogue\nx\tAnna: Hi.\ny\tBen: Yes.\n",
    "a.csv": "id;article\nx;Anna: Hi.\n",
    "a.json.gz": '{"data": [{"id": "x", "dialogue": "Anna: Hi."}, {"id": "y", "dialogue": "Ben: Yes."}]}',
    "dialogue.json": '{"dialogue": "Anna: Hi.\\nBen: Yes."}',
    "turns.json": '[{"speaker": "Anna", "text": "Hi."}, {"speaker": "Ben", "text": "Yes."}]',
    "turns.csv": "speaker,text\nAnna,Hi.\nBen,Yes.\n",
    "chat.txt": CHAT,
}


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_told_from_a_dialogue_as_evaluate_does(name: str, tmp_path: Path) -> None:
    text = CORPORA[name].encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    found = corpus_in(str(tmp_path / name))
    assert (found is not None) == name.startswith("a.")
    assert found is None or found.dataset[0]["id"] == "x" and found.dataset[0]["dialogue"].startswith("Anna: Hi.")
