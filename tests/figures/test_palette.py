"""Colours keep their contrast, and nothing from a user reaches plotly as HTML."""

import pytest
from plotly.graph_objects import Figure, Scatter

from core.figures import palette
from core.figures.wording import count, cut, escape, listed, nats, number, percent, plain


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("color", [palette.BLUE, palette.ORANGE, palette.GREEN, palette.PURPLE, palette.GREY])
@pytest.mark.parametrize("ground", ["#ffffff", "#0d1218"])
def test_colours_read_on_light_and_dark(color, ground):
    light, dark = sorted((luminance(color), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def test_markup_is_escaped():
    assert escape("<b>x</b> & <a href='j'>") == "&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href='j'&gt;"
    figure = palette.base(Figure(Scatter(x=[1])), "<i>a</i>\nb", "y", 300)
    assert figure.layout.xaxis.title.text == "&lt;i&gt;a&lt;/i&gt;<br>b"
    assert palette.token_ticks(["<b>", "&"])["ticktext"] == ["&lt;b&gt;", "&amp;"]


def test_a_theme_colours_every_text_of_a_copy():
    figure = palette.base(Figure(Scatter(x=[1])), "x", "y", 300)
    dark = palette.themed(figure, "#e9edf2", "#0d1218").layout
    assert {dark.font.color, dark.xaxis.tickfont.color, dark.yaxis.title.font.color} == {"#e9edf2"}
    assert dark.hoverlabel.bgcolor == "#0d1218" and figure.layout.font.color is None


def test_tokens_that_read_alike_keep_their_places():
    ticks = palette.token_ticks(["the", "cat", "the"])
    assert ticks["tickvals"] == [1, 2, 3] and ticks["ticktext"] == ["the", "cat", "the"]


def test_of_many_tokens_every_second_or_third_is_written():
    assert palette.token_ticks(["x"] * 40)["tickvals"] == list(range(1, 41))
    assert palette.token_ticks(["x"] * 41)["tickvals"] == list(range(1, 42, 2))
    assert palette.token_ticks(["x"] * 96)["tickvals"] == list(range(1, 97, 3))


def test_a_fifth_speaker_has_a_hatched_colour():
    styles = palette.speaker_styles(["A", "B", "A", "C", "D", "E"])
    assert [styles[name]["color"] for name in "ABE"] == [palette.BLUE, palette.ORANGE, palette.BLUE]
    assert [styles[name]["pattern"]["shape"] for name in "AE"] == ["", "/"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0004, "under 0.1 %"), (0.003, "0.3 %"), (0.42, "42 %"), (0.9996, "over 99.9 %"), (1.0, "100 %")],
)
def test_shares_as_people_read_them(value, text):
    assert percent(value).replace("\u00a0", " ") == text


def test_words_and_numbers():
    assert nats(2.4149) == "2.41\u00a0nats" and number(-0.613) == "−0.61" and number(-0.001) == "0.00"
    assert count(1, "step") == "1 step" and count(1500, "step") == "1,500 steps"
    assert listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"
    assert plain(" dog") == "dog" and plain("\n") == "↵" and plain(" ") == "␣" and plain("") == "·"
    assert cut("abc  def", 7) == "abc def" and cut("abcdefgh", 5) == "abcd…"
