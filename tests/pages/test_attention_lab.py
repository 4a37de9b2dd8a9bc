"""The Attention lab: edited cells, worked examples, shapes that do not fit, links, and every view."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from core.explain.block_lab import block, random_maps
from core.explain.lab import scale_effect, step
from core.explain.lab_presets import PRESETS, WORDS
from core.explain.matrix_text import write
from core.figures.lab import scale_picture
from core.figures.pitfalls import LESSONS
from core.text import links
from tests.closeness import printed
from tests.pages import driver
from tests.pages.components import change
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import another, data, element, go, noted, notes, open_link, said, send, tiny
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


def shown(found: list[list[float]], expected: object) -> None:
    """Check numbers of the board, which shows three digits."""
    printed(found, expected, 3)


@pytest.fixture
def lab(app):
    """The page on a first visit."""
    return arrive(app)


def test_an_edited_cell_changes_softmax_output_and_link(lab):
    assert list(grids(lab)) == ["query", "key", "scores", "scaled", "mask", "masked", "weights", "value", "output"]
    assert numbers(lab, "scores") == [[0, 0, 0, 0, 0], [2, 2, 0, 0, 1], [1, 2, 0, 0, 0]]
    assert grids(lab)["scaled"]["formula"] == "scores ÷ √4" and grids(lab)["mask"]["formula"] == "1 = attend"
    assert grids(lab)["weights"]["source"].startswith("core/model/attention.py:") and grids(lab)["weights"]["code"]
    edit(lab, "query", {(0, 0): 2})
    assert numbers(lab, "scores")[0] == [2, 2, 0, 0, 2]
    shown(numbers(lab, "weights")[0], [0.297, 0.297, 0, 0.109, 0.297])  # e ÷ (3e + 1); k3 is masked
    shown(numbers(lab, "output")[0], [0.406, 0.703])
    assert "q1 looks equally at k1, k2 and k5 (30 % each)" in said(lab)
    assert "15 of 21 numbers of the original" in said(lab)
    assert lab.query_params["lab_matrices"].startswith("2_0_0_0~1_0_0_1~0_1_0_1~~1_0_0_1~")
    edit(lab, "query", {(0, 0): 0})
    assert lab.query_params == {} and "21 of 21" in said(lab)


def test_an_example_has_its_own_score_and_convention_until_another_is_chosen(app):
    lab = arrive(app, lab_preset="masked")
    assert "scaled" not in grids(lab) and grids(lab)["mask"]["formula"] == "1 = blocked"
    assert numbers(lab, "masked")[0] == [1.2, -1e9, -1e9, -1e9, -1e9]
    choose(lab, "lab_mark_choice", "attend")
    assert lab.query_params["lab_mark"] == "attend" and "q5 may look nowhere" in said(lab)
    shown(numbers(lab, "weights")[4], [0.2] * 5)
    choose(lab, "lab_mark_choice", "blocked")
    choose(lab, "lab_scoring_choice", "scaled")
    assert lab.query_params == {"lab_preset": "masked", "lab_scoring": "scaled"} and "scaled" in grids(lab)
    choose(lab, "lab_preset", "hidden")
    shown(numbers(lab, "weights")[1], [1 / 3] * 3)
    assert "no division by zero" in said(lab)


def test_wrong_shapes_are_named_and_nothing_is_lost(app):
    reports = PRESETS["reports"].inputs
    query = reports.query.copy()
    query[1, 1] = 7
    matrices = {"query": query, "key": reports.key, "value": reports.value, "mask": reports.mask}
    lab = arrive(app, lab_matrices=write(matrices))
    resize(lab, "columns", 3)
    assert "Query and key must have the same width. Received: query (3, 3), key (5, 4)" in refusals(lab)
    assert editor(lab, "lab_matrices", "query").value.iloc[1, 1] == 7
    choose(lab, "lab_scoring_choice", "multiplicative")
    assert not refusals(lab) and numbers(lab, "scores") == [[0] * 5, [1, 8, 0, 0, 1], [0, 1, 0, 0, 0]]
    driver.press(lab, "lab_matrices_reset")
    assert lab.query_params == {"lab_scoring": "multiplicative"}
    resize(which(lab, "mask"), "columns", 4)
    assert "Received: mask (3, 4), query (3, 4), key (5, 4)" in refusals(lab)
    resize(lab, "columns", 5)
    assert numbers(lab, "mask")[0] == [1, 1, 0, 1, 1]  # the new column lets every query attend


def test_an_empty_cell_is_named_and_stands_in_the_link(lab):
    edit(lab, "query", {(0, 2): None})
    assert "Received: an empty cell in query, row 1, column 3" in refusals(lab)
    assert lab.query_params["lab_matrices"].startswith("0_0_x_0~")
    edit(lab, "query", {(0, 2): 1})
    assert not refusals(lab) and numbers(lab, "query")[0] == [0, 0, 1, 0]


def test_edits_survive_matrices_views_and_pages_and_back_undoes_them(lab, monkeypatch):
    edit(lab, "query", {(0, 0): 2})
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


def test_a_locked_cell_stands_in_the_link_opens_its_editor_and_goes_with_its_row(lab):
    pick(lab, "key.2.1")
    assert lab.query_params == {"lab_cell": "key.2.1"}
    lab.run()
    assert lab.segmented_control(key="lab_matrices_which").value == "key"
    pick(lab, "query.3.4")
    for name in ("query", "mask"):
        resize(which(lab, name), "rows", 2)
    assert "lab_cell" not in lab.query_params and not notes(lab) and not refusals(lab)
    pick(pick(lab, "key.2.1"), "")
    assert "lab_cell" not in lab.query_params


BLOCK = {
    "lab": "block", "lab_preset": "hidden", "lab_matrices": "1~~2~~3~~1", "lab_scoring": "dot", "lab_cell": "x.1.2",
    "lab_block": "1_2~~1_1~~1_1~0_0~~1_1~0_0~~2_2~0_0", "lab_stack": "decoder", "lab_norm": "pre", "lab_heads": "2",
}  # fmt: skip
"""A link of matrices and a cell that fit together; what each other field says is tested for every page."""


def test_matrices_of_a_link_are_those_that_are_shown(app):
    arrive(app, **BLOCK)
    assert app.query_params == BLOCK and not notes(app) and not refusals(app)
    assert numbers(app, "x") == [[1, 2]] and numbers(app, "feed/gamma") == [[2, 2]] and "cross/weights1" in grids(app)
    choose(app, "lab", "attention")
    assert numbers(app, "query") == [[1]] and "scaled" not in grids(app)


def test_a_link_from_when_a_block_held_every_token_counts_its_rows_by_tokens(app):
    link = {"lab": "block", "lab_block_of": "tokens", "lab_token": "3", "lab_cell": "x.3.2"}
    assert arrive(app, **link).query_params == link | {"lab_cell": "x.1.2"}


@pytest.mark.parametrize(
    ("link", "vain", "found"),
    [
        ({"lab": "block"}, {"lab_block": "1~~2", "lab_cell": "weights.99.1"}, ["=1~~2", "cell weights.99.1"]),
        ({"lab": "scoring"}, {"lab_matrices": "1_2~3~~x~~1", "lab_parameters": "nan"}, ["=1_2~3~~x~~1", "=nan"]),
    ],
)
def test_matrices_that_do_not_fit_are_noted(app, link, vain, found):
    arrive(app, **link, **vain)
    assert all(each in noted(app) for each in found)
    assert not refusals(app) and app.query_params == link


SCORES = ["scaled", "dot", "multiplicative", "additive"]


def test_four_scores_on_the_same_matrices(app):
    lab = arrive(app, lab="scoring")
    found = grids(lab)
    assert [name for name in found if name.endswith("/weights")] == [f"{name}/weights" for name in SCORES]
    assert numbers(lab, "multiplicative/weights") == numbers(lab, "dot/weights")  # W changes nothing yet
    assert found["additive/scores"]["source"].startswith("core/explain/lab_steps.py:")
    edit(lab, "bilinear", {(0, 0): 3}, "lab_parameters")
    assert numbers(lab, "multiplicative/scores")[1] == [4, 4, 0, 0, 3]
    assert numbers(lab, "dot/scores")[1] == [2, 2, 0, 0, 1]
    link = dict(lab.query_params)
    assert "lab_parameters" in link and arrive(another(lab), **link).query_params == link


@pytest.mark.parametrize("view", ["scoring", "scale", "block", "attention", "slips"])
def test_scores_that_are_not_possible_hide_neither_the_others_nor_other_views(app, view):
    arrive(app, lab=view, lab_matrices="1_2~~1~~1~~1")
    refused = "query and key must have the same width. Received: query (1, 2), key (1, 1)"
    assert (refused in refusals(app).lower().replace("received", "Received")) == (view in ("attention", "slips"))
    if view == "scoring":
        warnings = " ".join(each.value for each in app.warning).replace("\\", "")
        assert f"Scaled dot product: {refused}" in warnings
        assert [name for name in grids(app) if name.endswith("weights")] == [f"{name}/weights" for name in SCORES[2:]]


def test_the_scale_follows_keys_and_seed(app):
    arrive(app, lab="scale", lab_keys=4, lab_seed=2)
    assert element(app, "plotly_chart", "scale_picture").proto.alt == scale_picture(scale_effect(4, 2)).caption
    assert "d = 4: the largest weight of a query is on average 38 %" in said(app)


# A whole block -------------------------------------------------------------------------------------------------------


def test_a_whole_block_can_be_opened_and_edited(app):
    arrive(app, lab="block")
    steps = block(random_maps(4, 1, 6, 0), WORDS, [np.ones((5, 5))])
    for name in ("self/weights", "self/norm", "feed/norm"):
        shown(numbers(app, name), step(steps, name).values)
    opened, before = {"self/query", "self/scores", "self/W_query", "feed/W_expand"}, numbers(app, "feed/norm")
    assert not opened & set(grids(app))
    for switch in ("lab_show_inside", "lab_show_weights"):
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
    shown(numbers(lab, "x"), summary.decoder_hidden[1][2:3, :8])
    shown(numbers(lab, "feed/sum"), summary.decoder_hidden[2][2:3, :8])  # pre-norm
    assert "is the same as the model's own output" in said(lab) and grids(lab)["x"]["more"] == 8
    assert "cross/norm" in grids(lab)


# Slips ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_computes(app, name):
    assert grids(arrive(app, lab="slips", lab_slip=name)) and not refusals(app)


def test_some_lessons_follow_the_matrices(app):
    arrive(app, lab="slips", lab_slip="unapplied", lab_matrices="0~~1~1~1~1~~1~1~1~1~~1_0_0_0")
    assert "In the mean of 1 query, 75 % of the attention goes to keys that the mask hides" in said(app)
    choose(app, "lab_slip", "query_mask")
    assert "leaves 75 % of the attention on keys that it hides, exactly what no mask gives" in said(app)
    assert numbers(app, "weights") == [[0.25] * 4] and numbers(app, "weights~2") == [[1, 0, 0, 0]]
