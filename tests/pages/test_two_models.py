"""The page of two models without a browser: which checkpoints, which addresses, and what a side may report."""

from collections import OrderedDict
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode

import pytest
from streamlit.testing.v1 import AppTest

from core.limits import limits
from pages.parts.compare.both import KEY
from pages.shared.place import address, oversized_dialogues, places
from pages.shared.session import selection
from tests.pages.driver import another, choose, data, healthy, noted, open_link, press, press_label, said, trigger

PAGE = "pages/compare.py"


@pytest.fixture
def two(app: AppTest, both: Path) -> AppTest:
    """The app with two checkpoints that read dialogues, `other` and `tiny`, and one that reads letters."""
    (both / "other").symlink_to(both / "tiny")
    return app


def links(app: AppTest) -> list[str]:
    """Where the sides are sent."""
    return [side["link"] for side in data(app, "pair")["sides"]]


def test_both_sides_get_the_same_page_and_choices_and_each_its_checkpoint(two):
    asked = urlencode({"head": 2, "example": "cat-sitter", "checkpoint": "nope", "lesson": "masks", "nonsense": 1})
    open_link(PAGE, two, show="attention", state=asked)
    shown = "attention?head=2&example=cat-sitter"
    assert links(two) == [shown, f"{shown}&checkpoint=tiny"]  # without a name it is the first that is installed
    assert two.selectbox(key="left_model_choice").options == ["other", "tiny"]


def test_where_a_side_went_is_what_the_address_says_and_sends_nobody_anywhere(two):
    open_link(PAGE, two)
    before = data(two, "pair")["jump"]
    trigger(two, KEY, "moved", {"side": 1, "page": "decoding", "query": "checkpoint=tiny&step=3&lesson=masks"})
    found = data(two, "pair")
    assert found["jump"] == before and two.session_state["show"] == "decoding"
    assert parse_qs(found["own"]) == {"show": ["decoding"], "state": ["step=3"]}
    assert links(two) == ["decoding?step=3", "decoding?step=3&checkpoint=tiny"]


def test_what_both_sides_cannot_show_changes_nothing(two):
    open_link(PAGE, two, show="masks")
    before = links(two)
    for page, query in (("start", ""), ("../../etc", "step=3"), ("decoding", "step=3&t=" + "x" * 20_000)):
        trigger(two, KEY, "moved", {"side": 0, "page": page, "query": query})
        assert links(two) == before


def test_a_choice_above_sends_both_sides_there(two):
    open_link(PAGE, two, show="masks")
    before = data(two, "pair")["jump"]
    choose(two, "show", "bertscore")
    assert data(two, "pair")["jump"] != before and [link.partition("?")[0] for link in links(two)] == ["bertscore"] * 2


def test_each_side_may_have_a_dialogue_of_its_own_until_somebody_wants_one(two):
    own = {
        f"{side}_dialogue": urlencode({"input": "paste", "t": name}) for side, name in (("left", "AA"), ("right", "BB"))
    }
    open_link(PAGE, two, show="summarize", left_model="tiny", right_model="tiny", **own)
    assert [dict(parse_qsl(link.partition("?")[2]))["t"] for link in links(two)] == ["AA", "BB"]
    assert set(data(two, "pair")["apart"]) >= {"checkpoint", "t"}
    trigger(two, KEY, "moved", {"side": 1, "page": "decoding", "query": "checkpoint=tiny&input=paste&t=CC&step=3"})
    assert [dict(parse_qsl(link.partition("?")[2]))["t"] for link in links(two)] == ["AA", "CC"]
    assert all("step=3" in link for link in links(two))
    press_label(two, "One dialogue on both sides")
    assert not any({"t", "input"} & dict(parse_qsl(link.partition("?")[2])).keys() for link in links(two))
    assert data(two, "pair")["apart"] == ["checkpoint"]


def test_with_one_checkpoint_it_says_what_is_lacking(app):
    assert "Only one checkpoint that reads dialogues is installed" in said(open_link(PAGE, app))


def test_the_sidebar_leads_here_with_what_the_page_shows(two, visited):
    open_link("pages/positions.py", two, pos_width=16, checkpoint="tiny")
    press(two, "beside_another")
    assert visited == [(PAGE, {"show": "positions", "state": "pos_width=16", "left_model": "tiny"})]


LONG = "\n".join(f"{name}: We count {place} boats and {place * place} goats." for place in range(900) for name in "AB")


def side(two: AppTest, number: int) -> AppTest:
    """A session on the page that a side is sent to."""
    page, _, query = links(two)[number].partition("?")
    return open_link(f"pages/{page}.py", another(two), **{name: value for (name, value) in parse_qsl(query)})


def own(app: AppTest, text: str) -> AppTest:
    app.session_state["input"] = "paste"
    app.session_state["own_dialogue"] = selection.Own(text)
    return app


@pytest.mark.parametrize("text", ["Ann: The ferry leaves at nine.\nBo: Then I run.", LONG])
def test_the_dialogue_of_the_session_comes_along_however_long_it_is(two, text):
    open_link("pages/masks.py", two)
    own(two, text).session_state["show"] = "positions"  # quickly drawn
    healthy(two.switch_page(PAGE).run())
    assert {name for name in parse_qs(links(two)[0])} & {"t", "handed"} == ({"handed"} if text == LONG else {"t"})
    for number in (0, 1):
        assert side(two, number).session_state["own_dialogue"].text == text
    assert "too long" not in said(two)


def test_a_dialogue_that_a_side_chose_stays_until_the_session_has_another(two):
    open_link(PAGE, two)
    trigger(two, KEY, "moved", {"side": 0, "page": "masks", "query": "example=cat-sitter"})
    healthy(two.run())
    assert links(two)[0] == "masks?example=cat-sitter"
    before = data(two, "pair")["jump"]
    own(two, LONG)
    healthy(two.run())
    assert "cat-sitter" not in links(two)[0] and "handed=" in links(two)[0] and data(two, "pair")["jump"] != before


def test_a_link_counts_more_than_the_dialogue_of_the_session(two):
    open_link("pages/masks.py", two)
    own(two, LONG)
    for name, value in {"show": "masks", "state": "example=cat-sitter", places.VISIT: {"show", "state"}}.items():
        two.session_state[name] = value
    healthy(two.switch_page(PAGE).run())
    assert links(two)[0] == "masks?example=cat-sitter"


def test_a_dialogue_that_is_not_kept_any_more_is_told_so(app):
    open_link("pages/masks.py", app, handed="0123456789abcdef0123456789abcdef")
    assert "The dialogue of this link is not kept here any more: paste it again." in noted(app)


def test_a_side_hands_a_long_dialogue_over_in_its_address_and_a_page_alone_does_not(two, monkeypatch):
    open_link("pages/masks.py", two)
    own(two, LONG)
    assert "handed" not in healthy(two.run()).query_params
    monkeypatch.setattr(address.st.context.__class__, "is_embedded", property(lambda self: True))
    assert oversized_dialogues.find(healthy(two.run()).query_params["handed"]) == LONG


def test_the_same_handed_dialogue_has_the_same_key_and_each_other_one_another(monkeypatch):
    monkeypatch.setattr(oversized_dialogues, "_KEPT", OrderedDict())
    texts = [f"Ann: {place}" for place in (*range(100), 99)]
    assert len({oversized_dialogues.keep(text) for text in texts}) == 100
    assert len(oversized_dialogues._KEPT) == limits().handed_dialogues
