"""The BERTScore page: candidates, one pair, edits, references of one's own, and encoders that are not here."""

import pytest

from core.errors import ScoringError
from core.figures import bertscore_words as words
from core.scoring.encoders import EMBEDDED
from core.scoring.pairs import Scoring
from core.text.examples import load_examples
from pages.parts.bertscore import candidates, encoder
from pages.shared.frame import model
from tests.pages.conftest import SECONDS, paste
from tests.pages.driver import chart, choose, healthy, noted, open_link, press

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
    job = encoder._job(EMBEDDED, False)
    assert job.done.wait(SECONDS) and job.error is None
    return open_link("pages/bertscore.py", app, **link)


def said(app) -> str:
    """Every text on the page, without what keeps users' text from being Markdown, and with common blanks."""
    kinds = (app.markdown, app.caption, app.info, app.error, app.warning, app.text)
    return " ".join(each.value for kind in kinds for each in kind).replace("\\", "").replace("\xa0", " ")


def f1(text: str, *references: str) -> float:
    return PLAIN.best(text, references)[2]


def points(app, key: str) -> dict[str, list[float]]:
    """What the chart of candidates shows, by measure."""
    return {each["name"]: list(each["x"]) for each in chart(app, key)["data"]}


def formulas(app) -> list[str]:
    return [each.value.strip("$\n") for each in app.latex]


def test_every_candidate_is_scored_and_the_closest_reference_is_explained(app, written):
    arrive(app, bert_candidate="turns")
    drawn = points(app, "bertscore_candidates_picture")
    names = list(app.selectbox(key="bert_candidate").options)
    turns = [each.split(": ", 1) for each in EXAMPLE.dialogue.split("\n")[:3]]
    texts = [*written.values(), " ".join(f"{speaker}: {text}" for speaker, text in turns)]
    assert drawn["F1"][:5] == pytest.approx([f1(text, FIRST, SECOND) for text in texts]) and len(names) == 7
    assert drawn["F1"][5] == pytest.approx(f1(SECOND, FIRST)) and names[5].startswith("A second human")
    lines = [name for name in drawn if name[-1].isdigit() and name != "F1"]
    assert [name[-5:] for name in lines] == ["0.569", "0.722", "0.768", "0.396"]
    assert "DialogSum test split (500 dialogues)" in said(app)
    assert f"still scores F1 **{drawn['F1'][6]:.3f}** here" in said(app)
    table = next(each.value for each in app.dataframe if "Candidate" not in each.value)
    closest = next(name for name, score in zip(table["Against"], table["F1"], strict=True) if "★" in score)
    assert f"{closest} is closer than" in said(app)
    assert app.selectbox(key="bert_reference").options[0] == f"The closest one: {closest.lower()}"


def test_one_pair_shows_the_numbers_of_the_score_with_and_without_idf(app):
    arrive(app, bert_view="matrix", bert_candidate="own", bert_text=OWN, bert_reference=1)
    match, scores = PLAIN.match(OWN, FIRST), PLAIN.scores(OWN, FIRST)
    assert formulas(app) == words.formulas(match, scores, PLAIN.baseline)
    assert chart(app, "bertscore_matrix_picture") and chart(app, "bertscore_rescaling_picture")
    assert OWN in said(app) and "This pair: raw" in said(app)
    choose(app, "bert_idf", "idf")
    idf = Scoring(EMBEDDED, candidates.idf_references(EXAMPLE.references))
    assert formulas(app) == words.formulas(idf.match(OWN, FIRST), idf.scores(OWN, FIRST), None)
    assert idf.scores(OWN, FIRST) != scores and "the baseline was measured without idf weights" in said(app)
    assert "What do the idf weights do here?" in [each.label for each in app.expander]


