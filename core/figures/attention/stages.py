"""The numbers of one head for one query, key by key: dot product, scaled, weight, what it adds.

N keys, K width of a head.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure
from plotly.subplots import make_subplots

from core.explain.attention.inside import HeadStages
from core.figures.shared.marks import bars
from core.figures.shared.palette import AMOUNT, ATTENTION, FONT, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, number, percent, plain
from core.words import later, say

SHOWN, FEW = 16, 8
"""Keys with the largest weights that stand apart, if there are more than `ALL`."""
ALL = 24
LABEL = 20
ROW = 24
"""Pixels of a key's bars."""
FRAME = 165
"""Pixels for legend, axes and titles."""


def numbered(labels: Sequence[str]) -> list[str]:
    """Labels without blanks around them; one that occurs again gets its place from 1: the · 14."""
    texts = [plain(label) for label in labels]
    often = Counter(texts)
    return [f"{text} · {place}" if often[text] > 1 else text for place, text in enumerate(texts, 1)]


def shown_keys(weights: NDArray[np.float32], top: int) -> list[int]:
    """The keys that stand apart, in their order: all if there are at most 24, otherwise those of the largest weights.

    Args:
        weights: [N].
        top: how many; of equal weights the first ones.
    """
    if len(weights) <= max(ALL, top):
        return list(range(len(weights)))
    return sorted(int(key) for key in np.argsort(-weights, kind="stable")[:top])


def check_labels(stages: HeadStages, key_labels: Sequence[str]) -> None:
    """Raise ValueError unless there is one label a key."""
    if len(key_labels) != len(stages.weights):
        raise ValueError(f"key_labels must be one a key. Received: {len(key_labels)} for {len(stages.weights)} keys")


def stages_picture(stages: HeadStages, query_label: str, key_labels: Sequence[str], top: int = SHOWN) -> Picture:
    """Four panels side by side with a row a key: dot product, scaled, weight, length of weight × v.

    The length of weight × v says how much a key adds, which its weight alone does not (Kobayashi et al. 2020).

    Args:
        stages: one head for one query.
        query_label: text of the query token.
        key_labels: texts of the N keys, in their order.
        top: keys that stand apart, if there are more than 24; the others share one row.

    Returns:
        The picture; the points' customdata is the index of the key, -1 for the others together.

    Raises:
        ValueError: there is not one label a key.
    """
    check_labels(stages, key_labels)
    names = numbered(key_labels)
    lengths = stages.weights * np.linalg.norm(stages.values, axis=1)  # [N]
    shown = shown_keys(stages.weights, top)
    others = sorted(set(range(len(names))) - set(shown))
    rows = [escape(cut(names[key], LABEL)) for key in shown]
    columns: list[list[float | None]] = [
        [float(values[key]) for key in shown] for values in (stages.dots, stages.scores, stages.weights, lengths)
    ]
    keys = [*shown, -1] if others else shown
    if others:
        rows.append(count(len(others), "other token"))
        summed = stages.weights[others] @ stages.values[others]  # [K]
        rest = (None, None, float(stages.weights[others].sum()), float(np.linalg.norm(summed)))
        for column, value in zip(columns, rest, strict=True):
            column.append(value)
    masked = [key >= 0 and not stages.mask[key] for key in keys]
    figure = _panels(columns, rows, keys, masked, _scoring(stages))
    table: dict[str, list[object]] = {
        later("Position"): list(range(1, len(names) + 1)),
        later("Key"): [*names],
        later("Dot product"): [float(value) for value in stages.dots],
        **({later("Scaled"): [float(value) for value in stages.scaled]} if stages.divides else {}),
        **({} if stages.bias is None else {later("Bias"): [float(value) for value in stages.bias]}),
        **({} if stages.bias is None else {later("Score"): [float(value) for value in stages.scores]}),
        later("Masked"): [not seen for seen in stages.mask],
        later("Weight"): [float(value) for value in stages.weights],
        later("Length of weight × v"): [float(value) for value in lengths],
    }
    return Picture("head-stages", figure, _caption(stages, query_label, names), table)


