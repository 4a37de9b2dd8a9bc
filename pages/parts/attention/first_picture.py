"""The first attention picture: a tiny network that copies letters, whose cross-attention anyone can read."""

import streamlit as st

from core import checkpoints
from core.words import later, say
from pages.shared.controls import open_head, picker
from pages.shared.model import checkpoint_change
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, selection

NAME = "tiny-copier"
READ_IT = later(
    "**This network reads letters and writes the same letters.** Each line above leads from a letter that it writes to "
    "the letter that it looks at while it does so: to write the third letter, it looks at the third letter. In the "
    "matrix, where a row is a letter that it writes and a column a letter that it reads, that is the diagonal. "
    "No rule told it to; it learnt this from examples, in less than a minute."
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


def read_it() -> None:
    """Say how to read the picture above, if it is that of the network that copies letters."""
    if decoding.checkpoint() == NAME:
        st.info(say(READ_IT), icon=":material/school:")


def _switch(label: str, name: str, icon: str, tip: str) -> None:
    key = "first_picture"
    st.button(label, key=key, icon=icon, type="tertiary", help=tip or None, on_click=_open, args=(name,))


def _open(name: str) -> None:
    checkpoint_change.to(name)
    page_at("attention").view.value = "head"
    st.session_state.update(open_head.FIRST)
