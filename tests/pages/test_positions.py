"""The Positions page: its controls, and that it shows what the core computes."""

from functools import partial

import numpy as np
import pytest

from core.experiments.effects import Condition, untouched
from core.experiments.positions import first_input, places, replaced
from core.explain import positions
from core.figures.shared.wording import signed
from tests.closeness import same_network
from tests.pages.conftest import paste
from tests.pages.driver import chart, choose, decoded, enter, holds, noted, open_link, said, tiny
from tests.pages.experiments import difference, packed

PAGE, MAP = "pages/positions.py", "pos_map_picture"
arrive = partial(open_link, PAGE)
SLIDES = {"pos_length": 5, "pos_width": 5, "pos_base": 100}
SHORT = "Anna: Hi <b>Ben</b>, *where* is it?\nBen: No idea $x$."


def example(app, start: str):
    """Choose the example whose name begins so."""
    options = app.selectbox(key="pos_preset").options
    return choose(app, "pos_preset", next(each for each in options if each.startswith(start)))


def names(app, key: str) -> list[str]:
    """The curves of a chart."""
    return [each["name"] for each in chart(app, key)["data"]]


# The table -----------------------------------------------------------------------------------------------------------


def test_the_first_view_can_be_read_and_examples_change_it(app):
    arrive(app)
    holds(app, MAP, positions.encoding(50, 64, 10000.0))
    assert app.selectbox(key="pos_preset").value == "small"
    for name, size in (
        ("This checkpoint", (50, 16, 10000.0)), ("Vaswani base", (100, 512, 10000.0)),
        ("From a lecture", positions.SLIDES),
    ):  # fmt: skip
        example(app, name)
        holds(app, MAP, positions.encoding(*size))
    assert app.query_params == {name: str(value) for name, value in SLIDES.items()}
    assert "25 of 25 numbers are as slides of a lecture show them" in said(app)
    assert "the last dimension, 4, is a sine without its cosine" in said(app)
    enter(app, "pos_base_box", 50.5)
    holds(app, MAP, positions.encoding(5, 5, 50.5))
    assert app.selectbox(key="pos_preset").value == "typed" and not app.table
    enter(app, "pos_base_box", 0.0, may_refuse=True)
    assert "The base must be above 1" in said(app) and "still those of base 50.5" in said(app)


def test_curves_and_formulas_follow_the_chosen_places(app):
    arrive(app, pos_length=5, pos_width=4, pos_base=100, pos_place=4, pos_dimension=3, pos_dimensions="3, 1",
           pos_places="2")  # fmt: skip
    assert names(app, "pos_dimensions_picture") == ["dimension 3", "dimension 1"]
    assert names(app, "pos_positions_picture") == ["position 2, sines", "2, cosines"]
    formula = app.latex[1].value
    assert r"\cos(4 \,/\, 100^{2/4})" in formula and r"\cos(0.4)" in formula and "= 0.921061" in formula
    assert "62.83 positions" in said(app) and "core/model/positional.py:" in said(app)
    assert "angles = np.arange(length)" in app.code[0].value and "np.sin(angles)" in app.code[1].value
    enter(app, "pos_dimension", 2)
    assert "= 0.38941" in app.latex[1].value  # sin 0.4 in single precision
    enter(app, "pos_dimensions", "7", may_refuse=True)
    assert "The dimensions must be 1 to 8 whole numbers from 0 to 3" in said(app)
    assert names(app, "pos_dimensions_picture") == ["dimension 0", "dimension 1"]
    enter(app, "pos_dimensions", "")
    choose(app, "pos_apart", "apart")
    assert len(names(app, "pos_dimensions_apart_picture")) == len(names(app, "pos_positions_apart_picture")) == 2


def test_distances_between_positions(app):
    arrive(app, pos_view="distance", pos_length=5, pos_width=4, pos_base=100, pos_place=4, pos_offset=2)
    table = positions.encoding(5, 4, 100)
    holds(app, "pos_pairs_picture", table @ table.T)
    holds(app, "pos_pair_curve_picture", table @ table[4], "y")
    holds(app, "pos_shift_picture", positions.shift_map(2, 4, 100))
    choose(app, "pos_measure", "distance")
    assert chart(app, "pos_pair_curve_picture")["data"][0]["y"][4] == 0


