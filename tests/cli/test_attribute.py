"""The commands `attribute` and `patch`: keys, files, a corpus that goes on, and one line for bad input."""

import csv
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from core.cli.attribute import Method
from core.explain.attribution.methods import METHODS
from tests.cli.conftest import DIALOGUE


@pytest.fixture
def run(run, tmp_path, monkeypatch):
    """Runs one command on a dialogue's file; returns status, standard output and the lines of standard error."""
    (tmp_path / "dialogue.txt").write_text(DIALOGUE)
    monkeypatch.chdir(tmp_path)

    def call(*words: object, name: str = "attribute", on: object = "dialogue.txt") -> tuple[int, str, list[str]]:
        status, out, err = run(name, on, "--checkpoint", "TINY", "--max-tokens", 6, *words)
        return status, out, [line for line in re.split("[\r\n]+", err) if "%|" not in line and line.strip()]

    return call


def test_the_command_offers_every_method() -> None:
    assert get_args(Method) == tuple(METHODS)


def test_the_answer_as_json(run) -> None:
    status, out, _ = run("--method", "contributions", "--json")
    found = json.loads(out)
    assert status == 0 and set(found) == {
        "method", "target", "rows", "columns", "values", "prefix", "prefix_columns", "unit", "check",
    }  # fmt: skip
    assert found["columns"][:3] == ["1", "2", "3"] and found["check"]["holds"]
    assert len(found["values"]) == len(found["rows"]) == len(found["prefix"]) == len(found["prefix_columns"])


def test_the_same_as_csv(run, tmp_path: Path) -> None:
    out = tmp_path / "values.csv"
    assert run("--method", "occlusion", "--output", out)[0] == 0
    rows = list(csv.DictReader(out.read_text().splitlines()))
    found = json.loads(run("--method", "occlusion", "--json")[1])
    assert [float(row["value"]) for row in rows] == [value for line in found["values"] for value in line]
    assert {row["holds"] for row in rows} == {"True"}


def test_a_foil_is_named(run) -> None:
    found = json.loads(run("--method", "gradient", "--token", 1, "--contrast", "suitcase", "--json")[1])
    assert len(found["rows"]) == 1 and "−" in found["target"]


def test_intervals_are_printed(run) -> None:
    found = json.loads(run("--method", "reliance", "--json")[1])
    lines = run("--method", "reliance")[1].splitlines()[1 : len(found["rows"]) + 1]
    assert [line.rpartition("± ")[2] for line in lines] == [f"{half[0]:.3f}" for half in found["interval"]]
    assert "±" not in run("--method", "random")[1]


def test_a_corpus_gives_a_line_a_dialogue_and_goes_on(run, tmp_path: Path) -> None:
    data, out = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    texts = [DIALOGUE, "Ann: One turn only.", "A: Bye.\nB: See you."]
    data.write_text("".join(json.dumps({"id": str(n), "dialogue": text}) + "\n" for n, text in enumerate(texts)))
    status, _, err = run("--method", "occlusion", "--output", out, on=data)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert status == 0 and [line["id"] for line in lines] == ["0", "2"] and "line 2 skipped" in err[-1]
    assert all(line["check"]["holds"] for line in lines)
    assert run("--method", "occlusion", on=data)[1] == out.read_text()
    written = out.read_text()
    for words in ((), ("--resume",)):
        status, _, err = run("--method", "random", "--output", out, *words, on=data)
        assert status == 2 and "exists" in err[-1] and out.read_text() == written
    assert run("--method", "random", "--output", out, "--overwrite", on=data)[0] == 0 and out.read_text() != written
    status, _, err = run("--output", tmp_path / "out.csv", on=data)
    assert status == 2 and "a corpus is written as JSONL" in err[-1] and not (tmp_path / "out.csv").exists()


