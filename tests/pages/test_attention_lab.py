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
from pages.shared.frame import address
from tests.pages import driver
from tests.pages.conftest import paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.driver import another, data, element, go, noted, notes, open_link, send, tiny
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
    state = json.dumps({"pick": {"cell": place, "version": data(app, "matrix_board")["version"]}})
    return send(app, WidgetState(id=element(app, "bidi_component", "lab_board").proto.id, json_value=state))


def refusals(app: AppTest) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")


def said(app: AppTest) -> str:
    """Captions and paragraphs, without Markdown's marks, and with common blanks."""
    texts = [each.value for each in (*app.caption, *app.markdown)]
    return " ".join(texts).replace("\\", "").replace("*", "").replace("\xa0", " ")


@pytest.fixture
def lab(app):
    """The page on a first visit."""
    return arrive(app)


def which(app, name: str, key: str = "lab_matrices"):
    """Choose the matrix that is edited."""
    return choose(app, f"{key}_which", name)


def test_an_edited_cell_changes_softmax_output_and_link(lab):
    assert not refusals(lab) and lab.query_params == {}
    assert list(grids(lab)) == ["query", "key", "scores", "scaled", "mask", "masked", "weights", "value", "output"]
    assert numbers(lab, "scores") == [[0, 0, 0, 0, 0], [2, 2, 0, 0, 1], [1, 2, 0, 0, 0]]
    assert grids(lab)["scaled"]["formula"] == "scores ÷ √4" and grids(lab)["mask"]["formula"] == "1 = attend"
    for name in ("scores", "scaled", "masked", "weights", "output"):
        assert grids(lab)[name]["source"].startswith("core/model/attention.py:") and grids(lab)[name]["code"]
    edit(lab, "query", {(0, 0): 2})
    assert numbers(lab, "scores")[0] == [2, 2, 0, 0, 2]
    assert numbers(lab, "weights")[0] == pytest.approx([0.297, 0.297, 0, 0.109, 0.297])  # e ÷ (3e + 1); k3 is masked
    assert numbers(lab, "output")[0] == pytest.approx([0.406, 0.703])
    assert "q1 looks equally at k1, k2 and k5 (30 % each)" in said(lab) and "15 of 21 numbers of the original" in said(
        lab
    )
    assert lab.query_params["lab_matrices"].startswith("2_0_0_0~1_0_0_1~0_1_0_1~~1_0_0_1~")
    edit(lab, "query", {(0, 0): 0})
    assert lab.query_params == {} and "21 of 21" in said(lab)


def test_each_worked_example_has_its_own_numbers_score_and_convention(lab):
    for name, count in (("slides", 70), ("reports", 21), ("masked", 6)):
        choose(lab, "lab_preset", name)
        assert f"{count} of {count} numbers of the original" in said(lab)
        assert lab.query_params == ({} if name == "reports" else {"lab_preset": name})
    assert "scaled" not in grids(lab) and grids(lab)["mask"]["formula"] == "1 = blocked"
    assert numbers(lab, "masked")[0] == [1.2, -1e9, -1e9, -1e9, -1e9]
    choose(lab, "lab_mark_choice", "attend")
    assert lab.query_params["lab_mark"] == "attend" and numbers(lab, "weights")[4] == pytest.approx([0.2] * 5)
    assert "q5 may look nowhere" in said(lab)
    choose(lab, "lab_mark_choice", "blocked")
    choose(lab, "lab_scoring_choice", "scaled")
    assert lab.query_params == {"lab_preset": "masked", "lab_scoring": "scaled"} and "scaled" in grids(lab)
    choose(lab, "lab_preset", "hidden")
    assert numbers(lab, "weights")[1] == pytest.approx([1 / 3] * 3, abs=1e-3) and "no division by zero" in said(lab)
    choose(lab, "lab_preset", "one")
    assert numbers(lab, "weights") == [[1]] and numbers(lab, "output") == [[3]]


