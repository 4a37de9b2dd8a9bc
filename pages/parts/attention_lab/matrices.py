"""The matrices of the lab: the chosen example, edited or not, its mask convention, its score and its parameters."""

from dataclasses import replace
from typing import get_args

import streamlit as st

from core.explain.lab import Inputs, Parameters, Scoring, default_parameters
from core.explain.lab_presets import PRESETS, Preset
from core.explain.lab_steps import Matrix
from pages.parts.attention_lab import boards, editors
from pages.parts.attention_lab.editors import Box
from pages.shared.state import Key

MOST = 8
"""Rows and columns."""
SCORINGS = {"scaled": "Scaled dot product", "dot": "Dot product", "multiplicative": "Multiplicative score",
            "additive": "Additive score"}  # fmt: skip
SHORT = {"scaled": "Scaled dot", "dot": "Dot", "multiplicative": "Multiplicative", "additive": "Additive"}
MARKS = {"attend": "1 = attend", "blocked": "1 = blocked"}
BOXES = {
    "query": Box("Q", "q"),
    "key": Box("K", "k"),
    "value": Box("V", "v"),
    "mask": Box("Mask", "q", "k", marks=True),
}
PARAMETER_BOXES = {
    "bilinear": Box("W"),
    "key_map": Box("W₁"),
    "query_map": Box("W₂"),
    "vector": Box("v", fill=1.0),
}


def preset() -> Preset:
    """The chosen example."""
    return PRESETS[st.session_state[Key.LAB_PRESET]]


def attend() -> int:
    """The mark that lets a query attend."""
    mark = st.session_state[Key.LAB_MARK]
    return preset().inputs.attend if mark == "preset" else int(mark == "attend")


def scoring() -> Scoring:
    """The chosen score."""
    chosen = st.session_state[Key.LAB_SCORING]
    return preset().scoring if chosen == "preset" else chosen  # type: ignore[no-any-return]


def current() -> Inputs:
    """The matrices, without drawing their editors."""
    return Inputs(**editors.held(Key.LAB_MATRICES, _standard(), MOST), attend=attend())


def edited() -> Inputs:
    """Draw the editors; what they hold."""
    boxes = BOXES | {"mask": replace(BOXES["mask"], fill=float(attend()))}
    return Inputs(**editors.edit(Key.LAB_MATRICES, _standard(), boxes, MOST), attend=attend())


def parameters(inputs: Inputs, *, draw: bool) -> Parameters:
    """What the scores with learnt parts need, with their editor or without."""
    standard = vars(default_parameters(inputs.query.shape[1], inputs.key.shape[1]))
    if not draw:
        return Parameters(**editors.held(Key.LAB_PARAMETERS, standard, MOST))
    return Parameters(**editors.edit(Key.LAB_PARAMETERS, standard, PARAMETER_BOXES, MOST))


def _standard() -> dict[str, Matrix]:
    inputs = preset().inputs
    return {name: getattr(inputs, name) for name in BOXES}


def _mark() -> str:
    return "attend" if attend() else "blocked"


def choose_preset() -> None:
    """Draw the list of examples."""
    st.selectbox(
        "Example",
        list(PRESETS),
        format_func=lambda name: PRESETS[name].title,
        key=Key.LAB_PRESET,
        persist_state="session",
        on_change=_taken,
        width=240,
    )


def _taken() -> None:
    """Another example brings its own matrices, score and convention."""
    values = {Key.LAB_MATRICES: "", Key.LAB_PARAMETERS: "", Key.LAB_MARK: "preset", Key.LAB_SCORING: "preset"}
    st.session_state.update(values)
    boards.clear_cell()


def choose_scoring() -> None:
    """Draw the four scores."""
    _resolved(Key.LAB_SCORING, "Score", SHORT, scoring(), preset().scoring, None)


def choose_mark() -> None:
    """Draw the two conventions of a mask."""
    own = "attend" if preset().inputs.attend else "blocked"
    tip = "What a 1 in the mask means. The same numbers, read the other way, hide the wrong keys."
    _resolved(Key.LAB_MARK, "In the mask", MARKS, _mark(), own, tip)


def _resolved(key: Key, label: str, options: dict[str, str], now: str, own: str, tip: str | None) -> None:
    """A choice whose first value is the example's own, which the link does not name."""
    widget = f"{key}_choice"
    st.session_state[widget] = now
    st.segmented_control(
        label,
        list(options),
        format_func=options.get,
        key=widget,
        required=True,
        help=tip,
        on_change=_choose,
        args=(key, widget, own),
    )


def _choose(key: Key, widget: str, own: str) -> None:
    chosen = st.session_state[widget]
    st.session_state[key] = "preset" if chosen == own else chosen
    boards.clear_cell()


ALL_SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
