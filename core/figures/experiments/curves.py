"""Deletion and insertion curves of all methods: which ranking of the parts of a dialogue holds."""

from collections import Counter
from typing import Any, Literal

from plotly.graph_objects import Figure

from core.explain.attribution.methods import METHODS
from core.figures.experiments.attribution import verdict
from core.figures.shared.files import table_of
from core.figures.shared.marks import line
from core.figures.shared.palette import ATTENTION, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import capital, escape, listed, number
from core.words import later, say

COLORS = {"looks at": ATTENTION, "carries": SERIES[2], "depends on": SERIES[3], "chance": GREY}
"""A colour for each thing that a method can say; methods that say the same differ by dashes and marks."""
MARKS = (("solid", "circle"), ("dash", "square"), ("dot", "diamond"), ("dashdot", "cross"), ("longdash", "x"))


def curves(compared: Any, how: Literal["deletion", "insertion"]) -> Picture:
    """Draw the curves of `core.experiments.attribution.curves.Compared`, and name the ranking that holds best."""
    titles = {name: say(METHODS[name].title) for name in compared.curves}
    figure, used = Figure(), Counter[str]()
    for name, curve in compared.curves.items():
        word = METHODS[name].says
        dash, symbol = MARKS[used[word] % len(MARKS)]
        style, marker = {"color": COLORS[word], "dash": dash, "width": 3}, {"symbol": symbol, "size": 9}
        parts, scores = list(curve.taken), getattr(curve, how)
        label, mode = escape(titles[name]), "lines+markers"
        figure.add_trace(line(label, style, parts, scores, hoverinfo=None, mode=mode, marker=marker))
        used[word] += 1
    away, shown = say("Parts taken away, the most important first"), say("Parts shown, the most important first")
    scored = say("{target} (nats a token)", target=escape(capital(compared.target)))
    base(figure, away if how == "deletion" else shown, scored, 540)
    rows = [
        (titles[name], count, float(one), float(other))
        for name, curve in compared.curves.items()
        for count, one, other in zip(curve.taken, curve.deletion, curve.insertion, strict=True)
    ]
    names = (later("Method"), later("Parts"), later("Without the first"), later("With them alone"))
    caption = f"{_caption(compared, titles, how)} {verdict(compared.check)}"
    return Picture(f"curves-{how}", figure, caption, table_of(names, rows))


def _caption(compared: Any, titles: dict[str, str], how: str) -> str:
    """Name the best method and those that beat random orders, by the mean height of their curves."""
    sign = -1 if how == "deletion" else 1
    means = {name: curve.deleted if how == "deletion" else curve.inserted for name, curve in compared.curves.items()}
    chance = means.pop("random")
    best = max(means, key=lambda name: sign * means[name], default="random")
    beat = [titles[name] for name in means if sign * (means[name] - chance) > 0]
    return say(
        "The order of “{method}” is best: its curve has a mean of {mean} nats a token, random orders {chance}. Better "
        "than random: {count} of {total} ({methods}).",
        method=titles[best], mean=number(means.get(best, chance)), chance=number(chance), count=len(beat),
        total=len(means), methods=listed(beat) or say("none"),
    )  # fmt: skip
