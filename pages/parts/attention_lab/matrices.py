"""The matrices of the lab: the chosen example, edited or not, its mask convention, its score and its parameters."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.explain.attention_lab.lab import Inputs, Parameters, Scoring, default_parameters
from core.explain.attention_lab.presets import PRESETS, Preset
from core.explain.attention_lab.steps import Matrix
from core.files import table
from core.words import later, say
from pages.parts.attention_lab import boards
from pages.parts.attention_lab.editors import Box, Editor
from pages.shared.controls.choices import one_of, select
from pages.shared.session.fields import Choice, Number, Text

SCORINGS: Mapping[Scoring, Mapping[str, str]] = table(__file__, "scorings")["scorings"]
CONVENTIONS = {"attend": later("1 = attend"), "blocked": later("1 = blocked")}
PRESET = Choice("lab_preset", {name: each.title for name, each in PRESETS.items()}, "reports")
CONVENTION = Choice("lab_mark", ("preset", *CONVENTIONS))
SCORING = Choice("lab_scoring", ("preset", *SCORINGS))
MATRICES, PARAMETERS = Text("lab_matrices", 3000), Text("lab_parameters", 3000)
SEED = Number("lab_seed", 0, 9999, 0)
FIELDS = (PRESET, CONVENTION, SCORING, MATRICES, PARAMETERS, SEED, boards.CELL)
"""Of the fields, `CONVENTION` and `SCORING` are "preset" where they are the example's own."""
_MATRICES, _PARAMETERS = Editor(MATRICES, 8), Editor(PARAMETERS, 8)
BOXES = {
    "query": Box("Q", "q"),
    "key": Box("K", "k"),
    "value": Box("V", "v"),
    "mask": Box(later("Mask"), "q", "k", binary=True),
}
PARAMETER_BOXES = {
    "bilinear": Box("W"),
    "key_map": Box("W₁"),
    "query_map": Box("W₂"),
    "vector": Box("v", fill=1.0),
}


def preset() -> Preset:
    """Return the chosen example."""
    return PRESETS[PRESET.value]


def attend() -> int:
    """Return the number in a mask that lets a query attend."""
    return preset().inputs.attend if CONVENTION.value == "preset" else int(CONVENTION.value == "attend")


def scoring() -> Scoring:
    """Return the chosen score."""
    return preset().scoring if SCORING.value == "preset" else SCORING.value  # type: ignore[return-value]


def current() -> Inputs:
    """Return the matrices without drawing their editors."""
    return Inputs(**_MATRICES.held(_standard()), attend=attend())


def edited() -> Inputs:
    """Draw the editors and return what they hold."""
    boxes = BOXES | {"mask": replace(BOXES["mask"], fill=float(attend()))}
    return Inputs(**_MATRICES.draw(_standard(), boxes), attend=attend())


def parameters(inputs: Inputs, *, draw: bool) -> Parameters:
    """Return what the scores with learnt parts need; with `draw`, draw their editor."""
    standard = vars(default_parameters(inputs.query.shape[1], inputs.key.shape[1]))
    return Parameters(**(_PARAMETERS.draw(standard, PARAMETER_BOXES) if draw else _PARAMETERS.held(standard)))


def choose_preset() -> None:
    """Draw the list of examples; another one brings its own matrices, score and convention."""
    select(say("Example"), PRESET, width=200, on_change=_taken)


def choose_scoring() -> None:
    """Draw the choice of a score."""
    short = {str(name): say(texts["short"]) for name, texts in SCORINGS.items()}
    _resolved(SCORING, say("Score"), short, scoring(), preset().scoring)


def choose_convention() -> None:
    """Draw the choice of what a 1 in the mask means."""
    own, now = ("attend" if attends else "blocked" for attends in (preset().inputs.attend, attend()))
    tip = say("What a 1 in the mask means. The same numbers, read the other way, hide the wrong keys.")
    marks = {name: say(label) for name, label in CONVENTIONS.items()}
    _resolved(CONVENTION, say("In the mask"), marks, now, own, tip)


def _standard() -> dict[str, Matrix]:
    return {name: getattr(preset().inputs, name) for name in BOXES}


def _taken() -> None:
    for field in (MATRICES, PARAMETERS, CONVENTION, SCORING, boards.CELL):
        field.value = field.default


def _resolved(
    field: Choice, label: str, options: Mapping[str, str], now: str, own: str, tip: str | None = None
) -> None:
    """Draw a choice that is "preset" in the link where it is the example's own."""
    widget = f"{field.name}_choice"
    st.session_state[widget] = now

    def chosen() -> None:
        picked = st.session_state[widget]
        field.value = "preset" if picked == own else picked
        boards.clear_cell()

    one_of(label, options, widget, tip, on_change=chosen)
