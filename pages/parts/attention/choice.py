"""The controls that all views of the Attention page share, and what stands below every view."""

import streamlit as st

from core.experiments import ablations
from core.explain.attention.head_outputs import Head
from core.explain.attribution.methods import MAPS
from core.figures.attention.view import AttentionView, weights_by_kind
from core.words import later, say
from pages.parts.attention import first_picture, maps, view
from pages.shared.controls import open_head
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.model import model_parts
from pages.shared.place import page_description, places

NOT_SHOWN = later(
    "An attention weight says how much of a token's value vector a head takes in. It does not say why the model wrote "
    "a word. A head with a large weight may carry a short vector, later layers may ignore it, and other heads may do "
    "the same. The feed-forward networks decide too. The vector of a token is not the token alone: the encoder has put "
    "what other turns say into it. Two different patterns can give the same summary. Read it as “looks at”, never as "
    "“because of”. Heads that copy are the exception: there the weight is part of the probability of a word."
)


def draw() -> AttentionView | None:
    """Draw the choice of attention, layer and head; return what the views draw, None for a model without attention."""
    seen = view.current()
    if seen is None:
        st.info(say(model_parts.NO_ATTENTION), icon=":material/info:")
        return None
    with row():
        tip = say("Cross: the summary looks at the dialogue. Self: a text looks at itself.")
        words = open_head.KIND.words
        one_of(say("Attention"), {kind: words[kind] for kind in weights_by_kind(seen.summary)}, open_head.KIND, tip)
        if not seen.single:
            layers, heads = (range(1, size + 1) for size in seen.shape)
            last = say("{layer} (last)", layer=layers[-1])
            names = {each: last if each == layers[-1] else str(each) for each in layers}
            select(say("Layer"), names, open_head.LAYER, usual=layers[-1], width=105)
            if MAPS[seen.shows].heads:
                means = {0: say("Mean of all") if seen.shows == "weights" else say("All together")}
                select(say("Head"), means | {each: str(each) for each in heads}, open_head.HEAD, width=130)
            else:
                whole, tip = [say("All together")], say(maps.WHOLE)
                st.selectbox(say("Head"), whole, key="no_head", disabled=True, help=tip, width=130)
    if not maps.of_weights():
        maps.choose()
        _how_drawn(seen)
    page_description.describe(detail=seen.what)
    return seen


def _how_drawn(seen: AttentionView) -> None:
    """Draw the options of every view that draws maps: how rows are named, and whether words alone are shown."""
    with options():
        if seen.kind != "encoder":
            tip = say("A decoder row reads one token and writes the next: it can be named by either.")
            one_of(say("Name rows by"), view.ROW_LABELS, tip=tip)
        tip = say(
            "Special tokens, speaker tags and punctuation. Left out: the other weights of a row are scaled to 100 %."
        )
        one_of(say("Tags and signs"), view.SINKS, tip=tip)


def footer(seen: AttentionView) -> None:
    """Say what a copying network shows and what attention does not prove, and offer the experiment that tests it."""
    first_picture.read_it()
    with st.expander(say("What attention does not prove"), icon=":material/warning:"):
        st.markdown(say(NOT_SHOWN))
    if not model_parts.has("heads"):
        return
    heads = range(seen.shape[1]) if seen.head is None else [seen.head]
    label = say("Test it: ablate all heads of this layer") if seen.head is None else say("Test it: ablate this head")
    tip = say("On the Experiments page: the model writes again, and every head can be ablated.")
    if st.button(label, icon=":material/science:", key="to_experiments", help=tip):
        off = ablations.write([Head(seen.kind, seen.layer, head) for head in heads])
        places.visit("experiments", "heads", control="none", off=off)
