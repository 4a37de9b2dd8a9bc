"""Colours keep their contrast, and nothing from a user reaches plotly as HTML."""

import math
import re
import tomllib

import numpy as np
import pytest
from plotly.graph_objects import Figure, Scatter

from core.figures.experiments import effect_scale
from core.figures.experiments.turn_effects import turn_drops
from core.figures.positions import runs
from core.figures.shared import palette
from core.figures.shared.palette import OPPOSES, SUPPORTS
from core.figures.shared.token_effects import token_effects
from core.figures.shared.wording import count, cut, escape, listed, nats, number, percent, plain
from tests.figures.conftest import token
from tests.figures.drawing import drawn
from tests.layering import ROOT


def linear(color: str) -> np.ndarray:
    """Return red, green and blue as parts of light."""
    parts = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast of WCAG 2.2."""
    dark, light = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


SEEN_AS = {
    "everybody": np.eye(3),
    "without red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "without green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}
"""Linear RGB as dichromats see it: Machado, Oliveira and Fernandes 2009, table 1, severity 1."""
COMPARED = [
    ("supports", "opposes"), ("speaker-1", "speaker-2"), ("attention", "chosen"), ("attention", "supports"),
    ("attention", "opposes"), ("attention", "speaker-1"), ("attention", "speaker-2"), ("attention", "amount"),
    ("attention", "grey"), ("supports", "amount"), ("opposes", "amount"), ("chosen", "amount"), ("chosen", "supports"),
    ("chosen", "opposes"), ("amount", "series-1"), ("amount", "series-2"), ("amount", "series-3"),
    ("series-2", "series-3"),
]  # fmt: skip
"""Colours that stand beside each other without another mark, or nearly so."""
LITERAL = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|\brgba?\(\s*\d[^)]*\)|\bhsla?\(|COLOU?R\w* = \(\d")
NEUTRAL = {"#fff", "#000", "rgb(0 0 0 / 35%)"}
"""White on a filled ground, a mask, a shadow."""
OWN = {
    "core/figures/shared/files.py", "core/report/page.css",
    "core/visited/listing.py", "pages/shared/frame/frame.css", "pages/shared/teaching/projector.css",
}  # fmt: skip
"""Files with inks, grounds, rules and links of a theme: none of them draws a number."""


def oklab(color: str, seen: str = "everybody") -> np.ndarray:
    """A colour in Oklab (Ottosson 2020), where a distance is a difference that is seen."""
    cones = [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.6806995, 0.10739696],
        [0.08830246, 0.28171884, 0.6299787],
    ]
    mixed = [
        [0.21045426, 0.79361778, -0.00407205],
        [1.9779985, -2.4285922, 0.4505937],
        [0.0259040, 0.7827718, -0.8086758],
    ]
    return np.array(mixed) @ np.cbrt(np.array(cones) @ np.clip(SEEN_AS[seen] @ linear(color), 0, 1))


def apart(one: str, other: str, seen: str = "everybody") -> float:
    return float(np.linalg.norm(oklab(palette.ROLES[one], seen) - oklab(palette.ROLES[other], seen)))


@pytest.mark.parametrize("role", palette.ROLES)
def test_a_colour_is_seen_on_both_grounds_and_is_like_no_other(role):
    assert all(contrast(palette.ROLES[role], ground) >= 3 for ground in ("#ffffff", "#0d1218"))
    assert min(apart(role, other) for other in palette.ROLES if other != role) > 0.08


@pytest.mark.parametrize("seen", ["without red", "without green"])
def test_the_colour_blind_tell_apart_what_is_compared(seen):
    near = {pair: apart(*pair, seen) for pair in COMPARED}
    assert min(near.values()) > 0.045, min(near, key=near.get)


def test_the_accent_of_the_theme_has_the_hue_of_what_is_chosen():
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    hues = [math.atan2(*oklab(theme[each]["primaryColor"])[:0:-1]) for each in ("light", "dark")]
    chosen = math.atan2(*oklab(palette.CHOSEN)[:0:-1])
    assert all(abs(hue - chosen) < 0.15 for hue in hues)  # radians


def test_no_colour_is_written_outside_the_palette():
    found = {
        f"{path.relative_to(ROOT)}: {color}"
        for folder in ("core", "pages")
        for kind in ("py", "js", "css")
        for path in (ROOT / folder).rglob(f"*.{kind}")
        if path.name != "palette.py" and str(path.relative_to(ROOT)) not in OWN
        for color in LITERAL.findall(path.read_text("utf-8"))
        if color not in NEUTRAL
    }
    assert not found


def test_a_theme_colours_every_text_and_a_third_speaker_is_hatched():
    figure = palette.base(Figure(Scatter(x=[1])), "<i>a</i>\nb", "y", 300)
    dark = palette.themed(figure, "#e9edf2", "#0d1218").layout
    assert {dark.font.color, dark.xaxis.tickfont.color, dark.yaxis.title.font.color} == {"#e9edf2"}
    assert dark.hoverlabel.bgcolor == "#0d1218" and figure.layout.font.color is None
    assert figure.layout.xaxis.title.text == "&lt;i&gt;a&lt;/i&gt;<br>b"
    styles = palette.speaker_styles(["A", "B", "A", "C", "D", "E"])
    assert [styles[name]["color"] for name in "ABC"] == [*palette.SPEAKERS, palette.SPEAKERS[0]]
    assert [styles[name]["pattern"]["shape"] for name in "ABCE"] == ["", "", "/", "."]


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
    """Losing probability is above 0 and green: in the bars of tokens, turns and changes, in the map of heads."""
    before, after = np.log(np.array([0.5, 0.2])), np.log(np.array([0.25, 0.4]))  # one token loses, one gains
    tokens = token_effects([token("a"), token("b")], before, after, "without it")
    turns = turn_drops([("1", "Anna", "Hi"), ("2", "Ben", "Yes")], list(before - after), [[], []], "deleted")
    drops = dict(zip(("removed", "shifted"), before - after, strict=True))
    changes = runs.changes(drops, dict.fromkeys(drops, 0.0), dict.fromkeys(drops, ""), "", 2)
    for picture in (tokens, turns, changes):
        assert picture.table["Effect (nats)"] == pytest.approx([math.log(2), -math.log(2)])
        bars = [
            trace for trace in picture.figure.data if trace.type == "bar" and trace.marker.color in (SUPPORTS, OPPOSES)
        ]
        for bar in bars:
            side = 1 if bar.marker.color == SUPPORTS else -1
            assert all(side * length >= 0 for length in (bar.x if bar.orientation == "h" else bar.y))
            assert ("less probable" in bar.name and "(+)" in bar.name) == (bar.marker.color == SUPPORTS)
        assert len(bars) == 2
    # Of shares below and above 0, on the maps of heads, turns and words.
    assert effect_scale.COLORS == (OPPOSES, SUPPORTS)
    assert [effect_scale.share(value, 2.0) for value in (-1.0, 2.0)] == [-0.5, 1.0]
