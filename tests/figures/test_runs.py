"""Two runs against each other and reliability, with numbers worked out by hand."""

import pytest

from core.figures.corpus import Axis
from core.figures.runs import paired, reliability
from tests.figures.conftest import said

NAMES = ("<b>first", "second")


def test_two_runs_against_each_other():
    # The bars stand by difference and keep their rows.
    picture = paired(["a", "b", "c", "d"], [1.0, -2.0, 3.0, 0.0], Axis("ROUGE-1"), NAMES, (0.5, -1.0, 2.0), chosen=1)
    wins, losses, ties = picture.figure.data
    assert list(wins.customdata) == [2, 0] and list(wins.y) == [3.0, 1.0] and list(wins.x) == [1, 2]
    assert list(losses.customdata) == [1] and list(losses.x) == [4] and list(ties.customdata) == [3]
    assert wins.name == "&lt;b&gt;first is better (2)"
    assert list(losses.marker.line.width) == [3] and list(wins.marker.line.width) == [0, 0]
    assert picture.table == {"Id": ["c", "a", "d", "b"], "Difference": [3.0, 1.0, 0.0, -2.0]}
    # The caption says whether the interval holds zero.
    unsure = paired(["a", "b"], [1.0, -2.0], Axis("ROUGE-1"), NAMES, (-0.5, -2.0, 1.0))
    assert said(unsure) == (
        "ROUGE-1 of <b>first is 0.50 lower than of second on average over 2 dialogues, 95 % interval −2.00 to +1.00 "
        "(paired bootstrap): the interval holds 0: these dialogues do not tell the two apart. "
        "It wins 1, loses 1, and ties 0."
    )
    sure = paired(["a", "b"], [1.0, 2.0], Axis("ROUGE-1"), NAMES, (1.5, 1.0, 2.0))
    assert "1.50 higher" in said(sure) and "the interval leaves 0 out" in said(sure)
    # Two runs need rows.
    with pytest.raises(ValueError, match="a difference for each"):
        paired(["a"], [], Axis("ROUGE-1"), NAMES, (0, 0, 0))


def test_reliability_draws_shares_in_percent_and_says_the_error():
    picture = reliability([0.2, 0.9], [0.5, 0.8], [40, 60], (0.18, 0.1, 0.25), -0.02, 110, "it rains")
    line = picture.figure.data[1]
    assert list(line.x) == [20.0, 90.0] and list(line.y) == [50.0, 80.0]
    assert said(picture) == (
        "Expected calibration error 18 % (95 % interval 10 % to 25 %) over 110 tokens. "
        "All in all the probabilities promise 2.0 % more often than it happens that it rains."
    )
    modest = reliability([0.2], [0.5], [40], (0.3, 0.2, 0.4), 0.3, 40, "it rains")
    assert "promise 30 % less often" in said(modest)
    # Reliability needs a rate and a count for each bin.
    with pytest.raises(ValueError, match="Received: 1, 0 and 1"):
        reliability([0.2], [], [3], (0, 0, 0), 0.0, 3, "")
