"""The way to the first attention picture, a tiny network that copies letters, and back."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from core import checkpoints
from pages.parts.attention.choice import NAME
from pages.shared.model import models
from tests.pages.attention import PAGE
from tests.pages.driver import healthy, open_link, press


def test_a_newcomer_begins_with_the_copier_and_goes_on(app: AppTest, both: Path) -> None:
    press(open_link(PAGE, app), "first_picture")
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
    press(open_link(PAGE, app, checkpoint=NAME), "first_letters")
    assert app.session_state["own_dialogue"].text == checkpoints.read_card(NAME)["input"]
