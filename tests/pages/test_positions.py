"""The Positions page: its controls, its link, and that it shows what the core computes."""

from functools import partial

import numpy as np
import pytest

from core.experiments.interventions import Condition, untouched
from core.experiments.positions import first_input, places, replaced
from core.explain import positions
from core.figures.wording import signed
from tests.pages.conftest import paste
from tests.pages.driver import chart, choose, decoded, enter, noted, open_link, said, tiny
from tests.pages.experiments import difference, packed

PAGE = "pages/positions.py"
arrive = partial(open_link, PAGE)
SLIDES = {"pos_length": 5, "pos_width": 5, "pos_base": 100}
SHORT = "Anna: Hi <b>Ben</b>, *where* is it?\nBen: No idea $x$."


def example(app, start: str):
    """Choose the example whose name begins so."""
    options = app.segmented_control(key="pos_preset").options
    return choose(app, "pos_preset", next(each for each in options if each.startswith(start)))


def draws(app, *size: float) -> None:
    """Check that the map is of sinusoids of this size and base."""
    np.testing.assert_allclose(chart(app, "pos_map_picture")["data"][0]["z"], positions.encoding(*size), atol=1e-6)


def names(app, key: str) -> list[str]:
    """The curves of a chart."""
    return [each["name"] for each in chart(app, key)["data"]]


# The table -----------------------------------------------------------------------------------------------------------


def test_the_first_view_can_be_read_and_examples_change_it(app):
    arrive(app)
    draws(app, 50, 64, 10000.0)
    assert app.query_params == {} and "50 positions × 64 dimensions, sinusoids of base 10,000" in said(app)
    assert app.segmented_control(key="pos_preset").value == "small"
    example(app, "This checkpoint")
    enter(app, "pos_base_box", 0.0, may_refuse=True)
    assert "The base must be above 1" in said(app) and "Received: 0" in said(app)
    assert "still those of base 10,000" in said(app)
    draws(app, 50, 16, 10000.0)
    example(app, "From a lecture")
    draws(app, *positions.SLIDES)
    assert app.number_input(key="pos_base_box").value == 100
    assert app.query_params == {name: str(value) for name, value in SLIDES.items()}
    assert "25 of 25 numbers are as slides of a lecture show them" in said(app)
    assert "the last dimension, 4, is a sine without its cosine" in said(app)
    enter(app, "pos_base_box", 50.5)
    draws(app, 5, 5, 50.5)
    assert app.segmented_control(key="pos_preset").value is None and not app.table
    example(app, "Vaswani base")
    draws(app, 100, 512, 10000.0)


def test_a_link_sets_everything_and_a_choice_changes_it(app):
    link = {"pos_length": 5, "pos_width": 4, "pos_base": 100, "pos_place": 4, "pos_dimension": 3,
            "pos_dimensions": "3, 1", "pos_places": "2"}  # fmt: skip
    arrive(app, **link)
    assert app.query_params == {name: str(value) for name, value in link.items()}
    draws(app, 5, 4, 100.0)
    assert names(app, "pos_dimensions_picture") == ["dimension 3", "dimension 1"]
    assert names(app, "pos_positions_picture") == ["position 2, sines", "2, cosines"]
    formula = app.latex[1].value
    assert r"\cos(4 \,/\, 100^{2/4})" in formula and r"\cos(0.4)" in formula and "= 0.921061" in formula
    assert "62.83 positions" in said(app) and "core/model/positional.py:" in said(app)
    assert "angles = np.arange(length)" in app.code[0].value and "np.sin(angles)" in app.code[1].value
    enter(app, "pos_dimension", 2)
    assert "= 0.3894183" in app.latex[1].value  # sin 0.4 in single precision
    enter(app, "pos_dimensions", "7", may_refuse=True)
    assert "The dimensions must be 1 to 8 whole numbers from 0 to 3" in said(app) and "Received: 7" in said(app)
    assert names(app, "pos_dimensions_picture") == ["dimension 0", "dimension 1"]
    enter(app, "pos_dimensions", "")
    choose(app, "pos_apart", "apart")
    assert len(names(app, "pos_dimensions_apart_picture")) == len(names(app, "pos_positions_apart_picture")) == 2
    choose(app, "pos_view", "distance")
    table = positions.encoding(5, 4, 100)
    np.testing.assert_allclose(chart(app, "pos_pairs_picture")["data"][0]["z"], table @ table.T, atol=1e-5)
    assert list(chart(app, "pos_pair_curve_picture")["data"][0]["y"]) == pytest.approx(table @ table[4])
    enter(app, "pos_offset", 2)
    shift = chart(app, "pos_shift_picture")["data"][0]["z"]
    np.testing.assert_allclose(shift, positions.shift_map(2, 4, 100), atol=1e-6)
    choose(app, "pos_measure", "distance")
    assert chart(app, "pos_pair_curve_picture")["data"][0]["y"][4] == 0 and app.query_params["pos_offset"] == "2"


