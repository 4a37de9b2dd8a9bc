"""The Attention lab: edited cells, worked examples, shapes that do not fit, links, and every view."""

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from core.explain.attention_lab.block import block, random_maps
from core.explain.attention_lab.lab import scale_effect, step
from core.explain.attention_lab.matrix_text import write
from core.explain.attention_lab.presets import PRESETS, WORDS
from core.figures.attention_lab.lab import scale_picture
from core.figures.attention_lab.pitfalls import LESSONS
from core.text import links
from tests.closeness import printed
from tests.pages import driver
from tests.pages.components import change
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import another, data, element, go, open_link, said, send, tiny
from tests.pages.test_address import back

PAGE = "pages/attention_lab.py"
arrive = partial(open_link, PAGE, may_refuse=True)
choose = partial(driver.choose, may_refuse=True)
DIALOGUE = "Anna: I lost my keys at the station.\nBen: Did you ask the guard?"


def editor(app: AppTest, key: str, name: str) -> Any:
    """The data editor of a matrix."""
    return next(each for each in app.dataframe if (each.key or "").startswith(f"{key}_{name}_"))


def edit(app: AppTest, name: str, cells: dict[tuple[int, int], float | None], key: str = "lab_matrices") -> AppTest:
    """Type numbers into cells of a matrix, rows and columns from 0."""
    found = editor(app, key, name)
    rows: dict[str, dict[str, float | None]] = {}
    for (row, column), value in cells.items():
        rows.setdefault(str(row), {})[found.value.columns[column]] = value
    state = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    return send(app, WidgetState(id=found.proto.id, string_value=state))


def resize(app: AppTest, side: str, size: int, key: str = "lab_matrices") -> AppTest:
    """Give the edited matrix so many "rows" or "columns"."""
    return app.number_input(key=f"{key}_{side}").set_value(size).run()


def grids(app: AppTest) -> dict[str, dict[str, Any]]:
    """The matrices on the board, by the name of their step."""
    return {grid["name"]: grid for group in data(app, "matrix_board")["groups"] for grid in group["grids"]}


def numbers(app: AppTest, name: str) -> list[list[float]]:
    """The numbers of a matrix on the board."""
    texts = [[cell["text"] for cell in row] for row in grids(app)[name]["cells"]]
    return [[float(text.replace("−", "-").replace(",", "").replace("10⁹", "1e9")) for text in row] for row in texts]


def pick(app: AppTest, place: str) -> AppTest:
    """Lock a cell of the board, "weights.1.2", or release it with ""."""
    return change(app, "lab_board", pick={"cell": place, "version": data(app, "matrix_board")["version"]})


def refusals(app: AppTest) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")


def which(app: AppTest, name: str, key: str = "lab_matrices") -> AppTest:
    """Choose the matrix that is edited."""
    return choose(app, f"{key}_which", name)


def state(app: AppTest) -> list[str]:
    """The link, what is said about it and the matrices, and the board: numbers and formulas."""
    warnings = [each.value.replace("\\", "") for each in app.warning]
    chosen = [each.value for each in app.segmented_control if each.key == "lab_matrices_which"]
    drawn = {} if refusals(app) else grids(app)
    board = [f"{name} {grid['formula']}: {numbers(app, name)}" for name, grid in drawn.items()]
    captions = [each.value.replace("\\", "") for each in app.main.caption]
    lines = [f"Link: {app.query_params}, edited: {chosen}", refusals(app), *warnings, *captions, *board]
    return [line.replace("\xa0", " ") for line in lines]


