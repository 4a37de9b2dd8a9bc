"""Pictures of what the summary depends on, with numbers worked out by hand."""

import numpy as np

from core.config import END
from core.figures.shared.effects import token_effects, turn_drops, turn_rewrites
from tests.figures.conftest import cannot_draw, said, token
from tests.figures.drawing import drawn

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "x" * 90), ("3", "", "Bye")]
TOKENS = [token("the"), token("<b>Friday</b>"), token("the"), token("[EOS]", END)]


def changed(*after: float, noise: float = 0):
    before, after = (np.log(np.array(each)).astype(np.float32) for each in ((0.5, 0.6, 0.5, 0.5), after))
    return token_effects(TOKENS, before, after + np.float32(noise), "without <i>head</i> 2")


def test_a_change_of_tokens_is_said_and_drawn_by_sign(snapshot):
    # ln 5 + ln 2 − ln 2 = 1.609; ln 1.5 − ln 2 + ln 2; as much lost as gained; 3 ln 0.5 + ln 0.6, kept.
    others = [changed(*after) for after in ((0.5, 0.9, 0.25, 1.0), (0.5, 0.6, 0.25, 1.0), (0.5, 0.6, 0.5, 0.5))]
    assert drawn(changed(0.5, 0.12, 0.25, 1.0), *map(said, others)) == snapshot
    # Rounding noise does not fill the axis, and many tokens lie one under another.
    noise = changed(0.5, 0.6, 0.5, 0.5, noise=1e-6).figure
    assert noise.layout.yaxis.range[1] >= 0.05 and noise.data[0].orientation == "v"
    many = token_effects([token("a")] * 96, np.full(96, -1.0), np.full(96, -2.0), "without it").figure
    assert many.data[0].orientation == "h" and list(many.data[0].x) == [1.0] * 96
    assert many.layout.height > 96 * 16 and many.layout.xaxis.range[1] > 1
    cannot_draw("Received: 1 and 2 for 2 tokens", token_effects, TOKENS[:2], np.zeros(1), np.zeros(2), "without it")


def test_drops_name_the_turn_that_matters_and_count_those_above_their_own_draws(snapshot):
    assert snapshot == drawn(
        turn_drops(TURNS, [0.5, -2.0, None], [[0.4, 0.6], [0.2], []], "deleted <i>"),
        said(turn_drops(TURNS, [0.5, 2.0, None], [[0.4, 0.6], [1.9, 0.1], []], "deleted")),
        said(turn_drops(TURNS, [0.7, 0.3, -0.5], [[0.4, 0.6], [0.2, 0.1], [-0.4]], "deleted")),
        said(turn_drops(TURNS, [None] * 3, [[]] * 3, "deleted")),
        turn_drops(TURNS, [-0.5, None, 0.0], [[]] * 3, "deleted"),
    )
    cannot_draw("Received: 3 turns, drops 2, floors 3", turn_drops, TURNS, [0.1, 0.2], [[]] * 3, "deleted")


def test_rewrites_count_the_turns_that_change_nothing(snapshot):
    picture = turn_rewrites(TURNS, [0.0, 0.25, None], ["Same.", "A <b>b</b>.", ""], "greedy")
    others = [turn_rewrites(TURNS, each, "abc", "greedy") for each in ([0.1, 0.2, 1.0], [0.0, None, 0.0], [None] * 3)]
    assert drawn(picture, *map(said, others)) == snapshot


def test_a_loss_of_many_nats_is_said_in_words():
    found = [said(turn_drops(TURNS, [0.1, drop, None], [[]] * 3, "deleted")) for drop in (48.33, 13.0)]
    assert "without it: without this turn the summary is nearly impossible;" in found[0]
    assert "without this turn the summary is 442,413 times less probable;" in found[1]
