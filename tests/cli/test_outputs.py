"""No command writes over what it reads, nor over a result unless it is told to: all commands, all outputs."""

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import typer.main

from core import checkpoints
from core.cli.main import app
from core.cli.main import main as command_line
from tests.cli.conftest import DIALOGUE, assert_refused, commands
from tests.importing.folders import save_whole
from tests.layering import ROOT
from tests.models import contents
from tests.needs import need, room

MODEL = ("--checkpoint", "model")
WEIGHTS = ("model/weights.safetensors", "model/card.json")
SAID = {
    "chat.txt": "the dialogue", "data.jsonl": "the data", "one.txt": "`--force`", "predictions.txt": "`--predictions`",
    "labels.jsonl": "`--labels`",
    "encoder/vocab.txt": "`--encoder`", "peer": "the folder that is read", **dict.fromkeys(WEIGHTS, "the checkpoint"),
}  # fmt: skip
"""What docs/command-line.md calls a file that is read."""


class Command(NamedTuple):
    """A command that writes: how it is called, its output's option, and what that is."""

    call: str
    option: str = "--output"
    folder: bool = False
    keeps: bool = False
    """It adds to what is there."""

    @property
    def words(self) -> list[str]:
        return self.call.split()

    @property
    def name(self) -> str:
        return " ".join(self.words[: 2 if self.words[0] == "faults" else 1])

    @property
    def reads(self) -> list[str]:
        """The files that it reads, and for one that writes a folder that in which they lie."""
        found = [word for word in self.words if word in SAID]
        found += WEIGHTS if "model" in self.words else ()
        found += ["encoder/vocab.txt"] if "encoder:1" in self.words else []
        return found + ["."] * bool(self.folder and found)


COMMANDS = [
    Command("summarize chat.txt --checkpoint model --force one.txt", "--trace"),
    Command("report chat.txt --checkpoint model --force one.txt --encoder encoder:1"),
    Command("attribute chat.txt --checkpoint model --force one.txt --method attention"),
    Command("evaluate data.jsonl --checkpoint model --limit 1"),
    Command("evaluate data.jsonl --predictions predictions.txt --encoder encoder:1"),
    Command("behave data.jsonl --checkpoint model --limit 1"),
    Command("heads data.jsonl --checkpoint model --limit 1 --effects 0"),
    Command("baseline data.jsonl --pairs 2 --encoder encoder:1"),
    Command("faults measure data.jsonl --labels labels.jsonl --checkpoint model"),
    Command("faults sheet data.jsonl --labels labels.jsonl --checkpoint model"),
    Command("snapshots model", keeps=True),
    Command("import peer", folder=True),
    Command("begin peer data.jsonl", folder=True),
    Command("toy copy", folder=True),
]
RUNS = {"train", "pretrain", "refine"}
"""They write into a new folder alone."""
OUTPUTS = {"output", "trace"}


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model as another library saves it."""
    folder = tmp_path_factory.mktemp("peers") / "peer"
    save_whole("t5", folder)
    return folder


@pytest.fixture
def work(tmp_path: Path, tiny_checkpoint: Path, peer: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with all inputs, which is the current one; whatever a refused command does, they stay as they are."""
    shutil.copytree(tiny_checkpoint, tmp_path / "model")
    rows = [{"id": str(n), "dialogue": DIALOGUE, "summary": f"Summary {n}."} for n in range(4)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    (tmp_path / "predictions.txt").write_text("One.\nTwo.\nThree.\nFour.\n", encoding="utf-8")
    label = {"id": "0", "checkpoint": "0" * 64, "summary": "One.", "labels": []}
    (tmp_path / "labels.jsonl").write_text(json.dumps(label) + "\n", encoding="utf-8")
    (tmp_path / "chat.txt").write_text(DIALOGUE, encoding="utf-8")
    (tmp_path / "one.txt").write_text("Maya met Tom.", encoding="utf-8")
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "vocab.txt").write_text("a", encoding="utf-8")
    shutil.copytree(peer, tmp_path / "peer")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PARAMETERS = {name: {each.name for each in command.params} for name, command in commands(typer.main.get_command(app))}
"""Of every command."""


def test_every_command_with_an_output_is_in_the_table() -> None:
    writing = {name for name, parameters in PARAMETERS.items() if parameters & OUTPUTS}
    assert writing - RUNS == {each.name for each in COMMANDS}
    can_overwrite = {name for name, parameters in PARAMETERS.items() if "overwrite" in parameters}
    assert can_overwrite == {each.name for each in COMMANDS if not each.keeps}


