"""The Training page: curves of checkpoints, recorded runs and files, scores, the time-lapse, and schedules."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from core import checkpoints
from core.text.examples import load_examples
from core.training import snapshots
from core.training.snapshots import Attempt, Snapshot
from pages.parts.training import lapse
from tests.pages.driver import captions, chart, choose, data, noted, tiny
from tests.pages.training import arrive, lines, number, said

ROWS = [
    {"epoch": 1, "train_loss": 4.0, "validation_loss": 4.5, "learning_rate": 1e-3, "seconds": 90.0},
    {"epoch": 2, "train_loss": 3.0, "validation_loss": 3.5, "learning_rate": 5e-4, "seconds": 90.0},
    {"epoch": 3, "train_loss": 2.0, "validation_loss": 3.75, "learning_rate": 1e-4, "seconds": 90.0},
]
CURVES = "train_curves_picture"
FILE = b"epoch,train_loss,validation_loss,rouge1\n1,5,5.5,10\n2,4,4.25,20\n"
FIRST, SECOND = load_examples()[:2]


@pytest.fixture
def card(app, folder) -> Iterator:
    """The installed checkpoint has a history, and there is a recorded run, whose card this is."""
    checkpoints.write_history(folder / "tiny" / "history.csv", ROWS)
    recorded = folder / "recorded" / "without-attention"
    recorded.mkdir(parents=True)
    checkpoints.write_history(recorded / "history.csv", ROWS[:1])
    about = {"data": {"name": "some <b>data</b>", "rows": 1234}, "machine": "two cores"}
    (recorded / "card.json").write_text(json.dumps(about | {"command": "python -m core train"}))
    yield recorded / "card.json"
    (folder / "tiny" / "history.csv").unlink()
    for path in (*recorded.iterdir(), recorded, recorded.parent):
        path.rmdir() if path.is_dir() else path.unlink()


def test_losses_of_the_sidebars_checkpoint_and_of_several_runs(app, card):
    arrive(app)
    assert "The lowest validation loss is 3.50 nats a token, of “tiny” after epoch 2; the gap" in captions(app)
    assert lines(app, CURVES)["tiny, validation"] == ([1, 2, 3], [4.5, 3.5, 3.75])
    assert lines(app, CURVES)["kept"] == ([2], [3.5])
    assert "the gap between the two grew from 0.50 to 1.75" in said(app) and "That is overfitting." in said(app)
    assert app.query_params == {}
    app.multiselect(key="train_runs_box").set_value(["checkpoint.tiny", "recorded.without-attention"]).run()
    assert set(lines(app, CURVES)) >= {"tiny, training", "without-attention, training"}
    assert app.query_params == {"train_runs": "checkpoint.tiny,recorded.without-attention"}
    assert "Data: some <b>data</b>, 1,234 rows · machine: two cores · 1 epoch in 2 minutes" in said(app)
    assert "python -m core train" in [each.value for each in app.code]
    choose(app, "train_measure", "learning_rate")
    assert lines(app, CURVES)["tiny"] == ([1, 2, 3], [1e-3, 5e-4, 1e-4])
    app.multiselect(key="train_runs_box").set_value([]).run()
    assert "Choose at least one run" in app.info[0].value and app.query_params["train_runs"] == "-"


def test_what_a_link_asks_in_vain_is_noted(app, card):
    arrive(app, train_view="all", train_runs="checkpoint.tiny,<b>x</b>", train_measure="rouge2")
    for note in ("train_view=all", "There is no run '<b>x</b>' here: it was left out.", "None of these runs recorded"):
        assert note in noted(app)
    assert "tiny, training" in lines(app, CURVES)


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


def test_a_checkpoint_without_history_and_snapshots_says_so(app, folder):
    arrive(app)
    assert "No installed checkpoint has a history" in app.info[0].value
    history = folder / "tiny" / "history.csv"
    history.write_text("epoch\n1\n")
    try:
        assert "None of these runs recorded Loss" in app.run().info[0].value
    finally:
        history.unlink()
    choose(app, "train_view", "lapse")
    assert "No installed checkpoint has recorded snapshots" in app.info[0].value
    assert app.code[0].value == lapse.COMMAND
    (folder / "tiny" / snapshots.FILE).write_bytes(b"nothing")
    try:
        assert "holds no snapshots of a training, or is damaged" in app.run().error[0].value.replace("\\", "")
    finally:
        (folder / "tiny" / snapshots.FILE).unlink()


def test_scores_of_cards_by_length_and_on_seen_dialogues(app, card):
    arrive(app, train_view="scores")
    assert "No card of these trainings has such scores" in app.info[0].value
    groups = [
        {"from": low, "to": high, "count": 9, "words": words}
        | {name: [mean, mean - 1, mean + 1] for name in checkpoints.SCORES}
        for low, high, words, mean in ((0, 70, 50.0, 30.0), (70, None, 120.0, 21.0))
    ]
    rouge = {"rouge1": 25.0, "rouge2": 8.0, "rougeL": 20.0}
    scores = {"scores": {"rouge": rouge, "by_length": groups}}
    card.write_text(json.dumps(scores))
    app.run()
    assert lines(app, "train_length_picture") == {"without-attention, recorded": ([50, 120], [30, 21])}
    assert "goes from 30.00 to 21.00 (−9.00)" in captions(app) and "Learnt" not in said(app)
    card.write_text(json.dumps(scores | {"training_scores": {"rouge": {**rouge, "rouge2": 18.0}}}))
    choose(app, "train_merit", "rouge2")
    assert lines(app, "train_seen_picture")["new dialogues"] == ([8], ["without-attention, recorded"])
    assert "is higher by 10.00 (without-attention, recorded)" in captions(app)
    choose(app, "train_merit", "bertscore")
    assert "No BERTScore F1 on the card of without-attention, recorded." in captions(app)


def test_schedules_follow_their_numbers_beside_presets(app):
    arrive(app, train_view="schedule", train_presets="dialoscope,gpt", train_warmup=0)
    assert "There is no preset 'gpt' here" in noted(app) and "train_warmup=0" in noted(app)
    assert app.query_params["train_presets"] == "dialoscope"
    steps, rates = lines(app, "train_schedule_picture")["your schedule"]
    assert steps[0] == 1 and steps[-1] == 20_000
    assert rates[steps.index(4000)] == pytest.approx(512**-0.5 * 4000**-0.5, rel=1e-5)  # equation 3 of the paper
    assert "rises to 0.000699 at step 4,000" in captions(app)
    assert any("512^{-0.5} \\cdot 4000^{-0.5} = 6.988 \\cdot 10^{-4}" in each.value for each in app.latex)
    app.multiselect(key="train_presets_box").set_value(["dialoscope", "report-b"]).run()
    assert set(lines(app, "train_schedule_picture")) == {
        "your schedule", "dialoscope, cosine", "report-b, inverse square root"
    }  # fmt: skip
    number(app, "train_peak", 0.01)
    number(app, "train_warmup", 100)
    number(app, "train_steps", 1100)
    choose(app, "train_kind", "cosine")
    steps, rates = lines(app, "train_schedule_picture")["your schedule"]
    assert (rates[steps.index(100)], rates[-1]) == pytest.approx((0.01, 0.0001))
    sent = {"train_view": "schedule", "train_peak": "0.01", "train_warmup": "100", "train_steps": "1100"}
    assert app.query_params == sent | {"train_kind": "cosine"}


@pytest.fixture
def recorded(folder) -> Iterator[tuple[Snapshot, ...]]:
    """Snapshots of the installed checkpoint: before training and after two epochs, about two dialogues."""
    random, read = np.random.default_rng(0), tiny().checkpoint.tokenizer
    found = []
    for epoch, texts in enumerate((("A a", "So"), ("A suitcase is lost", "It is so"), ("The suitcase", "They talk"))):
        attempts = []
        for example, text, rouge in zip((FIRST, SECOND), texts, (10.0, 20.0), strict=True):
            target = tuple(read.encode_summary(text))
            weights = random.dirichlet(np.ones(len(tiny().encode(example.dialogue).ids)), len(target))
            kept = snapshots.quantised(weights.astype(np.float32))
            attempts.append(Attempt(example.id, text, target, -2.0, (rouge + epoch, 0.0, rouge * epoch), kept))
        found.append(Snapshot(epoch, tuple(attempts)))
    path = folder / "tiny" / snapshots.FILE
    snapshots.write(path, found)
    yield tuple(found)
    path.unlink()


def words(app, kind=("same", "added")) -> str:
    """What the summary on the page says; of kind "same" and "removed", the one before."""
    return "".join(text for name, text in data(app, "word_diff")["changes"] if name in kind)


def test_the_time_lapse_moves_summary_scores_and_attention(app, recorded):
    arrive(app, train_view="lapse")
    assert words(app) == "A a" and "What it wrote before training" in said(app)
    assert f"The reference: {FIRST.references[0]}" in said(app) and app.query_params == {"train_view": "lapse"}
    app.select_slider(key="train_epoch").set_value(2).run()
    assert words(app) == "The suitcase" and words(app, ("same", "removed")) == "A suitcase is lost"
    now = recorded[2].attempts[0]
    assert f"{len(now.target)} tokens, {-2 / len(now.target):.2f} nats".replace("-", "−") in said(app)
    assert app.query_params["train_epoch"] == "2"
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
    assert app.query_params["train_dialogue"] == SECOND.id and app.query_params["train_score"] == "rougeL"


def test_snapshots_of_another_training_than_the_weights_say_so(app, recorded, monkeypatch):
    arrive(app, train_view="lapse")
    assert "Recorded when the same recipe" not in said(app)
    read = checkpoints.read_card
    other = {"validation_loss": 2.0, "snapshots": {"validation_loss": 1.5}}
    monkeypatch.setattr(checkpoints, "read_card", lambda name: read(name) | other)
    app.run()
    assert "Validation loss: 2.00 of these weights, 1.50 at the end of that training." in said(app)


def test_what_a_link_to_the_time_lapse_asks_in_vain_is_noted(app, recorded):
    arrive(app, train_view="lapse", train_epoch=7, train_model="<b>x</b>", train_dialogue="x")
    for note in (
        "No snapshot was recorded after epoch 7: this is after epoch 2.",
        "asks for training with recorded snapshots <b>x</b>, which does not exist here",
        "The link asks for bundled dialogue x, which does not exist here",
    ):
        assert note in noted(app)


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
