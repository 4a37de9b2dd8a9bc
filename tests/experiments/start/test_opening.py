"""How a checkpoint wrote the summary of the first dialogue: the same as it writes now, or nothing."""

import re
from typing import Any

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.evaluation import written
from core.experiments.start import opening
from core.service import Summarizer
from tests.closeness import printed
from tests.refusals import changed, refusals


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    values = checkpoints.read_opening("dialoscope")
    assert values is not None
    return values


def read(values: dict[str, Any] | None, **changes: Any) -> opening.Opening | None:
    card = checkpoints.read_card("dialoscope")
    settings = checkpoints.card_decoding(card).replace(**changes)
    return opening.read(values, card["sha256"]["weights.safetensors"], settings)


def test_it_is_the_summary_that_the_errors_page_shows_too(kept: dict[str, Any]) -> None:
    found = read(kept)
    card = checkpoints.read_card("dialoscope")
    weights, settings = card["sha256"]["weights.safetensors"], checkpoints.card_decoding(card)
    rows = written.read(checkpoints.read_written("dialoscope"), weights, settings)
    row = next(each for each in rows.values() if each.id == opening.first().id)
    assert found is not None and found.summary == row.summary
    assert [each.token.text for each in found.readings] == [each.text for each in row.tokens]
    assert {len(each.shares) for each in found.readings} == {len(found.dialogue.turns)}


def test_other_weights_another_decoding_and_another_dialogue_wrote_something_else(kept: dict[str, Any]) -> None:
    assert read(None) is None and read({}) is None and read(kept, strategy="greedy") is None
    assert read({**kept, "weights": "0" * 64}) is None and read({**kept, "of": "another"}) is None


def test_a_damaged_file_is_said(kept: dict[str, Any], snapshot) -> None:
    kept, second = {**kept, "tokens": kept["tokens"][:2]}, "tokens.1"
    cases = [("tokens",), ("summary", 7), ("attention", "<b>"), ("attention", ""), ("tokens", [])]
    cases += [("tokens", [{}] * 600), ("tokens.2", 7), (f"{second}.shares.0",)]
    cases += [(f"{second}.shares", [0.5] * 8), (f"{second}.probability", 1.5), (f"{second}.probability", float("nan"))]
    cases += [(f"{second}.end", 9999), (f"{second}.start", True), (f"{second}.text", None)]
    refused = refusals(CheckpointError, lambda *change: read(changed(kept, *change)), cases)
    # How long the summary is and how many turns there are depends on the weights that are shipped.
    assert re.sub(r"\b\d+ (characters|shares)", r"… \1", refused) == snapshot


def test_a_file_that_is_too_large_is_not_read(tmp_path) -> None:
    (tmp_path / "card.json").write_text("{}")
    (tmp_path / checkpoints.OPENING).write_text('{"a": "' + "x" * 200_000 + '"}')
    with pytest.raises(CheckpointError, match=r"opening.json is damaged: it has 200,\d+ bytes; allowed: 200,000"):
        checkpoints.read_opening(tmp_path)


@pytest.mark.slow
def test_it_is_what_the_shipped_checkpoint_writes(shipped: Summarizer, kept: dict[str, Any]) -> None:
    """If this fails after a change of the examples or the weights: `python -m core written`."""
    made, found = read(opening.make(shipped)), read(kept)
    assert made is not None and found is not None
    assert (made.summary, made.attention) == (found.summary, found.attention)
    for one, other in zip(made.readings, found.readings, strict=True):
        assert one.token == other.token
        printed(one.probability, other.probability, 3)  # as the page shows them
        printed(one.shares, other.shares, 3)
