"""The ways from the start page into the app."""

import streamlit as st

from core.words import later, say
from pages.shared.guard import demo
from pages.shared.place import places
from pages.shared.session import selection

BRING = later("Bring a file of dialogues, with or without summaries, and find those that went wrong.")
BUNDLED = later("Look at many summaries at once, and find those that went wrong.")


def draw() -> None:
    """Draw a door to each page that one begins with."""
    paste = say("Paste a conversation, and see how its summary is written.")
    doors = [
        ("school", say("Learn it"), say("Short lessons, from the first token to the last error."), "lessons"),
        ("search", say("Look inside my text"), paste, "summarize"),
        ("troubleshoot", say("Find errors"), say(BUNDLED if demo.on() else BRING), "errors"),
    ]
    for column, (icon, label, about, page) in zip(st.columns(len(doors)), doors, strict=True):
        with column:
            if st.button(f"**{label}**", key=f"door_{page}", icon=f":material/{icon}:", width="stretch"):
                places.visit(page, **({selection.INPUT.name: "paste"} if page == "summarize" else {}))
            st.caption(about)
