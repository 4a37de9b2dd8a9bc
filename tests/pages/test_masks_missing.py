"""The Masks page: the model runs again without a mask."""

import numpy as np
import pytest

from core.experiments.missing_masks import losses, padded
from tests.pages.conftest import paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import another, go, notes, table, tiny
from tests.pages.masks import PAGE, arrive, choose, press, said

SUMMARIZE = "pages/summarize.py"
SHORT = "Anna: I lost my keys at the station.\nBen: Did you ask the guard?"


@pytest.fixture
def page(app):
    """The view of the look-ahead mask on a short dialogue."""
    app.run()
    paste(app, SHORT, "Anna lost her keys.")
    go(app, PAGE)
    return choose(app, "masks_view", "missing")


def ids(text: str = SHORT) -> tuple[list[int], list[int]]:
    found = tiny().summarize(text)
    return [each.id for each in found.source], [each.id for each in found.tokens]


def test_a_later_token_leaks_only_without_the_mask(page):
    _, target = ids()
    last = len(target) - 1
    assert page.selectbox(key="mask_token_choice").value == last
    found = table(page, "Asked")
    early = np.array(found["Asked"]) == "before the changed token is read"
    assert early.sum() == last
    assert (np.array(found["Largest change of a probability, with the mask"])[early] == 0).all()
    assert np.array(found["Largest change of a probability, without it"])[early].max() > 0
    assert f"the {last} positions up to it move by exactly 0 under the look-ahead mask" in said(page)
    before = said(page)
    choose(page, "mask_token_choice", 2)
    assert page.query_params["mask_token"] == "2" and said(page) != before
    assert "the 2 positions up to it move by exactly 0" in said(page)
    other = page.selectbox(key="mask_other_choice")
    second = tiny().summarize(SHORT).steps[1].alternatives
    wanted = [each.id for each in second if each.id not in (0, target[1])][1]
    other.set_value(wanted).run()
    assert page.query_params["mask_other"] == str(wanted)
    choose(page, "mask_token_choice", last)
    assert not {"mask_token", "mask_other"} & set(page.query_params)


def test_the_loss_of_summary_and_reference(page):
    source, target = ids()
    kept, removed = losses(tiny(), source, target)
    found = table(page, "With the mask (nats a token)")
    assert list(found["Text"]) == ["The summary", "Reference 1"]
    assert found["With the mask (nats a token)"][0] == pytest.approx(-kept.mean(), abs=1e-5)
    assert found["Without it (nats a token)"][0] == pytest.approx(-removed.mean(), abs=1e-5)
    changes = table(page, "Changed (nats)")
    assert list(changes["Changed (nats)"]) == pytest.approx(list(map(float, removed)), abs=1e-5)


def test_another_summary_forgets_the_changed_token(page):
    choose(page, "mask_token_choice", 2)
    go(page, DECODING)
    page.segmented_control(key="input").set_value("example").run()
    go(page, PAGE)
    assert "mask_token" not in page.query_params


def test_padding_matters_only_without_its_masks(page):
    choose(page, "mask_missing", "padding")
    source, target = ids()
    found = table(page, "Pad tokens")
    assert list(found["Pad tokens"]) == [0, 8, 16, 32, 48, 64, 96, 128]
    assert np.abs(found["both padding masks (nats)"]).max() < 1e-4 < np.abs(found["none at all (nats)"]).max()
    expected = padded(tiny(), source, target, 64, ("encoder",)) - padded(tiny(), source, target, 0, ())
    assert found["none in the encoder (nats)"][5] == pytest.approx(float(expected.sum()), abs=1e-4)
    assert "With both masks up to 128 pad tokens change" in said(page) and "with 128 pad tokens" in said(page)
    assert "The copy head has a mask of its own" in said(page)
    choose(page, "mask_amount", 16)
    choose(page, "mask_without", "cross")
    assert page.query_params["mask_amount"] == "16" and page.query_params["mask_without"] == "cross"
    assert "with 16 pad tokens" in said(page) and "Without: in the cross-attention" in said(page)


def test_a_dialogue_without_room_has_no_padding(page):
    paste(go(page, SUMMARIZE), "word " * 400)  # one turn, cut to the model's 192 positions
    go(page, PAGE)
    choose(page, "mask_missing", "padding")
    assert "This dialogue fills 192 of the model's 192 source positions: there is no room for padding." in said(page)


def test_what_a_link_asks_in_vain_is_noted(app):
    arrive(app, masks_view="missing", mask_token=999)
    assert (
        "asks for token 999, which does not exist" in notes(app).replace("\\", "")
        and "mask_token" not in app.query_params
    )
    other = arrive(another(app), masks_view="missing", mask_other=4)
    assert "asks for token id 4, which does not exist" in notes(other).replace("\\", "")
    fresh = arrive(another(app), masks_view="missing", mask_missing="padding", mask_amount=20)
    assert "asks for amount of padding 20, which does not exist here (possible: 0" in notes(fresh).replace("\\", "")
    assert "mask_amount" not in fresh.query_params or fresh.query_params["mask_amount"] != "20"


def test_no_dialogue_no_experiment(app):
    app.run()
    app.segmented_control(key="input").set_value("paste").run()
    go(app, PAGE)
    choose(app, "masks_view", "missing")
    assert "No dialogue is chosen yet" in said(app)
    choose(app, "masks_view", "batch")
    press(app, "mask_show_empty")
    assert "4 queries may look nowhere" in said(app)
