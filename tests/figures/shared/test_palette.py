"""Colours keep their contrast, and nothing from a user reaches plotly as HTML."""

import math

import numpy as np
import pytest
from plotly.graph_objects import Figure, Scatter

from core.figures.experiments import effect_scale
from core.figures.positions import runs
from core.figures.shared import effects, palette
from core.figures.shared.palette import BLUE, ORANGE
from core.figures.shared.wording import count, cut, escape, listed, nats, number, percent, plain
from tests.figures.conftest import token
from tests.figures.drawing import drawn


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_colours_and_themes():
    for color in [palette.BLUE, palette.ORANGE, palette.GREEN, palette.PURPLE, palette.GREY]:
        assert all(contrast(color, ground) >= 3 for ground in ("#ffffff", "#0d1218")), color
    # A theme colours every text of a copy.
    figure = palette.base(Figure(Scatter(x=[1])), "<i>a</i>\nb", "y", 300)
    dark = palette.themed(figure, "#e9edf2", "#0d1218").layout
    assert {dark.font.color, dark.xaxis.tickfont.color, dark.yaxis.title.font.color} == {"#e9edf2"}
    assert dark.hoverlabel.bgcolor == "#0d1218" and figure.layout.font.color is None
    assert figure.layout.xaxis.title.text == "&lt;i&gt;a&lt;/i&gt;<br>b"
    # A fifth speaker has a hatched colour.
    styles = palette.speaker_styles(["A", "B", "A", "C", "D", "E"])
    assert [styles[name]["color"] for name in "ABE"] == [palette.BLUE, palette.ORANGE, palette.BLUE]
    assert [styles[name]["pattern"]["shape"] for name in "AE"] == ["", "/"]


def test_a_figure_grows_with_its_texts_to_what_is_read_from_far_but_not_beyond_the_screen():
    figure = palette.base(Figure(Scatter(x=[1], textfont={"size": 10})), "x", "y", 300)
    figure.add_annotation(text="a", font={"size": 10})
    large = palette.enlarged(figure, 1.5, 600)
    assert (large.layout.height, large.layout.font.size, large.layout.xaxis.title.font.size) == (450, 21, 21)
    assert large.data[0].textfont.size == large.layout.annotations[0].font.size == palette.LEAST
    assert (figure.layout.height, figure.layout.font.size) == (300, 14)
    figure.layout.height = 1200
    small = palette.enlarged(figure, 1.5, 600)
    assert (small.layout.height, small.layout.font.size) == (600, palette.LEAST)
    flat = palette.enlarged(figure, 1, 600)  # it has less room, and that is all
    assert (flat.layout.height, flat.layout.font.size) == (600, 14)


def test_what_has_no_room_for_larger_texts_shows_fewer_of_them():
    figure = palette.base(Figure(), "x", "y", 430)
    figure.update_yaxes(range=[30, 0], tickvals=list(range(30)), ticktext=[f"row {row}" for row in range(30)])
    figure.update_xaxes(range=[0, 10])
    palette.annotate(
        figure, [palette.note(word, 1, place) for word, place in (("first", 1), ("over", 1.2), ("far", 9))]
    )
    large = palette.enlarged(figure, 1.3, 430).layout
    assert list(large.yaxis.tickvals) == list(range(0, 30, 2))
    assert list(large.yaxis.ticktext) == [f"row {row}" for row in range(0, 30, 2)]
    assert [each.text for each in large.annotations] == ["first", "far"]


def test_ticks_keep_their_places_and_of_many_tokens_every_second_or_third_is_written():
    ticks = palette.token_ticks(["the", "<b>", "the"])
    assert ticks["tickvals"] == [1, 2, 3] and ticks["ticktext"] == ["the", "&lt;b&gt;", "the"]
    for tokens, every in ((40, 1), (41, 2), (96, 3)):
        assert palette.token_ticks(["x"] * tokens)["tickvals"] == list(range(1, tokens + 1, every))


def test_words_and_numbers(snapshot):
    assert snapshot == drawn(
        [percent(value) for value in (0.0004, 0.003, 0.42, 0.9996, 1.0)],
        [nats(2.4149), number(-0.613), number(-0.001)],
        [count(*each) for each in ((1, "step"), (1500, "step"), (1, "entry"), (2, "entry"), (2, "key"))],
        [listed(["a"]), listed(["a", "b", "c"]), *map(plain, (" dog", "\n", " ", ""))],
        [cut("abc  def", 7), cut("abcdefgh", 5), escape("<b>x</b> & <a href='j'>")],
    )


def test_a_signed_effect_has_one_sign_and_one_colour_everywhere():
    """Losing probability is above 0 and orange: in the bars of tokens, turns and changes, in the map of heads."""
    before, after = np.log(np.array([0.5, 0.2])), np.log(np.array([0.25, 0.4]))  # one token loses, one gains
    tokens = effects.token_effects([token("a"), token("b")], before, after, "without it")
    turns = effects.turn_drops([("1", "Anna", "Hi"), ("2", "Ben", "Yes")], list(before - after), [[], []], "deleted")
    drops = dict(zip(("removed", "shifted"), before - after, strict=True))
    changes = runs.changes(drops, dict.fromkeys(drops, 0.0), dict.fromkeys(drops, ""), "", 2)
    for picture in (tokens, turns, changes):
        assert picture.table["Effect (nats)"] == pytest.approx([math.log(2), -math.log(2)])
        bars = [trace for trace in picture.figure.data if trace.type == "bar" and trace.marker.color in (ORANGE, BLUE)]
        for bar in bars:
            side = 1 if bar.marker.color == ORANGE else -1
            assert all(side * length >= 0 for length in (bar.x if bar.orientation == "h" else bar.y))
            assert ("less probable" in bar.name and "(+)" in bar.name) == (bar.marker.color == ORANGE)
        assert len(bars) == 2
    assert effect_scale.COLORS == (BLUE, ORANGE)  # of shares below and above 0, on the maps of heads, turns and words
    assert [effect_scale.share(value, 2.0) for value in (-1.0, 2.0)] == [-0.5, 1.0]