def test_wrong_shapes_and_empty_cells_are_named_and_nothing_is_lost(app):
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
    choose(lab, "lab_scoring_choice", "scaled")
    lab.button(key="lab_matrices_reset").click().run()
    assert not refusals(lab) and lab.query_params == {}
    resize(which(lab, "mask"), "columns", 4)
    assert "Received: mask (3, 4), query (3, 4), key (5, 4)" in refusals(lab)
    resize(lab, "columns", 5)
    assert numbers(lab, "mask")[0] == [1, 1, 0, 1, 1]  # the new column lets every query attend
    lab.button(key="lab_matrices_reset").click().run()
    edit(which(lab, "query"), "query", {(0, 2): None})
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
    go(lab, DECODING)
    assert lab.query_params == {}
    go(lab, PAGE)
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
    again = arrive(another(lab), **lab.query_params)
    assert again.query_params == {"lab_cell": "query.3.4"} and not notes(again)
    for name in ("query", "mask"):
        resize(which(again, name), "rows", 2)
    assert "lab_cell" not in again.query_params and not notes(again) and not refusals(again)
    pick(lab, "")
    assert lab.query_params == {}


EVERYTHING = {
    "lab": "block", "lab_preset": "hidden", "lab_matrices": "1~~2~~3~~1", "lab_mark": "blocked",
    "lab_scoring": "dot", "lab_parameters": "3~~1~2~~1~2~~1_1", "lab_cell": "x.1.2", "lab_keys": "5",
    "lab_seed": "3", "lab_block_of": "tokens", "lab_block": "1_2~~1_1~~1_1~0_0~~1_1~0_0~~2_2~0_0",
    "lab_stack": "decoder", "lab_norm": "pre", "lab_heads": "2", "lab_layer": "2", "lab_token": "3",
    "lab_slip": "norm",
}  # fmt: skip
"""A link with a value other than the first one for all that a link to the page can say."""


def test_a_link_reopens_everything_and_notes_nonsense(app):
    assert set(EVERYTHING) == {field.name for field in address.own_fields("attention_lab")}
    arrive(app, **EVERYTHING)
    assert app.query_params == EVERYTHING and not notes(app) and not refusals(app)
    # A link from when a block held every token counts the rows by tokens.
    assert arrive(another(app), **EVERYTHING | {"lab_cell": "x.3.2"}).query_params == EVERYTHING
    choose(app, "lab_block_of", "matrix")
    assert numbers(app, "x") == [[1, 2]] and numbers(app, "feed/gamma") == [[2, 2]] and "cross/weights1" in grids(app)
    choose(app, "lab", "attention")
    assert numbers(app, "query") == [[1]] and "scaled" not in grids(app)
    # What each field allows is tested in `test_fields`; here is what depends on the matrices and the run.
    block = {"lab": "block"}
    for link, vain, found in [
        (block | {"lab_seed": "4"}, {"lab_block": "1~~2", "lab_cell": "weights.99.1"}, ["=1~~2", "cell weights.99.1"]),
        ({"lab": "scoring"}, {"lab_matrices": "1_2~3~~x~~1", "lab_parameters": "nan"}, ["=1_2~3~~x~~1", "=nan"]),
        (block | {"lab_block_of": "tokens"}, {"lab_layer": "77", "lab_token": "9000"}, ["layer 77", "token 9000"]),
    ]:
        other = arrive(another(app), **link, **vain)
        assert all(each in noted(other) for each in found)
        assert not refusals(other) and other.query_params == link


def test_four_scores_on_the_same_matrices(lab):
    choose(lab, "lab", "scoring")
    found = grids(lab)
    scores = ["scaled", "dot", "multiplicative", "additive"]
    assert [name for name in found if name.endswith("/weights")] == [f"{name}/weights" for name in scores]
    assert numbers(lab, "multiplicative/weights") == numbers(lab, "dot/weights")  # W changes nothing yet
    assert found["additive/scores"]["source"].startswith("core/explain/lab_steps.py:")
    edit(lab, "bilinear", {(0, 0): 3}, "lab_parameters")
    assert numbers(lab, "multiplicative/scores")[1] == [4, 4, 0, 0, 3]
    assert numbers(lab, "dot/scores")[1] == [2, 2, 0, 0, 1] and "lab_parameters" in lab.query_params
    # Scores that are not possible do not hide the others; every view can be looked at with such matrices.
    other = arrive(another(lab), lab="scoring", lab_matrices="1_2~~1~~1~~1")
    warnings = " ".join(each.value for each in other.warning).replace("\\", "")
    assert "Scaled dot product: query and key must have the same width. Received: query (1, 2), key (1, 1)" in warnings
    assert [name for name in grids(other) if name.endswith("weights")] == [f"{name}/weights" for name in scores[2:]]
    for view in ("scale", "block", "attention", "slips"):
        choose(other, "lab", view)
        assert ("Received: query (1, 2), key (1, 1)" in refusals(other)) == (view in ("attention", "slips"))


