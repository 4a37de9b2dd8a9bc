"""Pictures of cards: every number of the table is on the figure, and the captions say what the numbers say."""

from core.explain.training.histories import history
from core.figures.training import card_scores
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn


def group(low, high, mean):
    return {"from": low, "to": high, "count": 9, "words": low + 20.0} | {
        name: [mean, mean - 2, mean + 3] for name in card_scores.NAMES
    }


SYSTEMS = {
    "lstm": [group(0, 70, 30.0), group(70, None, 12.5)],
    "ours <b>": [group(0, 70, 42.0), group(70, None, 38.0)],
}


def test_score_against_length(snapshot):
    assert drawn(card_scores.by_length(SYSTEMS, "rouge2")) == snapshot
    for systems in ({}, {str(number): SYSTEMS["lstm"] for number in range(7)}, {"empty": []}):
        cannot_draw("1 to 6 systems", card_scores.by_length, systems, "rouge1")


def test_seen_and_unseen(snapshot):
    def scores(rouge1, f1):
        return {"rouge": {"rouge1": rouge1}, "bertscore": {"f1": f1}}

    pairs = {"A": (scores(70.0, 0.9), scores(30.0, 0.6)), "B": (scores(45.0, 0.7), scores(41.0, 0.67))}
    pictures = [card_scores.seen_and_unseen(pairs, kind) for kind in ("rouge1", "bertscore")]
    assert drawn(*pictures, said(card_scores.seen_and_unseen({"A": pairs["A"]}, "rouge1"))) == snapshot
    cannot_draw("Received: 0", card_scores.seen_and_unseen, {}, "rouge1")


def test_what_a_card_says(snapshot):
    card = {"scores": {"rouge": {"rouge1": 25.0, "rouge2": 8.0}, "by_length": SYSTEMS["lstm"]}}
    assert card_scores.groups(card) == SYSTEMS["lstm"] and card_scores.groups({}) == []
    assert card_scores.groups({"scores": {"by_length": [{"rouge1": 1.0}]}}, "bertscore") == []
    seen = card | {"training_scores": {"rouge": {"rouge1": 70.0}}}
    assert card_scores.pair(seen, "rouge2") == (seen["training_scores"], seen["scores"])
    assert card_scores.pair(card) is card_scores.pair(seen, "bertscore") is None
    about = {"data": {"name": "some <b>", "rows": 1234}, "machine": "two cores", "pretraining": {"epochs": 3}}
    training = {"training": {"schedule": "cosine", "warmup_steps": 400}}
    rows = [{"epoch": epoch, "seconds": 90.0, "validation_loss": 2.0} for epoch in (1, 2)]
    begun = {"pretraining": {"source": "BERT", "licence": "Apache-2.0"}}
    lines = [(card | about | training, rows), ({}, [{"epoch": 1}]), (begun, [{"epoch": 1}])]
    assert drawn(*(card_scores.in_one_line(each, history("a", rows)) for each, rows in lines)) == snapshot
