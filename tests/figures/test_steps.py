"""Surprise and ranks, with numbers worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.figures.steps import reference_here, reference_ranks, surprise
from tests.figures.conftest import said


def test_surprise_says_what_was_least_expected(steps):
    picture = surprise(steps, 2)
    # ln 10 = 2.30; (ln 2 + ln 4 + ln 10 + ln 2) / 4 = 1.27; mean entropy 3 / 4
    assert said(picture) == (
        "The greatest surprise was “the”, token 3 of 4: 2.30 nats, a probability of 10 %; "
        "the mean surprise was 1.27 nats, the mean entropy 0.75 nats."
    )
    certain = [replace(step, log_probability=-0.1) for step in steps[:3]] + [steps[3]]
    assert "the end, token 4 of 4: 0.69" in surprise(certain, 0).caption
    table = picture.table
    assert table["Token"] == ["the", "<b>cat</b>", "the", "the end"] and table["Step"] == [1, 2, 3, 4]
    assert table["Surprise (nats)"] == pytest.approx([math.log(2), math.log(4), math.log(10), math.log(2)])
    assert table["Typicality (nats)"][2] == pytest.approx(math.log(10) - 0.5)
    assert table["Probability"] == pytest.approx([0.5, 0.25, 0.1, 0.5]) and table["Rank"] == [1, 2, 40, 1]
    # The current step has a band; hover is escaped and numbered.
    figure = picture.figure
    (band,) = figure.layout.shapes
    assert (band.x0, band.x1) == (2.5, 3.5) and band.showlegend and len(figure.data) == 2
    assert figure.data[0].hovertext[1].startswith("2 · “&lt;b&gt;cat&lt;/b&gt;”")
    assert figure.layout.xaxis.ticktext == ("the", "&lt;b&gt;cat&lt;/b&gt;", "the", "the end")
    # Forced tokens stand apart and every point knows its step.
    picture = surprise(steps, 2, forced=2)
    written, forced, entropy = picture.figure.data
    assert [list(each.customdata) for each in (written, forced, entropy)] == [[2, 3], [0, 1], [0, 1, 2, 3]]
    assert written.name != forced.name and forced.marker.pattern.shape == "/"
    assert picture.caption.endswith("Forced and counted out: the first 2 tokens.")
    picture = surprise(steps, 2, forced=1, forced_end=True)
    assert [list(each.customdata) for each in picture.figure.data] == [[1, 2], [0, 3], [0, 1, 2, 3]]
    assert picture.caption.endswith("Forced and counted out: the first token and the end.")
    assert surprise(steps, 2, forced=4).caption.endswith("Forced: the first 4 tokens.")
    assert surprise(steps[2:], 0, forced_end=True).caption.startswith("The greatest surprise was “the”, token 1 of 2")


def test_a_reference_has_its_end_only_at_the_end(steps):
    silent = [replace(steps[0], token=replace(steps[0].token, text="")), steps[3]]
    for here, name in ((0, "“·”"), (1, "its end")):
        line = reference_here(silent, here, [step.token.id for step in silent], np.zeros((2, 3)))
        assert line.startswith(f"At step {here + 1} the reference has {name}: ")


def test_ranks_count_the_first_choices(subtests, steps):
    picture = reference_ranks(steps, None)
    assert said(picture) == (
        "The model itself would have written 2 of the reference's 4 tokens (50 %); "
        "the worst rank was 40, of “the” (token 3)."
    )
    first, others = picture.figure.data
    assert list(first.customdata) == [0, 3] and list(others.y) == [2, 40]
    axis = picture.figure.layout.yaxis
    assert axis.type == "log" and axis.range[0] > math.log10(40) > 0 > axis.range[1]
    assert not picture.figure.layout.shapes and len(reference_ranks(steps, 1).figure.layout.shapes) == 1
    for draw in (surprise, reference_ranks):
        with subtests.test(draw=draw), pytest.raises(ValueError, match="Received: none"):
            draw((), 0)
