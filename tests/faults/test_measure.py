"""Precision and recall of detectors by hand, and the commands on a tiny checkpoint."""

import json

import pytest

from core.cli.main import main
from core.errors import CheckpointError, CorpusError
from core.faults.detectors import DETECTORS
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.faults.labels import Label, LabelledSummary, read_labels, write_labels
from core.faults.measure import MEASURED_FILE, Measured, Score, measure, score_detectors, shipped, weights_hash
from core.faults.run import forced_faults, turn_attention, written_tokens
from core.faults.sureness import Sureness
from core.text.examples import example_by_id
from tests.refusals import refusals

EXAMPLES = [example_by_id(name) for name in ("lost-suitcase", "leaking-tap", "surprise-cake", "back-pain")]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    rows = [{"id": each.id, "dialogue": each.dialogue, "references": list(each.references)} for each in EXAMPLES]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def labelled(summarizer, *texts, checkpoint=None, todo=False):
    weights = checkpoint or weights_hash(summarizer)
    labels = (Label("repetition", "her her"),)
    return [
        LabelledSummary(example.id, weights, text, () if todo else labels, todo)
        for example, text in zip(EXAMPLES, texts, strict=False)
    ]


def test_scores_by_hand():
    def row(number, *types):
        return LabelledSummary(str(number), "f00", "", tuple(Label(name) for name in types))

    def hints(*kinds):
        return [Fault(kind, 0, 0, (), Evidence("")) for kind in kinds]

    rows = [row(1, "repetition", "grammar"), row(2, "grammar"), row(3, "missing"), row(4)]
    faults = [hints("repetition", "repetition"), hints(), hints("repetition"), hints("too_short")]
    scores = {score.kind: score for score in score_detectors(rows, faults)}
    assert tuple(scores) == tuple(DETECTORS)
    assert scores["repetition"] == Score("repetition", 4, flagged=2, right=1, positives=2)
    assert scores["too_short"] == Score("too_short", 4, flagged=1, right=0, positives=1)
    for kind, share in (("repetition", 0.5), ("novel_name", None)):
        assert scores[kind].precision == scores[kind].recall == share
    # A detector at chance is off and one with few labels is not measured.
    better, chance = Score("repetition", 100, 10, 6, 50), Score("repetition", 100, 10, 5, 50)
    assert better.default and not chance.default
    few = Score("repetition", 100, 10, 0, 9)
    assert few.default and not few.measured and Score("repetition", 100, 0, 0, 10).measured
    assert Measured((chance, better), 100, {}, "f", "d").off == {"repetition"}
    found = Measured((Score("repetition", 4, 2, 1, 2),), 4, {"grammar": 2}, "f00", "data.jsonl")
    values = json.loads(json.dumps(found.to_dict()))
    assert Measured.from_dict(values) == found
    assert values["detectors"][0]["precision"] == 0.5 and values["detectors"][0]["measured"] is False


def test_a_detector_that_is_newer_than_the_measurement_is_not_measured(tmp_path, monkeypatch):
    values = json.loads(MEASURED_FILE.read_text("utf-8"))
    older = values | {"detectors": [each for each in values["detectors"] if each["kind"] != "repetition"]}
    (tmp_path / "measured.json").write_text(json.dumps(older), "utf-8")
    monkeypatch.setattr("core.faults.measure.MEASURED_FILE", tmp_path / "measured.json")
    found = shipped.__wrapped__()
    assert [score.kind for score in found.scores] == list(DETECTORS)
    assert found.scores[0] == Score("repetition", found.count, 0, 0, 0) and not found.scores[0].measured
    assert "repetition" not in found.off and found.scores[1:] == shipped().scores[1:]


