"""Surprise and ranks, with numbers worked out by hand."""

from dataclasses import replace

import numpy as np

from core.figures.decoding.steps import reference_here, reference_ranks, surprise
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn


def test_surprise_says_what_was_least_expected(snapshot, steps):
    # ln 10 = 2.30; (ln 2 + ln 4 + ln 10 + ln 2) / 4 = 1.27; mean entropy 3 / 4
    certain = [replace(step, log_probability=-0.1) for step in steps[:3]] + [steps[3]]
    assert drawn(surprise(steps, 2), said(surprise(certain, 0))) == snapshot


def test_forced_tokens_stand_apart_and_every_point_knows_its_step(snapshot, steps):
    picture = surprise(steps, 2, forced=1, forced_end=True)
    assert [list(each.customdata) for each in picture.figure.data] == [[1, 2], [0, 3], [0, 1, 2, 3]]
    assert picture.caption.endswith("Forced and counted out: the first token and the end.")
    others = surprise(steps, 2, forced=4), surprise(steps[2:], 0, forced_end=True)
    assert drawn(surprise(steps, 2, forced=2), *map(said, others)) == snapshot


def test_a_reference_has_its_end_only_at_the_end(steps):
    silent = [replace(steps[0], token=replace(steps[0].token, text="")), steps[3]]
    for here, name in ((0, "“·”"), (1, "its end")):
        line = reference_here(silent, here, [step.token.id for step in silent], np.zeros((2, 3)))
        assert line.startswith(f"At step {here + 1} the reference has {name}: ")


def test_ranks_count_the_first_choices(snapshot, steps):
    picture = reference_ranks(steps, None)
    assert drawn(picture) == snapshot
    assert not picture.figure.layout.shapes and len(reference_ranks(steps, 1).figure.layout.shapes) == 1
    for draw in (surprise, reference_ranks):
        cannot_draw("Received: none", draw, (), 0)