SEVEN = PRESETS["reports"].inputs.query.copy()
SEVEN[1, 1] = 7
REPORTS = {name: getattr(PRESETS["reports"].inputs, name) for name in ("query", "key", "value", "mask")}
BLOCK = {
    "lab": "block", "lab_preset": "hidden", "lab_matrices": "1~~2~~3~~1", "lab_scoring": "dot", "lab_cell": "x.1.2",
    "lab_block": "1_2~~1_1~~1_1~0_0~~1_1~0_0~~2_2~0_0", "lab_stack": "decoder", "lab_norm": "pre", "lab_heads": "2",
}  # fmt: skip
NARROW = "1_2~~1~~1~~1"
WALKS: dict[str, tuple[dict[str, str], list[Callable[[AppTest], AppTest]]]] = {
    "an edited cell changes softmax, output and link; k3 is masked": (
        {}, [lambda app: edit(app, "query", {(0, 0): 2}), lambda app: edit(app, "query", {(0, 0): 0})]
    ),
    "an example has its own score and convention until others are chosen": ({"lab_preset": "masked"}, [
        lambda app: choose(app, "lab_mark_choice", "attend"),
        lambda app: choose(app, "lab_mark_choice", "blocked"),
        lambda app: choose(app, "lab_scoring_choice", "scaled"),
        lambda app: choose(app, "lab_preset", "hidden"),
        lambda app: choose(app, "lab_preset", "one"),
    ]),
    "a query of another width than the key; a score that takes it; the original": (
        {"lab_matrices": write(REPORTS | {"query": SEVEN})}, [
        lambda app: resize(app, "columns", 3),
        lambda app: choose(app, "lab_scoring_choice", "multiplicative"),
        lambda app: driver.press(app, "lab_matrices_reset"),
    ]),
    "a mask that is too narrow; its new column lets every query attend": ({}, [
        lambda app: resize(which(app, "mask"), "columns", 4), lambda app: resize(app, "columns", 5)
    ]),
    "an empty cell is named and stands in the link": (
        {}, [lambda app: edit(app, "query", {(0, 2): None}), lambda app: edit(app, "query", {(0, 2): 1})]
    ),
    "a locked cell opens its editor, goes with its row, and is released": ({}, [
        lambda app: pick(app, "key.2.1").run(),
        lambda app: resize(which(pick(app, "query.3.4"), "query"), "rows", 2),
        lambda app: resize(which(app, "mask"), "rows", 2),
        lambda app: pick(pick(app, "key.2.1"), ""),
    ]),
    "a block and matrices of a link": (BLOCK, [lambda app: choose(app, "lab", "attention")]),
    "four scores of the same matrices; W changes one": (
        {"lab": "scoring"}, [lambda app: edit(app, "bilinear", {(0, 0): 3}, "lab_parameters")]
    ),
    "four scores; those that are not possible": ({"lab": "scoring", "lab_matrices": NARROW}, []),
    "slips that follow the matrices": (
        {"lab": "slips", "lab_slip": "unapplied", "lab_matrices": "0~~1~1~1~1~~1~1~1~1~~1_0_0_0"},
        [lambda app: choose(app, "lab_slip", "query_mask")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("walk", WALKS)
def test_the_board_follows_the_matrices(app, walk, snapshot):
    """Each step is approved by the lines that it changes."""
    link, steps = WALKS[walk]
    states = [state(arrive(app, **link)), *(state(step(app)) for step in steps)]
    changes = [[line for line in now if line not in before] for before, now in pairwise([[], *states])]
    assert "\n\n".join("\n".join(lines) for lines in changes) == snapshot


def test_a_step_names_its_lines_of_the_source(app):
    for name, file in (
        ("weights", "core/model/attention.py:"),
        ("additive/scores", "core/explain/attention_lab/steps.py:"),
    ):
        grid = grids(arrive(another(app), lab="scoring" if "/" in name else "attention"))[name]
        assert grid["source"].startswith(file) and grid["code"]


def test_a_link_to_a_step_that_is_left_out_shows_every_step(app):
    link = {"lab": "scoring", "lab_cell": "multiplicative/W.2.1"}
    assert "multiplicative/W" in grids(arrive(app, **link)) and app.query_params == link
    app.toggle(key="lab_every_step").set_value(False).run()
    assert "multiplicative/W" not in grids(app) and "lab_cell" not in app.query_params


def test_edits_survive_matrices_views_and_pages_and_back_undoes_them(app, monkeypatch):
    lab = edit(arrive(app), "query", {(0, 0): 2})
    before = dict(lab.query_params)
    edit(which(lab, "key"), "key", {(4, 3): 5})
    kept = dict(lab.query_params)
    for view in ("block", "attention"):
        choose(lab, "lab", view)
    assert editor(lab, "lab_matrices", "key").value.iloc[4, 3] == 5 and lab.query_params == kept
    go(go(lab, DECODING), PAGE)
    assert lab.query_params == kept and numbers(lab, "query")[0] == [2, 0, 0, 0] and numbers(lab, "key")[4][3] == 5
    back(lab, monkeypatch, **before)
    assert numbers(lab, "query")[0][0] == 2 and numbers(lab, "key")[4][3] == 0
    assert editor(lab, "lab_matrices", "key").value.iloc[4, 3] == 0


def test_a_link_from_when_a_block_held_every_token_counts_its_rows_by_tokens(app):
    link = {"lab": "block", "lab_block_of": "tokens", "lab_token": "3", "lab_cell": "x.3.2"}
    assert arrive(app, **link).query_params == link | {"lab_cell": "x.1.2"}


@pytest.mark.parametrize("view", ["scale", "block", "attention", "slips"])
def test_scores_that_are_not_possible_do_not_hide_other_views(app, view):
    arrive(app, lab=view, lab_matrices=NARROW)
    refused = "query and key must have the same width. Received: query (1, 2), key (1, 1)"
    assert (refused in refusals(app).lower().replace("received", "Received")) == (view in ("attention", "slips"))


def test_the_scale_follows_keys_and_seed(app):
    arrive(app, lab="scale", lab_keys=4, lab_seed=2)
    assert element(app, "plotly_chart", "scale_picture").proto.alt == scale_picture(scale_effect(4, 2)).caption
    assert "d = 4: the largest weight of a query is on average 38 %" in said(app)


# A whole block -------------------------------------------------------------------------------------------------------


def test_a_whole_block_can_be_opened_and_edited(app):
    arrive(app, lab="block")
    steps = block(random_maps(4, 1, 6, 0), WORDS, [np.ones((5, 5))])
    for name in ("self/weights", "self/norm", "feed/norm"):
        printed(numbers(app, name), step(steps, name).values, 3)
    opened, before = {"self/query", "self/scores", "self/W_query", "feed/W_expand"}, numbers(app, "feed/norm")
    assert not opened & set(grids(app))
    for switch in ("lab_every_step", "lab_show_inside", "lab_show_weights"):
        app.toggle(key=switch).set_value(True)
    edit(which(app, "feed", "lab_block"), "feed", {(0, 0): 2, (1, 0): 5}, "lab_block")
    after = np.array(numbers(app, "feed/norm"))
    assert opened <= set(grids(app)) and after[:, 1:].tolist() == [row[1:] for row in before]
    np.testing.assert_allclose(after[:, 0], [2 * row[0] + 5 for row in before], atol=2e-3)  # three digits, times two
    resize(which(app, "x", "lab_block"), "columns", 1, "lab_block")
    assert numbers(app, "self/variance") == [[0]] * 5 and numbers(app, "feed/norm") == [[5]] * 5  # β is left


def test_a_decoder_block_has_a_third_sub_layer_and_looks_back_only(app):
    arrive(app, lab="block", lab_stack="decoder")
    assert {name.partition("/")[0] for name in grids(app)} == {"x", "memory", "self", "cross", "feed"}
    assert np.triu(numbers(app, "self/weights"), 1).sum() == 0 and list(grids(app))[-1] == "feed/norm"
    choose(app, "lab_norm", "pre")
    assert list(grids(app))[-1] == "feed/sum"
    assert "Pre-norm:" in element(app, "plotly_chart", "norms_picture").proto.alt


def test_a_block_on_the_users_tokens_gives_the_models_numbers(app):
    link = {"lab": "block", "lab_block_of": "tokens", "lab_stack": "decoder", "lab_layer": "2", "lab_token": "3"}
    lab = arrive(app, **link, input="paste", t=links.pack(DIALOGUE))
    summary = tiny().summarize(DIALOGUE)
    printed(numbers(lab, "x"), summary.decoder_hidden[1][2:3, :8], 3)
    printed(numbers(lab, "feed/sum"), summary.decoder_hidden[2][2:3, :8], 3)  # pre-norm
    assert "is the same as the model's own output" in said(lab) and grids(lab)["x"]["more"] == 8
    assert "cross/sum" in grids(lab)


# Slips ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_computes(app, name):
    assert grids(arrive(app, lab="slips", lab_slip=name)) and not refusals(app)
