"""Training both models of the lesson in chunks: the page draws what there is, trains one more, and runs again.

Nothing runs behind its back, so whoever presses Stop, changes the view or leaves loses at most the chunk in hand.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.explain.noisy_copy import Lesson
from pages.shared.frame import sweep
from pages.shared.frame.cache import cached

if TYPE_CHECKING:
    from core.experiments.noisy_copy import Training

TRAINING = "mask_training"
MOST = 16
"""Finished lessons that are kept for everybody."""


@dataclass
class Progress:
    """A training of this session.

    Args:
        seed: of weights and data.
        steps: of the whole training.
        running: whether the next run of the page trains on.
        training: both models; None before the first chunk.
    """

    seed: int
    steps: int
    running: bool = True
    training: "Training | None" = None


def lesson(seed: int, steps: int) -> Lesson | None:
    """Return a lesson that anybody finished, or as far as this session is with it; None: nothing yet."""
    found = _finished().get((seed, steps))
    progress = _progress(seed, steps)
    if found is None and progress is not None and progress.training is not None:
        return progress.training.lesson()
    return found


def running(seed: int, steps: int) -> bool:
    """Return whether this lesson is being trained in this session."""
    progress = _progress(seed, steps)
    return progress is not None and progress.running


def start(seed: int, steps: int) -> None:
    """Begin, or go on after a stop."""
    progress = _progress(seed, steps) or Progress(seed, steps)
    progress.running = True
    st.session_state[TRAINING] = progress


def stop() -> None:
    """Stop what runs; what was trained stays."""
    progress: Progress | None = st.session_state.get(TRAINING)
    if progress is not None:
        progress.running = False


def advance(seed: int, steps: int) -> None:
    """Train one more chunk of what is running and draw again; the last call of a view."""
    progress = _progress(seed, steps)
    if progress is None or not progress.running or (seed, steps) in _finished():
        return
    from core.experiments.noisy_copy import Training

    if progress.training is None:
        with st.spinner("Compiling both training steps; the first chunk takes some seconds longer"):
            training = Training(seed, steps)
            training.advance()
            progress.training = training
    else:
        progress.training.advance()
    if progress.training.done >= steps:
        finished = _finished()
        finished[seed, steps] = progress.training.lesson()
        while len(finished) > MOST:
            finished.pop(next(iter(finished)))
        st.session_state[TRAINING] = None
    sweep.run_again()


def _progress(seed: int, steps: int) -> Progress | None:
    progress: Progress | None = st.session_state.get(TRAINING)
    return progress if progress is not None and (progress.seed, progress.steps) == (seed, steps) else None


@cached(1)
def _finished() -> dict[tuple[int, int], Lesson]:
    """Return the finished lessons by seed and steps; they are the same for everybody."""
    return {}
