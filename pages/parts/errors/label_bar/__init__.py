"""The bar that walks through summaries and labels them, by keys and by buttons."""

from collections.abc import Callable
from typing import Any

from core.evaluation.verdicts import ERROR_TAGS, Entry, tag_name
from pages.shared.components import component

MOST = 200
"""Actions of one message; the script keeps no more that were not heard."""
_WORDS = {"turn": int, "start": int, "end": int}
_ACT = {"number": range(2**31), "what": str, "tag": str, "row": str, "words": ([_WORDS], None)}
_BAR = component(__file__, acts={"mount": range(2**53), "list": [_ACT]})


def label_bar(data: dict[str, Any], key: str, on_acts: Callable[[], None]) -> None:
    """Draw the bar.

    Args:
        data: what `bar_data` returned.
        key: of the component; `st.session_state[key].acts` is {mount, list} inside `on_acts`.
        on_acts: called when something was pressed.
    """
    _BAR(key=key, data=data, on_acts_change=on_acts)


def bar_data(
    row: str,
    said: Entry,
    place: tuple[int, int],
    judged: tuple[int, int],
    undo: str = "",
    done: str = "",
    heard: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        row: id of the opened row; "" if none is.
        said: its labels.
        place: its number among the shown rows, 0 if it is not shown, and how many those are.
        judged: how many of all rows are judged, and how many there are.
        undo: what can be taken back; "" if nothing can.
        done: what is said of the last action.
        heard: the last action that was done, as mounting of the script and number: later ones are sent again.
    """
    return {
        "row": row,
        "number": place[0],
        "shown": place[1],
        "judged": judged[0],
        "all": judged[1],
        "tags": [{"id": tag, "name": tag_name(tag), "on": tag in said.tags} for tag in ERROR_TAGS],
        "correct": said.correct,
        "undo": undo,
        "done": done,
        "heard": {"mount": heard[0], "number": heard[1]},
    }
