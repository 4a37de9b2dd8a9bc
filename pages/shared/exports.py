"""What can be taken away: text, JSON, and the whole trace."""

import json
from typing import Any

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
    return json.dumps(as_dict(summary), ensure_ascii=False, indent=1) + "\n"


def as_dict(summary: Summary) -> dict[str, Any]:
    """The summary and its numbers in plain types."""
    return {
        "summary": summary.text,
        "tokens": [
            {
                "text": step.token.text,
                "probability": step.probability,
                "entropy": step.entropy,
                "rank": step.rank,
                "copied": step.copied,
            }
            for step in summary.steps
        ],
        "log_probability": summary.log_probability,
        "finished": summary.finished,
        "checkpoint": summary.checkpoint,
        "settings": summary.settings.to_dict(),
        "seconds": summary.seconds,
        "omitted_turns": list(summary.omitted),
        "shortened_turns": list(summary.shortened),
        "dialogue": summary.dialogue,
    }
