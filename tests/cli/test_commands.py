"""The command line's contract: what is printed where, exit statuses, and one line for bad input."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from core import checkpoints
from core.cli import main as command_line
from core.evaluation import written
from core.experiments.start import opening
from core.files import held
from core.trace import Summary
from tests.cli.conftest import DIALOGUE, assert_refused, commands, refusals
from tests.closeness import near
from tests.models import SHARED, operator_by_operator, small

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [
        {"id": "a", "dialogue": DIALOGUE, "summary": "Maya lost her suitcase."},
        {"id": "b", "dialogue": "A: Hi.\nB: Hello, how are you?", "references": ["They greet.", "A and B say hello."]},
        {"id": "c", "dialogue": "A: Bye.\nB: See you.", "summary1": "They part.", "summary2": "A and B leave."},
    ]
    lines = [json.dumps(row) for row in rows]
    lines.insert(1, '{"dialogue": "no summary"}')
    lines.insert(3, "not json")
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_summarize_prints_the_summary_alone_and_writes_its_trace(run, tmp_path: Path) -> None:
    result = run("summarize", "-", "--checkpoint", "TINY", "--trace", tmp_path / "run.npz", stdin=DIALOGUE.encode())
    assert result.status == 0
    assert len(result.out.splitlines()) == 1 and result.out.strip()
    assert Summary.load(tmp_path / "run.npz").text == result.out.strip()
    assert os.listdir(tmp_path) == ["run.npz"]


def test_summarize_json_has_what_the_contract_names_and_options_without_effect_are_said(run, tmp_path: Path) -> None:
    file = tmp_path / "chat.txt"
    file.write_text(DIALOGUE, encoding="utf-8")
    options = ("--strategy", "greedy", "--max-tokens", 9, "--top-k", 5, "--seed", 7, "--temperature", 1.5, "--json")
    result = run("summarize", file, "--checkpoint", "TINY", *options, "--early-stopping")
    report = result.json
    assert {"summary", "tokens", "log_probability", "checkpoint", "settings", "seconds"} <= set(report)
    expected = {"strategy": "greedy", "max_tokens": 9, "top_k": 5, "seed": 7, "temperature": 1.5}
    assert report["settings"] | expected | {"early_stopping": True} == report["settings"]
    assert len(report["tokens"]) <= 9
    assert set(report["tokens"][0]) >= {"id", "text", "probability", "entropy"}
    assert report["checkpoint"].startswith("tiny@")
    assert result.status == 0 and "without effect" in result.err
    assert "top_k" in result.err and "early_stopping" in result.err


def test_truncation_is_said(run) -> None:
    long = "\n".join(f"#Person{1 + n % 2}#: this is turn number {n} of a long talk." for n in range(40)).encode()
    call = ("summarize", "-", "--checkpoint", "TINY")
    result = run(*call, stdin=long)
    assert result.status == 0 and "turns left out" in result.err
    assert_refused(run(*call, "--truncation", "error", stdin=long), "too long", "allowed: 192")


def test_bad_input_is_refused_in_one_line(snapshot, run, corpus: Path, tmp_path: Path, only_tiny) -> None:
    call, folder = ("summarize", "-", "--checkpoint", "TINY"), tmp_path / "no"
    evaluate, heads = ("evaluate", corpus, "--checkpoint", "TINY"), ("heads", corpus, "--checkpoint")
    text, none = DIALOGUE.encode(), b""
    calls = [([*call, "--beam-size", "99"], text), ([*call, "--beam-size", "x"], none)]
    calls += [([*call, "--strategy", "magic"], text), ([*call, "--no-such-option"], none), (call, none)]
    calls += [(call, b"\x00\x01\x02\xff" * 50), ([*call, "--trace", folder / "x.npz"], b"hi there")]
    calls += [(["summarize", tmp_path / "none.txt", *call[2:]], none)]
    calls += [(["summarize", "-", "--checkpoint", "nope"], b"hi")]
    calls += [(["evaluate", tmp_path / "none.jsonl", *call[2:]], none), ([*evaluate, "--resume"], none)]
    calls += [([*evaluate, "--output", folder / "out.jsonl"], none)]
    calls += [(["heads", tmp_path / "none.jsonl", *call[2:]], none)]
    calls += [([*heads, "TINY", "--output", folder / "heads.json"], none), ([*heads, "nope"], none)]
    calls += [([*heads, "TINY", "--limit", 0], none), (["describe", "nope"], none), (["fly"], none)]
    assert refusals(run, calls, tmp_path) == snapshot


def test_evaluate_reports_scores_and_bad_rows(run, corpus: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    result = run("evaluate", corpus, "--checkpoint", "TINY", "--metric", "rouge", "--output", output, "--json")
    report = result.json
    assert (report["count"], report["scored"], report["truncated"]) == (4, 3, 0)
    assert "1 of 4 dialogues have no reference" in result.err and "5 rows" not in result.err
    assert [row["line"] for row in report["skipped"]] == [4] and report["rows"]["taken"] == 4
    assert all(0 <= report[name] <= 100 for name in ("rouge1", "rouge2", "rougeL"))
    assert report["seconds"] > 0 and report["dialogues_per_second"] > 0
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["a", "2", "b", "c"]  # without a reference there is a summary and no score
    assert rows[1]["summary"] and rows[1]["rouge"] is None
    origins = [row["origin"] for row in rows]
    assert [each["row"] for each in origins] == [1, 2, 3, 5] and {each["source"] for each in origins} == {corpus.name}
    assert report["checkpoint"] == f"{origins[0]['checkpoint']}@{origins[0]['weights'][:12]}"
    assert origins[0]["settings"] == report["settings"] and origins[0]["version"] and len(origins[0]["date"]) == 10
    assert report["rouge1"] == pytest.approx(sum(row["rouge"]["rouge1"] for row in rows if row["rouge"]) / 3)
    assert run("evaluate", corpus, "--checkpoint", "TINY", "--limit", 1, "--json").json["count"] == 1
    assert run("evaluate", corpus, "--checkpoint", "TINY", "--sample", 2, "--seed", 3, "--json").json["count"] == 2


def test_evaluate_scores_predictions_of_another_system(run, corpus: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("Maya lost her suitcase.\nNothing.\nThey greet.\nA and B leave.\n", encoding="utf-8")
    output = tmp_path / "out.jsonl"
    call = ("evaluate", corpus, "--predictions", plain, "--json")
    report = run(*call, "--output", output).json
    origin = json.loads(output.read_text("utf-8").splitlines()[0])["origin"]
    assert (origin["checkpoint"], origin["settings"], origin["predictions"]) == ("", {}, "plain.txt")
    assert report["rouge1"] == report["rougeL"] == pytest.approx(200 / 3) and report["checkpoint"] is None
    assert run(*call, "--reference-mode", "max").json["rouge1"] == pytest.approx(100)


def test_evaluate_measures_bertscore_with_its_fingerprint(run, corpus: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("Maya lost her suitcase.\nNothing.\nThey greet.\n\n", encoding="utf-8")
    call = ("evaluate", corpus, "--predictions", plain, "--metric", "bertscore", "--json")
    report = run(*call).json
    assert report["rouge1"] is None and report["empty"] == 1
    # Two equal texts, whose tokens have 384 numbers, and an empty one.
    near(report["bertscore"]["f1"], 2 / 3, terms=384)
    assert report["bertscore"]["encoder"] == report["bertscore"]["fingerprint"]["encoder"] == "all-MiniLM-L6-v2"
    shown = run(*call[:-1], "--metric", "rouge").out
    assert "1 summary empty" in shown and "ROUGE-1 66.67" in shown and "F1 0.6667  (all-MiniLM-L6-v2)" in shown
    assert_refused(run(*call, "--encoder", "nope").without_skips(), "nope")


def test_evaluate_says_how_rows_were_read_and_may_be_strict(run, tmp_path: Path) -> None:
    data, said = tmp_path / "data.csv", tmp_path / "said.csv"
    rows = ["nr;gespräch;kurz", "007;A: Grüß dich.;A grüßt.", "008;A: Grüß dich.;Gruß.", "009;;nichts", ""]
    data.write_bytes("\r\n".join(rows).encode("cp1252"))
    said.write_text("id,summary\n007,A grüßt.\n", encoding="utf-8")
    call = ("evaluate", data, "--predictions", said, "--columns", "dialogue=gespräch,summary=kurz,id=nr", "--json")
    result = run(*call, "--metric", "rougeLsum")
    report = result.json
    assert report["rows"] == {"taken": 2, "joined": 1, "notes": report["rows"]["notes"]} and report["count"] == 1
    assert "2 rows taken, 1 of them joined" in result.err and "read as Windows-1252" in result.err
    assert report["rougeLsum"] == report["rougeL"] == pytest.approx(100)
    assert report["rouge_fingerprint"]["tokenizers"] == {"letters of all scripts": 1}
    assert "1 with letters beyond a-z" in result.err and "line 4 skipped: dialogue is empty" in result.err
    strict = run(*call, "--strict")
    assert (strict.status, strict.out) == (2, "") and "--strict allows none. line 4: dialogue is" in strict.err
    assert "lacks columns. Received: 'nr', 'gespräch', 'kurz'" in run(*call[:4]).err


def test_what_a_checkpoint_writes_is_kept_beside_it(run, tmp_path: Path, tiny_checkpoint: Path, monkeypatch) -> None:
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "kept"))
    few = replace(written.bundled(), rows=written.bundled().rows[:2])
    monkeypatch.setattr(written, "bundled", lambda: few)
    report = run("written", "--checkpoint", folder, "--json").json
    card = checkpoints.read_card(folder)
    weights, decoding = card["sha256"]["weights.safetensors"], checkpoints.card_decoding(card)
    rows = written.read(checkpoints.read_written(folder), weights, decoding)
    assert len(rows) == report["rows"] == 2 and rows[0].summary and rows[0].rouge
    found = opening.read(checkpoints.read_opening(folder), weights, decoding)
    assert found is not None and found.summary and found.attention == "2.mean"
    assert report["opening_bytes"] == (folder / checkpoints.OPENING).stat().st_size
    assert "no such checkpoint" in run("written", "--checkpoint", "nope").err


def test_heads_are_measured_and_written_whole(run, corpus: Path, tmp_path: Path, tiny_checkpoint: Path) -> None:
    output = tmp_path / "out" / "heads.json"
    output.parent.mkdir()
    result = run("heads", corpus, "--checkpoint", "TINY", "--limit", 4, "--output", output, "--json")
    report = result.json
    assert result.status == 0 and report["dialogues"] == 4 and len(report["heads"]) == 12
    assert [row["line"] for row in report["skipped"]] == [4] and "line 4 skipped" in result.err
    assert report["command"] == "python -m core heads data.jsonl --checkpoint tiny --limit 4"
    assert os.listdir(output.parent) == ["heads.json"]
    written = output.read_text(encoding="utf-8")
    assert json.loads(written) == {name: value for name, value in report.items() if name != "skipped"}
    assert str(tmp_path) not in written and str(tiny_checkpoint.parent) not in written and "suitcase" not in written
    assert report["effects"]["dialogues"] == 4 and len(report["effects"]["nats"]) == 12 + 3 * 2 + 3
    lines = run("heads", corpus, "--checkpoint", "TINY", "--limit", 1).out.splitlines()
    assert len(lines) == 14 and lines[0].startswith("cross 1.1 ") and lines[0].endswith("nats a token")
    assert lines[-1].startswith("nats a token lost without, over 1 dialogues: encoder ")
    plain = run("heads", corpus, "--checkpoint", "TINY", "--limit", 1, "--effects", 0).out
    assert len(plain.splitlines()) == 13 and "nats" not in plain


def test_describe_counts_and_points_at_the_source(run) -> None:
    report = run("describe", "TINY", "--json").json
    layers = {layer["path"]: layer for layer in report["layers"]}
    block = layers["encoder/block1"]
    assert block["output_shape"] == layers["decoder/block2/cross_attention/key"]["output_shape"] == ["B", "S", 16]
    file, line = layers["encoder/block1/self_attention"]["source"].split(":")
    assert "class MultiHeadAttention" in (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert sum(layer["parameters"] for path, layer in layers.items() if "/" not in path) == report["parameters"]
    inside = [path for path in layers if path.startswith("encoder/block1/") and path.count("/") == 2]
    assert sum(layers[path]["parameters"] for path in inside) == block["parameters"]
    plain = run("describe", "report-b").out
    assert "EncoderBlock" in plain and plain.rstrip().endswith("parameters")


def test_names_of_readers_are_the_same_in_upper_and_lower_case(run, tmp_path: Path) -> None:
    for name, text in (("Anna", "One."), ("anna", "One."), ("ANNA", "Two."), ("Ben", "One.")):
        label = {"format": 2, "annotator": name, "id": "0", "checkpoint": "0" * 64, "summary": text, "labels": []}
        (tmp_path / name).write_text(json.dumps(label | {"correct": True}) + "\n", encoding="utf-8")
    agree = ("faults", "agree", tmp_path / "Anna")
    assert_refused(run(*agree, tmp_path / "anna"), "two readers of the same summaries have one name", "Anna")
    assert run(*agree, tmp_path / "ANNA", tmp_path / "Ben", "--json").json["readers"] == ["Anna", "Ben"]


def test_checkpoints_lists_cards_with_hashes(run, only_tiny) -> None:
    report = run("checkpoints", "--json").json
    assert [card["name"] for card in report["checkpoints"]] == ["tiny"]
    assert len(report["checkpoints"][0]["sha256"]["weights.safetensors"]) == 64
    assert "tiny" in run("checkpoints").out


COMMANDS = dict(commands(typer.main.get_command(command_line.app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example_that_can_be_called(run, name: str) -> None:
    shown = run(*name.split(), "--help").out.rsplit("Example: ", 1)[1]
    words = shlex.split(" ".join(shown.split()))
    start = ["python", "-m", "core", *name.split()]
    assert words[: len(start)] == start
    COMMANDS[name].make_context(name, words[len(start) :])  # a usage error is raised


def test_quiet_leaves_notes_and_progress_out_but_not_what_failed(run, corpus: Path) -> None:
    loud = run("evaluate", corpus, "--checkpoint", "TINY", "--metric", "rouge")
    assert "skipped" in loud.err
    for words in (("--quiet", "evaluate", corpus), ("evaluate", corpus, "--quiet")):
        quiet = run(*words, "--checkpoint", "TINY", "--metric", "rouge")
        assert (quiet.out, quiet.err) == (loud.out, "")
    assert_refused(run("--quiet", "evaluate", "nowhere.jsonl"), "nowhere.jsonl")


@pytest.mark.slow
def test_stdout_is_one_json_object_in_a_process_of_its_own(tiny_checkpoint: Path) -> None:
    """TensorFlow's own messages stay away from standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "core", "summarize", "-", "--checkpoint", str(tiny_checkpoint), "--json"],
        input=DIALOGUE.encode(), capture_output=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["summary"]
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
@operator_by_operator()
def test_pretrain_and_train_make_a_checkpoint_that_summarizes(run, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    from core.config import PRESETS, DecodeSettings, Preset, TrainConfig
    from core.training import snapshots

    brief = TrainConfig(epochs=2, warmup_steps=2, augment=True)
    preset = Preset(
        "A test.", small(320, **SHARED), training=brief, pretraining=brief, decoding=DecodeSettings(max_tokens=8)
    )
    monkeypatch.setitem(PRESETS, "small", preset)

    common = ("--validation", corpus, "--preset", "small", "--seed", 5)
    first = run("pretrain", corpus, corpus, *common, "--epochs", 1, "--output", tmp_path / "first", "--json").json
    card = checkpoints.read_card(first["checkpoint"])
    assert card["data"] == {"name": "data.jsonl, data.jsonl", "rows": 4, "skipped": 1}  # no dialogue comes twice
    assert "scores" not in card and set(card["tasks"]) == {"turns", "spans", "speakers", "names"}

    output = tmp_path / "run"
    watched = ("--start", first["checkpoint"], "--scored", 2, "--moments", 3)
    arguments = ("train", corpus, *common, *watched, "--output", output)
    assert_refused(run(*arguments, "--resume").without_skips(), "nothing to resume in", "run")
    (output / ".state-abcd_123").mkdir(parents=True)  # killed while it wrote its first epoch
    assert_refused(run(*arguments).without_skips(), "not empty", "--resume")
    with held(output):
        assert_refused(run(*arguments, "--resume").without_skips(), "another process is writing", "another folder")
    (tmp_path / "file").write_text("")
    assert_refused(run(*arguments[:-1], tmp_path / "file").without_skips(), "cannot be written", "Name another one")
    report = run(*arguments, "--licence", "ours", "--resume", "--json").json
    assert report["epochs"] == 2 and report["train_loss"] > 0 and report["validation_loss"] > 0
    folder = Path(report["checkpoint"])
    card = checkpoints.read_card(folder)
    assert card["licence"] == "ours" and card["preset"] == "small" and card["seed"] == 5
    assert card["data"] == {"name": "data.jsonl", "rows": 3, "skipped": 2}
    assert set(card["scores"]["rouge"]) == {"rouge1", "rouge2", "rougeL"} and card["scores"]["count"] == 3
    assert card["training_scores"] == card["scores"]  # the same three dialogues
    assert card["pretraining"]["epochs"] == 1 and card["pretraining"]["command"].startswith("python -m core")
    assert all("rouge1" in row for row in checkpoints.read(output / "last").history)
    assert [each.epoch for each in snapshots.read(folder / snapshots.FILE)] == [0, 1, 2]
    assert run("summarize", "-", "--checkpoint", folder, stdin=DIALOGUE.encode()).status == 0
    resumed = run(*arguments, "--resume", "--json")
    assert resumed.status == 0 and resumed.json["epochs"] == 2
    assert_refused(run("train", corpus, "--validation", corpus, "--preset", "x", "--output", output), "no such preset")

    arguments = ("refine", corpus, "--validation", corpus, "--start", folder, "--output", tmp_path / "refined")
    report = run(*arguments, "--precision", "float32", "--scored", 2, "--json").json
    refined, begun = checkpoints.read(report["checkpoint"]), checkpoints.read(folder)
    before = [row["epoch"] for row in begun.history]  # the better of two epochs
    assert refined.history[:-1] == begun.history and refined.history[-1]["epoch"] == len(before) + 1
    assert "rouge1" in refined.history[-1] and refined.card["epochs"] == len(before) + 1
    kept = [each.epoch for each in snapshots.read(Path(report["checkpoint"]) / snapshots.FILE)]
    assert kept == [0, *before, len(before) + 1]
    assert any((refined.weights[name] != begun.weights[name]).any() for name in begun.weights)
    assert refined.card["preset"] == "small" and refined.card["training"]["risk"] == 10
    assert refined.card["decoding"] == begun.card["decoding"] | {"beam_size": 8}
    assert refined.card["scores"]["count"] == 3
    assert refined.card["refined"]["command"] == begun.card["command"]
    assert refined.card["pretraining"] == begun.card["pretraining"]
    contrast = (*arguments[:-1], tmp_path / "contrast", "--candidates", "wrong", "--precision", "float32")
    assert_refused(run(*arguments[:-1], tmp_path / "own", "--wrong", 3).without_skips(), "--candidates wrong only")
    card = checkpoints.read_card(run(*contrast, "--layers", "1", "--json").json["checkpoint"])
    assert card["training"]["risk"] == 1 and card["decoding"] == begun.card["decoding"]
    assert_refused(run(*arguments[:-3], tmp_path, "--output", tmp_path / "new"), "no such checkpoint")


def test_lessons_are_checked_with_file_and_line(run, tmp_path):
    result = run("lessons")
    assert result.status == 0 and result.out.startswith("10 stops: tokens, positions, masks, one-head")
    (tmp_path / "bad.md").write_text("---\ntitle: T\ncolour: red\n---\n")
    result = run("lessons", tmp_path, "--json")
    assert result.status == 2 and result.json["faults"][0]["file"] == "bad.md"
    assert result.err == "bad.md, line 3: there is no such key; allowed: title, link, do, done, question, needs. " \
        "Received: 'colour'\n"  # fmt: skip
    assert run("lessons", tmp_path / "lost").err.startswith("the folder cannot be read")


def test_answers_of_lessons_are_computed_with_any_checkpoint(run):
    result = run("lessons", "--answers", "--checkpoint", "TINY", "--json")
    found = result.json["answers"]
    assert result.status == 0 and len(found) == 10
    assert found["one-head"]["because"] == "this model has no head 3 in layer 1, so there is nothing to look at"
    assert isinstance(found["tokens"]["answer"], int) and found["tokens"]["question"].startswith("How many of the")


def test_without_a_command_the_help_is_readable(run):
    for words in ((), ("faults",)):
        help = run(*words)
        assert (help.status, help.err) == (0, "") and help.out == run(*words, "--help").out
        assert help.out.startswith("Usage: python -m core") and "\nCommands:\n" in help.out


def test_the_installed_command_calls_itself_dialoscope_and_knows_its_version(run, monkeypatch):
    monkeypatch.setattr(command_line, "INSTALLED", True)
    assert run("--help").out.startswith("Usage: dialoscope [OPTIONS] COMMAND")
    monkeypatch.setattr(command_line, "INSTALLED", False)
    monkeypatch.setattr(sys, "argv", ["/somewhere/dialoscope/__main__.py"])
    assert run("--help").out.startswith("Usage: python -m dialoscope [OPTIONS] COMMAND")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert run("--version").out == f"dialoscope {project['version']}\n"
