"""Experiments: what the summary depends on, found by changing it and running the model again."""

import streamlit as st

from pages.parts.experiments import heads, lenses, runs, turns, words
from pages.shared import address, picker, state, sweep, views
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "turns": (":material/forum: Turns", turns.draw),
    "heads": (":material/grid_view: Heads", heads.draw),
    "words": (":material/format_ink_highlighter: Words", words.draw),
    "lenses": (":material/layers: Lenses", lenses.draw),
}
CONTROLS = {"none": "The model", "untrained": "Untrained network", "shuffled": "Shuffled turns"}
EXPECT = {
    "untrained": "Control: the same network before training, scoring the same summary. A picture that looks the same "
    "here shows the network's build, not what it learnt.",
    "shuffled": "Control: the same turns in a random order (always the same one), scoring the same summary. A picture "
    "that looks the same here does not depend on the order of the dialogue.",
}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Do not believe it, test it", anchor=False)
    picker.bar()
    _view(state.notes())


@st.fragment
def _view(above: tuple[str, ...]) -> None:
    """Controls and view; a change draws them alone again, not the page; `above` are the notes that stand there."""
    if state.notes() != above:
        st.rerun()  # a sweep draws the view again and again before it ends
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = one_of(
            "Experiment", {name: label for name, (label, _) in VIEWS.items()}, Key.EXPERIMENT, on_change=sweep.stop
        )
        control = one_of(
            "Run it on",
            CONTROLS,
            Key.CONTROL,
            "Two controls: an experiment says something about the model only if they look different.",
            on_change=_other_control,
            args=(st.session_state[Key.CONTROL],),
        )
    if control in EXPECT:
        st.info(EXPECT[control], icon=":material/science:")
    with views.part(above):
        run = runs.current()
        address.write()
        VIEWS[view][1](run)


def _other_control(before: str) -> None:
    """Another control was chosen; shuffled turns have another order."""
    sweep.stop()
    if "shuffled" in (before, st.session_state[Key.CONTROL]):
        turns.forget_moves()


draw()
