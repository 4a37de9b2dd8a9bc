"""The way to the first attention picture, a tiny network that copies letters, and back; the verdicts in the picker."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.text.examples import load_examples
from pages.parts.attention.choice import NAME
from pages.shared.model import models
from tests.pages.attention import PAGE
from tests.pages.driver import choose, healthy, open_link, press


def test_a_newcomer_begins_with_the_copier_and_goes_on(app: AppTest, both: Path) -> None:
    open_link(PAGE, app)
    press(app, "first_picture")
    letters = checkpoints.read_card(NAME)["input"]
    assert app.session_state["checkpoint"] == NAME and app.session_state["own_dialogue"].text == letters
    assert app.session_state["strategy"] == "greedy" and app.session_state["see"] == "head"
    assert models.job(NAME).done.wait(60)
    assert any("reads letters and writes the same letters" in each.value for each in healthy(app.run()).info)
    assert not [each for each in app.button if each.key == "first_letters"]
    press(app, "first_picture")
    assert app.session_state["checkpoint"] == "tiny" and app.session_state["input"] == "example"
    assert not any("reads letters" in each.value for each in app.info)


def test_a_link_to_the_copier_without_letters_offers_some(app: AppTest, both: Path) -> None:
    open_link(PAGE, app, checkpoint=NAME)
    press(app, "first_letters")
    assert app.session_state["own_dialogue"].text == checkpoints.read_card(NAME)["input"]


def test_the_sidebar_brings_letters_along_and_takes_them_back(app: AppTest, both: Path) -> None:
    open_link(PAGE, app)
    choose(app, "checkpoint", NAME)
    assert app.session_state["own_dialogue"].text == checkpoints.read_card(NAME)["input"]
    choose(app, "checkpoint", "tiny")
    assert app.session_state["input"] == "example"


def test_verdicts_stand_in_the_list_for_their_weights_alone(app: AppTest, both: Path) -> None:
    weights = checkpoints.read_card("tiny")["sha256"]["weights.safetensors"]
    first, second = load_examples()[:2]
    verdicts = {
        first.id: {"verdict": "right", "why": "All *is* said.", "summary": "A."},
        second.id: {"verdict": "wrong", "why": "The wrong person.", "summary": "B."},
    }
    path = both / "tiny" / checkpoints.JUDGED
    path.write_text(json.dumps({"weights": weights, "verdicts": verdicts}))
    open_link(PAGE, app)
    options = app.selectbox(key="example").options
    assert options[:3] == [f"✓ {first.title}", f"✗ {second.title}", load_examples()[2].title]
    app.session_state["beam"] = 2
    assert app.run().selectbox(key="example").options[0] == first.title, "other settings write another summary"
    app.session_state["beam"] = 4
    path.write_text(json.dumps({"weights": "0" * 64, "verdicts": verdicts}))
    assert healthy(app.run()).selectbox(key="example").options[0] == first.title
