"""The pictures of BERTScore: rings, greyed marks, margins, sentences, tables, and texts of users."""

import numpy as np

from core.figures.bertscore import matrix, scale, words
from core.figures.bertscore.scale import ScoredText
from core.scoring.anchors import anchors
from core.scoring.baselines import Baseline
from core.scoring.bertscore import BertScorer
from core.scoring.encoders import EMBEDDED
from core.scoring.matching import Match, Side
from core.scoring.pairs import Scoring
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

BASE = Baseline(0.5, 0.4, 0.45)
ANCHORS = anchors("all-MiniLM-L6-v2", False)


def small() -> Match:
    """[CLS] a <b> against [CLS] x y: the second token of the candidate is closest to a mark."""
    candidate = Side(("[CLS]", "a", "<b>"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    reference = Side(("[CLS]", "x", "y"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    values = [[1.0, 0.1, 0.1], [0.1, 0.9, 0.2], [0.7, 0.3, 0.6]]
    return Match(candidate, reference, np.array(values, np.float32))


def test_a_matrix_has_rings_margins_and_grey_special_tokens(snapshot):
    assert drawn(matrix.matrix(small())) == snapshot
    # A long text is drawn in part and says so.
    size = matrix.SHOWN + 5
    side = Side(("t",) * size, (False,) * size, np.ones(size))
    picture = matrix.matrix(Match(side, side, np.eye(size, dtype=np.float32)))
    assert picture.figure.data[0].z.shape == (matrix.SHOWN, matrix.SHOWN)
    assert "the first 80 of the 85 tokens of the candidate and 80 of the 85 tokens" in picture.caption


def test_candidates_with_anchors_and_baseline(snapshot):
    rows = [
        ScoredText("Greedy", "A <i>", (0.7, 0.6, 0.65), "against reference 1"),
        ScoredText("<Floor>", "B", (0.3, 0.5, 0.38), "against reference 1"),
    ]
    assert drawn(scale.candidates(rows, ANCHORS, Baseline(0.4, 0.4, 0.396))) == snapshot
    assert len(scale.candidates(rows[:1], (), None).figure.data) == 3
    cannot_draw("at least one candidate", scale.candidates, [], (), None)


def test_raw_and_rescaled_on_one_axis(snapshot):
    # (0.3 − 0.45) / 0.55 = −0.273
    assert drawn(scale.rescaling((0.75, 0.4, 0.3), BASE, ANCHORS)) == snapshot


def test_formulas_hold_the_numbers_of_the_pair(snapshot):
    # (0.7742 − 0.45) / 0.55 = 0.5895
    assert drawn(*words.formulas(small(), (0.8, 0.75, 0.7742), BASE)) == snapshot
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
