"""What the written tokens owe to the dialogue: the share that comes from it, and their reliance on its content."""

from typing import Any

import numpy as np
from plotly.graph_objects import Bar, Figure

from core.explain.attribution.attribution import Attribution
from core.explain.attribution.methods import METHODS
from core.figures.experiments.attribution import verdict
from core.figures.shared.palette import AMOUNT, GREY, OPPOSES, SERIES, SUPPORTS, base, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.wording import escape, percent, plain, signed
from core.trace import Array
from core.words import later, say

HEIGHT = 360
RELIANCE = later(
    "Reliance is how much more probable a token is with this dialogue than with other words said by the same speakers: "
    "what it **depends on**, found by putting other words in."
)
SHARES = later(
    "What the decoder's last state is made of (ALTI+): how much is **carried** there from the dialogue, and from the "
    "words that the summary already has. It is no reason, and no probability."
)


def shares(found: Attribution) -> Picture:
    """Draw for each written token how much of it comes from the dialogue, and how much from the summary before it.

    Raises:
        ValueError: the method tells no prefix apart, or there are no rows.
    """
    if found.prefix is None or not found.rows:
        raise ValueError(f"{found.method} has no shares of the summary's own words")
    numbers, places = table(found), list(range(1, len(found.rows) + 1))
    texts, figure = list(numbers.pop("Token")), Figure()
    looks = ((AMOUNT, ""), (SERIES[0], "/"), (GREY, "."))
    for (name, values), (color, shape) in zip(numbers.items(), looks, strict=True):
        figure.add_trace(
            Bar(
                x=places,
                y=values,
                name=say(name),
                hovertext=[
                    f"{escape(text)}<br>{say(name)}: {percent(value)}"
                    for text, value in zip(texts, values, strict=True)
                ],
                hoverinfo="text",
                marker={"color": color, "pattern": {"shape": shape, "solidity": 0.4}, "line": {"width": 0}},
            )
        )
    base(figure, say("Token of the summary"), say("Share"), HEIGHT)
    figure.update_layout(barmode="stack", bargap=0.12)
    figure.update_xaxes(**token_ticks(texts))
    figure.update_yaxes(range=[0, 1], tickformat=".0%", tickvals=[0, 0.5, 1])
    return Picture("own-words", figure, caption(found), table(found))


def table(found: Attribution) -> dict[str, list[Any]]:
    """Return a row a token: its shares, or for a method without a prefix its number and half its interval."""
    rows = {later("Token"): [plain(text) for text in found.rows]}
    if found.prefix is None:
        numbers = {later("Reliance (nats)"): found.values[:, 0], later("± (nats)"): _half(found)}
    else:
        numbers = {
            later("From the dialogue"): found.values.sum(axis=1),
            later("From its own words"): found.prefix[:, 1:].sum(axis=1),
            later("From the start mark"): found.prefix[:, 0],
        }
    return rows | {name: [round(float(value), 6) for value in values] for name, values in numbers.items()}


def caption(found: Attribution) -> str:
    """Say what the numbers are over the whole summary, which token stands out, and whether they passed their check."""
    rows, checked = [plain(text) for text in found.rows], verdict(found.check)
    values = found.values.sum(axis=1)
    if found.prefix is None:
        most = int(np.argmax(values))
        return say(
            "“{token}” relies on the dialogue most, {most} nats; the mean is {mean} nats. For {none} of {count} tokens "
            "the interval does not lie above 0: they could as well follow from the words before them. {check}",
            token=rows[most], most=signed(float(values[most])), mean=signed(float(values.mean())),
            none=int((values <= _half(found)).sum()), count=len(rows), check=checked,
        )  # fmt: skip
    least = int(np.argmin(values))
    return say(
        "{method}: {mean} of what the tokens are made of comes from the dialogue; least of “{token}”, {least}. {check}",
        method=say(METHODS[found.method].title), mean=percent(float(values.mean())), token=rows[least],
        least=percent(float(values[least])), check=checked,
    )  # fmt: skip


def shade_data(found: Attribution) -> dict[str, Any]:
    """Return what the token strip needs to shade its tokens by reliance."""
    return {
        "values": [round(float(value), 4) for value in found.values[:, 0]],
        "half": [round(float(value), 4) for value in _half(found)],
        "most": max(float(np.abs(found.values).max()), 1e-6),
        "colors": [OPPOSES, SUPPORTS],
        "caption": f"{say(RELIANCE).replace('**', '')} {caption(found)}",
    }


def _half(found: Attribution) -> Array:
    """Return half widths of the intervals [R]; 0 where nothing was drawn."""
    return np.zeros(len(found.rows), dtype=np.float32) if found.interval is None else found.interval[:, 0]
