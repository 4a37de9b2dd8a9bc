"""The controls that all views of the Attention page share, and what stands below every view."""

import streamlit as st

from core.experiments import ablations
from core.explain.head_outputs import Head
from core.figures.attention_view import AttentionView, held
from pages.parts.attention import view
from pages.shared.controls import open_head
from pages.shared.controls.choices import one_of, select
from pages.shared.frame import address, family, seen

SHORT = {"cross": "Cross", "encoder": "Encoder self", "decoder": "Decoder self"}
ROWS = {"predicted": "Predicted", "input": "Read"}
SINKS = {"with": "Shown", "without": "Left out"}
NOT_SHOWN = (
    "An attention weight says how much of a token's value vector a head takes in. It does not say why the model wrote "
    "a word. A head with a large weight may carry a short vector, later layers may ignore it, and other heads may do "
    "the same. The feed-forward networks decide too, and so does copying, where a model can. Two different "
    "patterns can give the same summary. Read it as “looks at”, never as “because of”."
)


def draw() -> AttentionView | None:
    """Draw the choice of attention, layer and head; return what the views draw, None for a model without attention."""
    found = view.current()
    if found is None:
        st.info(family.NO_ATTENTION, icon=":material/info:")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tip = "Cross: the summary looks at the dialogue. Self: a text looks at itself."
        one_of("Attention", {kind: SHORT[kind] for kind in held(found.summary)}, open_head.KIND, tip)
        if not found.single:
            layers, heads = (range(1, size + 1) for size in found.weights.shape[:2])
            names = {each: f"{each} (last)" if each == layers[-1] else str(each) for each in layers}
            select("Layer", names, open_head.LAYER, usual=layers[-1], width=150)
            select("Head", {0: "Mean of all"} | {each: str(each) for each in heads}, open_head.HEAD, width=150)
        if found.kind != "encoder":
            tip = "A decoder row reads one token and predicts the next. Predicted: named after what it writes."
            one_of("Rows named after the token", ROWS, view.ROW_LABELS, tip)
        tip = "Special tokens, speaker tags and punctuation. Left out: the other weights of a row are scaled to 100 %."
        one_of("Sinks", SINKS, view.SINKS, tip)
    seen.say(detail=found.what)
    return found


def footer(found: AttentionView) -> None:
    """Say what attention does not prove, and offer the experiment that tests it."""
    with st.expander("What attention does not prove", icon=":material/warning:"):
        st.markdown(NOT_SHOWN)
    if not family.has("heads"):
        return
    heads = range(found.weights.shape[1]) if found.head is None else [found.head]
    what = "all heads of this layer" if found.head is None else "this head"
    tip = "On the Experiments page: the model writes again, and every head can be ablated."
    if st.button(f"Test it: ablate {what}", icon=":material/science:", key="to_experiments", help=tip):
        off = ablations.write([Head(found.kind, found.layer, head) for head in heads])
        address.visit("experiments", experiment="heads", control="none", off=off)
