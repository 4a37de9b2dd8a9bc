"""Attention: where every head looks, from turns down to the numbers inside one head."""

import streamlit as st

from core.experiments import lesions
from core.experiments.lesions import Head
from pages.parts.attention import catalogue, head, heads, inside, looks, turns
from pages.parts.attention.looks import Look
from pages.shared import address, errors, family, picker, state, views
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "turns": (":material/forum: By turn", turns.draw),
    "heads": (":material/grid_view: All heads", heads.draw),
    "head": (":material/timeline: One head", head.draw),
    "inside": (":material/function: Inside it", inside.draw),
    "catalogue": (":material/menu_book: Catalogue", catalogue.draw),
}
SHORT = {"cross": "Cross", "encoder": "Encoder self", "decoder": "Decoder self"}
ROWS = {"predicted": "Predicted", "input": "Read"}
SINKS = {"with": "Shown", "without": "Left out"}
NOT_SHOWN = (
    "An attention weight says how much of a token's value vector a head takes in. It does not say why the model wrote "
    "a word: a head with a large weight may carry a short vector, later layers may ignore it, other heads may do the "
    "same work, and the feed-forward networks and the copy head decide too. Two different patterns can give the same "
    "summary. Read it as “looks at”, never as “because of”."
)


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("See every head", anchor=False)
    picker.bar()
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    before = state.notes()
    look = looks.current()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page
    if look is None:
        st.info(family.NO_ATTENTION, icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = {kind: SHORT[kind] for kind in look.kinds}
        one_of("Attention", kinds, Key.KIND, "Cross: the summary looks at the dialogue. Self: a text looks at itself.")
        if not look.single:
            layers, head_count = look.weights.shape[:2]
            _number("Layer", Key.LAYER, {0: f"{layers} (last)"} | {each: str(each) for each in range(1, layers)})
            _number("Head", Key.HEAD, {0: "Mean of all"} | {each: str(each) for each in range(1, head_count + 1)})
        if look.kind != "encoder":
            tip = "A decoder row reads one token and predicts the next. Predicted: named after what it writes."
            one_of("Rows named after the token", ROWS, Key.ROW_LABELS, tip)
        one_of("Sinks", SINKS, Key.SINKS, "Marks, speaker tags and punctuation. Left out: the rest becomes 100 %.")
    draw_view = views.choose(VIEWS, Key.SEE)
    with errors.boundary("view"):
        draw_view(look)
    with st.expander("What attention does not prove", icon=":material/warning:"):
        st.markdown(NOT_SHOWN)
    if family.is_transformer():
        _to_experiments(look)


def _to_experiments(look: Look) -> None:
    """From what a head looks at to what the summary depends on."""
    heads = range(look.weights.shape[1]) if look.head is None else [look.head]
    what = "all heads of this layer" if look.head is None else "this head"
    tip = "On the Experiments page: the model writes again, and every head can be lesioned."
    if st.button(f"Test it: switch {what} off", icon=":material/science:", key="to_experiments", help=tip):
        off = lesions.write([Head(look.kind, look.layer, head) for head in heads])
        address.visit("experiments", {Key.EXPERIMENT: "heads", Key.CONTROL: "none", Key.OFF: off})


def _number(label: str, key: Key, options: dict[int, str]) -> None:
    if st.session_state[key] not in options:
        st.session_state[key] = 0
    st.selectbox(label, list(options), format_func=options.get, key=key, persist_state="session", width=150)


draw()
