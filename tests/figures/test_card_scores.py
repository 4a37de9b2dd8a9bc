"""Pictures of cards: every number of the table is on the figure, and the captions say what the numbers say."""

import pytest

from core.explain.histories import history
from core.figures import card_scores


def group(low, high, mean):
    return {"from": low, "to": high, "count": 9, "words": low + 20.0} | {
        name: [mean, mean - 2, mean + 3] for name in card_scores.NAMES
    }


SYSTEMS = {
    "lstm": [group(0, 70, 30.0), group(70, None, 12.5)],
    "ours <b>": [group(0, 70, 42.0), group(70, None, 38.0)],
}


def test_score_against_length():
    picture = card_scores.by_length(SYSTEMS, "rouge2")
    lines = picture.figure.data
    assert [line.name for line in lines] == ["lstm", "ours &lt;b&gt;"]
    assert list(lines[0].y) == [30, 12.5] and list(lines[0].x) == [20, 90]
    assert list(lines[0].error_y.array) == [3, 3] and list(lines[0].error_y.arrayminus) == [2, 2]
    assert picture.table["Words"] == ["0 to 69 words", "70 words or more"] * 2
    assert picture.table["ROUGE-2"] == [30, 12.5, 42, 38] and picture.table["High"] == [33, 15.5, 45, 41]
    assert "lstm goes from 30.00 to 12.50 (−17.50) and ours <b> goes from 42.00 to 38.00 (−4.00)" in picture.caption


def test_seen_and_unseen(subtests):
    def scores(rouge1, f1):
        return {"rouge": {"rouge1": rouge1}, "bertscore": {"f1": f1}}

    pairs = {"A": (scores(70.0, 0.9), scores(30.0, 0.6)), "B": (scores(45.0, 0.7), scores(41.0, 0.67))}
    picture = card_scores.seen_and_unseen(pairs, "rouge1")
    assert [list(bar.x) for bar in picture.figure.data] == [[70, 45], [30, 41]]
    assert picture.table["Gap"] == [40, 4]
    assert "higher by 40.00 (A) and 4.00 (B). A remembers" in picture.caption
    other = card_scores.seen_and_unseen(pairs, "bertscore")
    assert list(other.figure.data[0].x) == [0.9, 0.7]
    assert "BERTScore F1 on dialogues of the training data is higher by 0.300 (A) and 0.030 (B)" in other.caption
    assert "remembers" not in card_scores.seen_and_unseen({"A": pairs["A"]}, "rouge1").caption
    for systems in ({}, {str(number): SYSTEMS["lstm"] for number in range(7)}, {"empty": []}):
        with subtests.test(systems=systems), pytest.raises(ValueError, match="1 to 6 systems"):
            card_scores.by_length(systems, "rouge1")
    with pytest.raises(ValueError, match="Received: 0"):
        card_scores.seen_and_unseen({}, "rouge1")


def test_what_a_card_says():
    card = {"scores": {"rouge": {"rouge1": 25.0, "rouge2": 8.0}, "by_length": SYSTEMS["lstm"]}}
    assert card_scores.groups(card) == SYSTEMS["lstm"] and card_scores.groups({}) == []
    assert card_scores.groups({"scores": {"by_length": [{"rouge1": 1.0}]}}, "bertscore") == []
    seen = card | {"training_scores": {"rouge": {"rouge1": 70.0}}}
    assert card_scores.pair(seen, "rouge2") == (seen["training_scores"], seen["scores"])
    assert card_scores.pair(card) is card_scores.pair(seen, "bertscore") is None
    about = {"data": {"name": "some <b>", "rows": 1234}, "machine": "two cores", "pretraining": {"epochs": 3}}
    training = {"training": {"schedule": "cosine", "warmup_steps": 400}}
    rows = [{"epoch": epoch, "seconds": 90.0, "validation_loss": 2.0} for epoch in (1, 2)]
    assert card_scores.in_one_line(card | about | training, history("a", rows)).replace("\\", "") == (
        "Data: some <b>, 1,234 rows · machine: two cores · 2 epochs in 3 minutes · kept: epoch 1 · "
        "pre-trained for 3 epochs on None · ROUGE-1/2/L 25.0 / 8.0 · cosine, 400 steps of warm-up"
    )
    assert card_scores.in_one_line({}, history("a", [{"epoch": 1}])) == "1 epoch"
    begun = {"pretraining": {"source": "BERT", "licence": "Apache-2.0"}}
    assert card_scores.in_one_line(begun, history("a", [{"epoch": 1}])) == "1 epoch · begun with BERT"
