"""Pictures of what the summary depends on, with numbers worked out by hand."""

import math

import numpy as np
import pytest

from core.config import END
from core.figures.effects import token_effects, turn_drops, turn_rewrites
from core.figures.gradients import turn_gradients
from core.figures.palette import OPPOSES, SUPPORTS
from tests.figures.conftest import notes, said, token

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "x" * 90), ("3", "", "Bye")]
TOKENS = [token("the"), token("<b>Friday</b>"), token("the"), token("[EOS]", END)]
NEVER = "No turn has been left out yet."


def changed(*after: float, noise: float = 0):
    before, after = (np.log(np.array(each)).astype(np.float32) for each in ((0.5, 0.6, 0.5, 0.5), after))
    return token_effects(TOKENS, before, after + np.float32(noise), "without <i>head</i> 2")


def test_the_sentence_of_a_change_of_tokens():
    for after, text in [
        # ln 5 + ln 2 − ln 2 = 1.609; ln 1.5 − ln 2 + ln 2; 3 ln 0.5 + ln 0.6
        ((0.5, 0.12, 0.25, 1.0), "loses 1.61 nats (0.40 a token); most at “<b>Friday</b>”, 60 % → 12 %."),
        ((0.5, 0.9, 0.25, 1.0), "gains 0.41 nats (0.10 a token); most at the end, 50 % → 100 %."),
        ((0.5, 0.6, 0.25, 1.0), "loses as much as it gains, 0.00 nats in all; most at “the”, 50 % → 25 %."),
        ((0.5, 0.6, 0.5, 0.5), "keeps its log-probability, −2.59 nats: no token changes."),
    ]:
        assert said(changed(*after)) == f"Without <i>head</i> 2, the summary {text}"


def test_a_change_of_tokens_is_drawn_by_sign():
    picture = changed(0.5, 0.12, 0.25, 1.0)
    less, more = picture.figure.data
    assert list(less.y) == pytest.approx([0, math.log(5), math.log(2), 0], abs=1e-6)
    assert list(more.y) == pytest.approx([0, 0, 0, -math.log(2)], abs=1e-6)
    assert (less.marker.color, more.marker.color) == (SUPPORTS, OPPOSES)
    assert said(less.hovertext[1]) == (
        "2 · “&lt;b&gt;Friday&lt;/b&gt;”: effect +1.61<br>−0.51 nats → −2.12 nats, probability 60 % → 12 %"
    )
    assert picture.figure.layout.xaxis.ticktext == ("the", "&lt;b&gt;Friday&lt;/b&gt;", "the", "the end")
    assert "without &lt;i&gt;head" in picture.figure.layout.yaxis.title.text
    assert picture.table["Effect (nats)"] == pytest.approx([0, math.log(5), math.log(2), -math.log(2)], abs=1e-6)
    assert picture.table["Probability changed"] == pytest.approx([0.5, 0.12, 0.25, 1.0])
    # Rounding noise does not fill the axis, and many tokens lie one under another.
    noise = changed(0.5, 0.6, 0.5, 0.5, noise=1e-6).figure
    assert noise.layout.yaxis.range[1] >= 0.05 and noise.data[0].orientation == "v"
    many = token_effects([token("a")] * 96, np.full(96, -1.0), np.full(96, -2.0), "without it").figure
    assert many.data[0].orientation == "h" and list(many.data[0].x) == [1.0] * 96
    assert many.layout.height > 96 * 16 and many.layout.xaxis.range[1] > 1
    with pytest.raises(ValueError, match="Received: 1 and 2 for 2 tokens"):
        token_effects(TOKENS[:2], np.zeros(1), np.zeros(2), "without it")


def test_the_sentence_of_drops_names_the_turn_that_matters_and_counts_those_above_their_own_draws():
    assert said(turn_drops(TURNS, [0.5, 2.0, None], [[0.4, 0.6], [1.9, 0.1], []], "deleted")) == (
        "The summary depends most on turn 2 (Ben) and loses 2.00 nats without it; "
        "1 of 2 turns stands above the highest of their own random draws."
    )
    higher = said(turn_drops(TURNS, [0.7, 0.3, -0.5], [[0.4, 0.6], [0.2, 0.1], [-0.4]], "deleted"))
    assert "depends most on turn 1 (Anna) and loses 0.70 nats" in higher and "; 2 of 3 turns stand " in higher
    assert said(turn_drops(TURNS, [None] * 3, [[]] * 3, "deleted")) == NEVER
    harmless = turn_drops(TURNS, [-0.5, None, 0.0], [[]] * 3, "deleted")
    assert said(harmless) == (
        "The summary loses nothing without any of the 2 turns that were left out; "
        "there is no noise floor to compare with."
    )
    assert notes(harmless).count("not measured") == 1 and notes(harmless).count("no random stretch") == 2
    with pytest.raises(ValueError, match="Received: 3 turns, drops 2, floors 3"):
        turn_drops(TURNS, [0.1, 0.2], [[]] * 3, "deleted")


