"""Two runs against each other, reliability and detectors, with numbers worked out by hand."""

from collections import Counter

from core.faults.detectors import DETECTORS
from core.faults.measure import Measured, Score
from core.faults.token_calibration import Bin, Calibration
from core.figures.errors import detectors
from core.figures.errors.corpus import Axis
from core.figures.errors.runs import not_drawn, p_text, paired, reliability
from core.figures.shared.wording import BLANK
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

NAMES = ("<b>first", "second")


def test_two_runs_against_each_other(snapshot):
    rouge = Axis("ROUGE-1")
    picture = paired(["a", "b", "c", "d"], [1.0, -2.0, 3.0, 0.0], rouge, NAMES, (0.5, -1.0, 2.0), chosen=1)
    # The mean stands where no bar reaches it: behind the last ones above zero, before the first ones below.
    losing = paired(["a", "b"], [-1.0, -3.0], rouge, NAMES, (-2.0, -3.0, -1.0))
    # The caption says whether the interval holds zero.
    unsure = paired(["a", "b"], [1.0, -2.0], rouge, NAMES, (-0.5, -2.0, 1.0))
    sure = paired(["a", "b"], [1.0, 2.0], rouge, NAMES, (1.5, 1.0, 2.0))
    assert drawn(picture, losing, said(unsure), said(sure)) == snapshot
    cannot_draw("a difference for each", paired, ["a"], [], rouge, NAMES, (0, 0, 0))


def test_no_p_is_0():
    assert [p_text(p) for p in (0.0001, 0.001, 0.04)] == ["under 0.001", "0.001", "0.040"]


def test_reliability_draws_shares_in_percent_and_says_the_error(snapshot):
    bins = (Bin(0, 0.5, 40, 0.2, 0.5), Bin(0.5, 0.7, 10, 0.6, 0.1), Bin(0.7, 1, 60, 0.9, 0.8))
    found = Calibration(bins, 0.18, 0.1, 0.25, -0.02, 0.3, 110)  # a bin of ten tokens is not drawn
    modest = Calibration(bins[:1], 0.3, 0.2, 0.4, 0.3, 0.3, 40)
    assert drawn(reliability(found, "it rains"), not_drawn(found), said(reliability(modest, "it rains"))) == snapshot
    assert not_drawn(modest) == ""
    few = Calibration(bins[1:2], 0.3, 0.2, 0.4, 0.3, 0.3, 10)
    cannot_draw("30 tokens to be drawn. Received: 1 bins of fewer", reliability, few, "")


def test_detectors_say_how_often_they_were_right(snapshot):
    few, never = Score("repetition", 100, 5, 5, 9), Score("novel_name", 100, 0, 0, 20)
    right, chance = Score("novel_number", 100, 10, 8, 20), Score("novel_word", 100, 50, 10, 30)
    found = Measured((few, never, right, chance), 100, {}, "", "")
    texts = detectors.names(found)
    kinds = ("repetition", "omitted_turn", "novel_name", "novel_number")
    assert drawn(*(texts[kind][1] for kind in kinds), detectors.at_chance(found)) == snapshot
    table = detectors.table(found, {"novel_word"}, Counter({"novel_number": 3}))
    row = {name: cells[list(DETECTORS).index("novel_number")] for name, cells in table.items()}
    assert (row["On"], row["Summaries here"], row["Labelled errors"]) == (True, 3, "20")
    assert row["Precision"].replace(BLANK, " ") == "80 % (49 % to 94 %)"
    assert table["Recall"][list(DETECTORS).index("repetition")] == "not measured"
    assert set(detectors.names(None)) == set(DETECTORS)
