"""The Training page: a training as a time-lapse, over snapshots that a real, tiny training recorded."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.text.examples import load_examples
from core.training import snapshots
from pages.parts.training import lapse
from pages.shared.frame import decoding
from tests.pages.driver import captions, chart, choose, data, noted
from tests.pages.training import arrive, lines, said

EPOCHS = 2
FIRST, SECOND = load_examples()[:2]


@pytest.fixture(scope="module")
def lapsed(tmp_path_factory) -> Path:
    """A checkpoint whose training on the bundled dialogues recorded all its snapshots."""
    from core.config import Preset
    from core.training.loop import train
    from core.training.recipes.observing import Observer
    from core.training.toys import dialogues_task

    folder = tmp_path_factory.mktemp("lapse")
    task = dialogues_task(width=16, layers=1, heads=2, seed=0, epochs=EPOCHS)
    preset = Preset("", task.model, "word", task.training, decoding=task.decoding)
    observer = Observer(preset, task.tokenizer, None, folder / "run" / snapshots.FILE, 10)
    card = {"decoding": task.decoding.to_dict(), "licence": "none"}
    result = train(
        task.pairs(1), task.validation, task.model, task.training, task.tokenizer, folder / "run", card,
        observe=observer,
    )  # fmt: skip
    shutil.move(result.last, folder / "lapsed")
    shutil.move(folder / "run" / snapshots.FILE, folder / "lapsed" / snapshots.FILE)
    return folder / "lapsed"


@pytest.fixture
def trained(lapsed, monkeypatch) -> Iterator[Path]:
    """It is installed, for every session."""
    checkpoints.add(lapsed)
    monkeypatch.setattr(decoding, "available", checkpoints.installed)
    yield lapsed
    checkpoints.remove("lapsed")


@pytest.fixture
def recorded(trained) -> tuple[snapshots.Snapshot, ...]:
    """What was recorded."""
    return snapshots.read(trained / snapshots.FILE)


def attempt(snapshot, dialogue=FIRST):
    return next(each for each in snapshot.attempts if each.id == dialogue.id)


def words(app, kind=("same", "added")) -> str:
    """What the summary on the page says; of kind "same" and "removed", the one before."""
    changes = data(app, "word_diff")["changes"]
    return " ".join("".join(text for name, text in changes if name in kind).split())


def move(app, epoch):
    app.select_slider(key="train_epoch").set_value(epoch).run()
    assert not app.exception and not app.error
    return app


def test_it_opens_before_training(app, trained, recorded):
    arrive(app, train_view="lapse")
    assert [snapshot.epoch for snapshot in recorded] == [0, 1, 2]
    assert words(app) == attempt(recorded[0]).text and "What it wrote before training" in said(app)
    assert f"The reference: {FIRST.references[0]}" in said(app)
    assert app.query_params == {"train_view": "lapse"}


def test_the_slider_moves_summary_scores_and_attention(app, trained, recorded):
    move(arrive(app, train_view="lapse"), 2)
    now, before = attempt(recorded[2]), attempt(recorded[1])
    assert words(app) == now.text and words(app, ("same", "removed")) == before.text
    assert f"{len(now.target)} tokens, " in said(app) or "1 token, " in said(app)
    found = lines(app, "train_moments_picture")
    here = [attempt(snapshot).rouge[0] for snapshot in recorded]
    assert found["this dialogue"] == ([0, 1, 2], pytest.approx(here))
    means = [np.mean([each.rouge[0] for each in snapshot.attempts]) for snapshot in recorded]
    assert found["mean of 25 dialogues"][1] == pytest.approx(means)
    assert found["shown here"] == ([2, 2], pytest.approx([means[2], here[2]]))
    assert app.query_params["train_epoch"] == "2"


def test_attention_keeps_its_scale_and_sums_to_one_by_turn(app, trained, recorded):
    arrive(app, train_view="lapse", train_epoch=1)
    (heat,) = chart(app, "train_attention_picture")["data"]
    assert (heat["zmin"], heat["zmax"]) == (0, 1)
    weights = attempt(recorded[1]).weights()
    assert np.asarray(heat["z"]).sum(axis=1) == pytest.approx(weights.sum(axis=1)[: len(heat["z"])], abs=1e-4)
    assert "cross-attention of the last layer, mean of its heads" in captions(app).lower()
    turns = chart(app, "train_attention_picture")["layout"]["xaxis"]["ticktext"]
    assert turns[0].startswith("1 ") and turns[-1] == "[EOS]"
    choose(app, "train_unit", "word")
    (heat,) = chart(app, "train_attention_picture")["data"]
    assert np.asarray(heat["z"]).shape[1] == weights.shape[1]  # this tokenizer has whole words


def test_another_dialogue_and_score(app, trained, recorded):
    arrive(app, train_view="lapse", train_epoch=1)
    app.selectbox(key="train_dialogue_choice").set_value(SECOND.id).run()
    choose(app, "train_score", "rougeL")
    assert words(app) == attempt(recorded[1], SECOND).text
    assert lines(app, "train_moments_picture")["this dialogue"][1] == pytest.approx(
        [attempt(snapshot, SECOND).rouge[2] for snapshot in recorded]
    )
    assert app.query_params["train_dialogue"] == SECOND.id and app.query_params["train_score"] == "rougeL"


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ({"train_epoch": 7}, "No snapshot was recorded after epoch 7: this is after epoch 2."),
        (
            {"train_model": "<b>x</b>"},
            "asks for training with recorded snapshots <b>x</b>, which does not exist here",
        ),
        ({"train_dialogue": "x"}, "The link asks for bundled dialogue x, which does not exist here"),
    ],
)
def test_what_a_link_asks_in_vain_is_noted(app, trained, link, note):
    arrive(app, train_view="lapse", **link)
    assert note in noted(app)


def test_it_plays(app, trained, monkeypatch):
    arrive(app, train_view="lapse")
    app.button(key="train_play").click().run()
    monkeypatch.setattr(lapse, "SECONDS", 0.0)
    app.run()
    assert app.session_state["train_epoch"] == EPOCHS and app.session_state["train_playing"] is None
    assert app.button(key="train_play").label == "Play"
    app.button(key="train_play").click()
    monkeypatch.setattr(lapse, "SECONDS", 60.0)
    app.run()
    assert app.session_state["train_epoch"] == 0
    app.button(key="train_play").click().run()
    assert app.session_state["train_playing"] is None


def test_without_snapshots_it_says_how_to_record_them(app):
    arrive(app, train_view="lapse")
    assert "No installed checkpoint has recorded snapshots" in app.info[0].value
    assert app.code[0].value == lapse.COMMAND


def test_damaged_snapshots_are_said(app, folder):
    (folder / "tiny" / snapshots.FILE).write_bytes(b"nothing")
    try:
        app.query_params["train_view"] = "lapse"
        app.switch_page("pages/training.py").run()
        assert "holds no snapshots of a training, or is damaged" in app.error[0].value.replace("\\", "")
    finally:
        (folder / "tiny" / snapshots.FILE).unlink()


def test_the_command_is_one_that_exists():
    from typer.testing import CliRunner

    from core.cli.main import app

    help = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200"}).output
    assert all(option in help for option in lapse.COMMAND.split() if option.startswith("--"))
