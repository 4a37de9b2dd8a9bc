"""Training both models of the lesson in chunks: the page draws what there is, trains one more, and runs again."""

from collections.abc import Sequence

import streamlit as st

from core.explain.masks.noisy_copy import CHUNK, Lesson
from core.words import say
from pages.shared.model import sweep
from pages.shared.model.cache import cached

TRAINING = "mask_training"
"""Session key: the models of the last lesson that was trained here."""
MOST = 16
"""Finished lessons that are kept for everybody."""


def lesson(seed: int, steps: int) -> Lesson | None:
    """Return the lesson as somebody has finished it, or as far as this session has trained it; None: not begun."""
    so_far = sweep.results(_key(seed, steps))
    return _finished().get((seed, steps)) or (so_far[max(so_far)] if so_far else None)


def running(seed: int, steps: int) -> bool:
    """Return whether this lesson is being trained in this session."""
    return sweep.running(_key(seed, steps))


def start(seed: int, steps: int) -> None:
    """Begin, or go on after a stop."""
    sweep.start(_key(seed, steps))


def advance(seed: int, steps: int) -> None:
    """Train one more chunk of what is running and draw again; the last call of a view."""

    def measure(chunks: Sequence[int]) -> dict[int, Lesson]:
        return {chunks[0]: _train(seed, steps, chunks[0])}

    sweep.advance(_key(seed, steps), range(0, steps, CHUNK), 1, measure)


def _train(seed: int, steps: int, begin: int) -> Lesson:
    """Train the chunk that begins at a step, and first the chunks before it that this session has not trained."""
    from core.experiments.masks.noisy_copy import Training

    training = st.session_state.get(TRAINING)
    if training is None or (training.seed, training.steps) != (seed, steps) or training.done > begin:
        with st.spinner(say("Compiling both training steps; the first chunk takes some seconds longer")):
            training = st.session_state[TRAINING] = Training(seed, steps)
            training.advance()
    while training.done <= begin:
        training.advance()
    reached = training.lesson()
    if reached.done >= steps:
        finished = _finished()
        finished[seed, steps] = reached
        while len(finished) > MOST:
            finished.pop(next(iter(finished)))
        st.session_state[TRAINING] = None
    return reached


def _key(seed: int, steps: int) -> tuple[str, int, int]:
    return "lesson", seed, steps


@cached(1)
def _finished() -> dict[tuple[int, int], Lesson]:
    """Return the finished lessons by seed and steps; they are the same for everybody."""
    return {}
