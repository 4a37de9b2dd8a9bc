"""Tokens: a text becomes turns, tokens, ids and vectors, and what is lost on the way."""

import streamlit as st

from pages.parts.tokens import embedding, forcing, length, merging, reading, sources
from pages.shared import address, picker, state, views
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "tokens": (":material/data_array: Tokens", reading.draw),
    "merges": (":material/join_inner: Merges", merging.draw),
    "length": (":material/straighten: Length", length.draw),
    "embedding": (":material/scatter_plot: Embedding", embedding.draw),
    "forcing": (":material/school: Teacher forcing", forcing.draw),
}
TEXTS = {"dialogue": "The dialogue", "own": "A text of your own"}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("From text to numbers", anchor=False)
    picker.bar()
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    with views.part():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            draw_view = views.choose(VIEWS, Key.TOKENS_VIEW)
            one_of("Text", TEXTS, Key.TOKENS_OF, hidden=True)
        source = sources.current()
        address.write()
        if source.text.strip():
            draw_view(source)
        else:
            _nothing(source.own)


def _nothing(own: bool) -> None:
    """Say what an empty text gives."""
    if own:
        said = "An empty text has no turns, so there is no token. Type at least one character above."
    else:
        said = "No dialogue is chosen yet. Pick or paste one above, or take a text of your own."
    st.info(said, icon=":material/forum:")


draw()
