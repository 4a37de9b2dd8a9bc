"""The head catalogue: measured on bundled dialogues, written, read, refused where it is damaged or another's."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.errors import CheckpointError, CorpusError, SettingsError
from core.explain.attention.catalogue import Catalogue, choose, measure, write
from core.explain.attention.head_outputs import outputs_of
from core.explain.attention.head_scores import combine, scores
from tests.closeness import near, spread
from tests.refusals import changed, refusals, refused

DIALOGUES = [
    "Maya: I lost my suitcase.\nTom: Did you call the airline?\nMaya: Yes.",
    " ",
    "#Person1#: Hello. How are you?\n#Person2#: I am fine.",
]


@pytest.fixture(scope="module")
def measured(tiny):
    calls = []
    found = measure(tiny, DIALOGUES, "three.jsonl", "by hand", lambda *call: calls.append(call))
    return found, calls


def test_every_head_is_measured_over_all_dialogues(tiny, measured) -> None:
    found, calls = measured
    assert (found.dialogues, found.data, found.command) == (2, "three.jsonl", "by hand")
    assert found.checkpoint == tiny.checkpoint.identity
    runs = [tiny.summarize(DIALOGUES[number]) for number in (0, 2)]
    expected = [combine(each) for each in zip(*(scores(run.attention) for run in runs), strict=True)]
    assert len(found.heads) == len(expected) == 3 * 2 * 2  # kinds, layers, heads
    for head, wanted in zip(found.heads, expected, strict=True):
        exact = asdict(wanted)
        bound = spread(*(value for value in exact.values() if isinstance(value, float)), terms=wanted.rows, depth=30)
        assert asdict(head.scores) == pytest.approx(exact, abs=bound)
    assert found.find("decoder", 1, 0) is found.heads[10] and found.find("cross", 2, 0) is None
    assert [number for number, _ in calls] == [1, 2, 3]
    assert calls[0][1] is None and "dialogue 2" in calls[1][1]
    # Mean outputs count every query position of every dialogue.
    means = [outputs_of(tiny, run) for run in runs]
    found = measured[0].mean_outputs()
    assert set(found) == set(means[0]) and ("cross", 1, 0) in found
    for place, output in found.items():
        first, second = [len(run.source if place.kind == "encoder" else run.steps) for run in runs]
        expected = (first * means[0][place] + second * means[1][place]) / (first + second)
        assert output.dtype == np.float32
        near(output, expected, terms=first + second)
        assert len(measured[0].find(*place).mean_output) == tiny.config.key_dim
    lengths = [len(run.source) for run in runs]
    assert lengths[0] != lengths[1]  # so the mean of the two means would be another number
    refused(CorpusError, "no dialogue", measure, tiny, [" "], "blank.jsonl", "by hand")


def test_it_is_written_rounded_and_read_again(measured, tmp_path: Path) -> None:
    path = tmp_path / "heads.json"
    write(path, measured[0])
    assert os.listdir(tmp_path) == ["heads.json"]
    values = json.loads(path.read_text(encoding="utf-8"))
    assert values == measured[0].to_dict()
    assert values["heads"][0]["entropy"] == round(measured[0].heads[0].scores.entropy, 4)
    output = measured[0].heads[0].mean_output
    assert values["heads"][0]["mean_output"] == [float(f"{value:.4g}") for value in output]
    assert values["heads"][0]["offset"] is None and "suitcase" not in path.read_text(encoding="utf-8")
    again = Catalogue.from_dict(values)
    assert again.heads[0].mean_output == pytest.approx(output, rel=1e-3)  # kept with four digits
    assert again.to_dict() == values
    refused(SettingsError, "cannot be written", write, tmp_path / "none" / "heads.json", measured[0])


def test_a_damaged_one_is_refused(snapshot, measured) -> None:
    whole = measured[0].to_dict()
    effects, head, nan = {"dialogues": 1, "tokens": 2}, whole["heads"][0], float("nan")
    end = len(head["mean_output"])
    cases = [("format", 1), ("data",), ("dialogues", 1.5), ("effects",), ("effects", effects), ("heads", [])]
    cases += [("effects", effects | {"nats": {}, "dialogues": 1.5}), ("effects", effects | {"nats": {"cross": None}})]
    cases += [("heads.0.kind", "self"), ("heads.0.entropy", None), ("heads.0.sink", nan), ("heads.0.previous", True)]
    cases += [("heads", 3), ("heads.0.gini",), ("heads.0.mean_output",), ("heads.0.mean_output", 0.5)]
    cases += [(f"heads.{place}.mean_output.{end}", value) for place, value in ((2, 0.5), (1, nan), (1, float("inf")))]
    cases += [(f"heads.1.mean_output.{end}", 10**400), (f"heads.{len(whole['heads'])}", head)]
    cases += [("heads", [each | {"mean_output": []} for each in whole["heads"]])]
    assert refusals(CheckpointError, lambda *change: Catalogue.from_dict(changed(whole, *change)), cases) == snapshot


def test_only_the_catalogue_of_these_weights_is_taken(measured) -> None:
    values = measured[0].to_dict()
    name, weights = measured[0].checkpoint.split("@")
    assert choose(values, measured[0].checkpoint)[0] == Catalogue.from_dict(values)
    assert choose(values, f"renamed@{weights}") == (Catalogue.from_dict(values), "")
    found, why = choose(values, f"{name}@000000000000")
    assert found is None and "other weights" in why and measured[0].checkpoint in why
    found, why = choose(None, measured[0].checkpoint)
    assert found is None and "not been measured yet" in why
    # The shipped one is of the shipped weights.
    weights = checkpoints.read_card("dialoscope")["sha256"]["weights.safetensors"]
    found, why = choose(checkpoints.read_heads("dialoscope"), f"dialoscope@{weights[:12]}")
    assert found is not None, why
    config = checkpoints.read_config("dialoscope")
    assert len(found.heads) == config.num_heads * (config.encoder_layers + 2 * config.decoder_layers)
    assert found.dialogues == 200
    assert {len(output) for output in found.mean_outputs().values()} == {config.key_dim}
    assert (checkpoints.locate("dialoscope") / checkpoints.HEADS).stat().st_size < 120_000
