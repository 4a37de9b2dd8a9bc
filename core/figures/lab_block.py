"""One block of the attention lab: which steps are drawn, what they show in a sentence, post-norm beside pre-norm."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
from plotly.graph_objects import Figure, Scatter

from core.config import Activation
from core.explain.blueprint import ACTIVATION_NAMES
from core.explain.lab_steps import Step
from core.figures.lab_words import GROUPS, vector
from core.figures.palette import BLUE, ORANGE, base
from core.figures.picture import Picture
from core.figures.wording import count, number, plain

HEIGHT = 400
OF_HEADS = (
    *("query", "key", "value", "mask", "scores", "scaled", "bias", "biased", "masked", "weights", "head", "heads"),
)
"""Stages inside an attention."""
NAMES = {"post": "Post-norm", "pre": "Pre-norm"}


def is_shown(step: Step, inside: bool, weights: bool) -> bool:
    """Whether a step of a block is drawn: the weights of attention always, the rest of a head and W and b on demand."""
    if step.stage in OF_HEADS:
        return inside or step.stage == "weights"
    if step.stage.partition("_")[0] in ("W", "b"):
        part = step.stage.partition("_")[2]
        return weights and (inside or part in ("output", "expand", "gate", "contract"))
    return True


def leaving(steps: Sequence[Step]) -> list[Step]:
    """What comes in, and what leaves each sub-layer."""
    last = {step.group: step for step in steps if step.group}
    return [steps[0], *last.values()]


def block_caption(steps: Sequence[Step]) -> str:
    """The first row on its way through a block, and what the ReLU cuts off."""
    relu = next(step for step in steps if step.stage == "relu").values
    variances = [float(step.values[0].var()) for step in leaving(steps)]
    return (
        f"Row 1 comes in as {vector(steps[0].values[0])} and leaves as {vector(steps[-1].values[0])}; its variance "
        f"goes {' → '.join(number(each) for each in variances)}; the ReLU sets {int((relu == 0).sum())} of "
        f"{count(relu.size, 'number')} to 0."
    )


def token_caption(label: str, steps: Sequence[Step]) -> str:
    """One token on its way through a block, and how many inner numbers the activation leaves above 0.

    Args:
        label: the token.
        steps: of a block that was run for it alone.
    """
    active = next(step for step in steps if step.stage in get_args(Activation))
    lengths = [float(np.linalg.norm(step.values[0])) for step in leaving(steps)]
    above = f"{int((active.values > 0).sum())} of {count(active.values.size, 'number')}"
    name = ACTIVATION_NAMES[active.stage]  # type: ignore[index]
    return (
        f"The vector of “{plain(label)}” has length {' → '.join(number(each) for each in lengths)} on its way through "
        f"the block; the {name} leaves {above}{'' if active.stage == 'relu' else ' above 0'}."
    )


def norms_picture(blocks: Mapping[str, Sequence[Step]]) -> Picture:
    """Variance of every row after each sub-layer, for the same weights in both orders.

    Args:
        blocks: for "post" and "pre" all steps of the block.
    """
    stages = {norm: leaving(steps) for norm, steps in blocks.items()}
    names = ["x", *(GROUPS[step.group] for step in stages["post"][1:])]
    figure = Figure()
    for norm, color, symbol in (("post", BLUE, "circle"), ("pre", ORANGE, "diamond")):
        variances = np.array([step.values.var(axis=1) for step in stages[norm]])  # [stages, rows]
        for row in range(variances.shape[1]):
            figure.add_trace(
                Scatter(
                    x=names, y=variances[:, row].tolist(), mode="lines+markers", name=NAMES[norm], legendgroup=norm,
                    showlegend=row == 0, line={"color": color, "width": 1.5},
                    marker={"color": color, "size": 9, "symbol": symbol},
                    hovertemplate=f"{NAMES[norm]}, row {row + 1}, %{{x}}: %{{y:.3f}}<extra></extra>",
                )
            )  # fmt: skip
    base(figure, "After this sub-layer", "Variance of each row", HEIGHT)
    figure.update_yaxes(rangemode="tozero")
    return Picture("norms", figure, _norms_caption(stages), _norms_table(names, stages))


def _norms_caption(stages: Mapping[str, Sequence[Step]]) -> str:
    ends = {norm: steps[-1].values for norm, steps in stages.items()}
    means = [number(float(np.abs(values.mean(axis=1)).max())) for values in ends.values()]
    variances = [number(float(values.var(axis=1).mean())) for values in ends.values()]
    first, second = (NAMES[norm] for norm in ends)
    return (
        f"{first}: rows leave the block with means of at most {means[0]} either way and a variance of {variances[0]} "
        f"in the mean. {second}: {means[1]} and {variances[1]}; x itself stays in the sum, and a last normalisation "
        "follows only after the whole stack."
    )


def _norms_table(names: Sequence[str], stages: Mapping[str, Sequence[Step]]) -> dict[str, list[object]]:
    table: dict[str, list[object]] = {"After": [], "Row": []}
    for norm in stages:
        table |= {f"{NAMES[norm]}: {word}": [] for word in ("numbers", "mean", "variance")}
    for place, name in enumerate(names):
        for row in range(len(stages["post"][0].values)):
            table["After"].append(name)
            table["Row"].append(row + 1)
            for norm, steps in stages.items():
                values = steps[place].values[row]
                table[f"{NAMES[norm]}: numbers"].append(vector(values))
                table[f"{NAMES[norm]}: mean"].append(float(values.mean()))
                table[f"{NAMES[norm]}: variance"].append(float(values.var()))
    return table