def test_the_table_of_the_documents_says_what_is_protected() -> None:
    rows: dict[str, tuple[Command, dict[str, None]]] = {}
    for each in COMMANDS:
        own = dict.fromkeys(SAID[read] for read in each.reads if read != ".")
        rows.setdefault(each.name, (each, {}))[1].update(own)
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for name, (each, reads) in rows.items():
        kept = "is added to" if each.keeps else "kept unless `--overwrite`" + "; other folders always" * each.folder
        assert f"| `{name}` | `{each.option}` | {', '.join(reads)} | {kept} |".replace("|  |", "| |") in text
    runs = ", ".join(f"`{name}`" for name in ("train", "pretrain", "refine"))
    assert f"| {runs} | `--output` | only a new or empty folder is taken" in text


CASES = [(command, read) for command in COMMANDS for read in command.reads]


@pytest.mark.parametrize(("command", "read"), CASES, ids=[f"{each.name}-{read}" for each, read in CASES])
def test_an_input_is_never_written_over(run, work: Path, command: Command, read: str) -> None:
    before = contents(work)
    names = [Path(read), work / read]
    if not command.folder:
        (work / "linked").symlink_to(work / read)
        (work / "hard").hardlink_to(work / read)
        names += [Path("linked"), Path("hard")]
    for output in names:
        for more in ((), ("--overwrite",)) if not command.keeps else ((),):
            result = run(*command.words, command.option, output, *more)
            assert_refused(result, command.option if not command.folder else "--output", "reads", "Name another output")
    for name in ("linked", "hard"):
        (work / name).unlink(missing_ok=True)
    assert contents(work) == before


ON_STDIN = [(each, read) for each, read in CASES if read in each.words and not each.folder]


@pytest.mark.parametrize(("command", "read"), ON_STDIN, ids=[f"{each.name}-{read}" for each, read in ON_STDIN])
def test_a_file_that_comes_on_standard_input_is_not_written_over(run, work: Path, command: Command, read: str) -> None:
    before, kept = contents(work), os.dup(0)
    words = ["-" if word == read else word for word in command.words]
    try:
        with (work / read).open("rb") as file:
            os.dup2(file.fileno(), 0)
        for more in ((), ("--overwrite",)):
            refused = run(*words, command.option, read, *more, stdin=before[read])
            assert_refused(refused, command.option, "reads", "Name another output")
    finally:
        os.dup2(kept, 0)
        os.close(kept)
    assert contents(work) == before


@pytest.mark.parametrize("command", [each for each in COMMANDS if not each.keeps], ids=lambda each: each.name)
def test_a_result_is_written_over_only_when_asked(run, work: Path, command: Command) -> None:
    if command.folder:
        shutil.copytree(work / "model", work / "result")
    else:
        (work / "result").write_text("precious\n" * 40, encoding="utf-8")
    before = contents(work)
    assert_refused(run(*command.words, command.option, "result"), "exists", "result", "--overwrite")
    assert contents(work) == before


