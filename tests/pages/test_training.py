"""The Training page: curves of checkpoints, recorded runs and files, scores, the time-lapse, and schedules."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.training.snapshots import Snapshot
from pages.parts.training import lapse
from tests.closeness import printed
from tests.pages.driver import captions, chart, choose, data, enter, noted, said
from tests.pages.training import FIRST, ROWS, SECOND, add_scores, arrive, lines, record

CURVES = "train_curves_picture"
FILE = b"epoch,train_loss,validation_loss,rouge1\n1,5,5.5,10\n2,4,4.25,20\n"


@pytest.fixture
def place(app, folder, tmp_path, monkeypatch) -> Path:
    """The only checkpoint's own folder, where a test may write."""
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    return Path(shutil.copytree(folder / "tiny", tmp_path / "tiny"))


@pytest.fixture
def card(place) -> Path:
    """The installed checkpoint has a history, and there is a recorded run, whose card this is."""
    checkpoints.write_history(place / "history.csv", ROWS)
    recorded = place.parent / "recorded" / "without-attention"
    recorded.mkdir(parents=True)
    checkpoints.write_history(recorded / "history.csv", ROWS[:1])
    about = {"data": {"name": "some <b>data</b>", "rows": 1234}, "machine": "two cores"}
    (recorded / "card.json").write_text(json.dumps(about | {"command": "python -m core train"}))
    return recorded / "card.json"


def test_losses_of_the_sidebars_checkpoint_and_of_several_runs(app, card):
    arrive(app)
    assert "The lowest validation loss is 3.50 nats a token, of “tiny” after epoch 2; the gap" in captions(app)
    assert lines(app, CURVES)["tiny, validation"] == ([1, 2, 3], [4.5, 3.5, 3.75])
    assert lines(app, CURVES)["kept"] == ([2], [3.5])
    assert "the gap between the two grew from 0.50 to 1.75" in said(app) and "That is overfitting." in said(app)
    assert app.query_params == {}
    app.multiselect(key="train_runs_box").set_value(["checkpoint.tiny", "recorded.without-attention"]).run()
    assert set(lines(app, CURVES)) >= {"tiny, training", "without-attention, training"}
    assert "Data: some <b>data</b>, 1,234 rows · machine: two cores · 1 epoch in 2 minutes" in said(app)
    assert "python -m core train" in [each.value for each in app.code]
    choose(app, "train_measure", "learning_rate")
    assert lines(app, CURVES)["tiny"] == ([1, 2, 3], [1e-3, 5e-4, 1e-4])
    app.multiselect(key="train_runs_box").set_value([]).run()
    assert "Choose at least one run" in app.info[0].value and app.query_params["train_runs"] == "-"


def test_a_second_training_of_the_same_network_is_said_beside_its_curves(app, card, place):
    assert "it was refined" not in said(arrive(app))
    about = json.loads((place / "card.json").read_text())
    for epochs, named in ((2, True), (3, False), (None, False)):  # the history has three: after the last came nothing
        (place / "card.json").write_text(json.dumps(about | {"refined": {"epochs": epochs}}))
        sentence = "After epoch 2 it was refined: a second training, with a learning rate of its own"
        assert (sentence in said(app.run())) is named is ("it was refined" in said(app))


def test_a_run_and_a_measure_that_are_not_there_are_noted(app, card):
    arrive(app, train_runs="checkpoint.tiny,<b>x</b>", train_measure="rouge2")
    assert "There is no run '<b>x</b>' here: it was left out." in noted(app)
    assert "None of these runs recorded" in noted(app) and "tiny, training" in lines(app, CURVES)


def test_an_uploaded_file_is_drawn_beside_the_others_and_one_that_is_no_history_is_refused(app, card):
    arrive(app)
    app.file_uploader[0].upload("mine.csv", FILE, "text/csv").run()
    assert set(lines(app, CURVES)) >= {"tiny, training", "mine.csv, validation"}
    assert app.query_params["train_runs"].startswith("checkpoint.tiny,file.")
    choose(app, "train_measure", "rouge1")
    assert lines(app, CURVES)["mine.csv"] == ([1, 2], [10, 20])
    app.file_uploader[0].upload("<b>bad</b>.csv", b"step,loss\n1,2\n", "text/csv").run()
    message = app.error[0].value.replace("\\", "")
    assert "'<b>bad</b>.csv' must begin with a line of column names: epoch and at least one of" in message
    assert "Received: step, loss" in message and "mine.csv" in lines(app, CURVES)


def test_a_checkpoint_without_history_and_snapshots_says_so(app, place):
    arrive(app)
    assert "No installed checkpoint has a history" in app.info[0].value
    (place / "history.csv").write_text("epoch\n1\n")
    assert "None of these runs recorded Loss" in app.run().info[0].value
    choose(app, "train_view", "lapse")
    assert "No installed checkpoint has recorded snapshots" in app.info[0].value
    assert app.code[0].value == lapse.COMMAND


