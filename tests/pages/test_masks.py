"""The Masks page: the masks of a typed batch, the model without a mask, and the lesson trained in chunks."""

from functools import partial

import numpy as np
import pytest

from core.experiments.masks import noisy_copy
from core.experiments.masks.missing_masks import losses, padded
from core.explain.masks.masks import ROWS
from core.explain.masks.noisy_copy import CHUNK, FIRST, LENGTH, Lesson, Outcome
from core.figures.masks.masks import TITLES
from pages.parts.masks import lesson
from pages.parts.masks.batch import TEXTS
from pages.shared.model import sweep
from tests.closeness import network_spread, same_network
from tests.pages import driver
from tests.pages.conftest import paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import another, enter, go, noted, press, said, table, tiny

PAGE, SUMMARIZE = "pages/masks.py", "pages/summarize.py"
SHORT = "Anna: I lost my keys at the station.\nBen: Did you ask the guard?"
arrive = partial(driver.open_link, PAGE)
choose = partial(driver.choose, may_refuse=True)


def refusals(app) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")


# Your batch ----------------------------------------------------------------------------------------------------------


def shapes(app) -> dict[str, str]:
    found = table(app, "Shape")
    return dict(zip(found["Mask"], found["Shape"], strict=True))


def drawn(app) -> np.ndarray:
    """The mask that is drawn, a square, from its table."""
    name = TITLES[app.segmented_control(key="mask_kind").value]
    found = table(app, name)[name]
    return np.array(found).reshape(int(len(found) ** 0.5), -1)


def test_the_target_mask_is_a_conjunction_and_follows_the_batch(app):
    arrive(app, mask_row=3)
    sizes = [len(tiny().tokenizer.encode_summary(line)) for line in TEXTS.default.splitlines()]
    length = max(sizes)
    assert shapes(app) == {
        "Padding mask": f"[3, 1, 1, {length}]",
        "Look-ahead mask": f"[{length}, {length}]",
        "Target mask": f"[3, 1, {length}, {length}]",
        "Cross padding mask": f"[3, 1, 1, {length}]",
    }
    assert all(":" in place and place.startswith("core/model/") for place in table(app, "Shape")["Made in"])
    np.testing.assert_array_equal(drawn(app), np.tril(np.ones((length, length))) * (np.arange(length) < sizes[2]))
    assert f"{int(drawn(app).sum())} of {length * length} cells are open" in said(app)
    assert "return ops.logical_and(padding_mask(tokens, pad)" in app.code[0].value
    assert "blocked cells have exactly 0." in said(app)
    enter(app, "mask_texts", "<b>Yes</b>, $x$.\nNo, thank you")
    assert not app.warning  # nobody asked for a third text in two
    assert shapes(app)["Target mask"].startswith("[2, 1, ") and "<b>" not in said(app)


def test_rows_of_ids_have_any_pad_id_and_may_be_all_padding(app):
    arrive(app, mask_of="ids", mask_pads="0, 7", mask_row=2)
    assert list(table(app, "Shape")["Open cells"])[0] == "13 of 21"
    assert "13 of 49 cells are open; 15 by padding alone, 1 by look-ahead alone and 20 by both" in said(app)
    choose(app, "mask_kind", "look_ahead")
    np.testing.assert_array_equal(drawn(app), np.tril(np.ones((7, 7))))
    assert "positions[None, :] <= positions[:, None]" in app.code[0].value
    choose(app, "mask_kind", "target")
    press(app, "mask_empty")
    assert app.query_params == {"mask_of": "ids", "mask_ids": ROWS["empty"], "mask_row": "2"}
    assert "0 of 16 cells are open" in said(app) and "4 queries may look nowhere" in said(app)
    assert "The 4 queries that may look nowhere gave every one of 4 keys the same, 25 %." in said(app)
    enter(app, "mask_ids", "5 99999", may_refuse=True)
    assert shapes(app)["Target mask"] == "[1, 1, 2, 2]" and "3 of 4 cells are open" in said(app)
    assert "no embedding for an id beyond its vocabulary, so there are no scores. Received: 99999" in refusals(app)


