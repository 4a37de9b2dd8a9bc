"""Pictures of turns left out, with numbers worked out by hand."""

from core.figures.experiments.turn_effects import turn_drops, turn_rewrites
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "x" * 90), ("3", "", "Bye")]


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


def test_a_loss_of_many_nats_is_said_in_words(snapshot):
    found = [turn_drops(TURNS, [0.1, drop, None], [[]] * 3, "deleted") for drop in (48.33, 13.0)]
    assert drawn(*map(said, found)) == snapshot