def test_attention_of_turns_and_tokens(tiny):
    encoded = tiny.encode(EXAMPLES[0].dialogue)
    summary = tiny.force(encoded, "The suitcase is in Madrid.")
    shares = turn_attention(summary.attention, encoded.dialogue)
    turns = [token.turn for token in encoded.tokens]
    copy = summary.attention.copy
    first = copy[:, [index for index, turn in enumerate(turns) if turn == 0]].sum() / copy.sum()
    assert len(shares) == len(encoded.dialogue.turns) and sum(shares) == pytest.approx(1)
    assert shares[0] == pytest.approx(first)
    tokens = written_tokens(summary)
    assert "".join(summary.text[each.start : each.end] for each in tokens) == "ThesuitcaseisinMadrid."
    assert tokens[0].probability == summary.steps[0].probability


def test_measure_runs_every_detector_of_rules_and_of_the_model(snapshot, tiny):
    encoded, summary = tiny.encode(EXAMPLES[0].dialogue), "She tells her her [UNK] suitcase."
    found = forced_faults(tiny, encoded, summary, tiny.force(encoded, summary), EXAMPLES[0].references)
    assert {"repetition", "special_token", "low_confidence"} <= {fault.kind for fault in found}
    rows = labelled(tiny, "She tells her her plan.", "He meets her her friend.")
    dialogues = {each.id: (each.dialogue, each.references) for each in EXAMPLES}
    steps = []
    found = measure(rows, dialogues, tiny, "data.jsonl", lambda done, total: steps.append((done, total)))
    assert found.scores[0] == Score("repetition", 2, 2, 2, 2) and steps == [(1, 2), (2, 2)]
    assert found.labels == {"repetition": 2} and found.checkpoint == weights_hash(tiny)
    cases = [(labelled(tiny, "her her", checkpoint="f00"), dialogues)]
    cases += [(labelled(tiny, "a", "b", todo=True), dialogues), (rows, {})]
    errors = (CheckpointError, CorpusError)
    refused = refusals(errors, lambda labels, known: measure(labels, known, tiny, "data.jsonl"), cases)
    assert refused.replace(tiny.checkpoint.identity, "tiny") == snapshot


def test_the_commands(tiny, tiny_stays, tiny_checkpoint, data, tmp_path, capsys):
    kept, _ = tiny.write(tiny.encode(EXAMPLES[0].dialogue))
    same = LabelledSummary(EXAMPLES[0].id, "0ld", kept, (Label("grammar"),))
    write_labels(tmp_path / "old.jsonl", [same, *labelled(tiny, "her her", "her her")[1:]])
    sheet = tmp_path / "new.jsonl"
    common = [str(data), "--checkpoint", str(tiny_checkpoint), "--json", "--labels"]
    assert main(["faults", "sheet", *common, str(tmp_path / "old.jsonl"), "--output", str(sheet)]) == 0
    assert json.loads(capsys.readouterr().out) == {"count": 2, "todo": 1, "checkpoint": weights_hash(tiny)}
    first, second = read_labels(sheet)
    assert (first.labels, first.todo, first.checkpoint) == ((Label("grammar"),), False, weights_hash(tiny))
    assert second.todo and second.labels == () and second.summary != "her her"
    output = tmp_path / "measured.json"
    assert main(["faults", "measure", *common, str(sheet), "--output", str(output)]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == json.loads(output.read_text()) and "1 of 2 summaries" in captured.err
    assert main(["faults", "measure", *common[:3], "--labels", str(sheet)]) == 0
    assert "not measured: 1 labels" in capsys.readouterr().out
    # Bad input is one line.
    for labels in ("nowhere.jsonl", str(data)):
        assert main(["faults", "measure", *common[:3], "--labels", labels]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.count("\n") == 1 and "labels" in captured.err


def test_a_summary_is_compared_with_those_that_the_model_was_as_sure_of():
    found = Measured((), 2, {}, "f00", "d", (Sureness(-2, -1, 33, 30), Sureness(-0.9, -0.5, 34, 20)))
    assert [found.about_as_sure(mean).count for mean in (-9, -1, -0.95, -0.6, -0.1)] == [33, 33, 34, 34, 34]
    assert Measured((), 0, {}, "f00", "d").about_as_sure(-1) is None