def test_scores_of_cards_by_length_and_on_seen_dialogues(app, card):
    arrive(app, train_view="scores")
    assert "No card of these trainings has such scores" in app.info[0].value
    card.write_text("{}")
    add_scores(card)
    app.run()
    assert lines(app, "train_length_picture") == {"without-attention, recorded": ([50, 120], [30, 21])}
    assert "goes from 30.00 to 21.00 (−9.00)" in captions(app) and "Learnt" not in said(app)
    seen = {"rouge": {"rouge1": 25.0, "rouge2": 18.0, "rougeL": 20.0}}
    add_scores(card, training_scores=seen)
    choose(app, "train_merit", "rouge2")
    assert lines(app, "train_seen_picture")["new dialogues"] == ([8], ["without-attention, recorded"])
    assert "is higher by 10.00 (without-attention, recorded)" in captions(app)
    choose(app, "train_merit", "bertscore")
    assert "No BERTScore F1 on the card of without-attention, recorded." in captions(app)


def test_schedules_follow_their_numbers_beside_presets(app):
    arrive(app, train_view="schedule")
    steps, rates = lines(app, "train_schedule_picture")["your schedule"]
    assert steps[0] == 1 and steps[-1] == 20_000
    printed(rates[steps.index(4000)], 512**-0.5 * 4000**-0.5, 8)  # equation 3; of 0.000699 six digits are drawn
    assert "rises to 0.000699 at step 4,000" in captions(app)
    assert any("512^{-0.5} \\cdot 4000^{-0.5} = 6.988 \\cdot 10^{-4}" in each.value for each in app.latex)
    app.multiselect(key="train_presets_box").set_value(["dialoscope", "report-b"]).run()
    assert set(lines(app, "train_schedule_picture")) == {
        "your schedule", "dialoscope, cosine", "report-b, inverse square root"
    }  # fmt: skip
    enter(app, "train_peak", 0.01)
    enter(app, "train_warmup", 100)
    enter(app, "train_steps", 1100)
    choose(app, "train_kind", "cosine")
    steps, rates = lines(app, "train_schedule_picture")["your schedule"]
    assert (rates[steps.index(100)], rates[-1]) == pytest.approx((0.01, 0.0001))  # in Python's numbers


@pytest.fixture
def recorded(place) -> tuple[Snapshot, ...]:
    """Snapshots of the installed checkpoint: before training and after two epochs, about two dialogues."""
    return record(place)


def words(app, kind=("same", "added")) -> str:
    """What the summary on the page says; of kind "same" and "removed", the one before."""
    return "".join(text for name, text in data(app, "word_diff")["changes"] if name in kind)


def test_the_time_lapse_moves_summary_scores_and_attention(app, recorded):
    arrive(app, train_view="lapse")
    assert words(app) == "A a" and "What it wrote before training" in said(app)
    assert f"The reference: {FIRST.references[0]}" in said(app)
    app.select_slider(key="train_epoch").set_value(2).run()
    assert words(app) == "The suitcase" and words(app, ("same", "removed")) == "A suitcase is lost"
    now = recorded[2].attempts[0]
    assert f"{len(now.target)} tokens, {-2 / len(now.target):.2f} nats".replace("-", "−") in said(app)
    found = lines(app, "train_moments_picture")
    assert found["this dialogue"] == ([0, 1, 2], [10, 11, 12]) and found["shown here"] == ([2, 2], [17, 12])
    assert found["mean of 2 dialogues"] == ([0, 1, 2], [15, 16, 17])
    (heat,) = chart(app, "train_attention_picture")["data"]
    assert (heat["zmin"], heat["zmax"]) == (0, 1) and "copy distribution, after epoch 2" in captions(app).lower()
    assert np.asarray(heat["z"]).sum(axis=1) == pytest.approx(1, abs=0.2)  # weights are kept to the nearest 255th
    turns = chart(app, "train_attention_picture")["layout"]["xaxis"]["ticktext"]
    assert turns[0].startswith("1 ") and turns[-1] == "[EOS]"
    choose(app, "train_unit", "word")
    (heat,) = chart(app, "train_attention_picture")["data"]
    assert np.asarray(heat["z"]).shape[1] > len(turns)
    app.selectbox(key="train_dialogue_choice").set_value(SECOND.id).run()
    choose(app, "train_score", "rougeL")
    assert words(app) == "They talk" and lines(app, "train_moments_picture")["this dialogue"][1] == [0, 20, 40]


def test_snapshots_of_another_training_than_the_weights_say_so(app, recorded, monkeypatch):
    arrive(app, train_view="lapse")
    assert "from another training" not in said(app)
    read = checkpoints.read_card
    other = {"validation_loss": 2.0, "snapshots": {"validation_loss": 1.5}}
    monkeypatch.setattr(checkpoints, "read_card", lambda name: read(name) | other)
    app.run()
    assert "Validation loss: 2.00 of that model, 1.50 at the end of this training." in said(app)


def test_it_plays(app, recorded, monkeypatch):
    arrive(app, train_view="lapse")
    app.button(key="train_play").click().run()
    monkeypatch.setattr(lapse, "SECONDS", 0.0)
    app.run()
    assert app.session_state["train_epoch"] == 2 and app.session_state["train_playing"] is None
    assert app.button(key="train_play").label == "Play"
    app.button(key="train_play").click()
    monkeypatch.setattr(lapse, "SECONDS", 60.0)
    app.run()
    assert app.session_state["train_epoch"] == 0
    app.button(key="train_play").click().run()
    assert app.session_state["train_playing"] is None


def test_the_command_is_one_that_exists():
    from typer.testing import CliRunner

    from core.cli.main import app

    help = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200"}).output
    assert all(option in help for option in lapse.COMMAND.split() if option.startswith("--"))
