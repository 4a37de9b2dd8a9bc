"""The BERTScore page: candidates, one pair, edits, references of one's own, and encoders that are not here."""

import pytest

from core.errors import ScoringError
from core.figures.bertscore import words
from core.scoring.encoders import EMBEDDED
from core.scoring.pairs import Scoring
from core.text import links
from core.text.examples import load_examples
from pages.parts.bertscore import candidates, encoder
from pages.shared.model import models
from tests.closeness import printed
from tests.pages.conftest import SECONDS, encoder_in_memory
from tests.pages.driver import chart, choose, enter, open_link, press, said
from tests.pages.experiments import TAGGED

OWN = "Anna asks Ben about <b>it</b>. Ben isn't $x$."
EXAMPLE = load_examples()[0]
FIRST, SECOND = EXAMPLE.references
PLAIN = Scoring(EMBEDDED, None)


@pytest.fixture(autouse=True)
def written(monkeypatch) -> dict[str, str]:
    """What the model would write: the test of all views lets it write."""
    texts = {"set": "Anna is lost.", "greedy": "Ben is lost.", "beam": "Anna is here.", "sample": "Ben."}
    monkeypatch.setattr(candidates, "written", lambda: texts)
    return texts


def arrive(app, **link: object):
    """Open a link to the page in a new session; the encoder is in memory."""
    encoder_in_memory()
    return open_link("pages/bertscore.py", app, **link)


def f1(text: str, *references: str) -> float:
    return PLAIN.best(text, references)[2]


def points(app, key: str = "bertscore_candidates_picture") -> dict[str, list[float]]:
    """What the chart of candidates shows, by measure."""
    return {each["name"]: list(each["x"]) for each in chart(app, key)["data"]}


def formulas(app) -> list[str]:
    return [each.value.strip("$\n") for each in app.latex]


def test_every_candidate_is_scored_and_the_closest_reference_is_explained(app, written):
    arrive(app, bert_candidate="turns")
    drawn = points(app)
    names = list(app.selectbox(key="bert_candidate").options)
    turns = " ".join(EXAMPLE.dialogue.split("\n")[:3])
    scores = [*(f1(text, FIRST, SECOND) for text in (*written.values(), turns)), f1(SECOND, FIRST)]
    printed(drawn["F1"][:6], scores, 6)
    assert len(names) == 7 and names[5].startswith("A second human")
    lines = [name for name in drawn if name[-1].isdigit() and name != "F1"]
    assert [name[-5:] for name in lines] == ["0.569", "0.722", "0.768", "0.396"]
    assert "DialogSum test split (500 dialogues)" in said(app)
    assert f"still scores F1 {drawn['F1'][6]:.3f} here" in said(app)
    against = next(each.value for each in app.dataframe if "Candidate" not in each.value)
    closest = next(name for name, score in zip(against["Against"], against["F1"], strict=True) if "★" in score)
    assert f"{closest} is closer than" in said(app)
    assert app.selectbox(key="bert_reference").options[0] == f"The closest one: {closest.lower()}"


def test_one_pair_shows_the_numbers_of_the_score_with_and_without_idf(app):
    arrive(app, bert_view="matrix", bert_candidate="own", bert_text=OWN, bert_reference=1)
    match, scores = PLAIN.match(OWN, FIRST), PLAIN.scores(OWN, FIRST)
    assert formulas(app) == words.formulas(match, scores, PLAIN.baseline)
    assert chart(app, "bertscore_matrix_picture") and chart(app, "bertscore_rescaling_picture")
    assert OWN in [each.value for each in app.text] and "This pair: raw" in said(app)
    choose(app, "bert_idf", "idf")
    idf = Scoring(EMBEDDED, candidates.idf_references(EXAMPLE.references))
    assert formulas(app) == words.formulas(idf.match(OWN, FIRST), idf.scores(OWN, FIRST), None)
    assert idf.scores(OWN, FIRST) != scores and "the baseline was measured without idf weights" in said(app)
    assert "What do the idf weights do here?" in said(app)


