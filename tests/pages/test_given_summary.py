"""A summary that somebody else wrote is explained in the place of the model's own, on every page."""

import pytest

from pages.shared.session import selection
from tests.closeness import printed
from tests.pages.conftest import summary
from tests.pages.decoding import THE, fork, move
from tests.pages.driver import FIRST, captions, data, go, press_label, tiny

GIVEN = "Anna ate the goat."


def explain(app, text: str = GIVEN):
    """Write a summary into the box of Summarize and press its button."""
    app.text_area(key="given_box").set_value(text)
    return press_label(app, "Explain it", may_refuse=True)


@pytest.fixture
def given(app):
    """Summarize with a given summary of the first dialogue."""
    return explain(app.run())


def test_it_stands_in_the_place_of_the_model_s_own(given):
    assert summary(given) == GIVEN and given.query_params["given"] == GIVEN
    assert "Given, not written by" in captions(given) and "Written by **" not in captions(given)
    shown = tiny().force(FIRST, GIVEN)
    printed(
        [each["probability"] for each in data(given, "token_strip")["tokens"]],
        [each.probability for each in shown.steps],
        3,
    )


def test_its_button_brings_the_own_one_back(given):
    press_label(given, "Explain the model's own summary")
    assert summary(given) == tiny().summarize(FIRST).text and "given" not in given.query_params


@pytest.mark.parametrize("page", ["attention", "decoding", "experiments"])
def test_another_page_explains_it(given, page):
    go(given, f"pages/{page}.py")
    assert given.query_params["given"] == GIVEN
    assert any(each.value == GIVEN for each in given.text)


def test_a_fork_leaves_it_and_the_model_goes_on(given):
    go(given, "pages/decoding.py")
    before = [each["text"] for each in data(given, "stepper")["tokens"]]
    after = [each["text"] for each in data(fork(move(given, 2), THE), "stepper")["tokens"]]
    assert after[:2] == before[:2] and after[2].strip() == "the" and given.query_params["given"] == GIVEN


def test_another_dialogue_has_its_own(given):
    other = next(each for each in selection.EXAMPLE._options if each != given.selectbox(key="example").value)
    given.selectbox(key="example").set_value(other).run()
    assert "given" not in given.query_params and "Written by **" in captions(given)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "Write or paste one"),
        ("word " * 400, "the summary is too long"),
        ("word " * 500, "2,499 characters; allowed"),
    ],
)
def test_what_cannot_be_read_is_refused_beside_the_box(app, text, reason):
    own = summary(app.run())
    explain(app, text)
    assert reason.lower() in " ".join(each.value for each in app.error).lower() and summary(app) == own
    assert not explain(app).error and summary(app) == GIVEN
