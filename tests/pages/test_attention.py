"""The Attention page: what its views show of a run, its links, what a click opens, and what it does with odd input."""

import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.explain import catalogue, sinks
from core.explain.catalogue import Catalogue
from core.explain.heads import input_tokens, scores
from core.explain.rollup import groups, mean_rows, sum_columns
from core.figures.attention_view import held
from core.text.examples import load_examples
from pages.parts.attention import head
from tests.pages.attention import PAGE, said
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
    noted,
    open_link,
    send,
    table,
    tiny,
    trigger,
)

arrive = partial(open_link, PAGE)
KINDS = ("cross", "encoder", "decoder")
VIEWS = ("turns", "heads", "head", "inside", "compare", "catalogue")
NEAR = 2e-5
"""Weights travel as 65,535ths."""
COMMAND = "python -m core heads examples --limit 2"


def lines(app: AppTest, **seen: object) -> AppTest:
    """Someone used the token-to-token view: locked rows, heads that are on, share of the mass."""
    now = data(app, "head_view")
    state = {name: now[name] for name in ("locked", "heads", "share", "version")} | seen
    found = element(app, "bidi_component", "head_lines").proto.id
    send(app, WidgetState(id=found, json_value=json.dumps({"view": state})))
    healthy(app)
    return app


def given(app: AppTest, component: str) -> np.ndarray:
    """The weights in a component on the page, [heads, rows, columns] or [rows, columns]."""
    drawn = data(app, component)
    shape = drawn.get("shape") or (len(drawn["rows"]), len(drawn["columns"]))
    found = np.frombuffer(b64decode(drawn["weights"]), dtype="<u2") / 65535
    return found.reshape((drawn["count"], *shape) if "count" in drawn else shape)


def labels(app: AppTest, component: str, side: str = "rows") -> list[str]:
    """Texts beside the rows or columns of a component."""
    return [each["text"] for each in data(app, component)[side]]


def trace(kind: str, text: str | None = None) -> np.ndarray:
    """All heads of a kind in the run of the first dialogue or of a text, [L, H, Q, N]."""
    return held(decoded(text=text) if text else decoded())[kind]


def title(app) -> str:
    return data(app, "attention_matrix")["title"]


def test_a_newcomer_sees_cross_attention_by_turn(app):
    summary = decoded()
    arrive(app)
    assert app.query_params == {} and data(app, "ribbons")["title"] == "Cross-attention, layer 2, mean of the heads"
    read = ["turn 1", "turn 2", "turn 3", "turn 9", "turn 10", "end"]  # the model is too small for the others
    assert labels(app, "ribbons", "columns") == read and "did not read turns 4–8" in captions(app)
    by_turn = sum_columns(trace("cross")[1].mean(axis=0), groups(summary.source, "turn"))
    expected = mean_rows(by_turn, groups(summary.tokens, "word"))
    assert given(app, "ribbons") == pytest.approx(expected, abs=NEAR)
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    words = sinks.shares(trace("cross")[1].mean(axis=0), summary.source)["word"].mean()
    assert f"words {said(words)}" in captions(app)
    choose(choose(app, "layer_choice", 1), "head", 2)
    assert app.query_params == {"layer": "1", "head": "2"}
    assert any("It does not say why the model wrote a word" in each.value for each in app.markdown)


def test_one_head_has_the_numbers_of_the_trace_by_kind_and_head(app):
    arrive(app, see="head", layer=1)
    assert given(app, "head_view") == pytest.approx(trace("cross")[0], abs=NEAR)
    assert given(app, "attention_matrix") == pytest.approx(trace("cross")[0].mean(axis=0), abs=NEAR)
    choose(choose(app, "kind", "decoder"), "head", 2)
    assert given(app, "attention_matrix") == pytest.approx(trace("decoder")[0, 1], abs=NEAR)
    shown, matrix = data(app, "head_view"), data(app, "attention_matrix")
    assert shown["causal"] and matrix["causal"] and (shown["heads"], shown["names"]) == ([1], ["Head 1", "Head 2"])
    written = [token.text.strip() for token in decoded().tokens]
    assert labels(app, "attention_matrix") == labels(app, "head_view") == written
    choose(app, "rows_are", "input")
    read = ["start", *(token.text.strip() for token in input_tokens(decoded().tokens)[1:])]
    assert labels(app, "attention_matrix") == labels(app, "attention_matrix", "columns") == read
    assert app.query_params == {"see": "head", "kind": "decoder", "layer": "1", "head": "2", "rows_are": "input"}


