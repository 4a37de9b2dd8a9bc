"""Known slips of the sources as small lessons: what they give, and what is right."""

import streamlit as st

from core.explain import slips
from core.explain.lab import Inputs, check, default_parameters
from core.explain.lab_steps import Matrix, Step
from core.explain.slips import Slip
from core.figures import lab_words
from core.figures.slips import LESSONS, finding
from core.text.tokenizer import Tokenizer
from pages.parts.attention_lab import boards, matrices
from pages.shared.matrix_board import Grid, Group
from pages.shared.state import Key

FORMS = ("walk", "walks", "walked", "walking")


def draw() -> None:
    """Draw the view."""
    name = st.selectbox(
        "Lesson", list(LESSONS), format_func=lambda each: LESSONS[each].title, key=Key.LAB_SLIP,
        persist_state="session", on_change=boards.clear_cell, width=420,
    )  # fmt: skip
    lesson = LESSONS[name]
    st.markdown(lesson.claim)
    own = name in (*slips.MASKED, "query_mask")
    if own:
        matrices.choose_preset()
        st.caption("On the matrices of the view Attention, edited or not, with scaled dot products.")
    slip = _slip(name, own)
    groups = [
        Group(title, [_grid(step) for step in steps])
        for title, steps in ((lesson.wrong, slip.wrong), (lesson.right, slip.right))
        if steps
    ]
    steps = [*slip.wrong, *slip.right]
    boards.show(groups, f"lesson-{name}", finding(name, slip), lambda: lab_words.step_table(steps), beside=True)


def _grid(step: Step) -> Grid:
    """A matrix of a lesson; the ids of words stand below the words."""
    return boards.grid(step, columns=FORMS if step.stage == "ids" else None)


def _slip(name: str, own: bool) -> Slip:
    if not own:
        return slips.word_forms(_ids()) if name == "words" else slips.FIXED[name]()
    inputs = matrices.current()
    check(inputs, "scaled", default_parameters(inputs.query.shape[1], inputs.key.shape[1]))
    if name in slips.MASKED:
        return slips.MASKED[name](inputs)
    return slips.query_mask(inputs, *_keras(inputs))


def _keras(inputs: Inputs) -> tuple[Matrix, Matrix]:
    with st.spinner("Running Keras' attention layer"):
        from core.experiments.keras_mask import keras_weights

        return keras_weights(inputs)


def _ids() -> dict[str, int]:
    """Ids of some forms of a word, by the reports' kind of tokenizer."""
    tokenizer = Tokenizer.train_words([" ".join(FORMS)], min_frequency=1)
    return {form: tokenizer.encode_summary(form)[0] for form in FORMS}