def test_the_scale_follows_keys_and_seed(lab):
    choose(lab, "lab", "scale")
    assert element(lab, "plotly_chart", "scale_picture").proto.alt == scale_picture(scale_effect(16, 0)).caption
    lab.slider(key="lab_keys").set_value(4).run()
    lab.number_input(key="lab_seed").set_value(2).run()
    assert element(lab, "plotly_chart", "scale_picture").proto.alt == scale_picture(scale_effect(4, 2)).caption
    assert lab.query_params == {"lab": "scale", "lab_keys": "4", "lab_seed": "2"}
    assert "d = 4: the largest weight of a query is on average 38 %" in said(lab)


def test_a_whole_block_can_be_opened_and_edited(lab):
    choose(lab, "lab", "block")
    steps = block(random_maps(4, 1, 6, 0), WORDS, [np.ones((5, 5))])
    for name in ("self/weights", "self/norm", "feed/norm"):
        np.testing.assert_allclose(numbers(lab, name), step(steps, name).values, atol=6e-4)
    assert "self/query" not in grids(lab) and "self/W_output" not in grids(lab)
    for switch in ("lab_show_inside", "lab_show_weights"):
        lab.toggle(key=switch).set_value(True).run()
    assert {"self/query", "self/scores", "self/W_query", "feed/W_expand"} <= set(grids(lab))
    before = numbers(lab, "feed/norm")
    edit(which(lab, "feed", "lab_block"), "feed", {(0, 0): 2, (1, 0): 5}, "lab_block")
    after = numbers(lab, "feed/norm")
    assert [row[0] for row in after] == pytest.approx([2 * row[0] + 5 for row in before], abs=2e-3)
    assert [row[1:] for row in after] == [row[1:] for row in before]
    resize(which(lab, "x", "lab_block"), "columns", 1, "lab_block")
    assert numbers(lab, "self/variance") == [[0]] * 5 and numbers(lab, "feed/norm") == [[5]] * 5  # β is left
    lab.button(key="lab_block_reset").click().run()
    choose(lab, "lab_stack", "decoder")  # has a third sub-layer and looks back only
    assert {name.partition("/")[0] for name in grids(lab)} == {"x", "memory", "self", "cross", "feed"}
    assert np.triu(numbers(lab, "self/weights"), 1).sum() == 0 and list(grids(lab))[-1] == "feed/norm"
    choose(lab, "lab_norm", "pre")
    assert list(grids(lab))[-1] == "feed/sum"
    assert "Pre-norm:" in element(lab, "plotly_chart", "norms_picture").proto.alt


def test_a_block_on_the_users_tokens_gives_the_models_numbers(lab):
    choose(choose(lab, "lab", "block"), "lab_block_of", "tokens")
    paste(lab, DIALOGUE)
    summary = tiny().summarize(DIALOGUE)
    choose(choose(choose(lab, "lab_stack", "decoder"), "lab_layer", 2), "lab_token", 3)
    np.testing.assert_allclose(numbers(lab, "x"), summary.decoder_hidden[1][2:3, :8], atol=6e-4)
    np.testing.assert_allclose(numbers(lab, "feed/sum"), summary.decoder_hidden[2][2:3, :8], atol=6e-4)  # pre-norm
    assert "is the same as the model's own output" in said(lab) and grids(lab)["x"]["more"] == 8
    assert "cross/norm" in grids(lab) and lab.query_params["lab_token"] == "3"


def test_every_lesson_computes_and_some_follow_the_matrices(app):
    arrive(app, lab="slips")
    for name in LESSONS:
        choose(app, "lab_slip", name)
        assert not refusals(app) and grids(app)
        assert app.query_params == {"lab": "slips"} | ({} if name == "convention" else {"lab_slip": name})
    other = arrive(another(app), lab="slips", lab_slip="unapplied", lab_matrices="0~~1~1~1~1~~1~1~1~1~~1_0_0_0")
    assert "In the mean of 1 query, 75 % of the attention goes to keys that the mask hides" in said(other)
    choose(other, "lab_slip", "query_mask")
    assert "leaves 75 % of the attention on keys that it hides, exactly what no mask gives" in said(other)
    assert numbers(other, "weights") == [[0.25] * 4] and numbers(other, "weights~2") == [[1, 0, 0, 0]]