def test_bad_input_is_named_and_kept(app):
    arrive(app, may_refuse=True, mask_texts="yes " * 60, mask_row=4, mask_head=9)
    assert "A text has at most 24 tokens here. Received: " in refusals(app)
    enter(app, "mask_texts", "All is well.")
    assert "asks for text 4, which does not exist here (possible: 1 to 1)" in noted(app)
    assert "asks for head 9, which does not exist here (possible: 1 to 2)" in noted(app)
    assert app.query_params == {"mask_texts": "All is well."}
    choose(app, "mask_of", "ids")
    enter(app, "mask_ids", "1 x", may_refuse=True)
    assert "An id of row 1 must be a whole number from 0 to 999,999. Received: 'x'" in refusals(app)
    assert app.query_params["mask_ids"] == "1 x"


def test_the_cross_mask_has_the_encoders_keys(app):
    arrive(app, mask_kind="cross")
    found = table(app, "Cross padding mask")
    keys = list(dict.fromkeys(found["Key"]))
    assert "[EOS]" in keys and "[SOS]" not in keys and "[SOS]" in set(found["Query"])
    assert 0 in set(found["Cross padding mask"])
    scores = table(app, "Score")
    assert len(scores) == len(table(app, "Weight")) == len(found)
    choose(app, "mask_head", 2)
    assert list(table(app, "Score")["Score"]) != list(scores["Score"])


# Without a mask ------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(app):
    """The view of the look-ahead mask on a short dialogue."""
    paste(app.run(), SHORT, "Anna lost her keys.")
    return choose(go(app, PAGE), "masks_view", "missing")


def ids() -> tuple[list[int], list[int]]:
    found = tiny().summarize(SHORT)
    return [each.id for each in found.source], [each.id for each in found.tokens]


def test_a_later_token_leaks_only_without_the_mask(page):
    source, target = ids()
    last = len(target) - 1
    assert page.selectbox(key="mask_token_choice").value == last
    assert f"number {last}, nothing before the changed token moves under the look-ahead mask" in said(page)
    kept, removed = losses(tiny(), source, target)
    found = table(page, "With the mask (nats a token)")
    assert list(found["Text"]) == ["The summary", "Reference 1"]
    same_network(found["With the mask (nats a token)"][0], -kept.mean(), tiny().config)
    same_network(found["Without it (nats a token)"][0], -removed.mean(), tiny().config)


def test_another_token_and_another_change_are_chosen_and_forgotten_with_the_summary(page):
    _, target = ids()
    last = len(target) - 1
    choose(page, "mask_token_choice", 2)
    assert page.query_params["mask_token"] == "2" and "number 2, nothing before the changed token moves" in said(page)
    wanted = [each.id for each in tiny().summarize(SHORT).steps[1].alternatives if each.id not in (0, target[1])][1]
    choose(page, "mask_other_choice", wanted)
    assert page.query_params["mask_other"] == str(wanted)
    choose(page, "mask_token_choice", last)
    assert not {"mask_token", "mask_other"} & set(page.query_params)
    choose(page, "mask_token_choice", 2)
    choose(go(page, DECODING), "input", "example")
    assert "mask_token" not in go(page, PAGE).query_params  # of another summary


def test_padding_matters_only_without_its_masks(page):
    choose(page, "mask_missing", "padding")
    source, target = ids()
    found = table(page, "Pad tokens")
    assert list(found["Pad tokens"]) == [0, 8, 16, 32, 48, 64, 96, 128]
    bound = len(target) * network_spread(tiny().config, losses(tiny(), source, target)[0])
    expected = padded(tiny(), source, target, 64, ("encoder",)) - padded(tiny(), source, target, 0, ())
    assert found["none in the encoder (nats)"][5] == pytest.approx(float(expected.sum()), abs=bound)
    assert "With both masks up to 128 pad tokens change" in said(page) and "with 128 pad tokens" in said(page)
    assert "Copying has a mask of its own" in said(page)
    choose(choose(page, "mask_amount", 16), "mask_without", "cross")
    assert "with 16 pad tokens" in said(page) and "Without: in the cross-attention" in said(page)
    go(paste(go(page, SUMMARIZE), "word " * 400), PAGE)  # one turn, cut to the model's 192 positions
    choose(page, "mask_missing", "padding")
    assert "This dialogue fills 192 of the model's 192 source positions: there is no room for padding." in said(page)


