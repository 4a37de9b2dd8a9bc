"""What a checkpoint wrote of the bundled dialogues: the same as it writes now, or nothing."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.evaluation import written
from core.evaluation.intake import bundled
from core.service import Summarizer
from tests.closeness import printed
from tests.refusals import changed, refusals


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    values = checkpoints.read_written("dialoscope")
    assert values is not None
    return values


def read(values: dict[str, Any] | None, **changes: Any) -> dict[int, Any]:
    card = checkpoints.read_card("dialoscope")
    settings = checkpoints.card_decoding(card).replace(**changes)
    return written.read(values, card["sha256"]["weights.safetensors"], settings)


def test_every_bundled_dialogue_has_its_summary(kept: dict[str, Any]) -> None:
    found = read(kept)
    assert [found[place].id for place in sorted(found)] == [row.id for row in bundled().rows]
    for place, row in found.items():
        assert row.summary and row.rouge and row.tokens[-1].text == "[EOS]"
        assert (row.dialogue, row.references) == (bundled().rows[place].dialogue, bundled().rows[place].references)
    assert "dialogue" not in next(iter(kept["rows"].values())), "the dialogues are there already"


def test_other_weights_and_another_decoding_wrote_something_else(kept: dict[str, Any]) -> None:
    assert read(None) == read({**kept, "weights": "0" * 64}) == read(kept, strategy="greedy") == {}


def test_a_dialogue_that_has_changed_is_written_anew(kept: dict[str, Any]) -> None:
    changed = copy.deepcopy(kept)
    first = bundled().rows[0].id
    changed["rows"][first]["of"] = "another text"
    assert sorted(read(changed)) == list(range(1, len(bundled().rows)))


def test_a_damaged_file_is_said(kept: dict[str, Any], snapshot) -> None:
    first = bundled().rows[0].id
    cases = [("rows", []), (f"rows.{first}", 7), (f"rows.{first}.summary", 7), (f"rows.{first}.entropy", float("nan"))]
    assert refusals(CheckpointError, lambda *change: read(changed(kept, *change)), cases) == snapshot


@pytest.mark.slow
def test_it_is_what_the_shipped_checkpoint_writes_with_the_hints_of_now(shipped: Summarizer) -> None:
    """If this fails after a change of a detector or of the examples: `python -m core written`."""
    made, found = read(written.make(shipped)), read(checkpoints.read_written("dialoscope"))
    for place, row in made.items():
        kept = found[place]
        assert (row.summary, row.rouge) == (kept.summary, kept.rouge), row.id
        for one, other in zip(row.faults, kept.faults, strict=True):  # a value is a float of the model: its last digit
            assert replace(one, value=None) == replace(other, value=None), row.id
            assert one.value == pytest.approx(other.value, abs=1e-4), row.id  # four digits are shown
        printed(row.log_probability, kept.log_probability, 3)
        printed(row.attention, kept.attention, 3)
