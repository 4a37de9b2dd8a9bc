"""The command `snapshots`: checkpoints of one training in order, in one file that grows."""

import pytest

from core.text.examples import load_examples
from core.training import snapshots


@pytest.mark.slow
def test_snapshots_are_added_to_a_file(run, tmp_path) -> None:
    path = tmp_path / "run" / snapshots.FILE
    made = run("snapshots", "TINY", "TINY", "--output", path, "--first", 2)
    assert made.status == 0 and "2 snapshots of" in made.out
    more = run("snapshots", "TINY", "--output", path, "--json")
    assert more.status == 0 and more.json["epochs"] == [2, 3, 4]
    found = snapshots.read(path)
    assert [each.epoch for each in found] == [2, 3, 4]
    assert {each.id for each in found[0].attempts} == {example.id for example in load_examples()}
    assert found[0].attempts[0].text == found[2].attempts[0].text
    again = run("snapshots", "TINY", "--output", path, "--first", 4)
    assert again.status == 2 and "up to epoch 4 already. Received: first=4" in again.err
