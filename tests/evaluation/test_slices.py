"""Groups, measures and order of rows, on dialogues whose numbers are counted by hand."""

import pytest

from core.evaluation.measures import MEASURES, SLICES, Read, having, interval, key_turn, known, ranked, value, values
from core.evaluation.rows import ScoredSummary
from core.evaluation.slices import Sliced
from core.scoring.rouge import Rouge
from tests.figures.drawing import drawn


def row(lines, reference="", summary="They talk.", topic="", **other):
    return ScoredSummary("1", "\n".join(lines), (reference,) if reference else (), topic, summary, **other)


SHORT = row(
    ["Ann: Where is the blue suitcase?", "Ben: In Madrid.", "Ann: The wedding is at noon."],
    "The wedding is at noon.", "The suitcase and two flowers.", topic="Travel", rouge=Rouge(10.0, 2.0, 8.0),
    log_probability=-3.5, entropy=1.25,
)  # fmt: skip
LONG = row([f"{'AB'[n % 2]}: We take ten words to say turn number {n} here." for n in range(20)], topic=" travel ")
PLAIN = row(["Nobody speaks here."])


def labels(name, *rows):
    return Sliced(dict(enumerate(rows))).groups(name)


def test_groups_come_in_their_order_and_hold_every_row_once(snapshot):
    assert drawn(*((name, *labels(name, LONG, PLAIN, SHORT)) for name in SLICES)) == snapshot
    assert all(Sliced({}).groups(name) == [] for name in SLICES)
    # Bands begin at their bounds.
    rows = [row([f"{'AB'[n % 2]}: hello" for n in range(turns)]) for turns in (5, 6, 9, 10, 14, 15)]
    asked = [row(["A: Yes?" if n < share else "A: Yes." for n in range(3)]) for share in range(4)]
    assert drawn(labels("turns", *rows), labels("questions", *asked)) == snapshot
    # Rare topics are one group.
    rows = [row(["A: Hi."], topic=f"topic {n % 12}") for n in range(22)]  # 10 topics twice, two once
    found = labels("topic", *rows)
    assert len(found) == 11 and found[-1] == ("other topics", [10, 11])
    # The key turn is the one of the first reference.
    assert [key_turn(Read(each)) for each in (SHORT, PLAIN, row(["A: Hi."], "Nothing in common"))] == [2, None, None]


def test_measures_by_hand():
    empty = row([], summary="")
    for name, expected in {
        "rouge1": 10, "bertscore_f1": None, "summary_words": 5, "dialogue_words": 12, "turns": 3, "speakers": 2,
        "log_probability": -3.5, "entropy": 1.25,
        "novelty": pytest.approx(2 / 3),  # suitcase; two, flowers
        "coverage": pytest.approx((1 / 2 + 0 + 0) / 3),  # blue, suitcase; Madrid; wedding, noon
    }.items():  # fmt: skip
        assert MEASURES[name].of(Read(SHORT)) == expected, name
    names = ("novelty", "coverage", "rougeL", "turns")
    assert [MEASURES[name].of(Read(empty)) for name in names] == [None, None, None, 0]
    assert labels("questions", empty) == [] and labels("key_turn", empty) == []


def test_rows_are_measured_in_percent_and_ranked() -> None:
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
    found = interval((10.0, 30.0))
    assert (found.mean, found.count) == (20, 2) and interval((10.0, 30.0)) is found
