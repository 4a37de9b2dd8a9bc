"""Margins that are guessed for the texts around a plot, and what a page sends so that plotly draws once."""

import numpy as np
import pytest
from plotly.graph_objects import Bar, Figure, Heatmap, Scatter

from core.figures.shared import margins
from core.figures.shared.palette import base, token_ticks
from core.figures.shared.picture import CELLS, Finished


def sent(figure: Figure) -> dict:
    """Return what a page sends of a figure."""
    return Finished(figure).to_dict()


def room(figure: Figure, x: str = "Step", y: str = "Nats") -> dict[str, int]:
    """Return the margins that a figure gets, in pixels."""
    return sent(base(figure, x, y, 300))["layout"]["margin"]


def test_a_longer_text_is_wider_and_tags_take_no_room():
    assert margins.width("till", 10) < margins.width("tell", 10) < margins.width("tell me", 10)
    assert margins.width("<b>tell</b>", 10) == margins.width("tell", 10) == margins.width("tell<br>me", 10)
    assert margins.width("&lt;b&gt;", 10) == margins.width("<", 10) + margins.width("b", 10) + margins.width(">", 10)
    assert margins.width("tell", 20) == 2 * margins.width("tell", 10) and margins.width("", 10) == 0


def test_margins_follow_titles_ticks_legend_and_end():
    numbers = room(Figure(Scatter(x=[1, 2], y=[0, 8])))
    assert room(Figure(Scatter(x=[1, 2], y=[0, 8000])))["l"] > numbers["l"]
    assert room(Figure(Scatter(x=[1, 2], y=[0, 0.0008])))["l"] > numbers["l"]
    assert room(Figure(Scatter(x=[1, 2], y=[0, 8])), y="")["l"] < numbers["l"]
    assert room(Figure(Scatter(x=[1, 2], y=[0, 8])), "Step\nof many")["b"] > numbers["b"]
    names = room(Figure(Bar(x=[1, 2], y=["a short one", "one that is longer"], orientation="h")))
    assert names["l"] > numbers["l"] and names["b"] == numbers["b"]
    tokens = Figure(Bar(x=[1, 2], y=[0, 8]))
    tokens.update_xaxes(**token_ticks(["unbelievable", "a"]))
    assert room(tokens)["b"] > numbers["b"]
    assert room(Figure(Scatter(x=[1], y=[1], showlegend=False)))["t"] < numbers["t"]


def test_a_hidden_axis_and_an_inner_one_take_no_room():
    hidden = base(Figure(Scatter(x=[1, 2], y=[0, 8])), "", "", 300)
    hidden.update_yaxes(showticklabels=False)
    assert sent(hidden)["layout"]["margin"]["l"] == 8
    inner = base(Figure([Scatter(y=[1, 2]), Bar(x=[1], y=["a very long name"], xaxis="x2", yaxis="y2")]), "", "", 300)
    inner.update_layout(xaxis2={"domain": [0.5, 1], "tickfont": {"size": 13}})
    inner.update_layout(yaxis2={"anchor": "x2", "tickfont": {"size": 13}})
    left = sent(inner)["layout"]["margin"]["l"]
    inner.update_layout(xaxis2={"domain": [0, 0.5]})
    assert sent(inner)["layout"]["margin"]["l"] > left


def test_a_colour_bar_stands_beside_or_above_the_plot():
    bars = [{"title": {"text": "score"}}, {"title": {"text": "score"}, "orientation": "h"}]
    beside, above = (room(Figure(Heatmap(z=[[0.0, 1.0]], colorbar=bar))) for bar in bars)
    assert beside["r"] > above["r"] and above["t"] > beside["t"]


def test_a_bar_below_the_plot_takes_no_room_above_and_an_axis_on_top_does():
    bar = {"title": {"text": "score"}, "orientation": "h", "y": -0.02}
    below, without = (room(Figure(Heatmap(z=[[0.0, 1.0]], **more))) for more in ({"colorbar": bar}, {}))
    assert below["b"] > without["b"] and below["t"] == without["t"]
    upper = base(Figure(Bar(x=["a", "b"], y=[1, 2])), "", "", 300)
    upper.update_layout(yaxis_domain=[0.5, 1], xaxis={"side": "top", "tickangle": -90, "ticktext": ["unbelievable"]})
    high = sent(upper)["layout"]["margin"]["t"]
    upper.update_layout(yaxis_domain=[0, 0.5])
    assert sent(upper)["layout"]["margin"]["t"] < high


def test_missing_numbers_and_a_figure_without_a_frame_do_no_harm():
    whole = room(Figure(Scatter(x=[1, 2], y=[0, 8])))
    assert room(Figure(Scatter(x=[1, None, float("nan")], y=[float("inf"), 8, 0]))) == whole
    assert sent(Figure(Scatter(x=[], y=[])))["layout"]["margin"]["r"] > 0


def test_wider_margins_are_kept():
    figure = base(Figure(Scatter(y=[1, 2])), "Step", "Nats", 300).update_layout(margin_t=165)
    assert sent(figure)["layout"]["margin"]["t"] == 165


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.uint8])
def test_a_small_map_is_sent_as_numbers_and_a_large_one_as_bytes(kind):
    small = (np.array([[0, 1, 2], [3, 4, 250]]) / 3).astype(kind)
    found = sent(base(Figure(Heatmap(z=small)), "", "", 300))["data"][0]["z"]
    # A page gets six digits.
    assert isinstance(found, list) and found == pytest.approx(small.astype(float), rel=1e-5)
    large = np.zeros((2, CELLS), kind)
    assert set(sent(base(Figure(Heatmap(z=large)), "", "", 300))["data"][0]["z"]) == {"dtype", "bdata", "shape"}


def test_a_page_sends_no_template_and_the_saved_figure_stays_as_it_is():
    figure = base(Figure(Heatmap(z=np.eye(2))), "", "", 300)
    layout = sent(figure)["layout"]
    assert "template" not in layout and layout["datarevision"] == 0
    assert figure.layout.datarevision is None and figure.layout.margin.l == 8
    assert isinstance(figure.data[0].z, np.ndarray)
