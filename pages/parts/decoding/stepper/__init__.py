"""A walk through the decoding, a step a token."""

from typing import Any

from core.figures.shared.shades import strip_data
from core.trace import Summary
from pages.shared.components import component

stepper = component(__file__, at={"step": int, "playing": bool, "time": float})
"""It keeps its own position while people use it, so that a slow rerun does not set it back. `on_at_change` is called
when someone moved and rested, the next time after the page has answered; `st.session_state[key].at` is then {step,
playing, time}, time in ms."""


def stepper_data(summary: Summary, step: int, version: int, heard: int = 0) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        summary: what was written.
        step: the token being decided, from 0; one outside becomes the nearest inside. It is taken over only if
            `version` is new or the tokens are others.
        version: raise it with every jump that did not come from the stepper. A jump stops Play and sends nothing.
        heard: the time of the last message that arrived: the script sends the next one after it.
    """
    drawn = strip_data(summary)
    names = ("gap", "text", "special", "label")
    return {
        "tokens": [{name: token[name] for name in names} for token in drawn["tokens"]],
        "tail": drawn["tail"],
        "forced": summary.forced,
        "forcedEnd": summary.forced_end,
        "step": max(0, min(step, len(summary.steps) - 1)),
        "version": version,
        "heard": heard,
    }
