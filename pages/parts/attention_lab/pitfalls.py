"""Known pitfalls of the sources as small lessons: what they give, and what is right."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.explain.attention_lab import pitfalls
from core.explain.attention_lab.lab import Inputs, check, default_parameters
from core.explain.attention_lab.pitfalls import Pitfall
from core.explain.attention_lab.steps import Step
from core.figures.attention_lab.board import Grid, Group
from core.figures.attention_lab.pitfalls import LESSONS, finding
from core.text.tokenizer import Tokenizer
from core.words import say
from pages.parts.attention_lab import boards, matrices
from pages.shared.controls.choices import row, select
from pages.shared.session.fields import Choice

LESSON = Choice("lab_slip", {name: lesson.title for name, lesson in LESSONS.items()})
FIELDS = (LESSON,)
FORMS = ("walk", "walks", "walked", "walking")
"""Words whose ids stand below them."""


def draw() -> None:
    """Draw one pitfall: the wrong numbers beside the right ones."""
    with row():
        name = select(say("Pitfall"), LESSON, width=420, on_change=boards.clear_cell)
    lesson = LESSONS[name]
    of_matrices = name in (*pitfalls.MASKED, "query_mask")
    if of_matrices:
        with row():
            matrices.choose_preset()
        pitfall = _on_matrices(name, matrices.current())
    else:
        pitfall = pitfalls.word_forms(_ids()) if name == "words" else pitfalls.FIXED[name]()
    labels = dict(zip((*pitfall.wrong, *pitfall.right), pitfall.labels, strict=False))
    groups = [
        Group(say(title), [_grid(step, labels.get(step, {})) for step in steps])
        for title, steps in ((lesson.wrong, pitfall.wrong), (lesson.right, pitfall.right))
        if steps
    ]
    steps = [*pitfall.wrong, *pitfall.right]
    boards.show(groups, f"lesson-{name}", finding(name, pitfall), steps, beside=True)
    st.markdown(say(lesson.claim))
    if of_matrices:
        st.caption(say("On the matrices of the view Attention, edited or not, with scaled dot products."))


def _grid(step: Step, words: Mapping[str, Sequence[str]]) -> Grid:
    return Grid(step, rows=words.get("rows"), columns=words.get("columns"))


def _on_matrices(name: str, inputs: Inputs) -> Pitfall:
    """Return a pitfall computed on matrices; raises SettingsError if these do not fit together."""
    check(inputs, "scaled", default_parameters(inputs.query.shape[1], inputs.key.shape[1]))
    if name in pitfalls.MASKED:
        return pitfalls.MASKED[name](inputs)
    with st.spinner(say("Running Keras' attention layer")):
        from core.experiments.attention_lab.keras_mask import keras_weights

        return pitfalls.query_mask(inputs, *keras_weights(inputs))


def _ids() -> dict[str, int]:
    """Return the ids of some forms of a word, by the reports' kind of tokenizer."""
    tokenizer = Tokenizer.train_words([" ".join(FORMS)], min_frequency=1)
    return {form: tokenizer.encode_summary(form)[0] for form in FORMS}
