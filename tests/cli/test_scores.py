"""`score` and `baseline` on the command line."""

import json
from pathlib import Path

import pytest

from core.scoring.bertscore import BertScorer

CANDIDATE, REFERENCES = "Maya lost a case.", ["Maya's suitcase is lost.", "Maya lost a case."]


def pair(*references: str) -> list[str]:
    return ["score", "--candidate", CANDIDATE, *(word for each in references for word in ("--reference", each))]


def test_score_prints_one_json_object(run):
    result = run(*pair(REFERENCES[0]), "--json")
    report = result.json
    assert result.status == 0 and result.err == ""
    (expected,) = BertScorer().score([CANDIDATE], [REFERENCES[:1]])
    assert report["bertscore"] == {"precision": expected.precision, "recall": expected.recall, "f1": expected.f1}
    assert report["encoder"] == "all-MiniLM-L6-v2" and report["fingerprint"]["layer"] == 6
    assert set(report["rouge"]) == {"rouge1", "rouge2", "rougeL"} and (report["blank"], report["cut"]) == (0, 0)


def test_score_takes_the_first_reference_unless_told(run):
    first = run(*pair(*REFERENCES), "--json")
    assert "2 references, the first counts" in first.err and first.json["bertscore"]["f1"] < 1
    best = run(*pair(*REFERENCES), "--reference-mode", "max", "--json")
    assert best.err == "" and best.json["bertscore"]["f1"] == 1.0 and best.json["rouge"]["rouge1"] == 100.0


def test_score_rescales_weighs_and_counts(run):
    found = run(*pair(REFERENCES[0]), "--rescale", "--json").json["fingerprint"]
    assert found["baseline"]["f1"] == pytest.approx(0.396, abs=0.01)  # measured once for this encoder
    assert run(*pair(*REFERENCES), "--idf", "--json").json["fingerprint"]["idf"]["references"] == 2
    blank = run("score", "--candidate", " ", "--reference", "a", "--json")
    assert blank.json["bertscore"]["f1"] == 0 and blank.json["blank"] == 1 and "blank: its pair scores 0" in blank.err
    cut = run("score", "--candidate", "word " * 600, "--reference", "a", "--json")
    assert cut.json["cut"] == 1 and "longer than the 512 tokens" in cut.err
    plain = run(*pair(REFERENCES[0]))
    assert plain.status == 0 and plain.out.startswith("BERTScore precision 0.") and "ROUGE-1" in plain.out


def test_score_measures_what_is_asked_and_says_what_a_number_hides(run):
    status, out, err = run("score", "--candidate", "B.\nA.", "--reference", "A.\nB.", "--metric", "rougeLsum")
    assert (status, out, err) == (0, "ROUGE-1 100.00  ROUGE-2 0.00  ROUGE-L 50.00  ROUGE-Lsum 100.00\n", "")
    _, _, err = run("score", "--candidate", "B.\nA.", "--reference", "A.", "--metric", "rouge")
    assert err.startswith("1 with several lines: ROUGE-L takes each text whole, --metric rougeLsum each line")
    _, out, err = run("score", "--candidate", "สวัสดี", "--reference", "สวัสดี", "--metric", "rouge", "--json")
    report = json.loads(out)
    assert report["rouge"]["rouge2"] == pytest.approx(100) and "bertscore" not in report
    assert report["rouge_fingerprint"]["tokenizers"] == {"letters of all scripts": 1} and "letters beyond a-z" in err
    _, out, err = run("score", "--candidate", "Yes.", "--reference", "Yes.", "--metric", "rouge")
    assert "ROUGE-2 0.00" in out and "the same as the reference, and yet a ROUGE of 0" in err
    status, _, err = run(*pair("Same.", "Same."), "--idf")
    assert status == 2 and "each token is in all 2" in err.splitlines()[-1]


def test_bad_input_is_one_line(snapshot, run, monkeypatch):
    monkeypatch.setattr("core.scoring.encoders._cached", lambda name: None)
    calls = [["score", "--candidate", "a"], [*pair("a"), "--encoder", "nope"], [*pair("a"), "--idf"]]
    calls += [[*pair("a"), "--encoder", "bert-base-uncased"], ["baseline", "none.jsonl"]]
    calls += [["baseline", "none.jsonl", "--output", "no/such/folder/x.tsv"]]
    found = [run(*words) for words in calls]
    assert all(status == 2 and not out and err.count("\n") == 1 for status, out, err in found)
    assert "".join(err for *_, err in found) == snapshot


def test_baseline_measures_and_writes(run, tmp_path: Path):
    data = tmp_path / "data.jsonl"
    texts = ("They greet.", "A train is late.", "Ben eats.")
    rows = [{"dialogue": f"A: {number}.", "summary": text} for number, text in enumerate(texts)]
    data.write_text("\n".join(map(json.dumps, rows)))
    output = tmp_path / "new.tsv"
    status, out, _ = run("baseline", data, "--pairs", 4, "--seed", 2, "--output", output)
    assert status == 0 and out == output.read_text() and len(out.splitlines()) == 8
    about = json.loads(output.with_suffix(".json").read_text())
    assert about["command"] == "python -m core baseline data.jsonl --encoder all-MiniLM-L6-v2 --pairs 4 --seed 2"
    assert str(tmp_path) not in json.dumps(about) and about["texts"] == 3
    assert len(run("baseline", data, "--pairs", 4, "--seed", 2, "--json").json["layers"]) == 7
    status, out, err = run("baseline", data, "--pairs", 0)
    assert status == 2 and "at least 1 pair" in err.splitlines()[-1]
