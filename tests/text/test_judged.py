"""Verdicts on a checkpoint's summaries of the bundled dialogues: read, and refused."""

import pytest

from core.errors import CheckpointError
from core.text import judged
from core.text.judged import Judged

ROW = {"verdict": "right", "why": "All is said.", "summary": "A greets B."}


def test_verdicts_count_for_their_weights_alone() -> None:
    values = {"weights": "abc", "verdicts": {"first": ROW}}
    assert judged.read(values, "abc") == {"first": Judged("right", "All is said.", "A greets B.")}
    assert judged.read(values, "abd") == {} == judged.read(None, "abc")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([ROW], "must be a JSON object"),
        ({"first": {**ROW, "verdict": "good"}}, "first must be one of right, partly right, wrong. Received: 'good'"),
        ({"first": {"verdict": "right"}}, "first must have the texts verdict, why, summary"),
        ({"first": "right"}, "first must have the texts"),
        ({"first": {**ROW, "why": 3}}, "first must have the texts"),
    ],
)
def test_damaged_verdicts_are_refused(rows: object, said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        judged.read({"weights": "abc", "verdicts": rows}, "abc")
