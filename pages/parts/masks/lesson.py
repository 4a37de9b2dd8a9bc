"""The lesson: a tiny model that learns without the look-ahead mask learns to read the answer."""

import streamlit as st

from core.explain.noisy_copy import CHUNK, KEPT, LENGTH, SYMBOLS, Lesson, last_only, noise_entropy
from core.figures import lesson as figures
from core.figures.wording import number, percent
from pages.parts.masks import training
from pages.shared.controls.choices import number as number_box
from pages.shared.figures import pictures
from pages.shared.frame import sweep
from pages.shared.frame.fields import Number

SEED = Number("mask_seed", 0, 9999, 0)
STEPS = Number("mask_steps", CHUNK, "lesson_steps", 400, CHUNK)
FIELDS = (SEED, STEPS)
LESSON = (
    "**The lesson.** Without the mask the loss looks splendid, because the decoder learnt to read the answer "
    "from the next position instead of the source. When it writes by itself there is no next position, and what "
    "it learnt is worth nothing. Only at the last position, which never had a later one, it had to learn to look "
    "at the source. A loss that is too good to be true is the sign of a missing mask.\n\n"
    "**Why the noise?** If the target were a plain copy, cross-attention to the source alone would bring the loss "
    "to 0, with the mask or without, and both would write it rightly: nothing would tempt the model to look "
    "ahead. The noise is what can only be known by looking ahead."
)


def draw() -> None:
    """Draw the training of both models, side by side, and what came of it."""
    st.markdown(
        f"Two tiny encoder–decoders of our own Transformer class learn the same task, side by side: the source has "
        f"{LENGTH} of {SYMBOLS} symbols, and the target repeats each with probability {KEPT:g}, otherwise it has a "
        f"random one. Same first weights, same data; one of them has no look-ahead mask, so its decoder sees the "
        f"whole target while it learns."
    )
    st.markdown(
        f"Who knows the source still cannot know the noise: its entropy is **{number(noise_entropy())} nats** a "
        f"symbol, and an honest loss cannot fall below it. Who reads the answer pays only for the last symbol, which "
        f"stands in no later position: {number(noise_entropy())} ÷ {LENGTH} = **{number(last_only())} nats**."
    )
    seed, steps = _settings()
    found = training.lesson(seed, steps)
    _controls(seed, steps, found)
    if found is not None:
        pictures.show(figures.curves(found), "lesson_picture")
        _outcomes(found)
    st.markdown(LESSON)
    training.advance(seed, steps)


def _settings() -> tuple[int, int]:
    """Draw seed and steps; steps that are no whole number of chunks are rounded, and that is noted."""
    if STEPS.value % CHUNK:
        asked, rounded = STEPS.value, max(CHUNK, round(STEPS.value / CHUNK) * CHUNK)
        STEPS.refuse(f"The link asks for {asked} steps. Steps come in {CHUNK}s: these are {rounded}.", rounded)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        steps = number_box("Training steps", STEPS, width=170, on_change=sweep.stop)
        seed = number_box("Seed", SEED, width=140, on_change=sweep.stop)
    return int(seed), int(steps)


def _controls(seed: int, steps: int, found: Lesson | None) -> None:
    """Draw a button that starts, stops or goes on, and how far the training is.

    It is one button: of two the old one would stay on the page until the training ends.
    """
    done, running = found.done if found else 0, training.running(seed, steps)
    with st.container(horizontal=True, vertical_alignment="center", key="mask_training_bar"):
        if done == steps:
            st.caption(f"Both are trained: {steps:,} steps each, seed {seed}.")
            return
        if running:
            st.button("Stop", key="mask_train", icon=":material/stop:", on_click=sweep.stop)
        else:
            label, icon = (
                f"Go on with the other {steps - done:,} steps" if done else "Train both",
                ":material/play_arrow:",
            )
            st.button(label, key="mask_train", icon=icon, type="primary", on_click=training.start, args=(seed, steps))
        if done or running:
            st.progress(done / steps, text=f"{done:,} of {steps:,} steps")
    if not done and not running:
        st.caption("It takes about half a minute on two processor cores, and you can stop it.")


def _outcomes(found: Lesson) -> None:
    """What both can do in the end."""
    if found.outcomes is None:
        return
    masked, unmasked = found.outcomes
    left, right = st.columns(2, gap="medium")
    for column, name, outcome in ((left, "With the mask", masked), (right, "Without it", unmasked)):
        with column.container(border=True):
            st.markdown(f"**{name}**")
            first, second = st.columns(2)
            first.metric("Loss, teacher forcing (nats)", number(float(outcome.loss.mean())))
            second.metric("Right, written freely", percent(float(outcome.right.mean())))
    st.markdown(
        "Teacher forcing hands every symbol of the target to the decoder. Written freely, there is no target: the "
        "model has only what it wrote before. On fresh sequences:"
    )
    pictures.show(figures.positions(found.outcomes), "lesson_positions_picture")
    st.header("What they write", anchor=False)
    pictures.show(figures.sequences(found), "lesson_sequences_picture")
