"""Pictures of learning-rate schedules: step by step, beside those of the presets."""

from collections.abc import Mapping, Sequence

from plotly.graph_objects import Figure, Scatter

from core.figures.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, base
from core.figures.picture import Picture
from core.figures.wording import escape, listed

OTHERS = (ORANGE, GREEN, PURPLE, "#b08600", GREY)
CHOSEN = "your schedule"


def schedule(
    steps: Sequence[int], rates: Sequence[float], others: Mapping[str, Sequence[float]], warmup: int
) -> Picture:
    """The learning rate of every step.

    Args:
        steps: that are drawn, from 1.
        rates: of the chosen schedule at each.
        others: likewise of presets, by name.
        warmup: steps of warm-up of the chosen one.

    Raises:
        ValueError: no step, or not one rate for each.
    """
    if not steps or any(len(each) != len(steps) for each in (rates, *others.values())):
        raise ValueError(f"there must be steps, and a rate for each. Received: {len(steps)} and {len(rates)}")
    figure = Figure()
    lines = [(CHOSEN, rates, BLUE, "solid", 4)]
    for place, (name, values) in enumerate(others.items()):
        dash = ("dash", "dot")[place // len(OTHERS) % 2]
        lines.append((name, values, OTHERS[place % len(OTHERS)], dash, 2))
    for name, values, color, dash, width in lines:
        figure.add_trace(
            Scatter(
                x=[*steps],
                y=[*values],
                mode="lines",
                name=escape(name),
                line={"color": color, "width": width, "dash": dash},
                hovertext=[
                    f"{escape(name)}, step {step:,}<br>{rate:.3g}" for step, rate in zip(steps, values, strict=True)
                ],
                hoverinfo="text",
            )
        )
    base(figure, "Step", "Learning rate", 420)
    figure.update_xaxes(range=[0, steps[-1] * 1.02])
    figure.update_yaxes(rangemode="tozero", exponentformat="power")
    table: dict[str, list[object]] = {"Step": [*steps], "Your schedule": [*rates]}
    table |= {name: [*values] for name, values in others.items()}
    return Picture("learning-rate", figure, _caption(steps, rates, others, warmup), table)


def _caption(steps: Sequence[int], rates: Sequence[float], others: Mapping[str, Sequence[float]], warmup: int) -> str:
    top = max(range(len(steps)), key=lambda place: rates[place])
    if warmup > steps[-1]:
        said = f"The warm-up of {warmup:,} steps is longer than the training: the rate only rises, to {rates[-1]:.3g}"
    else:
        said = (
            f"The learning rate rises to {rates[top]:.3g} at step {steps[top]:,} and falls to {rates[-1]:.3g} at step "
            f"{steps[-1]:,}, {rates[-1] / rates[top]:.3g} of its peak"
        )
    peaks = [f"{max(values):.3g} of “{name}”" for name, values in others.items()]
    return f"{said}; beside it peaks of {listed(peaks)}." if peaks else f"{said}."
