"""The Positions page with a model: the sum that it reads, learned tables, and summaries without their positions."""

import json

import numpy as np
import pytest

from core import checkpoints
from core.experiments.positions import first_input, places
from core.figures.wording import nats
from pages.shared import model
from tests.pages.conftest import SECONDS, paste
from tests.pages.driver import FIRST, chart, choose, decoded, element, healthy, noted, tiny
from tests.pages.experiments import difference, packed
from tests.pages.positions import arrive, base, example, number, placed, said, tables, write_learned

SHORT = "Anna: Hi <b>Ben</b>, *where* is it?\nBen: No idea $x$."


def bars(app, key: str) -> list[float]:
    """Lengths of the bars, both signs together."""
    drawn = [each for each in chart(app, key)["data"] if each["type"] == "bar"]
    side = "x" if drawn[0].get("orientation") == "h" else "y"
    return list(np.sum([np.asarray(each[side], dtype=float) for each in drawn], axis=0))


# The sum ------------------------------------------------------------------------------------------------------------


def test_the_slides_sum(app):
    arrive(app, pos_view="sum", pos_sum="slides")
    assert "Row 1: 5 of 5 sums are as the lecture slides print them" in said(app)
    (table,) = tables(app)
    assert list(table["Printed"]) == [
        "1.1414709 ✓", "0.74030226 ✓", "0.25782666 ✓", "1.7874668 ✓", "0.6251162 ✓"
    ]  # fmt: skip
    assert list(table["Sum"]) == [each.removesuffix(" ✓") for each in table["Printed"]]


def test_the_sum_of_ones_own_tokens(app):
    arrive(app, pos_view="sum", pos_token=4)
    found = first_input(tiny(), decoded())
    maps = [each["z"] for each in chart(app, "pos_sum_picture")["data"] if each["type"] == "heatmap"]
    for drawn, whole in zip(maps, (found.embedded, found.positions, found.read), strict=True):
        np.testing.assert_allclose(drawn, whole[1:6, :6], atol=1e-5)
    bars_drawn = chart(app, "pos_token_picture")["data"]
    assert list(bars_drawn[2]["y"]) == pytest.approx(found.read[3], abs=1e-5)
    assert list(chart(app, "pos_norms_picture")["data"][0]["y"]) == pytest.approx(found.norms[0])
    assert "stands at position 3" in said(app) and "Largest distance of these sums" in said(app)
    assert "d = 16 and √d = 4.00" in said(app)
    number(app, "pos_token", 1)
    maps = [each["z"] for each in chart(app, "pos_sum_picture")["data"] if each["type"] == "heatmap"]
    np.testing.assert_allclose(maps[0], found.embedded[:3, :6], atol=1e-5)


def test_a_link_that_asks_for_a_token_beyond_the_dialogue(app):
    arrive(app, pos_view="sum", pos_token=9999)
    last = len(decoded().source)
    assert f"asks for token 9,999; the last one here is {last}" in noted(app)
    assert app.number_input(key="pos_token").value == last


# The test -----------------------------------------------------------------------------------------------------------


def shows(app, run, found) -> None:
    """The page shows this outcome."""
    if found.text == run.text:
        assert "The model writes the same summary." in said(app)
    else:
        assert difference(app, "pos_diff") == (packed(run.text), packed(found.text))
    assert bars(app, "pos_tokens_picture") == pytest.approx(found.after - found.before, abs=1e-5)
    metrics = {each.label: each.value for each in app.metric}
    assert metrics["The old summary loses"] == nats(found.drop)


def test_positions_are_removed_shuffled_shifted_and_reversed(app):
    arrive(app, pos_view="test")
    run = base()
    size = len(run.condition.encoded.ids)
    every = {
        "removed": (-1,) * size,
        "shuffled": places("shuffled", size, 192, seed=0),
        "shifted": tuple(range(20, 20 + size)),
        "reversed": tuple(range(size))[::-1],
    }
    found = {change: placed(run, given) for change, given in every.items()}
    for change, outcome in found.items():
        choose(app, "pos_change", change)
        shows(app, run, outcome)
        assert app.query_params.get("pos_change", "removed") == change
    assert bars(app, "pos_changes_picture") == pytest.approx([each.drop for each in found.values()], abs=1e-4)
    (table,) = tables(app)
    assert list(table["Positions"]) == list(every) and list(table["Loses"]) == [nats(o.drop) for o in found.values()]
    assert "the summary loses 0.00 nats: the detour itself changes nothing" in said(app)
    assert "The copy head writes ids of source tokens" in said(app)


