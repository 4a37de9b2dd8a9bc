"""Pictures of learning-rate schedules: step by step, beside those of the presets."""

from collections.abc import Mapping, Sequence

import numpy as np
from plotly.graph_objects import Figure

from core.config import Schedule
from core.figures.shared.marks import line
from core.figures.shared.palette import CHOSEN, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import escape, listed
from core.figures.training.curves import COLORS
from core.words import later, say

YOURS = later("your schedule")
POINTS = 400
"""Steps that are drawn."""


def schedule(
    steps: Sequence[int], rates: Sequence[float], others: Mapping[str, Sequence[float]], warmup: int
) -> Picture:
    """The learning rate of every step.

    Args:
        steps: that are drawn, from 1.
        rates: of the chosen schedule at each.
        others: learning rates of presets at the same steps, by name.
        warmup: steps of warm-up of the chosen one.

    Raises:
        ValueError: no step, or not one rate for each.
    """
    if not steps or any(len(curve) != len(steps) for curve in (rates, *others.values())):
        raise ValueError(f"there must be steps, and a rate for each. Received: {len(steps)} and {len(rates)}")
    figure = Figure()
    lines = [(say(YOURS), rates, CHOSEN, "solid", 4)]
    for place, (name, values) in enumerate(others.items()):
        dash = ("dash", "dot")[place // len(COLORS) % 2]
        lines.append((name, values, COLORS[place % len(COLORS)], dash, 2))
    for name, values, color, dash, width in lines:
        style, label = {"color": color, "width": width, "dash": dash}, escape(name)
        hover = [
            say("{name}, step {step:,}", name=label, step=step) + f"<br>{rate:.3g}"
            for step, rate in zip(steps, values, strict=True)
        ]
        figure.add_trace(line(label, style, [*steps], [*values], hover))
    base(figure, say("Step"), say("Learning rate"), 420)
    figure.update_xaxes(range=[0, steps[-1] * 1.02])
    figure.update_yaxes(rangemode="tozero", exponentformat="power")
    table: dict[str, list[object]] = {later("Step"): [*steps], later("Your schedule"): [*rates]}
    table |= {name: [*values] for name, values in others.items()}
    return Picture("learning-rate", figure, _caption(steps, rates, others, warmup), table)


def _caption(steps: Sequence[int], rates: Sequence[float], others: Mapping[str, Sequence[float]], warmup: int) -> str:
    top = max(range(len(steps)), key=lambda place: rates[place])
    if warmup > steps[-1]:
        result = say(
            "The warm-up of {warmup:,} steps is longer than the training: the rate only rises, to {rate:.3g}",
            warmup=warmup,
            rate=rates[-1],
        )
    else:
        share = rates[-1] / rates[top] if rates[top] else 0.0  # the smallest peaks round to zero
        result = say(
            "The learning rate rises to {peak:.3g} at step {step:,} and falls to {rate:.3g} at step {last:,}, "
            "{share:.3g} of its peak",
            peak=rates[top],
            step=steps[top],
            rate=rates[-1],
            last=steps[-1],
            share=share,
        )
    peaks = [say("{peak:.3g} of “{name}”", peak=max(values), name=name) for name, values in others.items()]
    return say("{result}; beside it peaks of {peaks}.", result=result, peaks=listed(peaks)) if peaks else f"{result}."


def drawn_steps(warmup: int, total: int) -> tuple[int, ...]:
    """Return at most `POINTS` steps from the first to the last, and the end of the warm-up."""
    steps = set(np.rint(np.linspace(1, total, POINTS)).astype(int).tolist())
    return tuple(sorted(steps | ({warmup} if warmup <= total else set())))


def formulas(kind: Schedule, warmup: int, width: int | None, peak: float, total: int) -> list[str]:
    """Return the formulas of a schedule with its numbers in TeX: s counts the steps, w those of the warm-up.

    Args:
        kind: what follows the warm-up.
        warmup: its steps.
        width: of the network, if the peak follows from it as in the paper; None: the peak is given.
        peak: the highest rate.
        total: steps of the training.
    """
    lines = []
    rate_name = say("rate")
    name = rf"\text{{{rate_name}}}"
    if width is not None:
        top = say("peak")
        lines.append(
            rf"\begin{{aligned}}\text{{{top}}} &= d^{{-0.5}} \cdot w^{{-0.5}}\\ "
            rf"&= {width}^{{-0.5}} \cdot {warmup}^{{-0.5}} = {_tex(peak)}\end{{aligned}}"
        )
    if kind == "inverse_sqrt" and width is not None:
        rate = (
            rf"\begin{{aligned}}{name} "
            r"&= d^{-0.5} \cdot \min\left(s^{-0.5},\; s \cdot w^{-1.5}\right)\\ "
            rf"&= {width}^{{-0.5}} \cdot \min\left(s^{{-0.5}},\; s \cdot {warmup}^{{-1.5}}\right)\end{{aligned}}"
        )
    elif kind == "inverse_sqrt":
        rate = (
            rf"{name} = {_tex(peak)} \cdot "
            rf"\min\left(\frac{{s}}{{{warmup}}},\; \sqrt{{\frac{{{warmup}}}{{s}}}}\right)"
        )
    else:
        ends = say(", from 0 to 1")
        rate = (
            rf"\begin{{aligned}}{name} &= {_tex(peak)} \cdot \min\left(\frac{{s}}{{{warmup}}},\; f(c)\right)\\ "
            r"f(c) &= 0.01 + 0.99 \cdot \frac{1 + \cos(\pi c)}{2}\\ "
            rf"c &= \frac{{s - {warmup}}}{{{max(total - warmup, 1)}}}\text{{{ends}}}\end{{aligned}}"
        )
    return [*lines, rate]


def _tex(value: float) -> str:
    """Return a number with its power of ten, for a formula."""
    digits, _, power = f"{value:.3e}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"