def test_all_heads_mark_the_open_one_and_a_click_opens_another(app):
    arrive(app, see="heads", kind="encoder", layer=1, head=2)
    assert given(app, "head_grid")[1, 1].max() == pytest.approx(trace("encoder")[1, 1].max(), abs=NEAR)
    assert (data(app, "head_grid")["layer"], data(app, "head_grid")["head"]) == (0, 1)
    words = next(bar["x"] for bar in chart(app, "sinks_picture")["data"] if bar["name"] == "words")
    shares = sinks.shares(trace("encoder"), decoded().source)["word"].mean(axis=-1)  # [L, H]
    assert list(words) == pytest.approx(100 * shares.ravel(), abs=1e-3)
    click(app, "sinks_picture", 2)
    assert title(app) == "Encoder self-attention, layer 2, head 1"
    assert app.query_params == {"see": "head", "kind": "encoder", "head": "1"}


def test_locked_rows_heads_and_share_stand_in_the_link(app):
    arrive(app, see="head", layer=1, head=1)
    version = data(app, "head_view")["version"]
    lines(app, locked=[2, 4], heads=[1], share=0.5)
    assert app.query_params == {
        "see": "head", "layer": "1", "head": "2", "token": "3", "to": "5", "share": "50"
    }  # fmt: skip
    now = data(app, "head_view")
    assert (now["locked"], now["heads"], now["share"]) == ([2, 4], [1], 0.5) and now["version"] != version
    assert data(app, "attention_matrix")["selected"] == 2
    lines(app, locked=[6, 6], heads=[0, 1], share=0.13)
    assert app.query_params == {"see": "head", "layer": "1", "head": "2", "token": "7", "share": "15"}
    lines(app, locked=None)
    assert "token" not in app.query_params and data(app, "attention_matrix")["selected"] is None


def test_a_picked_row_of_the_matrix_locks_the_lines(app):
    arrive(app, see="head", by="word")
    version = data(app, "head_view")["version"]
    trigger(app, "head_matrix", "row", 1)
    assert data(app, "head_view")["locked"] == [1, 1] and data(app, "head_view")["version"] != version
    members = [place + 1 for place, token in enumerate(decoded().tokens) if token.word == 1]
    asked = app.query_params
    assert (asked["token"], asked.get("to", asked["token"])) == (str(members[0]), str(members[-1]))
    trigger(app, "head_matrix", "row", None)
    assert "token" not in app.query_params
    choose(choose(app, "kind", "encoder"), "by", "speaker")
    trigger(app, "head_matrix", "row", 1)  # the tokens of a speaker have others between them
    assert data(app, "head_view")["locked"] == [1, 1] and data(app, "attention_matrix")["selected"] == 1


def test_a_link_reopens_what_was_seen_and_notes_what_it_asks_in_vain(app):
    """What each field allows is tested in `test_fields`; here is what depends on the run."""
    link = {
        "see": "head", "kind": "encoder", "layer": "1", "head": "2", "token": "3", "to": "5",
        "by": "word", "sinks": "without", "share": "50",
    }  # fmt: skip
    arrive(app, **link)
    assert app.query_params == link and not app.warning
    drawn, words = data(app, "head_view"), [token.word for token in decoded().source]
    rows = [list(dict.fromkeys(words)).index(words[place]) for place in (2, 4)]
    assert (drawn["heads"], drawn["share"], drawn["locked"]) == ([1], 0.5, rows)
    assert "without special tokens, tags and punctuation" in captions(app)
    assert app.segmented_control(key="kind").value == "encoder" and app.selectbox(key="head").value == 2
    other = arrive(another(app), see="head", layer=9, head=5, token=3, to=99, share=5, by="word")
    for text in ("layer 9, ", "head 5, ", "token 99, which does not exist here (possible: 1 to 16)", "share=5"):
        assert text in noted(other)
    assert other.query_params == {"see": "head", "token": "3", "by": "word"}
    next(each for each in other.button if each.label == "Got it").click().run()
    healthy(other)
    assert not other.warning


