"""The Attention page: what its views show of a run, what a click opens, and what becomes of a chosen token."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.explain.attention import catalogue, sinks
from core.explain.attention.catalogue import Catalogue
from core.explain.attention.head_scores import input_tokens, scores
from core.explain.attribution import maps, norms
from core.explain.attribution.methods import MAPS
from core.explain.shared.rollup import groups, mean_rows, sum_columns
from core.figures.attention.view import weights_by_kind
from core.figures.experiments.attribution import verdict
from pages.parts.attention import head
from pages.shared.session.notices import literal
from tests.closeness import printed, same_network
from tests.pages import driver
from tests.pages.attention import COMMAND, PAGE, measured, said
from tests.pages.components import change
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import captions, chart, choose, click, data, decoded, go, table, tiny, trigger

arrive = partial(driver.open_link, PAGE)


def lines(app: AppTest, **seen: object) -> AppTest:
    """Someone used the token-to-token view: locked rows, heads that are on, share of the mass."""
    now = data(app, "head_view")
    state = {name: now[name] for name in ("locked", "heads", "share", "version")} | seen
    return change(app, "head_lines", view=state)


def holds(app: AppTest, component: str, expected: np.ndarray) -> None:
    """Check the weights in a component, [heads, rows, columns] or [rows, columns]."""
    drawn = data(app, component)
    found = np.frombuffer(b64decode(drawn["weights"]), dtype="<u2") / 65535
    # They travel as 65,535ths.
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1 / 65535)


def labels(app: AppTest, component: str, side: str = "rows") -> list[str]:
    """Texts beside the rows or columns of a component."""
    return [each["text"] for each in data(app, component)[side]]


def trace(kind: str) -> np.ndarray:
    """All heads of a kind in the run of the first dialogue, [L, H, Q, N]."""
    return weights_by_kind(decoded())[kind]


def title(app: AppTest) -> str:
    return data(app, "attention_matrix")["title"]


def test_a_newcomer_sees_cross_attention_by_turn(app):
    summary = decoded()
    arrive(app)
    assert data(app, "ribbons")["title"] == "Cross-attention, layer 2, mean of the heads"
    read = ["turn 1", "turn 2", "turn 3", "turn 9", "turn 10", "end"]  # the model is too small for the others
    assert labels(app, "ribbons", "columns") == read and "did not read turns 4–8" in captions(app)
    by_turn = sum_columns(trace("cross")[1].mean(axis=0), groups(summary.source, "turn"))
    expected = mean_rows(by_turn, groups(summary.tokens, "word"))
    holds(app, "ribbons", expected)
    printed(chart(app, "turn_matrix")["data"][0]["z"], expected, 6)
    words = sinks.shares(trace("cross")[1].mean(axis=0), summary.source)["word"].mean()
    assert f"words {said(words)}" in captions(app)


@pytest.mark.parametrize("rows", ["predicted", "input"])
def test_one_head_has_the_numbers_of_the_trace_and_the_tokens_of_its_rows(app, rows):
    arrive(app, see="head", layer=1, kind="decoder", head=2, rows_are=rows)
    holds(app, "head_view", trace("decoder")[0])
    holds(app, "attention_matrix", trace("decoder")[0, 1])
    shown, matrix = data(app, "head_view"), data(app, "attention_matrix")
    assert shown["causal"] and matrix["causal"] and (shown["heads"], shown["names"]) == ([1], ["Head 1", "Head 2"])
    read = ["start", *(token.text.strip() for token in input_tokens(decoded().tokens)[1:])]
    written = [token.text.strip() for token in decoded().tokens]
    assert labels(app, "attention_matrix") == labels(app, "head_view") == (read if rows == "input" else written)
    assert labels(app, "attention_matrix", "columns") == read


def test_all_heads_mark_the_open_one_and_a_click_opens_another(app):
    arrive(app, see="heads", kind="encoder", layer=1, head=2)
    grid = data(app, "head_grid")
    largest = np.frombuffer(b64decode(grid["weights"]), dtype="<u2").reshape(*grid["shape"])[1, 1].max() / 65535
    assert largest == pytest.approx(trace("encoder")[1, 1].max(), abs=1 / 65535)  # weights travel so
    assert (grid["layer"], grid["head"]) == (0, 1)
    words = next(bar["x"] for bar in chart(app, "sinks_picture")["data"] if bar["name"] == "words")
    shares = sinks.shares(trace("encoder"), decoded().source)["word"].mean(axis=-1)  # [L, H]
    printed(words, 100 * shares.ravel(), 3)
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


def test_the_row_of_a_speaker_whose_tokens_have_others_between_them_can_be_picked(app):
    trigger(arrive(app, see="head", by="speaker", kind="encoder"), "head_matrix", "row", 1)
    assert data(app, "head_view")["locked"] == [1, 1] and data(app, "attention_matrix")["selected"] == 1


def test_tokens_of_a_link_lock_the_words_that_they_belong_to(app):
    arrive(app, see="head", kind="encoder", token=3, to=5, by="word", sinks="without")
    words = [token.word for token in decoded().source]
    assert data(app, "head_view")["locked"] == [list(dict.fromkeys(words)).index(words[place]) for place in (2, 4)]
    assert "without special tokens, tags and punctuation" in captions(app)


def test_a_chosen_token_survives_another_page_and_not_another_dialogue(app):
    arrive(app, see="head", token=3, to=5, layer=1)
    go(go(app, DECODING), PAGE)
    assert app.query_params == {"see": "head", "token": "3", "to": "5", "layer": "1"}
    assert data(app, "head_view")["locked"] == [2, 4]
    choose(app, "example", "cat-sitter")
    assert app.query_params == {"see": "head", "layer": "1", "example": "cat-sitter"}
    assert data(app, "head_view")["locked"] is None


def test_a_chosen_token_survives_another_kind_with_the_same_rows_alone(app):
    arrive(app, see="head", token=2)
    for kind, kept in (("decoder", True), ("encoder", False)):
        choose(app, "kind", kind)
        assert ("token" in app.query_params) == kept and not app.warning
    choose(lines(app, locked=[4, 4]), "kind", "cross")
    assert "token" not in app.query_params


# Inside one head -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_the_stages_hold_the_row_of_the_trace(app, kind):
    arrive(app, see="inside", layer=1, head=2, token=3, rows_are="input", kind=kind, sinks="without")
    same_network(table(app, "Weight")["Weight"], trace(kind)[0, 1, 2], tiny().config)
    assert "These numbers are the model's own" in captions(app)  # whatever the other views leave out
    drawn = data(app, "head_stages")
    masked = [each["index"] for each in drawn["rows"] if each["masked"]]
    assert masked == ([*range(3, 16)] if kind == "decoder" else [])
    token = decoded().tokens[2].text.strip()  # a row is named after what it writes, whatever the other views do
    assert f"layer 1, head 2, query “{token}" in drawn["title"]
    assert token in app.selectbox(key="inside_token").options[2]
    assert app.selectbox(key="inside_token").label == "Query: token to be written"


def test_a_mean_of_heads_falls_back_to_the_first_and_the_token_follows_the_link(app):
    arrive(app, see="inside")
    assert "A mean of heads has no query of its own: this is head 1" in captions(app)
    matrix = trace("cross")[1]
    row = int(matrix.mean(axis=0).max(axis=1).argmax())
    assert app.selectbox(key="inside_token").value == row  # the strongest of what stood there before
    same_network(table(app, "Weight")["Weight"], matrix[0, row], tiny().config)
    choose(app, "inside_token", 7)
    assert app.query_params == {"see": "inside", "token": "8"}
    choose(app, "see", "head")
    assert data(app, "head_view")["locked"] == [7, 7]
    holds(app, "attention_matrix", matrix.mean(axis=0))


# The catalogue -------------------------------------------------------------------------------------------------------


@pytest.fixture
def found(app: AppTest, folder: Path) -> Iterator[Catalogue]:
    """The catalogue of the checkpoint, which is gone afterwards."""
    path = folder / "tiny" / checkpoints.HEADS
    catalogue.write(path, measured())
    yield measured()
    path.unlink()


def test_the_catalogue_says_what_every_head_tends_to_do(app, found):
    arrive(app, see="catalogue", kind="encoder", measure="gini")
    heads = [each for each in found.heads if each.scores.kind == "encoder"]
    types, numbers = table(app, "Stands out by"), table(app, "gini")
    assert list(types["Type"]) == [found.type_or_nearest(each).type_text for each in heads]
    assert list(types["Rank"]) == [found.type_or_nearest(each).place for each in heads]  # numbers: the heading sorts
    assert list(types["Stands out by"]) == [found.outstanding(each).name for each in heads]
    expected = [each.scores.gini for each in heads]
    printed(np.ravel(chart(app, "head_map")["data"][0]["z"]), expected, 4)
    printed(numbers["gini"], expected, 4)
    assert COMMAND in captions(app) and any("Means over 2 dialogues of examples" in each.value for each in app.markdown)
    assert "Weight on the token before" in app.selectbox(key="measure").options
    assert "Weight on the token before" not in choose(app, "kind", "cross").selectbox(key="measure").options


def test_a_head_stands_beside_what_it_usually_does(app, found):
    click(arrive(app, see="catalogue", kind="encoder"), "head_map", 1)
    assert title(app).endswith("layer 1, head 2")
    here = [each for each in scores(decoded().attention) if each.kind == "encoder"]
    usually = found.find("encoder", 0, 1)
    lines = [each.value for each in app.markdown]
    assert f"**On this text.** {literal(head.said(here[1], here))}" in lines
    elsewhere = literal(head.said(usually.scores, found.of_kind("encoder")))
    assert f"**Over 2 dialogues of examples.** {elsewhere}" in lines
    usual = table(app, "Mean of 2 dialogues").set_index("Measure").loc["entropy, normalised"]
    printed(usual["This dialogue"], here[1].entropy, 4)
    printed(usual["Mean of 2 dialogues"], usually.scores.entropy, 4)
    choose(app, "see", "heads")
    tags = [[found.labels()["encoder", layer, head] for head in range(2)] for layer in range(2)]
    assert data(app, "head_grid")["tags"] == tags


def test_a_missing_or_another_catalogue_is_said(app, found):
    path = checkpoints.locate("tiny") / checkpoints.HEADS
    path.unlink()
    arrive(app, see="catalogue", head=1)
    assert "not been measured yet" in app.info[0].value and not app.get("plotly_chart")
    assert app.code[0].value == f"python -m core heads DATA --checkpoint tiny --limit 200 --output {path}"
    catalogue.write(path, replace(found, checkpoint="tiny@0123456789ab"))
    app.run()
    other = app.info[0].value.replace("\\", "")
    assert "measured with other weights (tiny@0123456789ab), so it is not shown for tiny@" in other
    choose(app, "see", "head")
    assert "measured with other weights" in captions(app)
    assert not any("Over 2 dialogues" in each.value for each in app.markdown)


@pytest.mark.parametrize("shows", ["norms", "contributions", "zeroing"])
def test_what_is_carried_is_drawn_in_the_same_pictures_with_its_check(app, shows):
    expected = maps.of_layer(tiny(), decoded(), "cross", 1, shows)
    arrive(app, see="head", shows=shows)
    holds(app, "attention_matrix", expected.values)
    assert title(app).endswith(f"all heads together, {MAPS[shows].name}")
    assert verdict(expected.check) in driver.said(app) and "looks" not in captions(app)
    assert not data(app, "attention_matrix")["looks"] and not data(app, "head_view")["looks"]
    single = [each for each in app.selectbox if each.key == "no_head"]
    assert bool(single) != MAPS[shows].heads and all(each.disabled for each in single)


def test_norms_are_those_of_each_head(app):
    arrive(app, see="head", shows="norms", head=2)
    holds(app, "attention_matrix", norms.weights(tiny(), decoded(), "cross", 1, 1))
    choose(app, "see", "heads")
    assert data(app, "head_grid")["heads"] and "norms: 2 layers × 2 heads" in data(app, "head_grid")["title"]
