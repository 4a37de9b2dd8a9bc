"""The pictures of BERTScore: rings, greyed marks, margins, sentences, tables, and texts of users."""

import numpy as np
import pytest

from core.figures import bertscore, bertscore_scale
from core.figures import bertscore_words as words
from core.figures.bertscore_scale import ScoredText
from core.scoring.anchors import anchors
from core.scoring.baselines import Baseline
from core.scoring.bertscore import BertScorer
from core.scoring.encoders import EMBEDDED
from core.scoring.matching import Match, Side
from core.scoring.pairs import Scoring

BASE = Baseline(0.5, 0.4, 0.45)


def small() -> Match:
    """[CLS] a <b> against [CLS] x y: the second token of the candidate is closest to a mark."""
    candidate = Side(("[CLS]", "a", "<b>"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    reference = Side(("[CLS]", "x", "y"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    values = [[1.0, 0.1, 0.1], [0.1, 0.9, 0.2], [0.7, 0.3, 0.6]]
    return Match(candidate, reference, np.array(values, np.float32))


def test_a_matrix_with_rings_margins_and_special_tokens():
    figure = bertscore.matrix(small()).figure
    circles, squares = (each for each in figure.data if each.type == "scatter")
    assert list(zip(circles.x, circles.y, strict=True)) == [(2, 2), (1, 3)]
    assert list(zip(squares.x, squares.y, strict=True)) == [(2, 2), (3, 3)]
    assert circles.marker.symbol == "circle-open" and squares.marker.symbol == "square-open"
    # Special tokens are grey and the margins are contributions.
    colored, grey = (each for each in figure.data if each.type == "heatmap")
    assert np.isnan(colored.z[0]).all() and np.isnan(colored.z[:, 0]).all() and colored.z[1, 1] == np.float32(0.9)
    assert np.isnan(grey.z[1:, 1:]).all() and grey.z[0, 0] == 1
    beside, above = (each for each in figure.data if each.type == "bar")
    assert beside.x == pytest.approx((0, 0.45, 0.35)) and above.y == pytest.approx((0, 0.45, 0.30))
    assert "color: #7b8694" in figure.layout.yaxis3.ticktext[0] and "&lt;b&gt;" in figure.layout.yaxis3.ticktext[2]


def test_the_sentence_and_the_table_of_a_matrix():
    picture = bertscore.matrix(small())
    assert picture.caption.startswith("Precision 0.800, recall 0.750, F1 0.774.")
    assert "Worst matched of the candidate: “<b>” (0.70)." in picture.caption
    assert "of the reference: “y” (0.60). 1 ring in grey" in picture.caption
    table = picture.table
    assert len(table["Cosine"]) == 9 and len({len(column) for column in table.values()}) == 1
    assert sum(filter(None, table["Adds to precision"])) == pytest.approx(0.8)
    assert sum(filter(None, table["Adds to recall"])) == pytest.approx(0.75)
    # A long text is drawn in part and says so.
    size = bertscore.SHOWN + 5
    side = Side(("t",) * size, (False,) * size, np.ones(size))
    picture = bertscore.matrix(Match(side, side, np.eye(size, dtype=np.float32)))
    assert picture.figure.data[0].z.shape == (bertscore.SHOWN, bertscore.SHOWN)
    assert "the first 80 of the 85 tokens of the candidate and 80 of the 85 tokens" in picture.caption
    assert "Precision 1.000" in picture.caption


def test_candidates_with_anchors_and_baseline():
    rows = [
        ScoredText("Greedy", "A <i>", (0.7, 0.6, 0.65), "against reference 1"),
        ScoredText("<Floor>", "B", (0.3, 0.5, 0.38), "against reference 1"),
    ]
    known = anchors("all-MiniLM-L6-v2", False)
    picture = bertscore_scale.candidates(rows, known, Baseline(0.4, 0.4, 0.396))
    points, lines = picture.figure.data[:3], picture.figure.data[3:]
    assert [list(each.x) for each in points] == [[0.7, 0.3], [0.6, 0.5], [0.65, 0.38]]
    assert [each.x[0] for each in lines] == [0.569, 0.722, 0.768, 0.396]
    assert picture.caption == "Highest F1: Greedy, 0.650. Lowest: <Floor>, 0.380."
    assert "&lt;Floor&gt;" in picture.figure.layout.annotations[1].text and "<i>" not in points[0].hovertext[0]
    assert picture.table["F1"] == [0.65, 0.38]
    assert len(bertscore_scale.candidates(rows[:1], (), None).figure.data) == 3
    with pytest.raises(ValueError, match="at least one candidate"):
        bertscore_scale.candidates([], (), None)


def test_raw_and_rescaled_on_one_axis():
    picture = bertscore_scale.rescaling((0.75, 0.4, 0.3), BASE, anchors("all-MiniLM-L6-v2", False))
    precision, recall, f1 = picture.figure.data[-3:]
    assert precision.x == pytest.approx((0.75, 0.5)) and recall.x == pytest.approx((0.4, 0.0))
    assert f1.x == pytest.approx((0.3, -0.15 / 0.55)) and list(f1.y) == [0, 1]
    assert picture.caption.startswith("F1 0.300 becomes −0.273: it lies 0.150 below the 0.450 of random pairs")
    assert picture.figure.layout.xaxis.range[0] < -0.3
    table = picture.table
    assert table["Rescaled"][-1] == 0 and table["Rescaled"][3] == pytest.approx((0.569 - 0.45) / 0.55)
    assert table["Baseline"] == [0.5, 0.4, 0.45, 0.45, 0.45, 0.45, 0.45]


def test_formulas_hold_the_numbers_of_the_pair():
    precision, recall, harmonic, rescaled = words.formulas(small(), (0.8, 0.75, 0.7742), BASE)
    assert precision.endswith(r"= \frac{1.600}{2.000} = 0.8000") and recall.endswith(r"= \frac{1.500}{2.000} = 0.7500")
    assert harmonic.endswith("= 0.7742") and rescaled.endswith(f"= {(0.7742 - 0.45) / 0.55:.4f}")
    assert len(words.formulas(small(), (0.8, 0.75, 0.7742), None)) == 3


REFERENCES = ("Anna lost her keys at the station.", "The weather is <b>fine</b>.")
NAMES = ("reference 1", "reference 2")


def test_a_text_against_its_references_and_why_one_is_closer():
    scoring, text = Scoring(EMBEDDED, None), "Anna has lost the keys."
    near, far = (scoring.scores(text, each) for each in REFERENCES)
    assert near[2] > far[2] and scoring.best(text, REFERENCES[::-1]) == near
    assert scoring.winner(text, REFERENCES[::-1]) == 1 and scoring.scores(" ", text) == (0, 0, 0)
    table = words.against_each(text, REFERENCES, NAMES, scoring)
    assert table["F1"] == [f"{near[2]:.4f} ★", f"{far[2]:.4f}"] and table["Against"][1] == "Reference 2"
    why = words.why_closest(text, REFERENCES, NAMES, scoring).replace("\\", "")
    assert why.startswith(f"Reference 1 is closer than reference 2 by {near[2] - far[2]:.3f} F1. Closer matches: “")
    assert words.why_closest(" ", REFERENCES, NAMES, scoring) == "All references give the same score."
    assert words.why_closest(text, REFERENCES[:1], NAMES, scoring).startswith("There is one reference")


def test_questions_are_answered_with_the_numbers_of_the_pair():
    text, reference = "Anna has lost the <b>keys</b>.", REFERENCES[0]
    plain, idf = Scoring(EMBEDDED, None), Scoring(EMBEDDED, (*REFERENCES, "Anna is here."))
    answers = dict(words.about_pair(plain.match(text, reference), plain.scores(text, reference), plain))
    (rescaled,) = BertScorer(rescale=True).score([text], [[reference]])
    assert f"rescaled **{rescaled.f1:.3f}**. There is no lower bound" in answers["Why can a score be negative?"]
    assert f"**{plain.scores(text, reference)[0]:.4f}**" in answers["What do [CLS] and [SEP] do?"]
    assert "What would idf weights change?" in answers and len(answers) == 5
    weighted = dict(words.about_pair(idf.match(text, reference), idf.scores(text, reference), idf))
    assert "Counted over 3 references" in weighted["What do the idf weights do here?"] and len(weighted) == 3
    assert idf.baseline is None and idf.anchors == () and plain.anchors == anchors(EMBEDDED, False)
    high = dict(words.about_scores(0.4321, plain))["Why does an unrelated text score so high?"]
    assert "F1 **0.432** here" in high and f"{plain.baseline.f1:.3f} on average" in high