def test_a_chosen_token_survives_another_page_and_not_another_dialogue_or_side(app):
    arrive(app, see="head", token=3, to=5, layer=1)
    go(app, DECODING)
    assert "token" not in app.query_params
    go(app, PAGE)
    assert app.query_params == {"see": "head", "token": "3", "to": "5", "layer": "1"}
    assert data(app, "head_view")["locked"] == [2, 4]
    app.selectbox(key="example").set_value("cat-sitter").run()
    healthy(app)
    assert app.query_params == {"see": "head", "layer": "1", "example": "cat-sitter"}
    assert data(app, "head_view")["locked"] is None
    lines(app, locked=[1, 1])
    choose(app, "kind", "decoder")
    assert app.query_params["token"] == "2"  # the same rows: the summary
    for kind in ("encoder", "cross"):
        choose(app, "kind", kind)
        assert "token" not in app.query_params and not app.warning
        lines(app, locked=[4, 4])


def test_odd_dialogues_have_every_view_and_their_texts_stay_texts(app):
    paste(arrive(app), "hello")
    for kind in KINDS:
        choose(app, "kind", kind)
        for view in VIEWS[::-1]:
            choose(app, "see", view)
            assert not app.warning
        choose(app, "see", "head")
        expected = trace(kind, "hello")[1].mean(axis=0)
        assert given(app, "attention_matrix") == pytest.approx(expected, abs=NEAR)
    paste(app, "Ann<i>: <script>alert(1)</script> *stars* ![x](y) $a$\nBen: <i>so</i> & so?")
    choose(app, "kind", "encoder")
    for view in VIEWS:
        choose(app, "see", view)
        for each in app.get("plotly_chart"):
            assert "<i>" not in str(json.loads(each.proto.spec)) and "<script" not in each.proto.spec
        for each in (*app.caption, *app.markdown, *app.info):
            assert "<" not in each.value.replace("\\<", "") and "*stars*" not in each.value.replace("\\*", "")


# Inside one head -----------------------------------------------------------------------------------------------------


def test_the_stages_hold_the_row_of_the_trace(app):
    arrive(app, see="inside", layer=1, head=2, token=3, rows_are="input")
    for kind in ("cross", "decoder"):
        choose(app, "kind", kind)
        row = trace(kind)[0, 1, 2].tolist()
        assert list(table(app, "Weight")["Weight"]) == pytest.approx(row, abs=1e-5)
        drawn = data(app, "head_stages")
        masked = [each["index"] for each in drawn["rows"] if each["masked"]]
        assert masked == ([*range(3, 16)] if kind == "decoder" else [])
        token = decoded().tokens[2].text.strip()  # a row is named after what it writes, whatever the other views do
        assert f"layer 1, head 2, query “{token}" in drawn["title"]
        assert token in app.selectbox(key="inside_token").options[2]
    assert app.selectbox(key="inside_token").label == "Query: the token that is about to be written"
    choose(app, "sinks", "without")
    assert list(table(app, "Weight")["Weight"]) == pytest.approx(row, abs=1e-5)
    assert "These numbers are the model's own" in captions(app)


def test_a_mean_of_heads_falls_back_to_the_first_and_the_token_follows_the_link(app):
    arrive(app, see="inside")
    assert "A mean of heads has no query of its own: this is head 1" in captions(app)
    matrix = trace("cross")[1]
    row = int(matrix.mean(axis=0).max(axis=1).argmax())
    assert app.selectbox(key="inside_token").value == row  # the strongest of what stood there before
    assert list(table(app, "Weight")["Weight"]) == pytest.approx(matrix[0, row].tolist(), abs=1e-5)
    choose(app, "head", 2)
    assert "A mean of heads" not in captions(app)
    choose(app, "inside_token", 7)
    assert app.query_params == {"see": "inside", "head": "2", "token": "8"}
    choose(app, "see", "head")
    assert data(app, "head_view")["locked"] == [7, 7]


