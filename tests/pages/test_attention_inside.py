"""Inside one head, and the catalogue of heads, on the Attention page."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.explain import catalogue
from core.explain.catalogue import Catalogue
from core.explain.heads import scores
from core.figures.wording import number
from core.text.examples import load_examples
from pages.parts.attention import head
from tests.pages.attention import KINDS, arrive, said, sides, trace
from tests.pages.driver import captions, chart, choose, click, data, decoded, element, tiny, trigger

COMMAND = "python -m core heads examples --limit 2"


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


def written(weight: float) -> str:
    """A weight as the stages write it."""
    return f"{weight:.3f}" if weight >= 0.001 else "< 0.001" if weight else "0"


def table(app, name: str) -> dict[str, list]:
    """Numbers behind a chart, as its table twin shows them."""
    frames = [each.value for each in app.dataframe]
    return next(frame.to_dict("list") for frame in frames if name in frame.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_the_stages_hold_the_row_of_the_trace(app, kind):
    summary = decoded()
    arrive(app, see="inside", kind=kind, layer=1, head=2, token=3)
    row = trace(summary, kind)[0, 1, 2]
    rows = {each["index"]: each for each in data(app, "head_stages")["rows"]}
    assert len(rows) == 16
    for key, drawn in rows.items():
        assert drawn["weight"] == written(row[key]) and drawn["masked"] == (kind == "decoder" and key > 2)
    assert set(np.argsort(-row)[:3]) <= set(rows)
    assert table(app, "Weight")["Weight"] == pytest.approx(list(map(float, row)), abs=1e-5)
    query = sides(summary, kind)[0][2].text.strip()
    assert f"layer 1, head 2, query “{query}" in data(app, "head_stages")["title"]
    assert said(row.max()) in captions(app)


def test_a_mean_of_heads_falls_back_to_the_first_and_says_so(app):
    arrive(app, see="inside")
    assert "A mean of heads has no query of its own: this is head 1" in captions(app)
    matrix = decoded().attention.cross[1]
    row = int(matrix.mean(axis=0).max(axis=1).argmax())
    assert app.selectbox(key="inside_token").value == row  # the strongest of what stood there before
    assert table(app, "Weight")["Weight"] == pytest.approx(list(map(float, matrix[0, row])), abs=1e-5)
    choose(app, "head", 2)
    assert "A mean of heads" not in captions(app)


def test_the_token_picker_follows_the_link_and_the_link_follows_it(app):
    arrive(app, see="inside", head=1, token=5)
    assert app.selectbox(key="inside_token").value == 4
    choose(app, "inside_token", 7)
    assert app.query_params == {"see": "inside", "head": "1", "token": "8"}
    expected = decoded().attention.cross[1, 0, 7]
    assert table(app, "Weight")["Weight"] == pytest.approx(list(map(float, expected)), abs=1e-5)
    choose(app, "see", "head")
    assert data(app, "head_view")["locked"] == [7, 7]


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_a_row_is_named_after_what_it_writes_whatever_the_others_are(app, kind):
    arrive(app, see="inside", kind=kind, head=1, token=3, rows_are="input")
    token = decoded().tokens[2].text.strip()
    assert app.selectbox(key="inside_token").label == "Query: the token that is about to be written"
    assert token in app.selectbox(key="inside_token").options[2]
    assert f"query “{token}" in data(app, "head_stages")["title"]


def test_the_vectors_are_those_of_the_head(app):
    arrive(app, see="inside", layer=1, head=2, token=3)
    drawn = data(app, "head_stages")["vectors"]
    vectors = {
        name: np.frombuffer(b64decode(each["data"]), dtype="<f4").reshape(-1, each["size"])
        for name, each in drawn.items()
    }
    assert {name: each.shape[1] for name, each in vectors.items()} == {
        "query": 8, "keys": 8, "parts": 8, "total": 8, "output": 16
    }  # fmt: skip
    places = [row["index"] for row in data(app, "head_stages")["rows"]]
    numbers = {name: np.array(values) for name, values in table(app, "Weight").items()}
    dots = vectors["keys"] @ vectors["query"][0]
    assert dots == pytest.approx(numbers["Dot product"][places], abs=1e-4)
    assert dots / np.sqrt(8) == pytest.approx(numbers["Scaled"][places], abs=1e-4)
    powers = np.exp(numbers["Scaled"])
    assert powers / powers.sum() == pytest.approx(decoded().attention.cross[0, 1, 2], abs=1e-5)
    assert vectors["parts"].sum(axis=0) == pytest.approx(vectors["total"][0], abs=1e-5)
    without = captions(app)
    choose(app, "sinks", "without")
    assert captions(app).startswith(without.split("For “")[0][:40])
    assert "These numbers are the model's own" in captions(app)


def test_without_a_catalogue_the_page_says_how_to_make_one(app):
    arrive(app, see="catalogue")
    assert "not been measured yet" in app.info[0].value
    assert app.code[0].value.startswith("python -m core heads DATA --checkpoint")
    choose(choose(app, "see", "head"), "head", 1)
    assert "not been measured yet" in captions(app)
    with pytest.raises(LookupError):
        element(app, "plotly_chart", "head_map")


def test_the_catalogue_says_type_rank_and_what_stands_out_and_can_be_sorted(app, found, installed):
    catalogue.write(installed, found)
    arrive(app, see="catalogue", kind="encoder")
    assert any("Means over 2 dialogues of examples" in each.value for each in app.markdown)
    heads = [each for each in found.heads if each.scores.kind == "encoder"]
    shown = table(app, "Stands out by")
    assert shown["Type"] == [found.nearest(each).type_text for each in heads]
    assert shown["Rank"] == [found.nearest(each).place for each in heads]  # numbers: a click on the heading sorts
    assert shown["Type's score"] == pytest.approx([found.nearest(each).score for each in heads], abs=1e-4)
    assert shown["Stands out by"] == [found.outstanding(each).name for each in heads]
    assert shown["Its rank"] == [found.outstanding(each).place for each in heads]
    numbers = table(app, "gini")
    for name in ("entropy", "gini", "effective", "sink"):
        assert numbers[name] == pytest.approx([getattr(each.scores, name) for each in heads], abs=1e-4)
    assert list(chart(app, "head_map")["data"][0]["marker"]["color"]) == pytest.approx(numbers["entropy"], abs=1e-4)
    choose(app, "measure", "gini")
    assert list(chart(app, "head_map")["data"][0]["marker"]["color"]) == pytest.approx(numbers["gini"], abs=1e-4)
    assert app.query_params["measure"] == "gini" and "Gini index" in captions(app) and COMMAND in captions(app)
    click(app, "head_map", 1)
    assert data(app, "attention_matrix")["title"].endswith("layer 1, head 2")


def test_a_head_is_compared_with_what_it_tends_to_do(app, found, installed):
    catalogue.write(installed, found)
    arrive(app, see="head", layer=2, head=1)
    usually = found.find("cross", 1, 0)
    cross = [each for each in scores(decoded().attention) if each.kind == "cross"]
    here = next(each for each in cross if (each.layer, each.head) == (1, 0))
    lines = [each.value for each in app.markdown]
    assert f"Here: {head.said(here, cross)}." in lines
    assert f"Over 2 dialogues of examples: {head.said(usually.scores, found.of_kind('cross'))}." in lines
    numbers = table(app, "Mean of 2 dialogues")
    place = numbers["Measure"].index("entropy, normalised")
    assert numbers["This dialogue"][place] == pytest.approx(here.entropy, abs=1e-5)
    assert numbers["Mean of 2 dialogues"][place] == pytest.approx(usually.scores.entropy, abs=1e-4)
    assert f"over 2 dialogues {number(usually.scores.effective)}" in captions(app)
    choose(app, "see", "heads")
    tags = [[found.labels()["cross", layer, head] for head in range(2)] for layer in range(2)]
    assert data(app, "head_grid")["tags"] == tags
    trigger(app, "head_grid", "open", {"layer": 0, "head": 0})
    assert data(app, "attention_matrix")["title"].endswith("layer 1, head 1")


def test_a_catalogue_of_other_weights_is_not_shown(app, found, installed):
    catalogue.write(installed, replace(found, checkpoint="tiny@0123456789ab"))
    arrive(app, see="catalogue")
    said = app.info[0].value.replace("\\", "")
    assert "measured with other weights (tiny@0123456789ab), so it is not shown for tiny@" in said
    choose(choose(app, "see", "head"), "head", 2)
    assert "measured with other weights" in captions(app)
    assert not any("Over 2 dialogues" in each.value for each in app.markdown)


def test_a_damaged_catalogue_is_said_and_the_rest_works(app, installed):
    installed.write_text('{"format": 99}', encoding="utf-8")
    arrive(app)
    app.segmented_control(key="see").set_value("catalogue").run()
    assert not app.exception
    assert "head catalogue is damaged" in app.error[0].value.replace("\\", "")
    choose(app, "see", "inside")
