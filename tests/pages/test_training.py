"""The Training page: curves of checkpoints, recorded runs and files, and learning-rate schedules."""

import json
from collections.abc import Iterator

import pytest

from core import checkpoints
from tests.pages.driver import captions, choose, noted
from tests.pages.training import arrive, lines, number, said

ROWS = [
    {"epoch": 1, "train_loss": 4.0, "validation_loss": 4.5, "learning_rate": 1e-3, "seconds": 90.0},
    {"epoch": 2, "train_loss": 3.0, "validation_loss": 3.5, "learning_rate": 5e-4, "seconds": 90.0},
    {"epoch": 3, "train_loss": 2.0, "validation_loss": 3.75, "learning_rate": 1e-4, "seconds": 90.0},
]
CURVES = "train_curves_picture"
FILE = b"epoch,train_loss,validation_loss,rouge1\n1,5,5.5,10\n2,4,4.25,20\n"


@pytest.fixture
def runs(app, folder) -> Iterator[None]:
    """The installed checkpoint has a history, and there is a recorded run."""
    checkpoints.write_history(folder / "tiny" / "history.csv", ROWS)
    recorded = folder / "recorded" / "without-attention"
    recorded.mkdir(parents=True)
    checkpoints.write_history(recorded / "history.csv", ROWS[:1])
    card = {"data": {"name": "some <b>data</b>", "rows": 1234}, "machine": "two cores"}
    card["command"] = "python -m core train"
    (recorded / "card.json").write_text(json.dumps(card))
    yield
    (folder / "tiny" / "history.csv").unlink()
    for path in (*recorded.iterdir(), recorded, recorded.parent):
        path.rmdir() if path.is_dir() else path.unlink()


def test_it_opens_on_the_losses_of_the_sidebars_checkpoint(app, runs):
    arrive(app)
    assert "The lowest validation loss is 3.50 nats a token, of “tiny” after epoch 2; the gap" in captions(app)
    assert lines(app, CURVES)["tiny, validation"] == ([1, 2, 3], [4.5, 3.5, 3.75])
    assert lines(app, CURVES)["kept"] == ([2], [3.5])
    assert "the gap between the two grew from 0.50 to 1.75" in said(app) and "That is overfitting." in said(app)
    assert app.query_params == {}


def test_several_runs_stand_in_the_link(app, runs):
    arrive(app)
    app.multiselect(key="train_runs_box").set_value(["checkpoint.tiny", "recorded.without-attention"]).run()
    assert set(lines(app, CURVES)) >= {"tiny, training", "without-attention, training"}
    assert app.query_params == {"train_runs": "checkpoint.tiny,recorded.without-attention"}
    assert "Data: some <b>data</b>, 1,234 rows · machine: two cores · 1 epoch in 2 minutes" in said(app)
    assert "python -m core train" in [each.value for each in app.code]
    choose(app, "train_measure", "learning_rate")
    assert lines(app, CURVES)["tiny"] == ([1, 2, 3], [1e-3, 5e-4, 1e-4])
    app.multiselect(key="train_runs_box").set_value([]).run()
    assert "Choose at least one run" in app.info[0].value and app.query_params["train_runs"] == "-"


def test_scores_of_cards_by_length_and_on_seen_dialogues(app, runs, folder):
    arrive(app, train_view="scores")
    assert "No card of these trainings has such scores" in app.info[0].value
    groups = [
        {"from": low, "to": high, "count": 9, "words": words}
        | {name: [mean, mean - 1, mean + 1] for name in checkpoints.SCORES}
        for low, high, words, mean in ((0, 70, 50.0, 30.0), (70, None, 120.0, 21.0))
    ]
    rouge = {"rouge1": 25.0, "rouge2": 8.0, "rougeL": 20.0}
    card = {"scores": {"rouge": rouge, "by_length": groups}}
    path = folder / "recorded" / "without-attention" / "card.json"
    path.write_text(json.dumps(card))
    arrive(app, train_view="scores")
    assert lines(app, "train_length_picture") == {"without-attention, recorded": ([50, 120], [30, 21])}
    assert "goes from 30.00 to 21.00 (−9.00)" in captions(app) and "Learnt" not in said(app)
    path.write_text(json.dumps(card | {"training_scores": {"rouge": {**rouge, "rouge2": 18.0}}}))
    arrive(app, train_view="scores")
    choose(app, "train_merit", "rouge2")
    assert lines(app, "train_seen_picture")["new dialogues"] == ([8], ["without-attention, recorded"])
    assert "higher by 10.00" in captions(app)
    choose(app, "train_merit", "bertscore")
    assert "No BERTScore F1 on the card of without-attention, recorded." in captions(app)
    app.multiselect(key="train_systems_box").set_value([]).run()
    assert "Choose at least one system" in app.info[0].value


