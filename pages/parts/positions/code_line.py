"""The line of our own source that computes something."""

import streamlit as st

from core.explain.source_lines import source_line


def code_line(what: str) -> None:
    """Show where something is computed; `what` is a key of `source_lines.PLACES`."""
    found = source_line(what)
    st.caption(f"`{found.place}`")
    st.code(found.code, language="python", wrap_lines=True)
