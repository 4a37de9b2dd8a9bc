"""The command `import`: what it prints, and one line for what it refuses."""

import json
import os
import shutil
from pathlib import Path

import pytest

from core import checkpoints
from tests.cli.conftest import assert_refused
from tests.importing.folders import GENERATION, save_whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "bart-samsum"
    save_whole("bart", folder)
    return folder


def test_json_says_what_was_read(run, folder: Path, tmp_path: Path) -> None:
    result = run("import", folder, "--output", tmp_path / "out", "--json")
    found = result.json
    assert result.status == 0 and (found["family"], found["dialogue"], found["prefix"]) == ("BART", "names", "")
    weights = checkpoints.read(tmp_path / "out").weights
    assert found["parameters"] == sum(values.size for values in weights.values())
    assert found["model"] == checkpoints.read_config(tmp_path / "out").to_dict()
    assert found["decoding"]["beam_size"] == GENERATION["num_beams"]
    assert found["files"] == checkpoints.read_card(tmp_path / "out")["files"]
    assert found["notes"] == []


def test_options_and_notes(run, folder: Path, tmp_path: Path) -> None:
    options = ["--precision", "original", "--dialogue", "tags", "--prefix", "sum: ", "--decoding", "default"]
    result = run("import", folder, "--output", tmp_path / "out", *options)
    lines = result.out.splitlines()
    assert result.status == 0 and lines[0].startswith("BART, ")
    assert "licence: not named, see the model's own page" in lines[0]
    assert lines[1:] == ["Dialogues are written as tags, after the prefix 'sum: '", f"Written to {tmp_path / 'out'}"]
    assert "It is decoded with the default settings of this project" in result.err
    card = checkpoints.read_card(tmp_path / "out")
    assert (card["precision"], card["source"]) == ("original", "bart-samsum")


def test_refusals_are_one_line(run, folder: Path, tmp_path: Path) -> None:
    path = shutil.copytree(folder, tmp_path / "bart") / "config.json"
    whole = json.loads(path.read_text())
    for change, said in [
        ({"model_type": "gpt2", "is_encoder_decoder": False}, "'gpt2' is a decoder-only language model"),
        ({"d_model": 64}, "must have the shape [407, 64]. Received: [407, 32]"),
    ]:
        path.write_text(json.dumps(whole | change))
        assert_refused(run("import", tmp_path / "bart", "--output", tmp_path / "out"), said)
        assert os.listdir(tmp_path) == ["bart"]