def test_another_seed_and_another_shift(app):
    arrive(app, pos_view="test", pos_change="shuffled", pos_seed=5)
    run = base()
    size = len(run.condition.encoded.ids)
    shows(app, run, placed(run, places("shuffled", size, 192, seed=5)))
    choose(app, "pos_change", "shifted")
    number(app, "pos_shift", 3)
    shows(app, run, placed(run, tuple(range(3, 3 + size))))
    assert app.query_params["pos_shift"] == "3" and "with positions shifted by 3" in said(app).casefold()


def test_a_shift_beyond_the_table_is_refused_and_the_rest_stays(app):
    app.query_params.update({"pos_view": "test", "pos_change": "shifted", "pos_shift": "500"})
    app.switch_page("pages/positions.py").run()
    assert not app.exception
    size = len(base().condition.encoded.ids)
    assert f"The table ends: it has 192 positions, and {size} tokens can move by 0 to {192 - size}" in said(app)
    assert "Received: 500" in said(app) and len(bars(app, "pos_changes_picture")) == 3
    number(app, "pos_shift", 1)
    healthy(app)
    assert len(bars(app, "pos_changes_picture")) == 4


def test_a_sampled_summary_is_drawn_with_its_seed(app):
    arrive(app, pos_view="test", strategy="sample", seed=4)
    run = base(strategy="sample", seed=4)
    shows(app, run, placed(run, (-1,) * len(run.condition.encoded.ids)))


def test_markup_stays_text(app):
    app.run()
    paste(app, SHORT)
    for view in ("sum", "test"):
        arrive(app, pos_view=view, input="paste") if view == "sum" else choose(app, "pos_view", view)
        assert not [each for each in app.markdown if "<b>" in each.value.replace("\\<", "")]
    run = base(SHORT)
    shows(app, run, placed(run, (-1,) * len(run.condition.encoded.ids)))


def test_without_a_dialogue_there_is_a_way_out(app):
    app.run()
    app.segmented_control(key="input").set_value("paste").run()
    app.query_params["pos_view"] = "test"
    app.switch_page("pages/positions.py").run()
    choose(app, "pos_view", "test")
    assert "No dialogue is chosen yet" in said(app)


# Learned positions --------------------------------------------------------------------------------------------------


@pytest.fixture
def learned(app, tiny_checkpoint, tmp_path_factory, monkeypatch):
    """The app with one checkpoint, whose positions are learned; in a folder of its own, or others would see it."""
    folder = tmp_path_factory.mktemp("learned")
    write_learned(folder / "learned", tiny_checkpoint)
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    job = model.job("learned")
    assert job.done.wait(SECONDS) and job.error is None
    yield app
    job.thread.join(SECONDS)


def test_a_learned_table(learned):
    arrive(learned)
    example(learned, "Learned")
    table = model.job("learned").summarizer.checkpoint.weights["source_positions/table"].astype("float32")
    np.testing.assert_allclose(chart(learned, "pos_map_picture")["data"][0]["z"], table[:100], atol=1e-6)
    assert learned.query_params["pos_table"] == "learned"
    assert "The encoder’s table has 192 rows of 16 trained numbers; shown are 100" in said(learned)
    assert f"position 3, dimension 2, is **{table[3, 2]:.6f}**" in said(learned)
    choose(learned, "pos_view", "distance")
    assert "The best map by least squares leaves" in said(learned)
    number(learned, "pos_length", 5)
    assert "with no more pairs than the 16 numbers of a row" in said(learned)
    example(learned, "Slides")
    assert "pos_table" not in learned.query_params


def test_sinusoids_are_no_learned_table(app):
    arrive(app, pos_table="learned")
    assert "asks for learned positions; those of this checkpoint are sinusoids" in noted(app)
    assert "pos_table" not in app.query_params


def test_the_diff_is_of_the_first_dialogue(app):
    """Another dialogue has other numbers."""
    arrive(app, pos_view="test")
    before = json.loads(element(app, "plotly_chart", "pos_changes_picture").proto.spec)["data"][0]["x"]
    app.selectbox(key="example").set_value("night-noise").run()
    healthy(app)
    after = json.loads(element(app, "plotly_chart", "pos_changes_picture").proto.spec)["data"][0]["x"]
    assert before != after and FIRST not in said(app)
