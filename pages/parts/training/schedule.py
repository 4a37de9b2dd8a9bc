"""Learning-rate schedules: warm-up, width and peak, beside those of the presets."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.config import PRESETS, Schedule
from core.figures.training import schedule as figures
from core.figures.training.curves import MOST
from core.words import later, say
from pages.parts.training import several
from pages.shared.controls.choices import number, one_of, options, row
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session.fields import Choice, Number, Text

KINDS = {"inverse_sqrt": later("Inverse square root"), "cosine": later("Cosine")}
BESIDE = {"inverse_sqrt": later("{preset}, inverse square root"), "cosine": later("{preset}, cosine")}
KIND = Choice("train_kind", KINDS)
WARMUP = Number("train_warmup", 1, 100_000, 4000, 100)
WIDTH = Number("train_d_model", 1, 8192, 512, 64)
PEAK = Number("train_peak", 0.0, 1.0, 0.0, 0.0001)
STEPS = Number("train_steps", 100, 1_000_000, 20_000, 1000)
OTHER_PRESETS = Text("train_presets", 400)
FIELDS = (KIND, WARMUP, WIDTH, PEAK, STEPS, OTHER_PRESETS)


def draw() -> None:
    """Draw a learning-rate schedule beside those of the presets, with its formula."""
    kind, warmup, width, given, total = _controls()
    first = ["dialoscope", "report-b"]
    presets = {name: name for name in PRESETS}
    with options():
        others = several.choose(say("Beside it"), presets, OTHER_PRESETS, first, MOST, say("preset"))
    steps = figures.drawn_steps(warmup, total)
    peak = given or _paper_peak(width, warmup)
    rates = _rates(peak, warmup, kind, total, steps)
    labels = {name: say(BESIDE[PRESETS[name].training.schedule], preset=name) for name in others}
    beside = {labels[name]: _preset(name, total, steps) for name in others}
    pictures.show(figures.schedule(steps, rates, beside, warmup), "train_schedule_picture")
    st.markdown(
        say("The rate of step s, with a warm-up of w steps:")
        if given
        else say(
            "The rate of step s, with a warm-up of w steps and a network of width d "
            "(Vaswani et al. 2017, equation 3, for the peak):"
        )
    )
    for formula in figures.formulas(kind, warmup, None if given else width, peak, total):
        st.latex(formula)
    if "cosine" in (kind, *(PRESETS[name].training.schedule for name in others)):
        st.caption(say("A cosine ends with the training: here all end at the training steps chosen above."))


def _controls() -> tuple[Schedule, int, int, float, int]:
    """Draw the controls; return kind, warm-up, width, peak (0: the paper's) and steps."""
    with row():
        kind = one_of(say("After the warm-up"), KIND)
        warmup = number(say("Warm-up (steps)"), WARMUP, width=170)
        total = number(say("Training (steps)"), STEPS, width=170)
    with options():
        tip = say("Width of the network; the paper's peak falls with its square root.")
        width = number(say("Width d_model"), WIDTH, tip, width=170)
        tip = say("The highest learning rate. 0: the one that the paper computes from width and warm-up.")
        peak = st.number_input(
            say("Peak (0: the paper’s)"), 0.0, 1.0, step=0.0001, format="%.5f", key=PEAK.name,
            persist_state="session", width=190, help=tip,
        )  # fmt: skip
    return kind, int(warmup), int(width), float(peak), int(total)


def _preset(name: str, total: int, steps: tuple[int, ...]) -> Sequence[float]:
    preset = PRESETS[name]
    warmup = preset.training.warmup_steps
    blocks = preset.model.has.blocks
    peak = preset.training.learning_rate or _paper_peak(blocks.d_model if blocks else WIDTH.default, warmup)
    return _rates(peak, warmup, preset.training.schedule, total, steps)


def _paper_peak(width: int, warmup: int) -> float:
    with st.spinner(say("Starting Keras")):
        from core.training.schedule import paper_peak

    return paper_peak(width, warmup)


@cached(64)
def _rates(peak: float, warmup: int, kind: Schedule, total: int, steps: tuple[int, ...]) -> tuple[float, ...]:
    """Return the rates that a training uses at these steps, counted from 1."""
    from core.training.schedule import WarmUp

    rates = WarmUp(peak, warmup, kind, total)(np.array(steps) - 1)
    return tuple(np.asarray(rates).astype(float).tolist())
