"""The lesson: a tiny model that learns without the look-ahead mask learns to read the answer.

Both models are trained in chunks: the page draws what there is, trains one more, and runs again.
"""

from collections.abc import Sequence

import streamlit as st

from core.explain.masks.noisy_copy import CHUNK, KEPT, LENGTH, SYMBOLS, Lesson, last_only, noise_entropy
from core.figures.masks import noisy_copy as figures
from core.figures.shared.wording import number, percent
from core.words import later, say
from pages.shared.controls.choices import number as number_box
from pages.shared.controls.choices import row
from pages.shared.figures import pictures
from pages.shared.model import sweep
from pages.shared.model.cache import cached
from pages.shared.session.fields import Number

SEED = Number("mask_seed", 0, 9999, 0)
STEPS = Number("mask_steps", CHUNK, "lesson_steps", 400, CHUNK)
FIELDS = (SEED, STEPS)
TRAINING = "mask_training"
"""Session key: the models of the last lesson that was trained here."""
MOST = 16
"""Finished lessons that are kept for everybody."""
PLACE = "lesson_place"
"""Key of the frame with the button that begins: there the picture will be."""
LESSON = (
    later(
        "**What it teaches.** Without the mask the loss looks splendid, because the decoder learnt to read the answer "
        "from the next position instead of the source. When it writes by itself there is no next position, and what it "
        "learnt is worth nothing. Only at the last position, which never had a later one, it had to learn to look at "
        "the source. A loss that is too good to be true is the sign of a missing mask."
    ),
    later(
        "**Why the noise?** If the target were a plain copy, cross-attention to the source alone would bring the loss "
        "to 0, with the mask or without, and both would write it rightly: nothing would tempt the model to look ahead. "
        "The noise is what can only be known by looking ahead."
    ),
)


def draw() -> None:
    """Draw the training of both models, side by side, and what came of it."""
    seed, steps = _settings()
    trained = _lesson(seed, steps)
    _controls(seed, steps, trained)
    if trained is not None:
        pictures.show(figures.curves(trained), "lesson_picture")
        _outcomes(trained)
    st.markdown(
        say(
            "Two tiny encoder–decoders of our own Transformer class learn the same task, side by side: a source has "
            "{length} symbols, each one of {symbols}. The target repeats a symbol with probability {share:g} and has a "
            "random one otherwise. Same first weights, same data; one of them has no look-ahead mask, so its decoder "
            "sees the whole target while it learns.",
            length=LENGTH,
            symbols=SYMBOLS,
            share=KEPT,
        )
    )
    st.markdown(
        say(
            "Who knows the source still cannot know the noise: its entropy is **{entropy} nats** a symbol, and an "
            "honest loss cannot fall below it. Who reads the answer pays only for the last symbol, which stands in no "
            "later position: {entropy} ÷ {length} = **{last} nats**.",
            entropy=number(noise_entropy()),
            length=LENGTH,
            last=number(last_only()),
        )
    )
    st.markdown("\n\n".join(say(paragraph) for paragraph in LESSON))

    def measure(chunks: Sequence[int]) -> dict[int, Lesson]:
        return {chunks[0]: _train(seed, steps, chunks[0])}

    sweep.advance(_key(seed, steps), range(0, steps, CHUNK), 1, measure)


def _settings() -> tuple[int, int]:
    """Draw seed and steps; steps that are no whole number of chunks are rounded, and that is noted."""
    if STEPS.value % CHUNK:
        asked, rounded = STEPS.value, max(CHUNK, round(STEPS.value / CHUNK) * CHUNK)
        note = say(
            "The link asks for {asked} steps. Steps come in {chunk}s: these are {rounded}.",
            asked=asked,
            chunk=CHUNK,
            rounded=rounded,
        )
        STEPS.refuse(note, rounded)
    with row():
        steps = number_box(say("Training steps"), STEPS, width=170, on_change=sweep.stop)
        seed = number_box(say("Seed"), SEED, width=140, on_change=sweep.stop)
    return int(seed), int(steps)


def _controls(seed: int, steps: int, trained: Lesson | None) -> None:
    """Draw a button that starts, stops or goes on, and how far the training is; before it, where the picture will be.

    It is one button with two labels: with two buttons, the old one would stay on the page until the training ends.
    """
    done, running = trained.done if trained else 0, sweep.running(_key(seed, steps))
    place = st.container(key="mask_training_bar")
    empty = not done and not running
    with place.container(
        horizontal=not empty,
        horizontal_alignment="center" if empty else "left",
        vertical_alignment="center",
        border=empty,
        height=330 if empty else "content",
        key=PLACE if empty else None,
    ):
        if done == steps:
            st.caption(say("Both are trained: {steps:,} steps each, seed {seed}.", steps=steps, seed=seed))
            return
        if running:
            st.button(say("Stop"), key="mask_train", icon=":material/stop:", on_click=sweep.stop)
        else:
            more = say("Go on with the other {steps:,} steps", steps=steps - done)
            st.button(
                more if done else say("Train both"),
                key="mask_train",
                icon=":material/play_arrow:",
                type="primary",
                on_click=sweep.start,
                args=(_key(seed, steps),),
            )
        if done or running:
            st.progress(done / steps, text=say("{done:,} of {steps:,} steps", done=done, steps=steps))
        if empty:
            drawn = say("Here the losses of both will be drawn while they learn.")
            takes = say("It takes about half a minute on two processor cores, and you can stop it.")
            st.markdown(f"{drawn}\n\n{takes}", text_alignment="center")  # where the progress will stand


def _outcomes(trained: Lesson) -> None:
    """Draw what both models can do in the end."""
    if trained.outcomes is None:
        return
    masked, unmasked = trained.outcomes
    left, right = st.columns(2, gap="medium")
    for column, name, outcome in ((left, say("**With the mask**"), masked), (right, say("**Without it**"), unmasked)):
        with column.container(border=True):
            st.markdown(name)
            first, second = st.columns(2)
            first.metric(say("Loss, teacher forcing (nats)"), number(float(outcome.loss.mean())))
            second.metric(say("Right, written freely"), percent(float(outcome.right.mean())))
    st.markdown(
        say(
            "Teacher forcing hands every symbol of the target to the decoder. Written freely, there is no target: the "
            "model has only what it wrote before. On fresh sequences:"
        )
    )
    with st.expander(say("Right at each position")):
        pictures.show(figures.positions(trained.outcomes), "lesson_positions_picture")
    with st.expander(say("What they write")):
        pictures.show(figures.sequences(trained), "lesson_sequences_picture")


def _lesson(seed: int, steps: int) -> Lesson | None:
    """Return the lesson as somebody has finished it, or as far as this session has trained it; None: not begun."""
    so_far = sweep.results(_key(seed, steps))
    return _finished().get((seed, steps)) or (so_far[max(so_far)] if so_far else None)


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
