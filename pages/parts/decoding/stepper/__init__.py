"""A walk through the decoding, a step a token."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.figures.shades import strip_data
from core.trace import Summary
from pages.shared.components import component

_STEPPER = component(__file__)


def stepper(summary: Summary, step: int, version: int, *, key: str, on_move: Callable[[], None]) -> None:
    """Draw the control with which one walks through the decoding, a step a token.

    It keeps its own position while people use it, so that a slow rerun does not set it back.

    Args:
        summary: what was written.
        step: the token being decided, from 0; taken over only if `version` is new or the tokens are others.
        version: raise it with every jump that did not come from the stepper. A jump stops Play and sends nothing.
        key: of the component; `st.session_state[key].at` is {step, playing, time} once someone moved; time is in ms.
        on_move: called when someone moved and rested; the next time after this page has answered.
    """
    at = st.session_state[key].at if key in st.session_state else None
    heard = int((at or {}).get("time", 0))
    _STEPPER(key=key, data=stepper_data(summary, step, version, heard), on_at_change=on_move)


def stepper_data(summary: Summary, step: int, version: int, heard: int = 0) -> dict[str, Any]:
    """Return what the script draws; a step outside the summary becomes the nearest one inside.

    `heard` is the time of the last message that arrived: the script sends the next one after it.
    """
    drawn = strip_data(summary)
    names = ("gap", "text", "special", "label")
    return {
        "tokens": [{name: token[name] for name in names} for token in drawn["tokens"]],
        "tail": drawn["tail"],
        "forced": summary.forced,
        "step": max(0, min(step, len(summary.steps) - 1)),
        "version": version,
        "heard": heard,
    }
