"""What a card keeps of an evaluation: means of all rows, and of the groups of lengths."""

from dataclasses import replace

import pytest

from core.evaluation import aggregate
from core.evaluation.aggregate import by_length, scores_of
from core.evaluation.rows import ScoredSummary
from core.scoring.rouge import Rouge


@pytest.fixture
def rows(row: ScoredSummary) -> list[ScoredSummary]:
    """Two dialogues of 10 and 69 words, one of 70, one of 500 without a score."""
    made = [
        replace(row, dialogue="word " * words, rouge=Rouge(score, score / 2, score))
        for words, score in ((10, 10.0), (69, 30.0), (70, 50.0))
    ]
    return [*made, replace(row, dialogue="word " * 500, rouge=None)]


def test_groups_of_lengths_by_hand(rows):
    short, middle = by_length(rows)
    assert (short["from"], short["to"], short["count"], short["words"]) == (0, 70, 2, 39.5)
    # The means of all resamples are 10, 20, 20 and 30; the percentile 2.5 lies at 7.5 % of the way from 10 to 20.
    assert short["rouge1"] == [20, 10.75, 29.25]
    assert short["rouge2"] == pytest.approx([10, 5.375, 14.625], abs=0.006)  # two digits are kept
    assert (middle["from"], middle["to"], middle["count"]) == (70, 100, 1)
    assert middle["rougeL"] == [50, 50, 50]
    (part,) = by_length([rows[0], replace(rows[1], bertscore=None)])
    assert "bertscore" not in part
    # The longest group is open.
    (group,) = by_length([replace(rows[0], dialogue="word " * 5000)])
    assert (group["from"], group["to"]) == (aggregate.EDGES[-2], None)


def test_scores_of_a_card(rows):
    found = scores_of(rows[:3])
    assert found["count"] == 3 and found["rouge"] == {"rouge1": 30, "rouge2": 15, "rougeL": 30}
    assert set(found["rouge_without_tags"]) == {"rouge1", "rouge2", "rougeL"}
    assert found["bertscore"] == {"precision": 0.5, "recall": 0.25, "f1": 0.3333}
    assert found["invented_names_or_numbers"] == 3 and found["repeated_trigrams"] == 0
    assert found["by_length"][0]["bertscore"][0] == 0.3333
    assert sum(group["count"] for group in found["by_length"]) == 3
