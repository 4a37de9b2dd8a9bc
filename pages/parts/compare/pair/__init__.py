"""A page of the app for two checkpoints, each in a frame of its own; the frame that is used leads the other."""

from collections.abc import Hashable, Sequence
from typing import Any
from urllib.parse import urlencode

from pages.shared.components import component

pair = component(__file__, moved={"side": range(2), "page": str, "query": str})
"""`on_moved_change` is called when the leading frame has another address: `st.session_state[key].moved` is {side, page,
query} then, the side 0 or 1."""


def pair_data(
    sides: list[tuple[str, str]], jump: Hashable, own: dict[str, str], apart: Sequence[str]
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        sides: of each the checkpoint and the relative address.
        jump: changes when both frames have to go where `sides` says; else they stay where they are.
        own: what the address of the page around them says.
        apart: names of what an address asks in which the sides stay different.
    """
    return {
        "sides": [{"name": name, "link": link} for name, link in sides],
        "jump": repr(jump),
        "own": urlencode(own),
        "apart": list(apart),
    }
