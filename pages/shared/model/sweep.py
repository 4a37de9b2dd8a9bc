"""Measuring many changes one after another: results appear as they come, a stop keeps them.

The page measures one batch, draws what there is, and runs again. No work runs in the background: whoever presses Stop,
changes the view or leaves loses at most the batch that is being measured. What one visitor measured is there for the
next one at once.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.limits import limits
from core.words import say

SWEEPS, SWEEPING, BEGAN = "sweeps", "sweeping", "sweep_began"
"""Session keys: what was measured; which sweep runs; when it was started, and how much was done then."""
MOST = 12
"""Sweeps whose results a session keeps."""
SHARED = 64
"""Most changes of a sweep whose results are kept for all sessions, unless the sweep names another number."""


def results(key: Hashable) -> dict[Any, Any]:
    """What a sweep has measured so far, by what was changed; `key` names the sweep."""
    sweeps = st.session_state.setdefault(SWEEPS, {})
    measurements = sweeps.setdefault(key, {})
    while len(sweeps) > MOST:
        sweeps.pop(next(sweep for sweep in sweeps if sweep != key))
    return measurements  # type: ignore[no-any-return]


def recall(key: Hashable, items: Sequence[Any], shared: int = SHARED) -> dict[Any, Any]:
    """Take into the session what is kept for all sessions, after a reload for instance; return all that is kept."""
    kept = _kept(key) if len(items) <= shared else {}
    results(key).update((each, kept[each]) for each in items if each in kept)
    return kept


def known(key: Hashable) -> bool:
    """Whether a sweep was begun in this session, or looked at."""
    return key in st.session_state.get(SWEEPS, {})


def too_long(items: Sequence[Any], shared: int = SHARED) -> bool:
    """Return whether there is more to measure than one visitor may ask for, and more than is kept for all visitors."""
    return len(items) > _most(shared)


def _most(shared: int) -> int:
    return max(shared, limits().sweep_changes)


def controls(name: str, key: Hashable, items: Sequence[Hashable], label: str, noun: str, shared: int = SHARED) -> None:
    """Buttons that start, stop and go on, and how far the sweep is.

    Args:
        name: tells the buttons of two sweeps apart.
        key: of the sweep.
        items: all that is to be measured.
        label: of the button that starts it, said.
        noun: what is measured, in the plural, said.
        shared: as in `advance`.
    """
    if too_long(items, shared):
        st.caption(
            say(
                "At most {most:,} {noun} are measured in a row; here are {number:,}.",
                most=_most(shared), noun=noun, number=len(items),
            )
        )  # fmt: skip
        return
    measurements = results(key)  # of other items, too, if the sweep was begun with them
    done = sum(each in measurements for each in items)
    with st.container(horizontal=True, vertical_alignment="center", key=f"sweep_{name}"):
        if done == len(items):
            st.caption(say("All {number} {noun} are done.", number=done, noun=noun))
            return
        if running(key):
            st.button(say("Stop"), key=f"stop_{name}", icon=":material/stop:", on_click=stop)
        else:
            more = say("Go on with the other {number}", number=len(items) - done) if done else label
            icon = ":material/play_arrow:"
            st.button(more, key=f"start_{name}", icon=icon, type="primary", on_click=start, args=(key,))
        if done or running(key):
            text = say("{number} of {total} {noun}", number=done, total=len(items), noun=noun)
            st.progress(done / len(items), text=f"{text}{_left(key, done, len(items))}")


def _left(key: Hashable, done: int, total: int) -> str:
    """Say how long a sweep that runs will take, by its speed since it was started; "" before that is known."""
    if not running(key):
        return ""
    began, before = st.session_state.setdefault(BEGAN, (monotonic(), done))
    if done <= before:
        return ""
    seconds = (monotonic() - began) / (done - before) * (total - done)
    left = say("{minutes:.0f} min", minutes=seconds / 60) if seconds >= 90 else say("{seconds:.0f} s", seconds=seconds)
    return f" · {say('about {time} left', time=left)}"


def once(name: str, key: Hashable, label: str, work: Callable[[Callable[[int, int], Any]], Any]) -> Any:
    """Return what one long work gives, kept in the session; None while it has not begun, and its button is drawn.

    Args:
        name: tells the buttons of two works apart.
        key: of the work.
        label: of the button that starts it, said.
        work: gets what it calls with how much is done of how much: there Stop, or leaving, ends it.
    """
    outcomes = results(key)
    if name in outcomes:
        return outcomes[name]
    box = f"sweep_{name}_{running(key)}"  # another box: what it held before goes at once, not when the work is done
    with st.container(horizontal=True, vertical_alignment="center", key=box):
        if not running(key):
            icon = ":material/play_arrow:"
            st.button(label, key=f"start_{name}", icon=icon, type="primary", on_click=start, args=(key,))
            return None
        st.button(say("Stop"), key=f"stop_{name}", icon=":material/stop:", on_click=stop)
        bar = st.progress(0.0)
    try:
        outcomes[name] = work(lambda done, total: bar.progress(done / total, text=f"{done} / {total}"))
    finally:
        if running(key):
            stop()
    run_again()
    return None


def start(key: Hashable) -> None:
    """Let a sweep run; any other stops."""
    st.session_state[SWEEPING] = key
    st.session_state.pop(BEGAN, None)


def stop() -> None:
    """Stop the sweep that runs; what it measured stays."""
    st.session_state[SWEEPING] = None


def running(key: Hashable) -> bool:
    """Whether a sweep is running."""
    return bool(st.session_state.get(SWEEPING) == key)


def any_running() -> bool:
    """Return whether any sweep of this session is running."""
    return st.session_state.get(SWEEPING) is not None


def advance(
    key: Hashable,
    items: Sequence[Any],
    batch: int,
    measure: Callable[[Sequence[Any]], Mapping[Any, Any]],
    shared: int = SHARED,
) -> None:
    """Measure the next batch of a sweep that is running and draw again; the last call of a view.

    Args:
        key: of the sweep; all that the results depend on, and nothing that another visitor may not know.
        items: all that is to be measured.
        batch: how many at once.
        measure: gives the results of some items.
        shared: most items whose results are kept for all sessions; more than `SHARED` if a result is small.
    """
    if not running(key):
        return
    if too_long(items, shared):
        stop()
        return
    kept, measurements = recall(key, items, shared), results(key)
    missing = [each for each in items if each not in measurements]
    # A click on Stop ends this run at the next call of Streamlit: the results have to be in before.
    new = measure(missing[:batch]) if missing else {}
    kept.update(new)
    measurements.update(new)
    if len(missing) <= batch:
        stop()
    run_again()


def run_again() -> None:
    """Draw again what is being drawn: the page's fragment, or the whole page."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:  # the whole page is being drawn
        st.rerun()


@st.cache_resource(max_entries=64, show_spinner=False)
def _kept(key: Hashable) -> dict[Any, Any]:
    """What all sessions have measured for a sweep."""
    return {}
