"""Surprise, ranks and votes, with numbers worked out by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from core.explain.attention.head_outputs import Head
from core.explain.attribution.attribution import Check
from core.explain.attribution.votes import Part, Votes
from core.explain.shared.rollup import Group
from core.figures.decoding import votes as figures
from core.figures.decoding.steps import reference_here, reference_ranks, surprise
from core.figures.decoding.votes import votes
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn


def written(steps, forced: int = 0, forced_end: bool = False) -> SimpleNamespace:
    """What the pictures read of a summary."""
    return SimpleNamespace(steps=steps, forced=forced, forced_end=forced_end)


def test_surprise_says_what_was_least_expected(snapshot, steps):
    # ln 10 = 2.30; (ln 2 + ln 4 + ln 10 + ln 2) / 4 = 1.27; mean entropy 3 / 4
    certain = [replace(step, log_probability=-0.1) for step in steps[:3]] + [steps[3]]
    assert drawn(surprise(written(steps), 2), said(surprise(written(certain), 0))) == snapshot


def test_forced_tokens_stand_apart_and_every_point_knows_its_step(snapshot, steps):
    pictures = surprise(written(steps, 2), 2), surprise(written(steps, 1, forced_end=True), 2)
    others = surprise(written(steps, 4), 2), surprise(written(steps[2:], forced_end=True), 0)
    assert drawn(*pictures, *map(said, others)) == snapshot


def test_a_reference_has_its_end_only_at_the_end(steps):
    silent = [replace(steps[0], token=replace(steps[0].token, text="")), steps[3]]
    for here, name in ((0, "“·”"), (1, "its end")):
        line = reference_here(silent, here, [step.token.id for step in silent], np.zeros((2, 3)))
        assert line.startswith(f"At step {here + 1} the reference has {name}: ")


def test_ranks_count_the_first_choices(snapshot, steps):
    assert drawn(reference_ranks(written(steps), None)) == snapshot
    assert len(reference_ranks(written(steps), 1).figure.layout.shapes) == 1
    for draw in (surprise, reference_ranks):
        cannot_draw("Received: none", draw, written(()), 0)


TURNS = tuple(Group(str(place + 1), (place,), place, None) for place in range(2))


def voted(values, generated=(0.5, 0.25), copied=((0.125, 0.0),)) -> Votes:
    """Votes of the embedding, of two turns of one head, and of a network, in logits."""
    parts = (Part("embedding"), Part("head", 0, Head("cross", 0, 0), 0), Part("head", 0, Head("cross", 0, 0), 1),
             Part("feed-forward", 0))  # fmt: skip
    pairs, routes = np.array(copied).reshape(1, -1, 2), tuple(Part("copy", head=each) for each in range(len(copied)))
    check = Check("they add up", 0.0, 1e-3)
    return Votes(("She",), (7,), parts, np.array([values]), routes, pairs, np.array([generated]), check)


def test_votes_of_a_toy_add_up_by_layer_head_and_turn(snapshot):
    """Two turns of one head (+2, −0.5), a network (−1), the embedding (+0.25): +0.75 logits."""
    found = voted([0.25, 2.0, -0.5, -1.0])
    tables = [votes(found, by, TURNS, " She", " He").table for by in ("layer", "head", "turn")]
    assert drawn(*tables) == snapshot


def test_nobody_is_said_to_vote_for_what_all_vote_against(snapshot):
    found = [voted([sign * each for each in (0.25, 2.0, 0.5, 1.0)]) for sign in (-1, 1)]
    assert drawn(*(said(votes(each, "turn", TURNS, " She", " He")) for each in found)) == snapshot


def test_the_only_part_that_votes_for_a_token_has_its_own_bar(snapshot, monkeypatch):
    monkeypatch.setattr(figures, "MOST", 2)
    picture = votes(voted([0.25, -1.0, -1.0, -3.0]), "head", TURNS, " She", " He")
    assert drawn(picture.table, said(picture)) == snapshot


def test_each_route_has_its_bars_under_its_share_and_the_one_that_wrote_is_named(snapshot):
    """The longest vote, of 2 logits, is as long as a probability of 1: 0.5 of it are 1 logit."""
    copying = voted([0.25, 2.0, -0.5, -1.0], (0.125, 0.0625), ((0.5, 0.25), (0.25, 0.0)))
    picture = votes(copying, "turn", TURNS, " She", " <He>")
    generating = votes(voted([0.25, 2.0, -0.5, -1.0]), "turn", TURNS, " She", " He")
    alone = votes(voted([0.25, 2.0, -0.5, -1.0], copied=()), "turn", TURNS, " She", " He")
    assert len(alone.figure.layout.annotations) == 6 and "written mostly" not in alone.caption
    assert drawn(picture, said(generating)) == snapshot
