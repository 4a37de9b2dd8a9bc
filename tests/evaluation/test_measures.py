"""Measures of evaluated rows: shares in percent, order and slices, on rows whose numbers are counted by hand."""

import pytest

from core.evaluation.measures import having, interval, known, ranked, value, values
from core.evaluation.rows import ScoredSummary
from core.evaluation.slices import Sliced
from core.scoring.rouge import Rouge


def test_rows_are_measured_ranked_and_sliced() -> None:
    text = "Ann: Where is the suitcase?\nBen: In Madrid."
    rows = {
        4: ScoredSummary("a", text, ("A suitcase.",), "travel", "The suitcase and two flowers.", Rouge(10.0, 0.0, 0.0)),
        7: ScoredSummary("b", text, (), "", "Madrid."),
        8: ScoredSummary("c", text, ("Madrid.",), "travel", "Madrid.", Rouge(30.0, 0.0, 0.0)),
    }
    assert value("novelty", rows[4]) == pytest.approx(200 / 3) and value("rouge1", rows[4]) == 10
    assert value("rouge1", rows[7]) is None and "bertscore_f1" not in known(rows)
    assert list(having(rows, "rouge1", "turns")) == [4, 8] and values("rouge1", rows.values()) == (10, 30)
    assert ranked("rouge1", rows, highest_first=True) == [8, 4, 7]  # without the measure: last
    assert ranked("rouge1", rows, highest_first=False) == [4, 8, 7]
    assert Sliced(rows).groups("topic") == [("travel", [4, 8])]
    found = interval((10.0, 30.0))
    assert (found.mean, found.count) == (20, 2) and interval((10.0, 30.0)) is found