def test_an_edit_moves_the_score_stands_in_the_link_and_another_candidate_resets_it(app):
    arrive(app, bert_view="edit", bert_candidate="human", bert_reference=1, bert_edit="Something else.")
    assert app.text_area(key="bert_box").value == "Something else."
    edited = SECOND.replace("the", "a") + " Zanzibar."
    app.text_area(key="bert_box").set_value(edited).run()
    healthy(app)
    metric = app.metric[2]
    assert metric.value == f"{f1(edited, FIRST):.4f}" and app.query_params["bert_edit"] == edited
    assert float(metric.delta) == pytest.approx(f1(edited, FIRST) - f1(SECOND, FIRST), abs=6e-5)
    assert points(app, "bertscore_edit_picture")["F1"] == pytest.approx([f1(SECOND, FIRST), f1(edited, FIRST)])
    press(app, "bert_undo")
    assert app.metric[2].value == f"{f1(SECOND, FIRST):.4f}" and "bert_edit" not in app.query_params
    assert "BERTScore compares vectors, not facts" in said(app)
    press(app, "bert_try_0")
    swapped = app.text_area(key="bert_box").value
    move = f1(swapped, FIRST) - f1(SECOND, FIRST)
    assert swapped != SECOND and abs(move) < 0.1
    assert app.button(key="bert_try_0").label == f"F1 {move:+.4f}".replace("-", "−")
    choose(app, "bert_candidate", "floor")
    assert app.text_area(key="bert_box").value not in (SECOND, swapped) and "bert_edit" not in app.query_params


def test_a_dialogue_without_reference_asks_for_one(app):
    arrive(app)
    paste(app, "Anna: Hi.\nBen: Are you coming?\nAnna: Yes.\nBen: Fine.")
    healthy(app)
    assert "This dialogue has no reference summary" in said(app)
    assert "the greedy summary" in app.selectbox(key="bert_reference").options[0]
    app.text_area(key="bert_own").set_value("Anna is coming.\nAnna says yes to Ben.").run()
    healthy(app)
    assert "has no reference summary" not in said(app)
    assert len(app.selectbox(key="bert_reference").options) == 3
    app.text_area(key="bert_own").set_value("a\nb\nc\nd").run()
    assert "At most 3 references, one a line. Received: 4 lines" in said(app)
    assert len(app.selectbox(key="bert_reference").options) == 4


def test_a_blank_candidate_scores_nothing_and_says_so(app, written):
    written.update(set="", greedy=" ")
    arrive(app)
    assert "Blank, so they score 0: Summary as set in the sidebar (beam), Greedy" in said(app)
    assert points(app, "bertscore_candidates_picture")["F1"][:2] == [0, 0]
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
    arrive(app)
    drawn = points(app, "bertscore_candidates_picture")["F1"]
    choose(app, "bert_encoder", "roberta-large")
    assert "roberta-large is not on this machine" in said(app)
    app.button(key="bert_get").click().run()
    assert encoder._job("roberta-large", True).done.wait(20)
    app.run()
    assert "The encoder roberta-large cannot be had (no network)" in said(app)
    assert points(app, "bertscore_candidates_picture")["F1"] == drawn
    assert app.button(key="bert_again_True").label == "Try again"
    encoder._job.clear()


def test_another_checkpoint_is_a_candidate_and_a_link_that_asks_in_vain_is_told_so(app, monkeypatch):
    arrive(app, bert_candidate="own", bert_reference=3, bert_encoder="nope", bert_other="gone", bert_view="matrix")
    for part in ("the encoder nope", "the candidate own", "the checkpoint gone"):
        assert f"asks for {part}, which does not exist here" in noted(app)
    assert app.selectbox(key="bert_candidate").value == "set"
    asked, trained = [], model.job
    monkeypatch.setattr(model, "job", lambda name, **how: asked.append((name, how)) or trained(name))
    choose(app, "bert_other", "untrained")
    assert ("tiny", {"trained": False}) in asked
    assert "This network before training" in app.selectbox(key="bert_candidate").options
