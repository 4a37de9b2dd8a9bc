"""Reliance: what an emptied dialogue keeps, and that nothing is relied on where nothing is seen."""

import numpy as np

from core.config import TURN
from core.experiments.attribution.question import Question
from core.experiments.attribution.registry import attribute
from core.experiments.attribution.reliance import emptied, fillers, relied, said
from tests.closeness import near, same_network
from tests.models import SETTINGS, script


def test_an_emptied_dialogue_keeps_speakers_turns_and_lengths(copier) -> None:
    question = Question(*copier)
    draws = [emptied(question, filler) for filler in fillers(question)]
    words = set(said(question.run.source, question.run.dialogue))
    kept = [place for place in range(len(question.source)) if place not in words]
    assert {question.source[place] for place in kept} >= {TURN, *question.encoded.speakers}
    for draw in draws:
        assert [draw[place] for place in kept] == [question.source[place] for place in kept]
        changed = sum(draw[place] != question.source[place] for place in words)
        assert len(draw) == len(question.source) and changed > len(words) / 2
    assert len({tuple(draw) for draw in draws}) > 1
    assert fillers(question) == fillers(question)


def test_a_network_that_does_not_see_the_dialogue_relies_on_nothing(built) -> None:
    summarizer, _ = built("post", False, "word")
    kernels = [block.cross_attention.output_projection.kernel for block in summarizer.model.decoder.blocks]
    seeing = [np.asarray(kernel).copy() for kernel in kernels]
    try:
        for kernel in kernels:
            kernel.assign(np.zeros(kernel.shape))
        found = attribute("reliance", summarizer, summarizer.summarize(script(), SETTINGS))
    finally:
        for kernel, values in zip(kernels, seeing, strict=True):
            kernel.assign(values)
    for values in (found.values, found.interval):
        same_network(values, 0, summarizer.config)


def test_the_mean_and_its_interval_by_hand() -> None:
    values, half = relied(np.array([-0.2]), np.array([[-1.0], [-2.0]]))
    near([values[0], half[0]], [1.3, 2.365 * 0.5], terms=4)
