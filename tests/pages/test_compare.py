"""The Attention page's view of two models: the other checkpoint, both summaries, the heads of both."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.text.examples import load_examples
from pages.parts.attention.choice import NAME
from pages.shared.model import models
from tests.pages.attention import PAGE
from tests.pages.conftest import SECONDS
from tests.pages.driver import element, noted, open_link, said, table, tiny, trigger


@pytest.fixture
def other(both: Path):
    """The copier, which is loaded."""
    job = models.job(NAME)
    assert job.done.wait(SECONDS) and job.error is None
    yield job.summarizer
    job.thread.join(SECONDS)  # ending Python while XLA compiles would crash it


def test_both_write_and_show_their_heads(app: AppTest, other) -> None:
    open_link(PAGE, app, see="compare")
    first = load_examples()[0]
    texts = [each.value for each in app.text]
    assert tiny().summarize(first.dialogue).text in texts
    assert (other.summarize(first.dialogue).text or "It wrote nothing.") in texts
    found = table(app, "Measure")
    assert list(found) == ["Measure", "tiny", NAME] and found["Measure"][0] == "ROUGE-1 / 2 / L of this summary"
    keys = ("compare_grid_first", "compare_grid_second")
    grids = [json.loads(element(app, "bidi_component", key).proto.json) for key in keys]
    assert [grid["shape"][:2] for grid in grids] == [[2, 2], [1, 1]]
    trigger(app, keys[1], "open", {"layer": 0, "head": 0})
    assert app.session_state["checkpoint"] == NAME and app.session_state["see"] == "head"


def test_a_link_to_an_unknown_checkpoint_is_noted(app: AppTest, other) -> None:
    open_link(PAGE, app, see="compare", beside="x")
    assert "The link asks for checkpoint to compare with x, which does not exist here" in noted(app)


def test_with_one_checkpoint_there_is_nothing_to_compare(app: AppTest) -> None:
    assert "No other checkpoint is installed" in said(open_link(PAGE, app, see="compare"))
