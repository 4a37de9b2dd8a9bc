"""What all views of the Attention page share: the way to its first picture, the controls, and what stands below.

The first picture is of a tiny network that copies letters, whose cross-attention anyone can read.
"""

import streamlit as st

from core import checkpoints
from core.experiments import ablations
from core.explain.attention.head_outputs import Head
from core.explain.attribution.methods import MAPS
from core.figures.attention.view import AttentionView, weights_by_kind
from core.words import later, say
from pages.parts.attention import maps, view
from pages.shared.controls import open_head, picker
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.model import checkpoint_change, model_parts
from pages.shared.place import page_description, places
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, selection

NAME = "tiny-copier"
READ_IT = later(
    "**This network reads letters and writes the same letters.** Each line above leads from a letter that it writes to "
    "the letter that it looks at while it does so: to write the third letter, it looks at the third letter. In the "
    "matrix, where a row is a letter that it writes and a column a letter that it reads, that is the diagonal. "
    "No rule told it to; it learnt this from examples, in less than a minute."
)
NOT_SHOWN = later(
    "An attention weight says how much of a token's value vector a head takes in. It does not say why the model wrote "
    "a word. A head with a large weight may carry a short vector, later layers may ignore it, and other heads may do "
    "the same. The feed-forward networks decide too. The vector of a token is not the token alone: the encoder has put "
    "what other turns say into it. Two different patterns can give the same summary. Read it as “looks at”, never as "
    "“because of”. Heads that copy are the exception: there the weight is part of the probability of a word."
)


def head() -> None:
    """Draw the bar of the dialogue, and the way to the first picture or back from it."""
    picker.bar()
    installed = checkpoints.installed()
    if NAME not in installed:
        return
    if decoding.checkpoint() != NAME:
        tip = say(
            "Begin with a network that copies letters: opens the checkpoint tiny-copier with an input of its own."
        )
        _switch(say("New to attention?"), NAME, ":material/school:", tip)
        return
    if selection.INPUT.value == "example":
        label = say("It knows no words: give it letters")
        st.button(label, key="first_letters", icon=":material/abc:", on_click=_open, args=(NAME,))
    back = next(name for name in installed if name != NAME)
    _switch(say("Go on to {name}, which summarizes", name=back), back, ":material/arrow_forward:", "")


def _switch(label: str, name: str, icon: str, tip: str) -> None:
    key = "first_picture"
    st.button(label, key=key, icon=icon, type="tertiary", help=tip or None, on_click=_open, args=(name,))


def _open(name: str) -> None:
    checkpoint_change.to(name)
    page_at("attention").view.value = "head"
    st.session_state.update(open_head.FIRST)


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
            names = {number: last if number == layers[-1] else str(number) for number in layers}
            select(say("Layer"), names, open_head.LAYER, usual=layers[-1], width=105)
            if MAPS[seen.shows].heads:
                means = {0: say("Mean of all") if seen.shows == "weights" else say("All together")}
                select(say("Head"), means | {number: str(number) for number in heads}, open_head.HEAD, width=130)
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
    """Say how to read a network that copies and what attention does not prove; offer the experiment that tests it."""
    if decoding.checkpoint() == NAME:
        st.info(say(READ_IT), icon=":material/school:")
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