@pytest.mark.parametrize("command", COMMANDS[:4], ids=lambda each: each.name)
def test_with_overwrite_a_result_is_replaced(run, work: Path, command: Command) -> None:
    (work / "result").write_text("old", encoding="utf-8")
    assert run(*command.words, command.option, "result", "--overwrite").status == 0
    assert (work / "result").read_bytes() != b"old"


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.folder], ids=lambda each: each.name)
def test_a_folder_that_is_no_checkpoint_is_never_replaced(run, work: Path, command: Command) -> None:
    (work / "mine").mkdir()
    (work / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    for more in ((), ("--overwrite",)):
        assert_refused(run(*command.words, "--output", "mine", *more), "new folder", "mine")
    assert (work / "mine" / "thesis.txt").read_text(encoding="utf-8") == "years of work"


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_run_needs_an_empty_folder(run, work: Path, name: str) -> None:
    before = contents(work)
    words = [name, "data.jsonl", "--validation", "data.jsonl", *(("--start", "model") if name == "refine" else ())]
    assert_refused(run(*words, "--output", "."), "not empty")
    assert_refused(run(*words, "--output", ".", "--resume"), "nothing to resume")
    assert contents(work) == before


def test_a_finished_output_is_not_resumed_over(run, work: Path) -> None:
    (work / "scored.jsonl").write_text("precious\n", encoding="utf-8")
    words = ("evaluate", "data.jsonl", "--predictions", "predictions.txt", "--output", "scored.jsonl")
    assert_refused(run(*words, "--resume"), "exists")
    assert (work / "scored.jsonl").read_text(encoding="utf-8") == "precious\n"


def test_a_folder_named_like_the_batches_of_a_run_is_kept(run, work: Path) -> None:
    (work / "scored.jsonl.parts").mkdir()
    (work / "scored.jsonl.parts" / "mine.txt").write_text("mine", encoding="utf-8")
    words = ("evaluate", "data.jsonl", "--predictions", "predictions.txt", "--output", "scored.jsonl")
    refused = run(*words)  # the line before says what was read of the file
    assert refused.status == 2 and refused.out == ""
    assert "something else" in refused.err.splitlines()[-1] and "name another output" in refused.err
    assert (work / "scored.jsonl.parts" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_the_details_of_a_baseline_are_a_second_output(run, work: Path) -> None:
    (work / "table.json").write_text("precious", encoding="utf-8")
    assert_refused(run("baseline", "data.jsonl", "--pairs", "2", "--output", "table.tsv"), "exists", "table.json")


def test_the_details_of_a_baseline_need_another_name(run, work: Path) -> None:
    before = contents(work)
    refused = run("baseline", "data.jsonl", "--output", "table.json", "--overwrite")
    assert_refused(refused, "table.json", "allowed: a .tsv")
    assert contents(work) == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
@pytest.mark.parametrize("place", ["a full disk", "a folder where nothing can be written"])
def test_an_output_that_cannot_be_written_is_refused_first(run, work: Path, command: Command, place: str) -> None:
    """As root, too: the kernel's own folder takes no files."""
    before = contents(work)
    if place == "a full disk":
        with room(0):
            refused = run(*command.words, command.option, "result")
        assert_refused(refused, "cannot be written", "File too large", "result")
    else:
        need(Path("/sys/kernel").is_dir(), "folder of the kernel", "run it on Linux", in_ci=False)
        assert_refused(run(*command.words, command.option, "/sys/result"), "cannot be written", "/sys")
    assert contents(work) == before


CHAT, ROWS, LABELS = "chat.txt", "data.jsonl", "labels.jsonl"
ENDS = ("--validation", ROWS, "--output", "new")
STANDARD_INPUT = {
    "summarize file": (("summarize", "-", *MODEL), CHAT),
    "summarize force": (("summarize", CHAT, *MODEL, "--force", "-"), "one.txt"),
    "report file": (("report", "-", *MODEL, "--output", "new"), CHAT),
    "report force": (("report", CHAT, *MODEL, "--output", "new", "--force", "-"), "one.txt"),
    "attribute file": (("attribute", "-", *MODEL, "--method", "attention"), CHAT),
    "attribute force": (("attribute", CHAT, *MODEL, "--method", "attention", "--force", "-"), "one.txt"),
    "patch file": (("patch", "-", *MODEL, "--swap", "speakers"), CHAT),
    "patch force": (("patch", CHAT, *MODEL, "--swap", "speakers", "--force", "-"), "one.txt"),
    "heads data": (("heads", "-", *MODEL, "--limit", "1", "--effects", "0", "--output", "new"), ROWS),
    "begin data": (("begin", "peer", "-", "--output", "new"), ROWS),
    "pretrain data": (("pretrain", "-", *ENDS), "broken.jsonl"),
    "pretrain validation": (("pretrain", ROWS, "--validation", "-", "--output", "new"), "broken.jsonl"),
    "train data": (("train", "-", *ENDS), "broken.jsonl"),
    "train validation": (("train", ROWS, "--validation", "-", "--output", "new"), "broken.jsonl"),
    "refine data": (("refine", "-", *ENDS, "--start", "model"), "broken.jsonl"),
    "refine validation": (("refine", ROWS, "--validation", "-", "--output", "new", "--start", "model"), "broken.jsonl"),
    "evaluate data": (("evaluate", "-", "--predictions", "predictions.txt"), ROWS),
    "evaluate predictions": (("evaluate", ROWS, "--predictions", "-"), "predictions.txt"),
    "baseline data": (("baseline", "-", "--pairs", "2"), ROWS),
    "behave data": (("behave", "-", *MODEL, "--limit", "1"), ROWS),
    "slices file": (("slices", "-", "--by", "length"), "scored.jsonl"),
    "faults measure data": (("faults", "measure", "-", "--labels", LABELS, *MODEL), ROWS),
    "faults measure labels": (("faults", "measure", ROWS, "--labels", "-", *MODEL), LABELS),
    "faults sheet data": (("faults", "sheet", "-", "--labels", LABELS, *MODEL, "--output", "new"), ROWS),
    "faults sheet labels": (("faults", "sheet", ROWS, "--labels", "-", *MODEL, "--output", "new"), LABELS),
    "faults agree files": (("faults", "agree", "labels.jsonl", "-"), "second.jsonl"),
}
"""Each file that a command reads, by its parameter, given as "-", and what then comes on standard input."""
FILES = {"file", "force", "data", "validation", "predictions", "labels", "files"}


def test_every_file_that_is_read_is_in_the_table_of_standard_input() -> None:
    every = {f"{name} {each}" for name, parameters in PARAMETERS.items() for each in parameters & FILES}
    assert every == STANDARD_INPUT.keys()


@pytest.mark.parametrize(
    "each", [pytest.param(each, marks=pytest.mark.slow) if "patch" in each else each for each in STANDARD_INPUT]
)
def test_standard_input_stands_for_a_file(run, work: Path, each: str) -> None:
    """Trainings take long and are given a broken file; the labels are about another checkpoint than the model."""
    words, file = STANDARD_INPUT[each]
    (work / "broken.jsonl").write_text('{"dialogue": ""}\n', encoding="utf-8")
    shutil.copy(work / LABELS, work / "second.jsonl")
    if file == "scored.jsonl":
        assert run("evaluate", ROWS, "--predictions", "predictions.txt", "--output", file).status == 0
    found = run(*words, stdin=(work / file).read_bytes())
    last = found.err.splitlines()[-1] if found.err else ""
    if file == "broken.jsonl":
        assert found.status == 2 and "stdin.jsonl" in last
    elif file == ROWS:  # what comes after is not about the file: few rows, another family, other weights
        assert "stdin.jsonl: 4 rows taken" in found.err
    elif "measure" in each:
        assert found.status == 2 and "the labels are about summaries of the weights" in last
    else:
        assert found.status == 0 and (found.out or (work / "new").exists()), found.err


def test_standard_input_is_read_once(run, work: Path) -> None:
    for words in (("train", "-", "--validation", "-", "--output", "new"), ("summarize", "-", *MODEL, "--force", "-")):
        refused = run(*words, stdin=(work / ROWS).read_bytes())
        assert refused.status == 2 and "can be read once" in refused.err.splitlines()[-1]


def test_a_closed_standard_input_is_refused(work: Path, monkeypatch, capsys) -> None:
    (work / "new").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", None)
    assert command_line(["summarize", "-", *MODEL, "--trace", "new", "--overwrite"]) == 2
    assert "standard input, which is closed" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["json", "csv", "tsv", "parquet", "jsonl.gz"])
def test_what_comes_on_standard_input_is_known_by_its_content(run, work: Path, ending: str) -> None:
    from datasets import Dataset

    rows = [json.loads(line) for line in (work / ROWS).read_text(encoding="utf-8").splitlines()]
    data = Dataset.from_list(rows)
    if ending == "parquet":
        data.to_parquet(work / "other.parquet")
    elif ending in ("csv", "tsv"):
        data.to_csv(work / f"other.{ending}", sep="," if ending == "csv" else "\t", index=False)
    else:
        text = json.dumps(rows, indent=1).encode() if ending == "json" else (work / ROWS).read_bytes()
        (work / f"other.{ending}").write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    content = (work / f"other.{ending}").read_bytes()
    assert run("evaluate", "-", "--predictions", "predictions.txt", "--json", stdin=content).json["rows"]["taken"] == 4


@pytest.mark.parametrize("head", ["id,summary", "id;Prediction", "\ufeffid\tsummary"])
def test_predictions_on_standard_input_may_be_a_table(run, work: Path, head: str) -> None:
    """Plain lines with commas stay plain lines: the table above has them."""
    mark = next(each for each in ",;\t" if each in head)
    lines = [head, *(f'{number}{mark}"One, or {number}."' for number in (3, 1, 0, 2))]
    found = run("evaluate", ROWS, "--predictions", "-", "--output", "new", stdin="\r\n".join(lines).encode())
    assert found.status == 0, found.err
    assert json.loads((work / "new").read_text(encoding="utf-8"))["summary"] == "One, or 0."


def test_a_checkpoint_is_an_input_by_its_name_too(run, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FOLDER", work)
    (work / "elsewhere").mkdir()
    monkeypatch.chdir(work / "elsewhere")
    output = work / "model" / "config.json"
    assert_refused(run("heads", work / "data.jsonl", *MODEL, "--output", output, "--overwrite"), "reads")
