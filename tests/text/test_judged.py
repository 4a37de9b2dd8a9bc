"""Verdicts on a checkpoint's summaries of the bundled dialogues: read, and refused."""

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.service import Summarizer
from core.text import judged
from core.text.examples import START, load_examples
from core.text.judged import Judged
from tests.refusals import refusals

ROW = {"verdict": "right", "why": "All is said.", "summary": "A greets B."}


def test_verdicts_count_for_their_weights_alone() -> None:
    values = {"weights": "abc", "by": "a language model", "verdicts": {"first": ROW}}
    assert judged.read(values, "abc") == {"first": Judged("right", "All is said.", "A greets B.")}
    assert judged.read(values, "abd") == {} == judged.read(None, "abc")


def test_damaged_verdicts_are_refused(snapshot) -> None:
    cases = [[ROW], {"first": {**ROW, "verdict": "good"}}, {"first": {"verdict": "right"}}, {"first": "right"}]
    cases += [{"first": {**ROW, "why": 3}}]
    assert snapshot == refusals(
        CheckpointError, lambda rows: judged.read({"weights": "abc", "verdicts": rows}, "abc"), cases
    )


NEW = {"hotel-room", "way-to-museum", "birthday-present", "picnic-or-film", "parcel-abroad", "bad-cold", "new-job",
       "dress-discount", "no-more-smoking", "library-book"}  # fmt: skip


def test_every_bundled_dialogue_is_judged_and_the_one_that_opens_is_right() -> None:
    weights = checkpoints.read_card("dialoscope")["sha256"]["weights.safetensors"]
    found = judged.read(checkpoints.read_judged("dialoscope"), weights)
    ids = [example.id for example in load_examples()]
    assert sorted(found) == sorted(ids) and found[START].verdict == "right"
    assert all(each.why.endswith(".") and each.summary for each in found.values())
    assert set(ids) >= NEW and sum(found[id].verdict == "right" for id in NEW) >= 3


@pytest.mark.slow
def test_the_judged_texts_are_what_the_checkpoint_writes(shipped: Summarizer) -> None:
    weights = checkpoints.read_card("dialoscope")["sha256"]["weights.safetensors"]
    found = judged.read(checkpoints.read_judged("dialoscope"), weights)
    for example in load_examples()[::12]:
        assert shipped.summarize(example.dialogue).text == found[example.id].summary, example.id
