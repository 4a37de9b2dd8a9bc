"""One block of the attention lab: which steps are drawn, what they show in a sentence, post-norm beside pre-norm."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
from plotly.graph_objects import Figure

from core.config import Activation
from core.explain.architecture.blueprint import ACTIVATION_NAMES
from core.explain.attention_lab.steps import Step
from core.figures.attention_lab.words import GROUPS
from core.figures.shared.files import table_of
from core.figures.shared.marks import line
from core.figures.shared.palette import AMOUNT, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, number, plain, vector
from core.words import later, say

HEIGHT = 400
OF_HEADS = (
    *("query", "key", "value", "mask", "scores", "scaled", "bias", "biased", "masked", "weights", "head", "heads"),
)
"""Stages inside an attention."""
NAMES = {"post": later("Post-norm"), "pre": later("Pre-norm")}
HEADINGS = {
    "post": (later("Post-norm: numbers"), later("Post-norm: mean"), later("Post-norm: variance")),
    "pre": (later("Pre-norm: numbers"), later("Pre-norm: mean"), later("Pre-norm: variance")),
}
"""Headings of the table's columns."""


def is_shown(step: Step, inside: bool, weights: bool) -> bool:
    """Whether a step of a block is drawn: the weights of attention always, the rest of a head and W and b on demand."""
    if step.stage in OF_HEADS:
        return inside or step.stage == "weights"
    if step.stage.partition("_")[0] in ("W", "b"):
        part = step.stage.partition("_")[2]
        return weights and (inside or part in ("output", "expand", "gate", "contract"))
    return True


def leaving(steps: Sequence[Step]) -> list[Step]:
    """Return the step that comes in, and the last step of each sub-layer."""
    last = {step.group: step for step in steps if step.group}
    return [steps[0], *last.values()]


def block_caption(steps: Sequence[Step]) -> str:
    """The first row on its way through a block, and what the ReLU cuts off."""
    relu = next(step for step in steps if step.stage == "relu").values
    variances = [float(step.values[0].var()) for step in leaving(steps)]
    return say(
        "Row 1 comes in as {first} and leaves as {last}; its variance goes {variances}; the ReLU sets {cut} of "
        "{numbers} to 0.",
        first=vector(steps[0].values[0]),
        last=vector(steps[-1].values[0]),
        variances=" → ".join(number(variance) for variance in variances),
        cut=int((relu == 0).sum()),
        numbers=count(relu.size, "number"),
    )


def token_caption(label: str, steps: Sequence[Step]) -> str:
    """One token on its way through a block, and how many inner numbers the activation leaves above 0.

    Args:
        label: the token.
        steps: of a block that was run for it alone.
    """
    active = next(step for step in steps if step.stage in get_args(Activation))
    lengths = [float(np.linalg.norm(step.values[0])) for step in leaving(steps)]
    values = {
        "token": plain(label),
        "lengths": " → ".join(number(length) for length in lengths),
        "activation": say(ACTIVATION_NAMES[active.stage]),  # type: ignore[index]
        "left": int((active.values > 0).sum()),
        "numbers": count(active.values.size, "number"),
    }
    if active.stage == "relu":
        return say(
            "The vector of “{token}” has length {lengths} on its way through the block; the {activation} leaves {left} "
            "of {numbers}.",
            **values,
        )
    return say(
        "The vector of “{token}” has length {lengths} on its way through the block; the {activation} leaves {left} of "
        "{numbers} above 0.",
        **values,
    )


def norms_picture(blocks: Mapping[str, Sequence[Step]]) -> Picture:
    """Variance of every row after each sub-layer, for the same weights in both orders.

    Args:
        blocks: for "post" and "pre" all steps of the block.
    """
    stages = {norm: leaving(steps) for norm, steps in blocks.items()}
    names = ["x", *(say(GROUPS[step.group]) for step in stages["post"][1:])]
    figure = Figure()
    place = {"stage": "%{x}", "variance": "%{y:.3f}"}
    for norm, color, symbol in (("post", AMOUNT, "circle"), ("pre", SERIES[0], "diamond")):
        name = say(NAMES[norm])
        variances = np.array([step.values.var(axis=1) for step in stages[norm]])  # [stages, rows]
        for row in range(variances.shape[1]):
            hover = say("{norm}, row {row}, {stage}: {variance}", norm=name, row=row + 1, **place)
            style, marked = {"color": color, "width": 1.5}, {"size": 9, "symbol": symbol}
            more = {"legendgroup": norm, "showlegend": row == 0}
            figure.add_trace(line(name, style, names, variances[:, row].tolist(), hover, marked, **more))
    base(figure, say("After this sub-layer"), say("Variance of each row"), HEIGHT)
    figure.update_yaxes(rangemode="tozero")
    return Picture("norms", figure, _norms_caption(stages), _norms_table(names, stages))


def _norms_caption(stages: Mapping[str, Sequence[Step]]) -> str:
    ends = {norm: steps[-1].values for norm, steps in stages.items()}
    means = [number(float(np.abs(values.mean(axis=1)).max())) for values in ends.values()]
    variances = [number(float(values.var(axis=1).mean())) for values in ends.values()]
    first, second = (say(NAMES[norm]) for norm in ends)
    return say(
        "{post}: rows leave the block with means of at most {post_mean} either way and a variance of {post_variance} "
        "in the mean. {pre}: {pre_mean} and {pre_variance}; x itself stays in the sum, and a last normalisation "
        "follows only after the whole stack.",
        post=first,
        post_mean=means[0],
        post_variance=variances[0],
        pre=second,
        pre_mean=means[1],
        pre_variance=variances[1],
    )


def _norms_table(names: Sequence[str], stages: Mapping[str, Sequence[Step]]) -> dict[str, list[object]]:
    rows: list[list[object]] = []
    for place, name in enumerate(names):
        for row in range(len(stages["post"][0].values)):
            rows.append([name, row + 1])
            for steps in stages.values():
                values = steps[place].values[row]
                rows[-1] += [vector(values), float(values.mean()), float(values.var())]
    return table_of([later("After"), later("Row"), *(heading for norm in stages for heading in HEADINGS[norm])], rows)
