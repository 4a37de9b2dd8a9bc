"""The Attention page as a whole: its views, its links, what a click opens, and what it does with odd input."""

import json

import pytest

from core.explain.heads import input_tokens
from core.service import Summarizer
from tests.pages.attention import KINDS, NEAR, arrive, given, labels, lines, rolled, sizes, trace, without_sinks
from tests.pages.conftest import paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import (
    another,
    captions,
    chart,
    choose,
    click,
    data,
    decoded,
    element,
    go,
    healthy,
    notes,
    trigger,
)

VIEWS = {"turns": "turn_matrix", "heads": "sinks_picture", "head": None, "inside": "stages", "catalogue": None}
PAGE = "pages/attention.py"


@pytest.mark.parametrize("strategy", ["beam", "greedy"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_view_of_every_kind_can_be_looked_at(app, kind, strategy):
    arrive(app, strategy=strategy, head=2)
    choose(app, "kind", kind)
    for view, picture in VIEWS.items():
        choose(app, "see", view)
        assert not app.warning
        assert picture is None or element(app, "plotly_chart", picture).proto.alt
        assert (app.query_params.get("see", "turns"), app.query_params.get("kind", "cross")) == (view, kind)
    assert any("It does not say why the model wrote a word" in each.value for each in app.markdown)


def test_a_newcomer_sees_cross_attention_by_turn(app):
    arrive(app)
    assert app.query_params == {}
    assert data(app, "ribbons")["title"] == "Cross-attention, layer 2, mean of the heads"
    assert labels(app, "ribbons", "columns")[:2] == ["turn 1", "turn 2"]


def test_rows_are_named_after_the_token_that_they_write_or_read(app):
    summary = decoded()
    written = [token.text.strip() for token in summary.tokens]
    arrive(app, see="head")
    assert labels(app, "attention_matrix") == labels(app, "head_view") == written
    choose(app, "rows_are", "input")
    assert labels(app, "attention_matrix") == labels(app, "head_view") == ["start", *written[:-1]]
    assert app.query_params == {"see": "head", "rows_are": "input"}
    choose(app, "kind", "decoder")
    read = ["start", *(token.text.strip() for token in input_tokens(summary.tokens)[1:])]
    assert labels(app, "attention_matrix") == labels(app, "attention_matrix", "columns") == read


def test_a_click_in_the_grid_opens_the_head(app):
    arrive(app, see="heads", kind="encoder")
    trigger(app, "head_grid", "open", {"layer": 0, "head": 1})
    assert app.query_params == {"see": "head", "kind": "encoder", "layer": "1", "head": "2"}
    assert data(app, "attention_matrix")["title"] == "Encoder self-attention, layer 1, head 2"
    assert given(app, "attention_matrix") == pytest.approx(decoded().attention.encoder_self[0, 1], abs=NEAR)
    choose(app, "see", "heads")
    assert (data(app, "head_grid")["layer"], data(app, "head_grid")["head"]) == (0, 1)
    click(app, "sinks_picture", 2)
    assert data(app, "attention_matrix")["title"] == "Encoder self-attention, layer 2, head 1"


def test_a_locked_span_stands_in_the_link_and_reopens(app):
    arrive(app, see="head", layer=1)
    lines(app, locked=[2, 4])
    assert app.query_params == {"see": "head", "layer": "1", "token": "3", "to": "5"}
    assert data(app, "attention_matrix")["selected"] == 2
    again = arrive(another(app), **app.query_params)
    assert data(again, "head_view")["locked"] == [2, 4] and again.query_params == app.query_params
    lines(app, locked=[6, 6])
    assert app.query_params == {"see": "head", "layer": "1", "token": "7"}
    lines(app, locked=None)
    assert app.query_params == {"see": "head", "layer": "1"}
    assert data(app, "attention_matrix")["selected"] is None


def test_the_lines_own_switches_come_back(app):
    arrive(app, see="head", head=1)
    version = data(app, "head_view")["version"]
    lines(app, heads=[1], share=0.5)
    assert app.query_params == {"see": "head", "head": "2", "share": "50"}
    assert data(app, "head_view")["heads"] == [1] and data(app, "head_view")["share"] == 0.5
    assert data(app, "head_view")["version"] != version
    lines(app, heads=[0, 1], share=0.13)
    assert app.query_params == {"see": "head", "head": "2", "share": "15"}


def test_a_picked_row_of_the_matrix_locks_the_lines(app):
    arrive(app, see="head", by="word")
    version = data(app, "head_view")["version"]
    word = labels(app, "attention_matrix")[1]
    trigger(app, "head_matrix", "row", 1)
    assert data(app, "head_view")["locked"] == [1, 1] and data(app, "head_view")["version"] != version
    members = [place for place, token in enumerate(decoded().tokens) if token.word == 1]
    first, last = members[0] + 1, members[-1] + 1
    assert word.startswith(decoded().tokens[members[0]].text.strip())
    assert app.query_params["token"] == str(first) and app.query_params.get("to", str(first)) == str(last)
    choose(app, "see", "inside")
    assert app.selectbox(key="inside_token").value == first - 1
    trigger(choose(app, "see", "head"), "head_matrix", "row", None)
    assert "token" not in app.query_params


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_speakers_row_locks_that_row_alone(app, row):
    arrive(app, see="head", kind="encoder", by="speaker")
    trigger(app, "head_matrix", "row", row)
    assert data(app, "head_view")["locked"] == [row, row]
    assert data(app, "attention_matrix")["selected"] == row


def test_a_link_reopens_exactly_what_was_seen(app):
    link = {
        "see": "head", "kind": "encoder", "layer": "1", "head": "2", "token": "3", "to": "5",
        "by": "word", "sinks": "without", "share": "50",
    }  # fmt: skip
    arrive(app, **link)
    assert app.query_params == link and not app.warning
    summary = decoded()
    expected = without_sinks(summary.attention.encoder_self[0, 1], summary.source)
    expected = rolled(expected, summary, "encoder", ("word", "word"))
    assert given(app, "attention_matrix") == pytest.approx(expected, abs=NEAR)
    drawn = data(app, "head_view")
    words = [token.word for token in summary.source]
    rows = [list(dict.fromkeys(words)).index(words[place]) for place in (2, 4)]
    assert (drawn["heads"], drawn["share"], drawn["locked"]) == ([1], 0.5, rows)
    assert app.segmented_control(key="kind").value == "encoder" and app.selectbox(key="head").value == 2


def test_the_address_after_some_steps_is_a_link_to_them(app):
    arrive(app)
    choose(choose(choose(app, "kind", "encoder"), "row_unit", "turn"), "sinks", "without")
    app.slider(key="share").set_value(60).run()
    choose(app, "head", 1)
    link = {"kind": "encoder", "row_unit": "turn", "sinks": "without", "share": "60", "head": "1"}
    assert app.query_params == link
    again = arrive(another(app), **link)
    assert data(again, "ribbons") == data(app, "ribbons") and again.query_params == link


@pytest.mark.parametrize(
    ("link", "said", "kept"),
    [
        ({"layer": 9}, "asks for layer 9; this attention has 2 layers", {}),
        ({"head": 5, "layer": 1}, "asks for head 5; this attention has 2 heads", {"layer": "1"}),
        ({"token": 99, "see": "inside"}, "asks for token 99; here are 16", {"see": "inside"}),
        ({"token": 3, "to": 99, "see": "head"}, "asks for token 99; here are 16", {"see": "head", "token": "3"}),
        ({"token": 9999, "kind": "encoder", "see": "inside"}, "asks for token 9999; here are 171", None),
        ({"kind": "self"}, "kind=self", {}),
        ({"see": "<b>"}, "see=<b>", {}),
        ({"share": 5}, "share=5", {}),
        ({"head": "-1"}, "head=-1", {}),
    ],
)
def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app, link, said, kept):
    arrive(app, **link)
    assert said in notes(app).replace("\\", "")
    assert kept is None or app.query_params == kept
    if not link.keys() - {"layer"}:
        assert data(app, "ribbons")["title"] == "Cross-attention, layer 2, mean of the heads"
    next(each for each in app.button if each.label == "Got it").click().run()
    healthy(app)
    assert not app.warning


def test_another_dialogue_or_side_forgets_the_chosen_token(app):
    arrive(app, see="head", token=3, to=5, layer=1)
    app.selectbox(key="example").set_value("cat-sitter").run()
    healthy(app)
    assert app.query_params == {"see": "head", "layer": "1", "example": "cat-sitter"}
    assert data(app, "head_view")["locked"] is None
    lines(app, locked=[1, 1])
    choose(app, "kind", "decoder")
    assert app.query_params["token"] == "2"  # the same rows: the summary
    choose(app, "kind", "encoder")
    assert "token" not in app.query_params
    lines(app, locked=[40, 40])
    choose(app, "kind", "cross")
    assert "token" not in app.query_params and not app.warning


def test_a_chosen_token_survives_another_page(app):
    arrive(app, see="head", token=3, head=2)
    go(app, DECODING)
    assert "token" not in app.query_params
    go(app, PAGE)
    assert app.query_params == {"see": "head", "token": "3", "head": "2"}
    assert data(app, "head_view")["locked"] == [2, 2]


def test_captions_and_pictures_follow_the_dialogue(app):
    arrive(app)
    before = captions(app), element(app, "plotly_chart", "turn_matrix").proto.alt
    app.selectbox(key="example").set_value("cat-sitter").run()
    healthy(app)
    after = captions(app), element(app, "plotly_chart", "turn_matrix").proto.alt
    assert before[0] != after[0] and before[1] != after[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_dialogue_of_one_word_has_every_view(app, kind):
    paste(arrive(app), "hello")
    choose(app, "kind", kind)
    summary = decoded(text="hello")
    for view in VIEWS:
        choose(app, "see", view)
        assert not app.warning
    choose(app, "see", "head")
    for unit in ("turn", "speaker", "word"):
        choose(app, "by", unit)
        assert given(app, "attention_matrix").sum(axis=-1) == pytest.approx(1, abs=1e-3)
    choose(app, "by", "token")
    expected = trace(summary, kind)[1].mean(axis=0)
    assert given(app, "attention_matrix") == pytest.approx(expected, abs=NEAR)
    choose(app, "sinks", "without")


def test_texts_stay_texts(app):
    text = "Ann<i>: <script>alert(1)</script> *stars* ![x](y) $a$\nBen: <i>so</i> & so?"
    paste(arrive(app), text)
    for kind in KINDS:
        choose(app, "kind", kind)
        for view in VIEWS:
            choose(app, "see", view)
            for each in app.get("plotly_chart"):
                assert "<i>" not in str(json.loads(each.proto.spec)) and "<script" not in each.proto.spec
            for each in (*app.caption, *app.markdown, *app.info):
                assert "<" not in each.value.replace("\\<", "") and "*stars*" not in each.value.replace("\\*", "")
    choose(choose(app, "kind", "cross"), "see", "turns")
    ticks = chart(app, "turn_matrix")["layout"]["xaxis"]["ticktext"]
    assert any("&lt;script&gt;" in each for each in ticks)
    details = [each["detail"] for each in data(app, "ribbons")["columns"]]
    assert any("<script>alert(1)</script> *stars*" in each for each in details)  # textContent alone


def test_without_a_dialogue_the_page_says_what_to_do(app):
    arrive(app, input="paste")
    assert "No dialogue is chosen yet" in app.info[0].value


def test_a_kind_that_the_model_has_not_is_said(app, monkeypatch):
    summarize = Summarizer.summarize

    def without_encoder(self, *values, **options):
        summary = summarize(self, *values, **options)
        attention = summary.attention
        object.__setattr__(attention, "encoder_self", None)
        return summary

    monkeypatch.setattr(Summarizer, "summarize", without_encoder)
    paste(arrive(app, kind="encoder"), "Ann: A dialogue that nothing else asks for.")
    healthy(app)
    said = app.warning[0].value.replace("\\", "")
    assert said == "This model has no encoder self-attention: its cross-attention is shown."
    assert app.segmented_control(key="kind").options == ["Cross", "Decoder self"]
    assert sizes(app)["dialoscope_ribbons"] > 100
