"""Two runs against each other, reliability and detectors, with numbers worked out by hand."""

from collections import Counter

import pytest

from core.faults.calibration import Bin, Calibration
from core.faults.detectors import DETECTORS
from core.faults.measure import Measured, Score
from core.figures import detectors
from core.figures.corpus import Axis
from core.figures.runs import not_drawn, p_text, paired, reliability
from core.figures.wording import BLANK
from tests.figures.conftest import said

NAMES = ("<b>first", "second")


def test_two_runs_against_each_other():
    picture = paired(["a", "b", "c", "d"], [1.0, -2.0, 3.0, 0.0], Axis("ROUGE-1"), NAMES, (0.5, -1.0, 2.0), chosen=1)
    wins, losses, ties = picture.figure.data
    assert [list(bars.customdata) for bars in (wins, losses, ties)] == [[2, 0], [1], [3]]
    assert (list(wins.y), list(wins.x), list(losses.x)) == ([3.0, 1.0], [1, 2], [4])
    assert wins.name == "&lt;b&gt;first is better (2)"
    assert list(losses.marker.line.width) == [3] and list(wins.marker.line.width) == [0, 0]
    assert picture.table == {"Id": ["c", "a", "d", "b"], "Difference": [3.0, 1.0, 0.0, -2.0]}
    # The mean stands where no bar reaches it: behind the last ones above zero, before the first ones below.
    losing = paired(["a", "b"], [-1.0, -3.0], Axis("ROUGE-1"), NAMES, (-2.0, -3.0, -1.0))
    for shown, place in ((picture, (1, "right", "bottom")), (losing, (0, "left", "top"))):
        label = next(each for each in shown.figure.layout.annotations if each.text.startswith("mean"))
        assert (label.x, label.xanchor, label.yanchor) == place
    # The caption says whether the interval holds zero.
    unsure = paired(["a", "b"], [1.0, -2.0], Axis("ROUGE-1"), NAMES, (-0.5, -2.0, 1.0))
    assert said(unsure) == (
        "ROUGE-1 of <b>first is 0.50 lower than of second on average over 2 dialogues, 95 % interval −2.00 to +1.00 "
        "(paired bootstrap). The interval holds 0: these dialogues do not tell the two apart. "
        "It wins 1, loses 1, and ties 0."
    )
    sure = paired(["a", "b"], [1.0, 2.0], Axis("ROUGE-1"), NAMES, (1.5, 1.0, 2.0))
    assert "1.50 higher" in said(sure) and "The interval leaves 0 out" in said(sure)
    with pytest.raises(ValueError, match="a difference for each"):
        paired(["a"], [], Axis("ROUGE-1"), NAMES, (0, 0, 0))


def test_no_p_is_0():
    assert [p_text(p) for p in (0.0001, 0.001, 0.04)] == ["under 0.001", "0.001", "0.040"]


def test_reliability_draws_shares_in_percent_and_says_the_error():
    bins = (Bin(0, 0.5, 40, 0.2, 0.5), Bin(0.5, 0.7, 10, 0.6, 0.1), Bin(0.7, 1, 60, 0.9, 0.8))
    picture = reliability(Calibration(bins, 0.18, 0.1, 0.25, -0.02, 0.3, 110), "it rains")
    line = picture.figure.data[1]
    assert list(line.x) == [20.0, 90.0] and list(line.y) == [50.0, 80.0]  # a bin of ten tokens is not drawn
    assert said(picture) == (
        "Expected calibration error 18 % (95 % interval 10 % to 25 %) over 110 tokens. "
        "All in all the probabilities promise this 2.0 % more often than it happens: it rains."
    )
    assert not_drawn(Calibration(bins, 0.18, 0.1, 0.25, -0.02, 0.3, 110)) == (
        "Not drawn: 1 bin of fewer than 30 tokens; the error counts all."
    )
    assert not_drawn(Calibration(bins[:1], 0.18, 0.1, 0.25, -0.02, 0.3, 40)) == ""
    modest = reliability(Calibration(bins[:1], 0.3, 0.2, 0.4, 0.3, 0.3, 40), "it rains")
    assert "promise this 30 % less often" in said(modest)
    with pytest.raises(ValueError, match="30 tokens to be drawn. Received: 1 bins of fewer"):
        reliability(Calibration(bins[1:2], 0.3, 0.2, 0.4, 0.3, 0.3, 10), "")


def test_detectors_say_how_often_they_were_right():
    few, never = Score("repetition", 100, 5, 5, 9), Score("novel_name", 100, 0, 0, 20)
    right, chance = Score("novel_number", 100, 10, 8, 20), Score("novel_word", 100, 50, 10, 30)
    found = Measured((few, never, right, chance), 100, {}, "", "")
    said_of = {kind: text.replace(BLANK, " ") for kind, (_, text) in detectors.names(found).items()}
    unknown = "Not measured: too few labelled errors of this kind."
    assert said_of["repetition"] == said_of["omitted_turn"] == unknown
    assert said_of["novel_name"] == "Never given on the labelled summaries."
    assert said_of["novel_number"] == "Right in 8 of 10 labelled summaries (80 %); base rate 20 %."
    assert detectors.at_chance(found).endswith("off unless you turn it on: New word.")
    table = detectors.table(found, {"novel_word"}, Counter({"novel_number": 3}))
    row = {name: cells[list(DETECTORS).index("novel_number")] for name, cells in table.items()}
    assert (row["On"], row["Summaries here"], row["Labelled errors"]) == (True, 3, "20")
    assert row["Precision"].replace(BLANK, " ") == "80 % (49 % to 94 %)"
    assert table["Recall"][list(DETECTORS).index("repetition")] == "not measured"
    assert set(detectors.names(None)) == set(DETECTORS)