def test_a_row_has_its_signed_bar_and_its_draws_with_their_mean():
    picture = turn_drops(TURNS, [0.5, -2.0, None], [[0.4, 0.6], [0.2], []], "deleted <i>")
    cards, plus, minus, each, mean = picture.figure.data
    assert (list(plus.x), list(minus.x)) == ([0.5, 0, 0], [0, -2.0, 0])
    assert (plus.marker.color, minus.marker.color) == (SUPPORTS, OPPOSES)
    assert list(each.x) == [0.4, 0.6, 0.2] and list(mean.x) == pytest.approx([0.5, 0.2])
    assert [list(bars.customdata) for bars in (cards, plus, each, mean)] == [[0, 1, 2], [0, 1, 2], [0, 0, 1], [0, 1]]
    low, high = picture.figure.layout.xaxis.range
    assert low < -2.0 and high > 0.6 and (cards.base, cards.base + cards.x[0]) == (low, pytest.approx(high))
    assert {"<b>+0.50</b>", "<b>−2.00</b>", "1 · Anna: Hello &lt;b&gt;you&lt;/b&gt;"} <= set(notes(picture))
    assert picture.figure.layout.xaxis.title.text.endswith("deleted &lt;i&gt;")
    assert said(plus.hovertext[0]).endswith("effect 0.50 nats<br>2 random draws: mean +0.50, highest +0.60")
    assert picture.table["Effect (nats)"] == [0.5, -2.0, None]
    assert picture.table["Random stretches, highest (nats)"] == [0.6, 0.2, None]
    assert picture.table["Random stretches, each (nats)"] == ["0.4000; 0.6000", "0.2000", ""]


def test_rewrites_count_the_turns_that_change_nothing():
    picture = turn_rewrites(TURNS, [0.0, 0.25, None], ["Same.", "A <b>b</b>.", ""], "greedy")
    bars = picture.figure.data[-1]
    assert list(bars.x) == [0, 25, 0] and list(bars.customdata) == [0, 1, 2]
    assert bars.hovertext[1].endswith("<br>A &lt;b&gt;b&lt;/b&gt;.")
    assert notes(picture)[1::2] == ["the same words", "<b>25\u00a0%</b>", "not measured"]
    assert picture.table["Share of words changed"] == [0.0, 0.25, None]
    assert picture.table["Summary without the turn"] == ["Same.", "A <b>b</b>.", ""]
    for changes, text in [
        ([0.0, 0.25, None], "Without 1 of 2 turns the model writes the same summary; "
                            "without turn 2 (Ben) it changes most, 25 % of the words."),
        ([0.1, 0.2, 1.0], "Without any of 3 turns the model writes another summary; "
                          "without turn 3 it changes most, 100 % of the words."),
        ([0.0, None, 0.0], "The model writes the same summary without any of the 2 turns that were left out."),
        ([None] * 3, NEVER),
    ]:  # fmt: skip
        assert said(turn_rewrites(TURNS, changes, ["a", "b", "c"], "greedy")) == text


def test_gradients_name_both_signs_and_the_prefix():
    picture = turn_gradients(TURNS, [1.5, -0.5, 0.5], 2.5, "<b>Friday</b>", "log p")
    assert said(picture) == (
        "For “<b>Friday</b>”, turn 1 (Anna) supports it most (+1.50) and turn 2 (Ben) opposes it most (−0.50); "
        "the summary's own prefix has +2.50, 50 % of the sum of all sizes."
    )
    plus, minus = picture.figure.data[1:]
    assert (list(plus.x), list(minus.x)) == ([1.5, 0, 0.5, 2.5], [0, -0.5, 0, 0])
    assert list(plus.customdata) == [0, 1, 2, -1] and plus.name == "for “&lt;b&gt;Friday&lt;/b&gt;” (+)"
    assert picture.table["Text"][-1] == "The summary's own tokens before it"
    assert picture.table["Gradient × input (nats)"] == [1.5, -0.5, 0.5, 2.5]
    # Of the first token, and of one sign.
    picture = turn_gradients(TURNS, [0.0, 0.5, 0.25], None, "the", "log p")
    assert said(picture) == (
        "For “the”, turn 2 (Ben) supports it most (+0.50); "
        "it is the first token, so the summary's own prefix has no part."
    )
    assert list(picture.figure.data[0].customdata) == [0, 1, 2] and len(picture.table["Turn"]) == 3
    none = said(turn_gradients(TURNS, [0.0] * 3, 0.0, "the", "log p"))
    assert "no turn counts; the summary's own prefix has 0.00, 0.0 %" in none
    with pytest.raises(ValueError, match="Received: 3 turns, values 1"):
        turn_gradients(TURNS, [0.1], None, "the", "log p")
