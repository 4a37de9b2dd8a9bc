"""What a summary owes to the dialogue, on Summarize: the shade by reliance and the shares of its own words."""

import pytest

from core.experiments.attribution.registry import attribute
from core.figures.summarize import own_words as figures
from core.report import contents
from pages.parts.summarize import own_words
from pages.parts.summarize.report import EXPLAINS, LONG
from pages.shared.model import answers, models
from tests.closeness import printed
from tests.pages.driver import FIRST, another, captions, data, decoded, draws, open_link, said, table, tiny, trigger
from tests.pages.errors import saved

GIVEN = "Anna ate the goat."
PAGE = "pages/summarize.py"


@pytest.mark.parametrize("given", [{}, {"given": GIVEN}])
def test_the_shade_is_the_reliance_of_each_token(app, given):
    open_link(PAGE, app, **given)
    assert data(app, "token_strip")["reliance"] is None
    trigger(app, own_words.STRIP, "shade", "reliance")
    run = tiny().force(FIRST, GIVEN) if given else decoded()
    found = attribute("reliance", tiny(), run)
    drawn = data(app, "token_strip")
    assert app.query_params["shade"] == drawn["shade"] == "reliance"
    printed(drawn["reliance"]["values"], found.values[:, 0], 3)
    assert found.check.name in drawn["reliance"]["caption"]
    printed(list(table(app, "Reliance (nats)")["± (nats)"]), found.interval[:, 0], 3)
    trigger(app, own_words.STRIP, "shade", "probability")
    assert "shade" not in app.query_params and data(app, "token_strip")["reliance"] is None


def test_the_shares_are_computed_where_their_box_is_open(app, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(own_words, "answer", None)
        open_link(PAGE, another(app))
    open_link(PAGE, app, shares="open")
    found = attribute("contributions", tiny(), decoded())
    draws(app, "own_words", figures.shares(found))
    assert found.check.name in captions(app)


def test_an_imported_model_has_both(app, imported):
    open_link(PAGE, app, shares="open", shade="reliance")
    run = imported.summarize(FIRST)
    for method, numbers in (("reliance", "Reliance (nats)"), ("contributions", "From the dialogue")):
        found = attribute(method, imported, run)
        assert found.check.holds
        printed(list(table(app, numbers)[numbers]), found.values.sum(axis=1), 3)


def test_a_recurrent_model_has_a_shade_and_says_what_it_lacks_for_shares(app, recurrent_checkpoints, both):
    (both / "looking").symlink_to(recurrent_checkpoints / "looking")
    assert models.job("looking").done.wait(60)
    open_link(PAGE, app, checkpoint="looking", shares="open", shade="reliance")
    assert data(app, "token_strip")["reliance"]["values"]
    assert "“looking” is a recurrent model: it has no stack of layers whose vectors could be followed" in said(app)


def test_a_demonstration_computes_no_shares_of_long_dialogues(app, monkeypatch):
    monkeypatch.setattr(answers, "LONG", 5)
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    open_link(PAGE, app, may_refuse=True, given="Anna did.", shares="open", shade="reliance")
    assert "no contributions of a dialogue of more than 5 tokens are computed" in said(app)
    assert data(app, "token_strip")["reliance"]["values"] and len(table(app, "Reliance (nats)"))


def test_a_report_has_what_is_shown(app):
    text = saved(open_link(PAGE, app, shares="open", shade="reliance"), "save_report")
    assert "--explain contributions --explain reliance" in text and "From its own words" in text
    assert text.count("Check passed") >= 2


def test_a_report_explains_what_is_asked_and_says_what_cannot_be(app):
    open_link(PAGE, app)
    titles = dict(zip((*contents.METHODS, *contents.EXPLAINED), app.multiselect(key=EXPLAINS).options, strict=True))
    assert "(up to a minute)" in titles["curves"] and "(up to a minute)" not in titles["votes"]
    app.multiselect(key=EXPLAINS).set_value(["votes", "patching"])
    text = saved(app, "save_report")
    assert "--explain votes" in text and contents.EXPLAINED["votes"] in text
    assert "--explain patching" not in text and "takes over no name" in text  # the tiny model writes none


def test_a_demonstration_offers_no_long_explanations(app, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    open_link(PAGE, app)
    assert len(app.multiselect(key=EXPLAINS).options) == len(contents.METHODS) + len(contents.EXPLAINED) - len(LONG)
