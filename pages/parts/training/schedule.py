"""Learning-rate schedules: warm-up, width and peak, beside those of the presets."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.config import PRESETS, Schedule
from core.figures import training_schedule as figures
from core.figures.training_schedule import OTHERS
from pages.parts.training import several
from pages.shared import pictures
from pages.shared.choices import one_of
from pages.shared.state import Key

KINDS = {"inverse_sqrt": "Inverse square root", "cosine": "Cosine"}
POINTS = 400
"""Steps that are drawn."""


def draw() -> None:
    """Draw the view."""
    kind, warmup, width, given, total = _controls()
    first = ["dialoscope", "report-b"]
    others = several.choose(
        "Beside it", {name: name for name in PRESETS}, Key.TRAIN_PRESETS, first, len(OTHERS), "preset"
    )
    steps = drawn_steps(warmup, total)
    peak = given or _paper_peak(width, warmup)
    rates = _rates(peak, warmup, kind, total, steps)
    kinds = {name: KINDS[PRESETS[name].training.schedule].lower() for name in others}
    beside = {f"{name}, {kinds[name]}": _preset(name, total, steps) for name in others}
    pictures.show(figures.schedule(steps, rates, beside, warmup), "train_schedule_picture")
    _formula(kind, warmup, width, given, peak, total)
    if "cosine" in (kind, *(PRESETS[name].training.schedule for name in others)):
        st.caption("A cosine ends with the training: every one that is drawn here ends at the steps chosen above.")


def _controls() -> tuple[Schedule, int, int, float, int]:
    """Kind, warm-up, width, peak (0: the paper's) and steps."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = one_of("After the warm-up", KINDS, Key.TRAIN_KIND)
        warmup = _number("Warm-up (steps)", Key.TRAIN_WARMUP, 1, 100_000, 100, None)
        total = _number("Training (steps)", Key.TRAIN_STEPS, 100, 1_000_000, 1000, None)
        tip = "Width of the network; the paper's peak falls with its square root."
        width = _number("Width d_model", Key.TRAIN_D_MODEL, 1, 8192, 64, tip)
        tip = "The highest learning rate. 0: the one that the paper computes from width and warm-up."
        peak = st.number_input(
            "Peak (0: the paper’s)", 0.0, 1.0, step=0.0001, format="%.5f", key=Key.TRAIN_PEAK,
            persist_state="session", width=190, help=tip,
        )  # fmt: skip
    return kind, warmup, width, float(peak), total


def _number(label: str, key: Key, low: int, high: int, step: int, tip: str | None) -> int:
    return int(
        st.number_input(label, low, high, step=step, key=key, persist_state="session", width=170, help=tip)
    )


def drawn_steps(warmup: int, total: int) -> tuple[int, ...]:
    """At most `POINTS` steps from the first to the last, and the end of the warm-up."""
    found = set(np.rint(np.linspace(1, total, POINTS)).astype(int).tolist())
    return tuple(sorted(found | ({warmup} if warmup <= total else set())))


def _preset(name: str, total: int, steps: tuple[int, ...]) -> Sequence[float]:
    preset = PRESETS[name]
    warmup = preset.training.warmup_steps
    peak = preset.training.learning_rate or _paper_peak(preset.model.d_model, warmup)
    return _rates(peak, warmup, preset.training.schedule, total, steps)


def _paper_peak(width: int, warmup: int) -> float:
    with st.spinner("Starting Keras"):
        from core.training.schedule import paper_peak

    return paper_peak(width, warmup)


@st.cache_resource(max_entries=64, show_spinner=False)
def _rates(peak: float, warmup: int, kind: Schedule, total: int, steps: tuple[int, ...]) -> tuple[float, ...]:
    """What the training itself would use at these steps, counted from 1."""
    from core.training.schedule import WarmUp

    rates = WarmUp(peak, warmup, kind, total)(np.array(steps) - 1)
    return tuple(np.asarray(rates).astype(float).tolist())


def _formula(kind: Schedule, warmup: int, width: int, given: float, peak: float, total: int) -> None:
    """The formula with these numbers: s counts the steps, w are those of the warm-up."""
    st.markdown(
        "The rate of step s, with a warm-up of w steps:"
        if given
        else "The rate of step s, with a warm-up of w steps and a network of width d "
        "(Vaswani et al. 2017, equation 3, for the peak):"
    )
    if not given:
        st.latex(
            rf"\begin{{aligned}}\text{{peak}} &= d^{{-0.5}} \cdot w^{{-0.5}}\\ "
            rf"&= {width}^{{-0.5}} \cdot {warmup}^{{-0.5}} = {_tex(peak)}\end{{aligned}}"
        )
    if kind == "inverse_sqrt" and not given:
        st.latex(
            r"\begin{aligned}\text{rate} &= d^{-0.5} \cdot \min\left(s^{-0.5},\; s \cdot w^{-1.5}\right)\\ "
            rf"&= {width}^{{-0.5}} \cdot \min\left(s^{{-0.5}},\; s \cdot {warmup}^{{-1.5}}\right)\end{{aligned}}"
        )
    elif kind == "inverse_sqrt":
        st.latex(
            rf"\text{{rate}} = {_tex(peak)} \cdot "
            rf"\min\left(\frac{{s}}{{{warmup}}},\; \sqrt{{\frac{{{warmup}}}{{s}}}}\right)"
        )
    else:
        st.latex(
            rf"\begin{{aligned}}\text{{rate}} &= {_tex(peak)} \cdot \min\left(\frac{{s}}{{{warmup}}},\; f(c)\right)\\ "
            r"f(c) &= 0.01 + 0.99 \cdot \frac{1 + \cos(\pi c)}{2}\\ "
            rf"c &= \frac{{s - {warmup}}}{{{max(total - warmup, 1)}}}\text{{, from 0 to 1}}\end{{aligned}}"
        )


def _tex(value: float) -> str:
    """A number with its power of ten, for a formula."""
    digits, _, power = f"{value:.3e}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"
