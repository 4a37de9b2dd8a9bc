"""Reliance: what an emptied dialogue keeps, and that nothing is relied on where nothing is left."""

import numpy as np

from core.config import TURN
from core.experiments.attribution.question import Question
from core.experiments.attribution.reliance import emptied, fillers, relied, said
from tests.closeness import near


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


def test_of_a_dialogue_that_is_empty_nothing_is_relied_on() -> None:
    full = np.array([-0.2, -3.0], dtype=np.float32)
    values, half = relied(full, np.stack([full] * 4))
    near(values, 0, terms=4)
    near(half, 0, terms=4)
    values, half = relied(np.array([-0.2]), np.array([[-1.0], [-2.0]]))
    near([values[0], half[0]], [1.3, 2.365 * 0.5], terms=4)
