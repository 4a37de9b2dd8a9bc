"""Two methods beside each other, part by part: what both say of turns or words, and where they differ most."""

from collections.abc import Mapping, Sequence

import numpy as np
from plotly.graph_objects import Figure

from core.explain.attribution.attribution import Check
from core.explain.attribution.methods import METHODS
from core.figures.experiments.attribution import verdict
from core.figures.experiments.effect_scale import signed_figures
from core.figures.experiments.turn_effects import DROP_ROW
from core.figures.shared.palette import annotate
from core.figures.shared.picture import Picture
from core.figures.shared.rows import (
    Turn,
    check,
    head,
    signed_bars,
    signed_frame,
    signed_limits,
    signed_value,
    turn_columns,
    turn_label,
)
from core.figures.shared.wording import escape, signed
from core.words import say


def beside(parts: Sequence[Turn], answers: Mapping[str, tuple[Sequence[float], Check]], most: int, why: str) -> Picture:
    """Draw what two methods say of the same parts, one under the other on one axis, each with its check.

    Args:
        parts: number of its turn, speaker and text of each.
        answers: effect of each part in nats and the check, by the method's name in `METHODS`.
        most: parts that are drawn, those with the largest effects; the table has all.
        why: what explains where they differ, a sentence.

    Raises:
        ValueError: there are no parts, or not one effect for each.
    """
    check(parts, **{name: effects for name, (effects, _) in answers.items()})
    titles = {name: METHODS[name].title for name in answers}
    values = np.array([effects for effects, _ in answers.values()], dtype=np.float64)
    drawn = np.sort(np.argsort(-np.abs(values).max(axis=0), kind="stable")[:most])
    labels = [turn_label(parts[place]) for place in drawn]
    figure, notes = Figure(), [head(row, label, 0.29) for row, label in enumerate(labels)]
    for title, line, place, shape in zip(titles.values(), values[:, drawn].tolist(), (0, 0.28), ("", "/"), strict=True):
        name = escape(say(title))
        hover = [f"{escape(label)}<br>{name}: {signed(value)}" for label, value in zip(labels, line, strict=True)]
        hatched = {"pattern": {"shape": shape, "solidity": 0.4}}
        signed_bars(figure, line, None, hover, (f"{name} (+)", f"{name} (−)"), (place, 0.24), marker=hatched)
        notes += [signed_value(value, row + place, "") for row, value in enumerate(line)]
    limits = signed_limits(values.ravel().tolist())
    signed_frame(figure, len(labels), say("Effect (nats), one scale"), limits, DROP_ROW)
    annotate(figure, notes)
    widest = int(np.argmax(np.abs(values[0] - values[1])))
    first, second = (signed_figures(value) for value in values[:, widest].tolist())
    one, other = (say(title) for title in titles.values())
    sentence = say(
        "“{one}” and “{other}” differ most at “{part}”: {first} and {second} nats.",
        one=one, other=other, part=turn_label(parts[widest]), first=first, second=second,
    )  # fmt: skip
    passed = [f"{say(titles[name])}: {verdict(method_check)}" for name, (_, method_check) in answers.items()]
    table = turn_columns(parts) | {titles[name]: [*effects] for name, (effects, _) in answers.items()}
    return Picture("-beside-".join(answers), figure, " ".join([sentence, why, *passed]), table)
