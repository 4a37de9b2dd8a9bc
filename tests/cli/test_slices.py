"""The commands `behave` and `slices`, and `evaluate --by`: equal numbers, a run that goes on, one line of refusal."""

import json
from pathlib import Path

import pytest

from core.text.examples import load_examples
from tests.cli.conftest import assert_refused

FAST = ("--strategy", "greedy", "--max-tokens", "6")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten dialogues with own columns: of few values, of many numbers, missing in half the rows, of HTML, and a text."""
    rows = [
        {
            "id": each.id, "dialogue": each.dialogue, "summary": each.references[0], "channel": "<b>mail</b>",
            "n": n / 2, "story": "x" * 3000, "uid": f"u{n}", "nested": {"a": 1},
        }
        | ({"half": "yes"} if n % 2 else {})
        for n, each in enumerate(load_examples()[:12])
    ]  # fmt: skip
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def test_slices_of_a_run_and_of_its_file_are_the_same(run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "scored.jsonl"
    ways = ("--by", "channel", "--by", "half", "--by", "n", "--by", "uid", "--by", "half*turns")
    made = run("evaluate", data, "--checkpoint", "TINY", *FAST, *ways, "--output", out, "--json").json["slices"]
    assert run("slices", out, *ways, "--json").json["slices"] == made
    sizes = {way: [(each["slice"], each["rows"]) for each in parts] for way, parts in made.items()}
    assert sizes["column:channel"] == [("<b>mail</b>", 12)]
    assert sizes["column:half"] == [("yes", 6), ("no value", 6)]
    assert sizes["column:n"] == [("0 to 1", 3), ("1.5 to 2.5", 3), ("3 to 4", 3), ("4.5 to 5.5", 3)]
    assert sizes["column:uid"] == [("a value that no other row has", 12)]
    few, many = made["column:n"][0]["scores"]["rouge1"], made["column:half"][0]["scores"]["rouge1"]
    assert few["low"] is None and many["low"] <= many["mean"] <= many["high"] and many["count"] == 6
    assert "story" not in json.loads(out.read_text().splitlines()[0])["columns"]
    assert "rows" in run("slices", out, "--by", "hint").out


@pytest.mark.parametrize(("by", "parts"), [("nope", ["nope", "column:half"]), ("turns*topic*half", ["two ways", "3"])])
def test_ways_that_do_not_exist_are_refused_before_the_work(run, data: Path, by: str, parts: list[str]) -> None:
    refused = run("evaluate", data, "--checkpoint", "TINY", "--by", by)
    assert refused.status == 2 and not refused.out and "%|" not in refused.err
    assert all(part in refused.err.splitlines()[-1] for part in parts)


def test_what_holds_no_rows_is_refused(run, data: Path, tmp_path: Path) -> None:
    assert_refused(run("slices", data), "line 1")
    (tmp_path / "empty.jsonl").write_text("")
    assert_refused(run("slices", tmp_path / "empty.jsonl"), "no rows")


def test_behaviour_is_counted_kept_and_goes_on(run, data: Path, tmp_path: Path, monkeypatch) -> None:
    from core.behaviour import run as behaviour

    words = ("behave", data, "--checkpoint", "TINY", *FAST, "--output")
    whole, stopped = tmp_path / "whole.jsonl", tmp_path / "stopped.jsonl"
    found = run(*words, whole, "--json").json
    assert found["dialogues"] == 12 and sum(each["count"] for each in found["tests"]) == found["pairs"]
    lines = [json.loads(line) for line in whole.read_text().splitlines()]
    assert len(lines) == found["pairs"] and lines[0]["origin"]["source"] == "data.jsonl"
    assert {each["origin"]["row"] for each in lines} == set(range(1, 13)) and lines[0]["origin"]["weights"]
    real, calls = behaviour.try_changes, []

    def stop(*arguments: object) -> object:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(behaviour, "try_changes", stop)
        assert run(*words, stopped).status == 130
    assert run(*words, stopped, "--seed", "5", "--resume").status == 2  # another seed draws other changes
    assert run(*words, stopped, "--resume").status == 0
    assert stopped.read_bytes() == whole.read_bytes()
    assert "Small talk added" in run("behave", data, "--checkpoint", "TINY", *FAST, "--limit", "2").out