def test_a_link_opens_runs_and_measure(app, runs):
    arrive(app, train_runs="recorded.without-attention", train_measure="learning_rate")
    assert list(lines(app, CURVES)) == ["without-attention", "kept"]


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ({"train_runs": "checkpoint.tiny,<b>x</b>"}, "There is no run '<b>x</b>' here: it was left out."),
        ({"train_measure": "rouge2"}, "None of these runs recorded ROUGE-2: this is Loss."),
        ({"train_measure": "speed"}, "train_measure=speed"),
        ({"train_view": "all"}, "train_view=all"),
    ],
)
def test_what_a_link_asks_in_vain_is_noted(app, runs, link, note):
    arrive(app, **link)
    assert note in noted(app)
    assert "tiny, training" in lines(app, CURVES)


def upload(app, content, name="mine.csv"):
    app.file_uploader[0].upload(name, content, "text/csv").run()
    return app


def test_an_uploaded_file_is_drawn_beside_the_others(app, runs):
    upload(arrive(app), FILE)
    assert not app.exception and not app.error
    assert set(lines(app, CURVES)) >= {"tiny, training", "mine.csv, validation"}
    assert app.query_params["train_runs"].startswith("checkpoint.tiny,file.")
    choose(app, "train_measure", "rouge1")
    assert lines(app, CURVES)["mine.csv"] == ([1, 2], [10, 20])


def test_a_file_that_is_no_history_is_refused_and_nothing_is_lost(app, runs):
    upload(arrive(app), FILE)
    upload(app, b"step,loss\n1,2\n", "<b>bad</b>.csv")
    message = app.error[0].value.replace("\\", "")
    assert "'<b>bad</b>.csv' must begin with a line of column names: epoch and at least one of" in message
    assert "Received: step, loss" in message
    assert "mine.csv, validation" in lines(app, CURVES)


def test_a_checkpoint_without_a_history(app, folder):
    arrive(app)
    assert "Choose at least one run" in app.info[0].value


def test_the_schedule_is_the_papers(app):
    """Equation 3 with the paper's own numbers: 512^-0.5 · 4000^-0.5 = 6.988e-4 at step 4,000."""
    arrive(app, train_view="schedule", train_presets="-")
    found = lines(app, "train_schedule_picture")
    steps, rates = found["your schedule"]
    by_step = dict(zip(steps, rates, strict=True))
    assert list(found) == ["your schedule"] and steps[0] == 1 and steps[-1] == 20_000
    assert by_step[4000] == pytest.approx(512**-0.5 * 4000**-0.5, rel=1e-5)
    assert by_step[1] == pytest.approx(512**-0.5 * 4000**-1.5, rel=1e-5)
    assert by_step[20_000] == pytest.approx(512**-0.5 * 20_000**-0.5, rel=1e-5)
    assert "rises to 0.000699 at step 4,000" in captions(app)
    assert any("512^{-0.5} \\cdot 4000^{-0.5} = 6.988 \\cdot 10^{-4}" in each.value for each in app.latex)


def test_a_given_peak_and_a_cosine_beside_presets(app):
    arrive(app, train_view="schedule")
    assert set(lines(app, "train_schedule_picture")) == {
        "your schedule", "dialoscope, cosine", "report-b, inverse square root"
    }  # fmt: skip
    number(app, "train_peak", 0.01)
    number(app, "train_warmup", 100)
    number(app, "train_steps", 1100)
    choose(app, "train_kind", "cosine")
    steps, rates = lines(app, "train_schedule_picture")["your schedule"]
    by_step = dict(zip(steps, rates, strict=True))
    assert by_step[100] == pytest.approx(0.01) and by_step[1100] == pytest.approx(0.0001)
    # Half way down the cosine: 0.01 · (0.01 + 0.99 · 0.5)
    half = min(by_step, key=lambda step: abs(step - 600))
    assert by_step[half] == pytest.approx(0.00505, rel=0.02)
    sent = {"train_view": "schedule", "train_peak": "0.01", "train_warmup": "100", "train_steps": "1100"}
    assert app.query_params == sent | {"train_kind": "cosine"}


def test_a_preset_that_does_not_exist(app):
    arrive(app, train_view="schedule", train_presets="dialoscope,gpt", train_warmup=0)
    assert "There is no preset 'gpt' here" in noted(app) and "train_warmup=0" in noted(app)
    assert app.query_params["train_presets"] == "dialoscope"
