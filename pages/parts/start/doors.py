"""The ways from the start page into the app."""

import streamlit as st


def draw() -> None:
    """Draw a link to each page that one begins with."""
    st.page_link("pages/summarize.py", label="Look inside my text", icon=":material/search:")
    st.page_link("pages/errors.py", label="Find errors", icon=":material/troubleshoot:")