def test_what_a_link_asks_in_vain_is_noted_and_what_it_does_not_ask_is_not(app):
    arrive(app, **SLIDES, pos_table="learned", pos_place=9, pos_dimension=400)
    assert "asks for learned positions; those of this checkpoint are sinusoids" in noted(app)
    assert "asks for position 9, which does not exist here (possible: 0 to 4)" in noted(app)
    assert "asks for dimension 400, which" in noted(app)
    assert app.query_params["pos_place"] == "4" and "pos_table" not in app.query_params
    app.button(key="notes_read").click()
    app.number_input(key="pos_length").set_value(1)
    enter(app, "pos_width", 1)
    assert not noted(app)  # although position 4 does not exist any more
    assert "Length 1: there is only position 0" in said(app) and "Width 1: there is one dimension" in said(app)
    draws(app, 1, 1, 100.0)
    choose(app, "pos_view", "distance")
    assert "There is one position only: none is k further on" in said(app)


def test_a_learned_table(app, words):
    example(arrive(app, checkpoint="words"), "Learned")
    table = np.asarray(words.model.source_positions.table)
    np.testing.assert_allclose(chart(app, "pos_map_picture")["data"][0]["z"], table[:50], atol=1e-6)
    assert "pos_table" not in app.query_params  # what the checkpoint has comes first
    assert "The encoder’s table has 64 rows of 8 trained numbers; shown are 50" in said(app)
    assert f"position 3, dimension 2, is {table[3, 2]:.6f}" in said(app)
    choose(app, "pos_view", "distance")
    assert "The best map by least squares leaves" in said(app)
    example(app, "From a lecture")
    assert app.query_params["pos_table"] == "sinusoids"


# The sum and the test ------------------------------------------------------------------------------------------------


def test_the_sum_of_the_slides_and_of_ones_own_tokens(app):
    arrive(app, pos_view="sum", pos_token=9999)
    size = len(decoded().source)
    assert f"asks for token 9999, which does not exist here (possible: 1 to {size})" in noted(app)
    assert app.number_input(key="pos_token").value == size
    enter(app, "pos_token", 4)
    found = first_input(tiny(), decoded())
    maps = [each["z"] for each in chart(app, "pos_sum_picture")["data"] if each["type"] == "heatmap"]
    for drawn, whole in zip(maps, (found.embedded, found.positions, found.read), strict=True):
        np.testing.assert_allclose(drawn, whole[1:6, :6], atol=1e-5)
    assert list(chart(app, "pos_token_picture")["data"][2]["y"]) == pytest.approx(found.read[3], abs=1e-5)
    assert list(chart(app, "pos_norms_picture")["data"][0]["y"]) == pytest.approx(found.norms[0])
    assert "stands at position 3" in said(app) and "Here d = 16 and √d = 4.00" in said(app)
    choose(app, "pos_sum", "slides")
    assert "Row 1: 5 of 5 sums are as slides of a lecture show them" in said(app)
    assert list(app.table[0].value["Slides"])[3:] == ["1.7874668 ✓", "0.6251162 ✓"]


def test_positions_are_removed_shuffled_shifted_and_reversed(app):
    paste(app.run(), SHORT)
    app.switch_page(PAGE).run()
    enter(choose(app, "pos_view", "test"), "pos_seed", 5)
    summary = decoded(text=SHORT)
    encoded = tiny().encode(SHORT, summary.settings.truncation)
    ids = [token.id for token in summary.tokens]
    run, size = untouched(tiny(), Condition(encoded), ids, summary.settings, summary.text), len(encoded.ids)
    enter(app, "pos_shift", 3)
    every = {"removed": (-1,) * size, "shuffled": places("shuffled", size, 192, seed=5),
             "shifted": tuple(range(3, 3 + size)), "reversed": tuple(range(size))[::-1]}  # fmt: skip
    effects = []
    for change, moved in every.items():
        choose(app, "pos_change", change)
        found = replaced(tiny(), run, [moved])[0]
        if found.text == run.text:
            assert "The model writes the same summary." in said(app)
        else:
            assert difference(app, "pos_diff") == (packed(run.text), packed(found.text))
        both = [np.asarray(each["y"], dtype=float) for each in chart(app, "pos_tokens_picture")["data"]]
        assert np.sum(both, axis=0) == pytest.approx(found.before - found.after, abs=1e-5)
        assert app.metric[0].value == f"{signed(found.drop)}\xa0nats"
        assert app.query_params.get("pos_change", "removed") == change
        effects.append(found.drop)
    bars = [np.asarray(each["x"], dtype=float) for each in chart(app, "pos_changes_picture")["data"]]
    assert np.sum(bars, axis=0) == pytest.approx(effects, abs=1e-4)
    table = app.table[0].value
    assert list(table["Positions"]) == [name.capitalize() for name in every]
    assert list(table["Effect"]) == [f"{signed(effect)}\xa0nats" for effect in effects]
    assert "effect on the summary is 0.00 nats: the control changes nothing" in said(app)
    assert not [each for each in app.markdown if "<b>" in each.value.replace("\\<", "")]
    enter(app, "pos_shift", 500)
    ends = f"The positions end: there are 192, and {size} tokens can move by 0 to {192 - size}"
    assert ends not in said(app)
    choose(app, "pos_change", "shifted", may_refuse=True)
    assert ends in said(app) and "Received: 500" in said(app)
    assert len(chart(app, "pos_changes_picture")["data"][0]["x"]) == 3