def test_an_amount_that_does_not_exist_is_noted(app):
    arrive(app, masks_view="missing", mask_missing="padding", mask_amount=20)
    assert "asks for amount of padding 20, which does not exist here (possible: 0" in noted(app)
    assert app.query_params.get("mask_amount") != "20"


def test_without_a_dialogue_a_batch_has_masks_but_there_is_no_experiment(app):
    choose(app.run(), "input", "paste")
    choose(go(app, PAGE), "masks_view", "missing")
    assert "No dialogue is chosen yet" in said(app)
    press(choose(app, "masks_view", "batch"), "mask_show_empty")
    assert "4 queries may look nowhere" in said(app)


# The lesson ----------------------------------------------------------------------------------------------------------


class Quick:
    """A training that learns nothing, at once; it stops after a chunk as by a click, if it is told so."""

    stops = False

    def __init__(self, seed: int, steps: int) -> None:
        self.seed, self.steps, self.done = seed, steps, 0

    def advance(self) -> None:
        self.done += CHUNK
        if self.stops:
            sweep.stop()

    def lesson(self) -> Lesson:
        losses, made = [2.5] * (self.done // CHUNK), np.full((4, LENGTH), FIRST, dtype=np.int32)
        outcome = Outcome(np.full(LENGTH, 1.5), np.full(LENGTH, self.seed / 10), made)
        return Lesson(self.seed, self.steps, losses, losses, made, made, (outcome, outcome) if self.is_over else None)

    @property
    def is_over(self) -> bool:
        return self.done >= self.steps


@pytest.fixture
def kept(monkeypatch):
    """The finished lessons: none but those of this test."""
    monkeypatch.setattr(noisy_copy, "Training", Quick)
    lesson._finished().clear()
    sweep._kept.clear()
    return lesson._finished()


def points(app) -> int:
    """Chunks that are drawn."""
    return len(table(app, "Loss with the mask (nats)"))


def buttons(app) -> set[str]:
    return {each.key for each in app.button}


def test_a_lesson_is_explained_trained_on_demand_and_kept_for_everybody(app, kept):
    arrive(app, masks_view="lesson", mask_steps=60, mask_seed=4)
    assert "asks for 60 steps. Steps come in 25s: these are 50" in noted(app) and app.query_params["mask_steps"] == "50"
    assert "mask_train" in buttons(app) and not app.dataframe
    assert "its entropy is 1.54 nats a symbol" in said(app) and "1.54 ÷ 8 = 0.19 nats" in said(app)
    press(app, "mask_train")
    assert points(app) == 2 and "Both are trained: 50 steps each, seed 4." in said(app)
    assert [each.label for each in app.metric] == ["Loss, teacher forcing (nats)", "Right, written freely"] * 2
    found = [each.value for each in app.metric]
    assert found[:2] == ["1.50", "40\xa0%"] and len(table(app, "Symbols")) == 16
    fresh = arrive(another(app), masks_view="lesson", mask_steps=50, mask_seed=4)
    assert [each.value for each in fresh.metric] == found and "mask_train" not in buttons(fresh)
    enter(app, "mask_seed", 5)
    assert "mask_train" in buttons(app) and not app.metric


def test_a_stop_keeps_what_was_trained(app, kept, monkeypatch):
    monkeypatch.setattr(Quick, "stops", True)
    arrive(app, masks_view="lesson", mask_steps=3 * CHUNK)
    press(app, "mask_train")
    assert points(app) == 1 and app.button(key="mask_train").label == "Go on with the other 50 steps"
    choose(choose(app, "masks_view", "batch"), "masks_view", "lesson")
    assert points(app) == 1
    monkeypatch.setattr(Quick, "stops", False)
    press(app, "mask_train")
    assert points(app) == 3 and "Both are trained" in said(app)
    assert app.session_state[lesson.TRAINING] is None


def test_only_so_many_lessons_are_kept(app, kept, monkeypatch):
    monkeypatch.setattr(lesson, "MOST", 2)
    kept.update({(1, CHUNK): "old", (2, CHUNK): "newer"})
    press(arrive(app, masks_view="lesson", mask_steps=CHUNK, mask_seed=3), "mask_train")
    assert list(kept) == [(2, CHUNK), (3, CHUNK)]
