"""The command `snapshots`: checkpoints of one training in order, in one file that grows."""

import json

import pytest

from core.cli.main import main
from core.text.examples import load_examples
from core.training import snapshots


@pytest.mark.slow
def test_snapshots_are_added_to_a_file(tiny_checkpoint, tiny_stays, tmp_path, capsys) -> None:
    path = tmp_path / "run" / snapshots.FILE
    assert main(["snapshots", str(tiny_checkpoint), str(tiny_checkpoint), "--output", str(path), "--first", "2"]) == 0
    assert "2 snapshots of" in capsys.readouterr().out
    assert main(["snapshots", str(tiny_checkpoint), "--output", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["epochs"] == [2, 3, 4]
    found = snapshots.read(path)
    assert [each.epoch for each in found] == [2, 3, 4]
    assert {each.id for each in found[0].attempts} == {example.id for example in load_examples()}
    assert found[0].attempts[0].text == found[2].attempts[0].text
    assert main(["snapshots", str(tiny_checkpoint), "--output", str(path), "--first", "4"]) == 2
    assert "up to epoch 4 already. Received: first=4" in capsys.readouterr().err
