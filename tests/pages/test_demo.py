"""A demonstration for strangers: what it does not offer, it does not do either."""

import pytest

from core.errors import SettingsError
from core.limits import DEMO
from pages.parts.errors import data
from pages.parts.training import runner
from pages.shared.guard import demo
from pages.shared.model import answers, sweep
from tests.pages.driver import another, captions, choose, healthy, open_link, said
from tests.refusals import refused


@pytest.fixture(autouse=True)
def on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")


def test_no_page_takes_a_file_and_every_page_says_so(app):
    healthy(app.run())
    assert demo.NOTICE in captions(app) and not app.file_uploader
    for page, label in (("training", "A history.csv"), ("errors", "A file of dialogues")):
        open_link(f"pages/{page}.py", app)
        assert not app.file_uploader and f"{label}: a demonstration takes none." in captions(app), page
    assert not any("DialogSum" in each.label for each in app.button)


def test_no_network_is_trained(app):
    open_link("pages/training.py", app)
    choose(app, "train_view", "tiny")
    assert app.button(key="train_start").disabled
    refused(SettingsError, "demonstration .*: it trains no networks", runner.begin, lambda: None)
    assert runner.running() is None


def test_a_long_sweep_is_refused_unless_all_share_it(monkeypatch):
    short, long = range(DEMO.sweep_changes), range(DEMO.sweep_changes + 1)
    assert not sweep.too_long(short) and sweep.too_long(long) and not sweep.too_long(long, len(long))
    measured: list[int] = []
    stopped: list[bool] = []
    monkeypatch.setattr(sweep, "running", lambda key: True)
    monkeypatch.setattr(sweep, "stop", lambda: stopped.append(True))
    sweep.advance("key", long, 4, lambda some: measured.extend(some) or {})
    assert stopped and not measured
    monkeypatch.delenv("DIALOSCOPE_DEMO")
    assert not sweep.too_long(long)


def test_values_of_short_dialogues_alone_are_set_to_zero(app, monkeypatch):
    """The tenth stop of the lessons asks for them."""
    open_link("pages/attention.py", app, see="head", shows="zeroing")
    assert "Check passed" in said(app)
    monkeypatch.setattr(answers, "LONG", 5)
    for page, asked in (
        ("attention", {"see": "head", "shows": "zeroing", "head": 2}),
        ("experiments", {"experiment": "methods", "method": "value-zeroing"}),
    ):
        shown = open_link(f"pages/{page}.py", another(app), may_refuse=True, **asked)
        assert "no values of a dialogue of more than 5 tokens are set to zero" in said(shown), page


def test_no_data_set_is_fetched(monkeypatch):
    told: list[object] = []
    monkeypatch.setattr(data.notices, "complain", told.append)
    monkeypatch.setattr("core.text.corpus.load_corpus", lambda *_, **__: pytest.fail("it was loaded"))
    data._take_dialogsum()
    assert "it loads no data sets" in str(told[0])