def test_a_place_that_a_link_does_not_ask_for_is_not_noted_when_it_is_gone(app):
    arrive(app, **SLIDES, pos_table="learned", pos_place=4)
    assert "asks for learned positions; those of this checkpoint are sinusoids" in noted(app)
    app.button(key="notes_read").click()
    app.number_input(key="pos_length").set_value(1)
    enter(app, "pos_width", 1)
    assert not noted(app)  # although position 4 does not exist any more
    assert "Length 1: there is only position 0" in said(app) and "Width 1: there is one dimension" in said(app)
    holds(app, MAP, positions.encoding(1, 1, 100.0))
    choose(app, "pos_view", "distance")
    assert "There is one position only: none is k further on" in said(app)


def test_a_learned_table(app, words):
    example(arrive(app, checkpoint="words"), "Learned")
    table = np.asarray(words.model.source_positions.table)
    holds(app, MAP, table[:50])
    assert "pos_table" not in app.query_params  # what the checkpoint has comes first
    assert "The encoder’s table has 64 rows of 8 trained numbers; shown are 50" in said(app)
    assert f"position 3, dimension 2, is {table[3, 2]:.6f}" in said(app)
    choose(app, "pos_view", "distance")
    assert "The best map by least squares leaves" in said(app)
    example(app, "From a lecture")
    assert app.query_params["pos_table"] == "sinusoids"


# The sum and the test ------------------------------------------------------------------------------------------------


def test_the_sum_of_the_slides_and_of_ones_own_tokens(app):
    arrive(app, pos_view="sum", pos_token=4)
    found = first_input(tiny(), decoded())
    maps = [place for place, each in enumerate(chart(app, "pos_sum_picture")["data"]) if each["type"] == "heatmap"]
    for place, whole in zip(maps, (found.embedded, found.positions, found.read), strict=True):
        holds(app, "pos_sum_picture", whole[1:6, :6], trace=place)
    holds(app, "pos_token_picture", found.read[3], "y", 2)
    holds(app, "pos_norms_picture", found.norms[0], "y")
    assert "stands at position 3" in said(app) and "Here d = 16 and √d = 4.00" in said(app)
    choose(app, "pos_sum", "slides")
    assert "Row 1: 5 of 5 sums are as slides of a lecture show them" in said(app)
    assert list(app.table[0].value["Slides"])[3:] == ["1.7874668 ✓", "0.6251162 ✓"]


def test_positions_are_removed_shuffled_shifted_and_reversed(app):
    paste(app.run(), SHORT)
    app.switch_page(PAGE).run()
    enter(choose(app, "pos_view", "test"), "pos_seed", 5)
    enter(app, "pos_shift", 3)
    summary, encoded = decoded(text=SHORT), tiny().encode(SHORT, decoded(text=SHORT).settings.truncation)
    ids, size = [token.id for token in summary.tokens], len(encoded.ids)
    run = untouched(tiny(), Condition(encoded), ids, summary.settings, summary.text)
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
        same_network(np.sum(both, axis=0), found.before - found.after, tiny().config)
        assert app.metric[0].value == f"{signed(found.drop)}\xa0nats"
        effects.append(found.drop)
    bars = [np.asarray(each["x"], dtype=float) for each in chart(app, "pos_changes_picture")["data"]]
    assert np.sum(bars, axis=0) == pytest.approx(effects, abs=1e-4)  # a sum of some log-probabilities, as it is drawn
    table = app.table[0].value
    assert list(table["Positions"]) == [name.capitalize() for name in every]
    assert list(table["Effect"]) == [f"{signed(effect)}\xa0nats" for effect in effects]
    assert "effect on the summary is 0.00 nats: the control changes nothing" in said(app)


def test_a_shift_beyond_the_last_position_is_refused(app):
    arrive(app, pos_view="test", pos_shift=500)
    size = len(decoded().source)
    ends = f"The positions end: there are 192, and {size} tokens can move by 0 to {192 - size}"
    assert ends not in said(app)
    choose(app, "pos_change", "shifted", may_refuse=True)
    assert ends in said(app) and "Received: 500" in said(app)
    assert len(chart(app, "pos_changes_picture")["data"][0]["x"]) == 3
