"""The bar that walks through summaries and labels them, by keys and by buttons."""

from collections.abc import Callable
from typing import Any

from pages.shared.components import component

MOST = 200
"""Actions of one message; the script keeps no more that were not heard."""
_ACT = {"number": range(2**31), "what": str, "tag": str, "row": str}
_BAR = component(__file__, acts={"mount": range(2**53), "list": [_ACT]})


def label_bar(data: dict[str, Any], key: str, on_acts: Callable[[], None]) -> None:
    """Draw the bar.

    Args:
        data: what it shows of the opened row, of all rows and of the last action; `heard` is the last action that was
            done: the others are sent again.
        key: of the component; `st.session_state[key].acts` is {mount, list} inside `on_acts`.
        on_acts: called when something was pressed.
    """
    _BAR(key=key, data=data, on_acts_change=on_acts)