def test_a_stopped_run_over_a_corpus_is_continued(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.cli import attribute as command

    data, out = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    data.write_text("".join(json.dumps({"dialogue": f"A: {n}.\nB: Yes."}) + "\n" for n in range(3)))
    answer, calls = command._answer, []

    def stopping(*arguments: object) -> object:
        calls.append(arguments[1])
        if len(calls) == 2:
            raise KeyboardInterrupt
        return answer(*arguments)

    monkeypatch.setattr(command, "_answer", stopping)
    status, _, err = run("--method", "random", "--output", out, on=data)
    assert status == 130 and not out.exists() and "continue with --resume" in "".join(err)
    assert "other method" in run("--method", "norms", "--output", out, "--resume", on=data)[2][-1]
    assert run("--method", "random", "--output", out, "--resume", on=data)[0] == 0
    assert len(out.read_text().splitlines()) == 3 and calls[2:] == ["A: 1.\nB: Yes.", "A: 2.\nB: Yes."]
    part = tmp_path / "out.jsonl.parts" / "000000.jsonl"
    calls.clear()
    assert run("--method", "random", "--output", out, "--overwrite", on=data)[0] == 130
    part.write_text("0\t{")
    assert run("--method", "random", "--output", out, "--overwrite", "--resume", on=data)[0] == 0
    assert calls[2:] == [f"A: {n}.\nB: Yes." for n in range(3)]


def test_bad_input_is_one_line(run, recurrent_checkpoints: Path) -> None:
    recurrent = ("--checkpoint", recurrent_checkpoints / "plain")
    for name, words, why in [
        ("attribute", ("--method", "norms", "--token", 1, "--contrast", "suitcase"), "has no foil"),
        ("attribute", ("--token", 99), "--token must be from 1"),
        ("attribute", ("--resume",), "--resume needs a corpus"),
        ("attribute", ("--method", "magic"), "magic"), ("attribute", ("--contrast", " "), "must differ"),
        ("patch", ("--swap", "Zoe"), "NAME=NAME"), ("patch", ("--swap", "Zoe=Ann"), "does not name"),
        ("patch", recurrent, "must be a Transformer. Received: a recurrent model"),
    ]:  # fmt: skip
        status, out, err = run(*words, name=name)
        assert (status, out, len(err)) == (2, "", 1) and why in err[0], words


def test_a_report_says_what_the_summary_owes_to_the_dialogue(run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = ("--explain", "contributions", "--explain", "reliance")
    status, out, _ = run(*asked, "--output", page, "--json", name="report")
    text = page.read_text(encoding="utf-8")
    assert status == 0 and " ".join(asked) in json.loads(out)["command"]
    assert "From its own words" in text and "Reliance (nats)" in text and text.count("Check passed") == 2


def test_patch_gives_layers_turns_and_heads(run, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.experiments.attribution import patching, twins

    monkeypatch.setattr(patching, "SMALL", 0)  # an untrained network is indifferent
    monkeypatch.setattr(twins, "_told_apart", lambda *_: (0, 40, 41))
    status, out, err = run("--json", name="patch")
    found = json.loads(out)
    assert status == 0, err
    assert found["swap"] == ["Maya", "Tom"] and len(found["log_odds"]) == 2
    assert (len(found["layers"]), len(found["layers"][0])) == (3, len(found["turns"]))
    sizes = {kind: (len(rows), len(rows[0])) for kind, rows in found["heads"].items()}
    assert sizes == dict.fromkeys(("encoder", "decoder", "cross"), (2, 2))
    assert "log odds" in run(name="patch")[1]


@pytest.mark.parametrize("name", ["attribute", "summarize", "report"])
def test_a_given_summary_is_read_in_the_place_of_the_own_one(run, tmp_path: Path, name: str) -> None:
    given, page = tmp_path / "given.txt", tmp_path / "page.html"
    given.write_text("Maya lost it.", encoding="utf-8")
    status, out, _ = run("--force", given, "--json", *(("--output", page) if name == "report" else ()), name=name)
    shown = {
        "attribute": lambda: "".join(json.loads(out)["rows"][:-1]).replace("lost", " lost "),
        "summarize": lambda: json.loads(out)["summary"],
        "report": page.read_text,
    }[name]()
    assert status == 0 and "Maya lost it." in shown


@pytest.mark.parametrize("name", ["attribute", "summarize", "report", "patch"])
def test_a_summary_that_cannot_be_read_is_one_line(run, tmp_path: Path, name: str) -> None:
    given = tmp_path / "given.txt"
    refused = ((None, "cannot be read"), (b" ", "which is empty"), (b"\xff", "UTF-8"), (b"a" * 20000, "long"))
    for content, why in refused:
        given.unlink(missing_ok=True)
        if content is not None:
            given.write_bytes(content)
        status, out, errors = run("--force", given, name=name)
        assert (status, out, len(errors)) == (2, "", 1) and why in errors[0], content
