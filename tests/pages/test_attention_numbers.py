"""The Attention page shows the numbers of the trace: in every component, by every unit, with and without sinks."""

import numpy as np
import pytest

from core.explain.sinks import category
from tests.pages.attention import KINDS, NEAR, arrive, given, labels, rolled, said, sides, trace, without_sinks
from tests.pages.driver import captions, chart, choose, data, decoded

DEFAULT = {"cross": ("word", "turn"), "encoder": ("word", "turn"), "decoder": ("word", "word")}


def pooled(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The largest weight of each block."""
    starts = [range(0, size, step) for size, step in zip(matrix.shape, (rows, columns), strict=True)]
    return np.array([[matrix[i : i + rows, j : j + columns].max() for j in starts[1]] for i in starts[0]])


@pytest.mark.parametrize("kind", KINDS)
def test_by_turn_every_cell_is_the_traces(app, kind):
    summary = decoded()
    arrive(app, kind=kind)
    expected = rolled(trace(summary, kind)[-1].mean(axis=0), summary, kind, DEFAULT[kind])
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    assert chart(app, "turn_matrix")["data"][0]["zmax"] == 1
    if kind == "cross":
        assert given(app, "ribbons") == pytest.approx(expected, abs=NEAR)
        read = ["turn 1", "turn 2", "turn 3", "turn 9", "turn 10", "end"]  # the model is too small for the others
        assert labels(app, "ribbons", "columns") == read
        assert "did not read turns 4–8" in captions(app)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 1), (1, 2), (0, 1)])
def test_the_pickers_of_layer_and_head_choose_the_numbers(app, layer, head):
    summary = decoded()
    arrive(app)
    choose(choose(app, "layer", layer), "head", head)
    found = summary.attention.cross[layer - 1]  # 0 is the last layer, as -1 is
    expected = found.mean(axis=0) if head == 0 else found[head - 1]
    assert given(app, "ribbons") == pytest.approx(rolled(expected, summary, "cross", ("word", "turn")), abs=NEAR)
    name = f"layer {layer or 2}, " + (f"head {head}" if head else "mean of the heads")
    assert data(app, "ribbons")["title"] == f"Cross-attention, {name}"
    assert app.query_params == {key: str(value) for key, value in (("layer", layer), ("head", head)) if value}


@pytest.mark.parametrize("kind", KINDS)
def test_the_grid_is_every_head_of_the_trace(app, kind):
    found = trace(decoded(), kind)
    drawn = given(arrive(app, kind=kind, see="heads"), "head_grid")
    rows, columns = (-(-size // most) for size, most in zip(found.shape[2:], (64, 96), strict=True))
    assert data(app, "head_grid")["block"] == [rows, columns]
    for layer in range(2):
        for head in range(2):
            assert drawn[layer, head] == pytest.approx(pooled(found[layer, head], rows, columns), abs=NEAR)


@pytest.mark.parametrize("kind", KINDS)
def test_lines_and_matrix_are_the_traces(app, kind):
    summary = decoded()
    found = trace(summary, kind)[0]
    arrive(app, kind=kind, see="head", layer=1)
    assert given(app, "head_view") == pytest.approx(found, abs=NEAR)
    assert given(app, "attention_matrix") == pytest.approx(found.mean(axis=0), abs=NEAR)
    assert data(app, "head_view")["heads"] == [0, 1]
    assert data(app, "head_view")["causal"] == data(app, "attention_matrix")["causal"] == (kind == "decoder")
    choose(app, "head", 2)
    assert given(app, "head_view") == pytest.approx(found, abs=NEAR)
    assert given(app, "attention_matrix") == pytest.approx(found[1], abs=NEAR)
    assert data(app, "head_view")["heads"] == [1] and data(app, "attention_matrix")["scale"] == "fixed"
    assert data(app, "head_view")["names"] == ["Head 1", "Head 2"]


@pytest.mark.parametrize("unit", ["token", "word", "turn", "speaker"])
@pytest.mark.parametrize("kind", KINDS)
def test_units_change_labels_and_keep_the_mass(app, kind, unit):
    summary = decoded()
    arrive(app, kind=kind, see="head", head=1, by=unit)
    inside = "token" if unit == "token" else "word"
    units = (unit if kind == "encoder" else inside, inside if kind == "decoder" else unit)
    expected = rolled(trace(summary, kind)[1, 0], summary, kind, units)
    for component in ("attention_matrix", "head_view"):
        drawn = given(app, component)
        assert (drawn if drawn.ndim == 2 else drawn[0]) == pytest.approx(expected, abs=NEAR)
        assert drawn.sum(axis=-1) == pytest.approx(1, abs=len(expected[0]) * 1e-5)
    columns = labels(app, "attention_matrix", "columns")
    if kind != "decoder":
        counts = {"turn": 6, "speaker": 3, "token": len(summary.source)}  # five turns, two speakers, and the end
        assert len(columns) == counts.get(unit, len({token.word for token in summary.source}))
        known = {"turn": ["turn 1", "turn 2", "turn 3", "turn 9", "turn 10"], "speaker": ["#Person1#", "#Person2#"]}
        assert columns[: len(known.get(unit, []))] == known.get(unit, [])
        assert columns[-1] == "end"
    if kind == "encoder":
        assert labels(app, "attention_matrix") == columns


def test_units_of_both_sides_by_turn(app):
    summary = decoded()
    arrive(app, kind="encoder", row_unit="speaker", column_unit="word")
    expected = rolled(summary.attention.encoder_self[1].mean(axis=0), summary, "encoder", ("speaker", "word"))
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    choose(app, "column_unit", "speaker")
    expected = rolled(summary.attention.encoder_self[1].mean(axis=0), summary, "encoder", ("speaker", "speaker"))
    assert given(app, "ribbons") == pytest.approx(expected, abs=NEAR)
    assert labels(app, "ribbons") == labels(app, "ribbons", "columns") == ["#Person1#", "#Person2#", "end"]


def test_the_summarys_own_words_do_not_change_how_dialogues_are_shown(app):
    arrive(app)
    choose(choose(app, "kind", "decoder"), "row_unit", "token")
    assert app.query_params == {"kind": "decoder", "row_unit": "token"}
    choose(app, "kind", "cross")
    assert app.query_params == {"row_unit": "token"}
    assert labels(app, "ribbons", "columns")[0] == "turn 1"


@pytest.mark.parametrize("kind", KINDS)
def test_without_sinks_the_words_share_everything(app, kind):
    summary = decoded()
    keys = sides(summary, kind)[1]
    arrive(app, kind=kind, see="head", layer=1, head=2)
    choose(app, "sinks", "without")
    drawn = given(app, "attention_matrix")
    expected = without_sinks(trace(summary, kind)[0, 1], keys)
    assert drawn == pytest.approx(expected, abs=NEAR)
    marks = [place for place, token in enumerate(keys) if category(token) != "word"]
    assert len(marks) > 0 and not drawn[:, marks].any()
    sums = drawn.sum(axis=-1)
    first = next(place for place in range(len(keys)) if place not in marks)
    seen = slice(first, None) if kind == "decoder" else slice(None)  # a decoder row that sees marks alone has nothing
    assert sums[seen] == pytest.approx(1, abs=len(keys) * 1e-5)
    assert kind != "decoder" or not sums[:first].any()
    choose(app, "see", "turns")
    expected = rolled(expected, summary, kind, DEFAULT[kind])
    assert chart(app, "turn_matrix")["data"][0]["z"] == pytest.approx(expected, abs=1e-6)
    assert "without marks, tags and punctuation" in captions(app)


def test_the_sentence_about_sinks_counts_every_kind(app):
    summary = decoded()
    arrive(app, layer=1, head=2)
    mean = summary.attention.cross[0, 1].mean(axis=0)
    kinds = [category(token) for token in summary.source]
    names = {"end": "end", "turn": "turn marks", "speaker": "speaker tags", "punctuation": "punctuation"} | {
        "word": "words"
    }
    for kind, name in names.items():
        share = sum(float(mean[place]) for place, each in enumerate(kinds) if each == kind)
        assert share < 0.005 or f"{name} {said(share)}" in captions(app)
    before = captions(app)
    choose(app, "sinks", "without")
    assert "Only the words are shown, as 100 %" in captions(app)
    assert before.split("Of this")[1][:60] == captions(app).split("Of this")[1][:60]


@pytest.mark.parametrize("kind", KINDS)
def test_the_bars_of_all_heads_hold_all_attention(app, kind):
    summary = decoded()
    arrive(app, kind=kind, see="heads")
    bars = chart(app, "sinks_picture")["data"]
    assert np.sum([bar["x"] for bar in bars], axis=0) == pytest.approx(100, abs=1e-3)
    keys = sides(summary, kind)[1]
    marks = [place for place, token in enumerate(keys) if category(token) != "word"]
    others = trace(summary, kind)[..., marks].sum(axis=-1).mean(axis=-1).ravel()  # by layer and head
    words = next(bar["x"] for bar in bars if bar["name"] == "words")
    assert list(words) == pytest.approx(100 - 100 * others, abs=1e-3)
    most = int(others.argmax())
    assert f"On average {said(others.mean())}" in captions(app)
    assert f"layer {most // 2 + 1}, head {most % 2 + 1}, {said(others[most])}" in captions(app)


def test_the_sentence_under_a_matrix_has_its_numbers(app):
    summary = decoded()
    arrive(app, see="head", layer=1, head=1)
    matrix = summary.attention.cross[0, 0]
    best = matrix.mean(axis=0)
    sentence = next(each for each in captions(app).split("Cross-attention, ") if each.startswith("layer 1, head 1: "))
    assert f"{said(best.max())} of the attention" in sentence
    assert f"with {said(matrix.max())}." in sentence
    choose(app, "head", 2)
    assert sentence not in captions(app)
