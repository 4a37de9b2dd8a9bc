"""What can be taken away: text, JSON, and the whole trace."""

import json

import streamlit as st

from core.trace import Summary


def downloads(summary: Summary) -> None:
    """Buttons that save the summary; the files are made when they are clicked."""
    with st.popover("Download", icon=":material/download:"):
        st.download_button(
            "Text", lambda: summary.text + "\n", "summary.txt", "text/plain", key="save_text", on_click="ignore"
        )
        st.download_button(
            "JSON with tokens and settings",
            lambda: to_json(summary),
            "summary.json",
            "application/json",
            key="save_json",
            on_click="ignore",
        )
        st.download_button(
            "Trace with every attention weight (.npz)",
            summary.to_bytes,
            "trace.npz",
            "application/octet-stream",
            key="save_trace",
            on_click="ignore",
        )


def to_json(summary: Summary) -> str:
    """The summary and its numbers as one JSON document; the names are those of the command line."""
    return json.dumps(summary.to_dict(), ensure_ascii=False, indent=1) + "\n"
