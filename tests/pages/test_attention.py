"""The Attention page as a whole: its views, its links, what a click opens, and what it does with odd input."""

import json

import numpy as np
import pytest

from core.explain.heads import input_tokens
from core.explain.sinks import category
from core.service import Summarizer
from tests.pages.attention import (
    KINDS,
    NEAR,
    arrive,
    given,
    labels,
    lines,
    rolled,
    said,
    sides,
    sizes,
    trace,
    without_sinks,
)
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
    go,
    healthy,
    notes,
    trigger,
)

VIEWS = ("turns", "heads", "head", "inside", "catalogue")
PAGE = "pages/attention.py"


def test_a_newcomer_sees_cross_attention_by_turn(app):
    summary = decoded()
    arrive(app)
    assert app.query_params == {}
    assert data(app, "ribbons")["title"] == "Cross-attention, layer 2, mean of the heads"
    read = ["turn 1", "turn 2", "turn 3", "turn 9", "turn 10", "end"]  # the model is too small for the others
    assert labels(app, "ribbons", "columns") == read and "did not read turns 4–8" in captions(app)
    expected = rolled(summary.attention.cross[1].mean(axis=0), summary, "cross", ("word", "turn"))
    assert given(app, "ribbons") == pytest.approx(expected, abs=NEAR)
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    kinds = [category(token) for token in summary.source]
    choose(choose(app, "layer_choice", 1), "head", 2)
    assert app.query_params == {"layer": "1", "head": "2"}
    mean = summary.attention.cross[0, 1].mean(axis=0)
    for kind, name in (("word", "words"), ("punctuation", "punctuation"), ("speaker", "speaker tags")):
        share = sum(float(mean[place]) for place, each in enumerate(kinds) if each == kind)
        assert share < 0.005 or f"{name} {said(share)}" in captions(app)


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_of_every_kind_has_the_numbers_of_the_trace(app, kind):
    summary = decoded()
    found = trace(summary, kind)
    arrive(app, kind=kind, layer=1)
    units = {"cross": ("word", "turn"), "encoder": ("word", "turn"), "decoder": ("word", "word")}[kind]
    expected = rolled(found[0].mean(axis=0), summary, kind, units)
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    choose(app, "see", "heads")
    assert given(app, "head_grid")[1, 1].max() == pytest.approx(found[1, 1].max(), abs=NEAR)
    bars = chart(app, "sinks_picture")["data"]
    assert np.sum([bar["x"] for bar in bars], axis=0) == pytest.approx(100, abs=1e-3)
    others = [place for place, token in enumerate(sides(summary, kind)[1]) if category(token) != "word"]
    lost = found[..., others].sum(axis=-1).mean(axis=-1).ravel()  # by layer and head
    words = next(bar["x"] for bar in bars if bar["name"] == "words")
    assert list(words) == pytest.approx(100 - 100 * lost, abs=1e-3)
    choose(app, "see", "head")
    assert given(app, "head_view") == pytest.approx(found[0], abs=NEAR)
    assert given(app, "attention_matrix") == pytest.approx(found[0].mean(axis=0), abs=NEAR)
    assert data(app, "head_view")["causal"] == data(app, "attention_matrix")["causal"] == (kind == "decoder")
    choose(app, "head", 2)
    assert given(app, "attention_matrix") == pytest.approx(found[0, 1], abs=NEAR)
    assert data(app, "head_view")["heads"] == [1] and data(app, "head_view")["names"] == ["Head 1", "Head 2"]
    assert any("It does not say why the model wrote a word" in each.value for each in app.markdown)
    assert not app.warning and app.query_params.get("kind", "cross") == kind


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
    choose(choose(app, "kind", "encoder"), "by", "speaker")
    trigger(app, "head_matrix", "row", 1)  # the tokens of a speaker have others between them
    assert data(app, "head_view")["locked"] == [1, 1] and data(app, "attention_matrix")["selected"] == 1


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


def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app):
    """What each field allows is tested in `test_fields`; here is what depends on the run."""
    arrive(app, see="head", layer=9, head=5, token=3, to=99, share=5, kind="self", measure="beauty", by="word")
    found = notes(app).replace("\\", "")
    for text in (
        "layer 9, which does not exist here (possible: 1 to 2)",
        "head 5, which does not exist here (possible: 1 to 2)",
        "token 99, which does not exist here (possible: 1 to 16)",
        "share=5",
        "kind=self",
        "measure=beauty",
    ):
        assert text in found
    assert app.query_params == {"see": "head", "token": "3", "by": "word"}
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_dialogue_of_one_word_has_every_view(app, kind):
    paste(arrive(app), "hello")
    choose(app, "kind", kind)
    for view in VIEWS:
        choose(app, "see", view)
        assert not app.warning
    choose(app, "see", "head")
    expected = trace(decoded(text="hello"), kind)[1].mean(axis=0)
    assert given(app, "attention_matrix") == pytest.approx(expected, abs=NEAR)
    for unit in ("turn", "speaker"):
        choose(app, "by", unit)
        assert given(app, "attention_matrix").sum(axis=-1) == pytest.approx(1, abs=1e-3)
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
    assert (
        app.warning[0].value.replace("\\", "")
        == "This model has no encoder self-attention: its cross-attention is shown."
    )
    assert app.segmented_control(key="kind").options == ["Cross", "Decoder self"]
    assert sizes(app)["dialoscope_ribbons"] > 100
