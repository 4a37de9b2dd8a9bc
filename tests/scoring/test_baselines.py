"""Baselines of rescaling: drawn, measured, written, read."""

import json
from dataclasses import replace

import pytest
import torch
from bert_score import BERTScorer

from core.errors import ScoringError
from core.scoring import baselines, encoders
from core.scoring.baselines import Baseline, Measured
from tests.closeness import near
from tests.refusals import refusals, refused

GROUPS = [["Ben sings."], ["Anna reads a book.", "A book."], ["  "], ["It rains in Madrid."]]


def test_pairs_are_of_two_dialogues_and_repeatable(snapshot):
    pairs = baselines.draw_pairs(GROUPS, 200, seed=3)
    assert pairs == baselines.draw_pairs(GROUPS, 200, seed=3) != baselines.draw_pairs(GROUPS, 200, seed=4)
    of = {text: number for number, group in enumerate(GROUPS) for text in group}
    assert all(of[first] != of[second] for first, second in pairs)
    assert {text for pair in pairs for text in pair} == set(of) - {"  "}
    # Too little is refused.
    cases = [([["a"], [" "]], 5, 0), ([], 5, 0), ([["a"], ["b"]], 0, 0)]
    assert refusals(ScoringError, baselines.draw_pairs, cases) == snapshot


def test_every_layer_is_measured_as_the_library_scores_it():
    encoder = encoders.find()
    seen = []
    measured = baselines.measure(encoder, GROUPS, 3, 1, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)] and len(measured.layers) == 7
    candidates, references = zip(*baselines.draw_pairs(GROUPS, 3, 1), strict=True)
    for layer in (0, 4):
        scorer = BERTScorer(model_type=str(encoder.folder), num_layers=layer, nthreads=0, device="cpu")
        expected = torch.stack(scorer.score(list(candidates), list(references))).mean(dim=1).tolist()
        found = measured.layers[layer]
        near([found.precision, found.recall, found.f1], expected, terms=384, depth=4)
    assert measured.standard_error > 0


def test_a_table_is_written_in_the_format_of_the_library(tmp_path):
    measured = Measured((Baseline(0.1, 0.2, 0.15), Baseline(0.3, 0.4, 0.35)), "tiny", "ab12", 9, 4, 0, 0.01)
    path = tmp_path / "tiny.tsv"
    baselines.write(path, measured, "python -m core baseline data.jsonl")
    assert path.read_text() == "LAYER,P,R,F\n0,0.10000000,0.20000000,0.15000000\n1,0.30000000,0.40000000,0.35000000\n"
    about = json.loads(path.with_suffix(".json").read_text())
    assert about["pairs"] == 9 and about["command"].startswith("python -m core") and "layers" not in about
    encoder = replace(encoders.find(), layers=1, baseline=path)
    assert baselines.read(encoder) == Baseline(0.3, 0.4, 0.35)
    for broken, said in (("LAYER,P,R,F\n0,1,1,1\n", "layer 1"), ("nonsense", "layer 1"), ("LAYER,P\n1,0.5\n", "'R'")):
        path.write_text(broken)
        refused(ScoringError, said, baselines.read, encoder)
    refused(ScoringError, "nobody measured its baseline", baselines.read, replace(encoder, baseline=None))


def test_the_shipped_baseline_says_how_it_was_measured():
    encoder = encoders.find()
    lines = encoder.baseline.read_text("utf-8").splitlines()
    assert lines[0] == "LAYER,P,R,F" and [line.split(",")[0] for line in lines[1:]] == list("0123456")
    about = json.loads(encoder.baseline.with_suffix(".json").read_text("utf-8"))
    assert about["weights_sha256"] == encoder.sha256 and about["pairs"] >= 10_000
    assert about["standard_error"] < 0.002 and "/" not in about["command"]
    base = baselines.read(encoder)
    # Of 10,000 pairs, drawn both ways.
    assert 0.3 < base.f1 < 0.6 and base.precision == pytest.approx(base.recall, abs=0.01)


def test_the_baseline_of_the_library_is_found_for_its_own_encoders():
    path = encoders._library_baseline("roberta-large")
    encoder = replace(encoders.find(), name="roberta-large", layers=17, baseline=path)
    assert baselines.read(encoder) == Baseline(0.83150584, 0.8314941, 0.83122575)
    assert encoders._library_baseline("facebook/bart-large") is None