def test_an_edit_moves_the_score_and_stands_in_the_link(app):
    edited = SECOND.replace("the", "a") + " Zanzibar."
    enter(arrive(app, bert_view="edit", bert_candidate="human", bert_reference=1), "bert_box", edited)
    assert app.metric[2].value == f"{f1(edited, FIRST):.4f}" and app.query_params["bert_edit"] == edited
    printed(float(app.metric[2].delta), f1(edited, FIRST) - f1(SECOND, FIRST), 4)
    printed(points(app, "bertscore_edit_picture")["F1"], [f1(SECOND, FIRST), f1(edited, FIRST)], 6)
    press(app, "bert_undo")
    assert app.metric[2].value == f"{f1(SECOND, FIRST):.4f}" and "bert_edit" not in app.query_params


def test_an_edit_that_is_offered_is_tried_and_another_candidate_resets_it(app):
    arrive(app, bert_view="edit", bert_candidate="human", bert_reference=1)
    assert "BERTScore compares vectors, not facts" in said(app)
    press(app, "bert_try_0")
    swapped = app.text_area(key="bert_box").value
    move = f1(swapped, FIRST) - f1(SECOND, FIRST)
    assert swapped != SECOND and app.button(key="bert_try_0").label == f"F1 {move:+.4f}".replace("-", "−")
    choose(app, "bert_candidate", "floor")
    assert app.text_area(key="bert_box").value not in (SECOND, swapped) and "bert_edit" not in app.query_params


def test_a_dialogue_without_reference_asks_for_one(app):
    arrive(app, input="paste", t=links.pack(TAGGED))
    assert "This dialogue has no reference summary" in said(app)
    assert "the greedy summary" in app.selectbox(key="bert_reference").options[0]
    enter(app, "bert_own", "Anna is coming.\nAnna says yes to Ben.")
    assert "has no reference summary" not in said(app)
    assert len(app.selectbox(key="bert_reference").options) == 3
    enter(app, "bert_own", "a\nb\nc\nd", may_refuse=True)
    assert "At most 3 references, one a line. Received: 4 lines" in said(app)
    assert len(app.selectbox(key="bert_reference").options) == 4


def test_a_blank_candidate_scores_nothing_and_says_so(app, written):
    written.update(set="", greedy=" ")
    arrive(app)
    assert "Blank, so they score 0: Summary as set in the sidebar (beam), Greedy" in said(app)
    assert points(app)["F1"][:2] == [0, 0]
    choose(app, "bert_view", "matrix")
    assert "There is nothing to match: the pair scores 0" in said(app)
    choose(app, "bert_view", "edit")
    assert app.metric[2].value == "0.0000"


def test_an_encoder_that_is_not_here_is_offered_and_the_old_one_stays(app, monkeypatch):
    def refuse(name, report=None):
        if name == "roberta-large":
            raise ScoringError(f"the encoder {name} cannot be had (no network)")
        return found(name)

    found = encoder.encoders.find
    monkeypatch.setattr(encoder.encoders, "download", refuse)
    monkeypatch.setattr(encoder.encoders, "find", refuse)
    encoder._job.clear()
    drawn = points(arrive(app))["F1"]
    choose(app, "bert_encoder", "roberta-large")
    assert "roberta-large is not on this machine" in said(app)
    press(app, "bert_get", may_refuse=True)
    assert encoder._job("roberta-large", True).done.wait(20)
    app.run()
    assert "The encoder roberta-large cannot be had (no network)" in said(app)
    assert points(app)["F1"] == drawn and app.button(key="bert_again_True").label == "Try again"
    encoder._job.clear()


def test_another_network_is_a_candidate(app, monkeypatch):
    asked, trained = [], models.job
    monkeypatch.setattr(models, "job", lambda name, **how: asked.append((name, how)) or trained(name))
    arrive(app, bert_other="untrained", bert_view="matrix")
    trained("tiny", trained=False).thread.join(SECONDS)  # ending Python while XLA compiles would crash it
    assert ("tiny", {"trained": False}) in asked
    assert "This network before training" in app.selectbox(key="bert_candidate").options
