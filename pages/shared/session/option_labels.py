"""Labels of options: the browser knows a chosen option by its label, and a label may change while it is chosen.

An example's label has the verdict on the chosen model's summary, a token's the word, and every label is in the language
of the session. Two things go wrong where a label changes: the browser goes on showing the old one, and sends it back.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

LABELS = "labels_of_options"
"""Session key: of each control, by its key, the options by their labels, of this drawing and the one before."""
KEPT = 100
"""Most controls whose labels are kept."""


def follow(key: str, labels: Mapping[Any, str]) -> None:
    """Keep what is chosen when the labels of its options have changed; to be called before the control is drawn.

    Args:
        key: of the control.
        labels: of its options, as they are drawn now.
    """
    every: dict[str, tuple[dict[str, Any], ...]] = st.session_state.get(LABELS, {})
    now = {label: option for option, label in labels.items()}
    known = every.pop(key, ())
    if known and known[0] != now:
        if key in st.session_state:
            # set anew, or the browser keeps the label that it shows
            st.session_state[key] = _meant(st.session_state[key], labels, known)
        known = (now, known[0])
    st.session_state[LABELS] = dict([*every.items(), (key, known or (now,))][-KEPT:])


def meant(key: str, value: Any) -> Any:
    """Return the option that a value is the former label of; any other value as it is.

    Args:
        key: of the control.
        value: an option or a label; or a list of them.
    """
    known = st.session_state.get(LABELS, {}).get(key, ())
    return _meant(value, set(known[0].values()) if known else (), known)


def _meant(value: Any, options: Any, known: tuple[dict[str, Any], ...]) -> Any:
    if isinstance(value, list):
        return [_meant(each, options, known) for each in value]
    if not isinstance(value, str) or value in options:
        return value
    return next((labels[value] for labels in known if value in labels), value)
