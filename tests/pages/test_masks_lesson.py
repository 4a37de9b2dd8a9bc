"""The Masks page: both models of the lesson are trained in chunks, stopped, gone on with, and kept for everybody."""

import numpy as np
import pytest

from core.experiments import noisy_copy
from core.explain.noisy_copy import CHUNK, LENGTH, Lesson
from pages.parts.masks import training
from tests.pages.driver import another, notes, table
from tests.pages.masks import arrive, choose, press, said


@pytest.fixture(autouse=True)
def nothing_finished():
    """No lesson is kept from another test."""
    training._finished().clear()


def points(app) -> int:
    """Chunks that are drawn."""
    return len(table(app, "Loss with the mask (nats)"))


def buttons(app) -> set[str]:
    return {each.key for each in app.button}


def test_a_first_visit_trains_nothing_and_explains(app):
    arrive(app, masks_view="lesson")
    assert "mask_train" in buttons(app) and not app.dataframe
    assert "its entropy is 1.54 nats a symbol" in said(app) and "1.54 ÷ 8 = 0.19 nats" in said(app)
    assert "Why the noise? If the target were a plain copy" in said(app)


def test_both_are_trained_and_the_result_stays(app):
    arrive(app, masks_view="lesson", mask_steps=2 * CHUNK, mask_seed=4)
    press(app, "mask_train")
    assert points(app) == 2 and "Both are trained: 50 steps each, seed 4." in said(app)
    assert [each.label for each in app.metric] == ["Loss, teacher forcing (nats)", "Right, written freely"] * 2
    first = [each.value for each in app.metric]
    assert float(first[2]) < float(first[0]) < 2.7
    assert len(table(app, "Symbols")) == 16
    fresh = arrive(another(app), masks_view="lesson", mask_steps=2 * CHUNK, mask_seed=4)
    assert [each.value for each in fresh.metric] == first and "mask_train" not in buttons(fresh)
    app.number_input(key="mask_seed").set_value(5).run()
    assert "mask_train" in buttons(app) and not app.metric and app.query_params["mask_seed"] == "5"


class Quick:
    """A training that learns nothing, at once; it stops after a chunk as by a click, if it is told so."""

    stops = False

    def __init__(self, seed: int, steps: int) -> None:
        self.seed, self.steps, self.done = seed, steps, 0

    def advance(self) -> None:
        self.done += CHUNK
        if self.stops:
            training.stop()

    def lesson(self) -> Lesson:
        losses = [2.5] * (self.done // CHUNK)
        nothing = np.zeros((0, LENGTH), dtype=np.int32)
        return Lesson(self.seed, self.steps, losses, losses, nothing, nothing, None)


def test_a_stop_keeps_what_was_trained(app, monkeypatch):
    monkeypatch.setattr(noisy_copy, "Training", Quick)
    monkeypatch.setattr(Quick, "stops", True)
    arrive(app, masks_view="lesson", mask_steps=3 * CHUNK)
    press(app, "mask_train")
    assert points(app) == 1 and app.button(key="mask_train").label == "Go on with the other 50 steps"
    choose(app, "masks_view", "batch")
    choose(app, "masks_view", "lesson")
    assert points(app) == 1
    monkeypatch.setattr(Quick, "stops", False)
    press(app, "mask_train")
    assert points(app) == 3 and "Both are trained" in said(app)
    assert training.TRAINING not in app.session_state or app.session_state[training.TRAINING] is None


def test_steps_of_a_link_that_are_no_chunks_are_noted(app):
    arrive(app, masks_view="lesson", mask_steps=60)
    assert (
        "asks for 60 steps. Steps come in 25s: these are 50" in notes(app).replace("\\", "")
        and app.query_params["mask_steps"] == "50"
    )


def test_only_so_many_lessons_are_kept(app, monkeypatch):
    monkeypatch.setattr(noisy_copy, "Training", Quick)
    monkeypatch.setattr(training, "MOST", 2)
    kept = training._finished()
    kept.update({(1, CHUNK): "old", (2, CHUNK): "newer"})
    arrive(app, masks_view="lesson", mask_steps=CHUNK, mask_seed=3)
    press(app, "mask_train")
    assert list(kept) == [(2, CHUNK), (3, CHUNK)]