# The catalogue -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(folder: Path) -> Catalogue:
    """The heads of the tiny checkpoint, measured on two bundled dialogues."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", folder)
        summarizer = tiny()
    measured = catalogue.measure(summarizer, [each.dialogue for each in load_examples()[:2]], "examples", COMMAND)
    return Catalogue.from_dict(measured.to_dict())  # rounded, as the page reads it


@pytest.fixture
def installed(folder: Path) -> Iterator[Path]:
    """Where the checkpoint's catalogue belongs; it is gone afterwards."""
    path = folder / "tiny" / checkpoints.HEADS
    yield path
    path.unlink(missing_ok=True)


def test_the_catalogue_says_what_every_head_tends_to_do(app, found, installed):
    catalogue.write(installed, found)
    arrive(app, see="catalogue", kind="encoder")
    assert any("Means over 2 dialogues of examples" in each.value for each in app.markdown)
    heads = [each for each in found.heads if each.scores.kind == "encoder"]
    types, numbers = table(app, "Stands out by"), table(app, "gini")
    assert list(types["Type"]) == [found.nearest(each).type_text for each in heads]
    assert list(types["Rank"]) == [found.nearest(each).place for each in heads]  # numbers: the heading sorts
    assert list(types["Stands out by"]) == [found.outstanding(each).name for each in heads]
    for name in ("entropy", "gini"):
        choose(app, "measure", name)
        colors = np.ravel(chart(app, "head_map")["data"][0]["z"])
        expected = [getattr(each.scores, name) for each in heads]
        assert list(colors) == pytest.approx(expected, abs=1e-4) == list(numbers[name])
    assert app.query_params["measure"] == "gini" and "Gini index" in captions(app) and COMMAND in captions(app)
    click(app, "head_map", 1)
    assert title(app).endswith("layer 1, head 2")
    here, usually = (
        [each for each in scores(decoded().attention) if each.kind == "encoder"],
        found.find("encoder", 0, 1),
    )
    lines = [each.value for each in app.markdown]
    assert f"Here: {head.said(here[1], here)}." in lines
    assert f"Over 2 dialogues of examples: {head.said(usually.scores, found.of_kind('encoder'))}." in lines
    usual = table(app, "Mean of 2 dialogues").set_index("Measure").loc["entropy, normalised"]
    assert usual["This dialogue"] == pytest.approx(here[1].entropy, abs=1e-5)
    assert usual["Mean of 2 dialogues"] == pytest.approx(usually.scores.entropy, abs=1e-4)
    choose(app, "see", "heads")
    tags = [[found.labels()["encoder", layer, head] for head in range(2)] for layer in range(2)]
    assert data(app, "head_grid")["tags"] == tags


def test_a_missing_another_or_a_damaged_catalogue_is_said(app, found, installed):
    arrive(app, see="catalogue")
    assert "not been measured yet" in app.info[0].value and not app.get("plotly_chart")
    said = f"--checkpoint tiny --limit 200 --output {checkpoints.locate('tiny') / 'heads.json'}"
    assert app.code[0].value == f"python -m core heads DATA {said}"
    catalogue.write(installed, replace(found, checkpoint="tiny@0123456789ab"))
    choose(choose(app, "see", "head"), "head", 1)
    assert "measured with other weights" in captions(app)
    assert not any("Over 2 dialogues" in each.value for each in app.markdown)
    choose(app, "see", "catalogue")
    other = app.info[0].value.replace("\\", "")
    assert "measured with other weights (tiny@0123456789ab), so it is not shown for tiny@" in other
    installed.write_text('{"format": 99}', encoding="utf-8")
    app.run()
    assert not app.exception and "head catalogue is damaged" in app.error[0].value.replace("\\", "")
    choose(app, "see", "inside")