def _panels(
    columns: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    keys: Sequence[int],
    masked: Sequence[bool],
    scoring: tuple[str, str],
) -> Figure:
    """Bars on rows that all panels share; masked keys are grey and hatched."""
    titles = (
        say("dot product q · k"),
        ": ".join(filter(None, scoring)),
        say("weight: softmax"),
        say("length of weight × v"),
    )
    figure = make_subplots(rows=1, cols=4, shared_yaxes=True, horizontal_spacing=0.035)
    places = list(range(len(rows)))
    colors = (SERIES[0], SERIES[2], ATTENTION, AMOUNT)
    for panel, (title, values, color) in enumerate(zip(titles, columns, colors, strict=True), 1):
        for hidden in (False, True):
            chosen = [place for place in places if masked[place] == hidden]
            if not chosen or (hidden and panel > 2):  # a masked key has no weight: there is no bar
                continue
            bar = bars(
                say("masked") if hidden else title,
                GREY if hidden else color,
                [values[place] for place in chosen],
                chosen,
                [f"{rows[place]}<br>{title}: {_exact(values[place])}" for place in chosen],
                customdata=[keys[place] for place in chosen],
                showlegend=not hidden or panel == 1,
                orientation="h",
                width=0.72,
                marker={"pattern": {"shape": "/" if hidden else "", "solidity": 0.4}},
            )
            figure.add_trace(bar, row=1, col=panel)
    base(figure, "", "", ROW * len(rows) + FRAME)
    figure.update_layout(barmode="overlay")
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], showgrid=False, tickvals=places, ticktext=list(rows))
    figure.update_yaxes(title={"text": say("Key")}, col=1)
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY, zerolinewidth=1, nticks=3, fixedrange=True, tickangle=0)
    figure.update_xaxes(tickfont_size=FONT - 2)
    for panel, title in enumerate(("q · k", scoring[1] or scoring[0], say("weight"), say("length")), 1):
        figure.update_xaxes(title={"text": title}, col=panel)
    for panel in (3, 4):
        figure.update_xaxes(rangemode="tozero", col=panel)
    return figure


def _scoring(stages: HeadStages) -> tuple[str, str]:
    """What stands between dot product and softmax: its name and its formula."""
    name = say("scaled") if stages.divides and stages.bias is None else say("score")
    return name, " ".join(scoring_steps(stages))


def scoring_steps(stages: HeadStages) -> list[str]:
    """What is done to a dot product before the mask: the division and the bias, if a model has them."""
    steps = [f"÷ √{len(stages.query)}"] if stages.divides else []
    return steps if stages.bias is None else [*steps, say("+ bias")]


def _exact(value: float | None) -> str:
    return say("not one number") if value is None else number(value, 4)


def _caption(stages: HeadStages, query_label: str, names: Sequence[str]) -> str:
    best = int(np.argmax(stages.weights))
    seen = int(stages.mask.sum())
    values = {
        "query": plain(query_label),
        "key": names[best],
        "share": percent(float(stages.weights[best])),
        "dot": number(float(stages.dots[best])),
        "keys": str(seen) if seen == len(names) else say("the {keys} that the mask leaves", keys=seen),
        "length": number(float(np.linalg.norm(stages.output))),
    }
    if stages.bias is None:
        return say(
            "For “{query}”, “{key}” gets {share}: its dot product with the query, {dot}, is the largest of {keys}; "
            "the head's output has length {length}.",
            **values,
        )
    return say(
        "For “{query}”, “{key}” gets {share}: its score, {score}, is the largest of {keys} (dot product {dot}, bias "
        "{bias}); the head's output has length {length}.",
        **values,
        score=number(float(stages.scores[best])),
        bias=number(float(stages.bias[best])),
    )
