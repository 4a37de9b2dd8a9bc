"""A picture of each token of a summary before and after a change.

T tokens of the summary. An effect is log p(untouched) − log p(changed): above zero where the change takes away what the
token needed.
"""

from collections.abc import Sequence
from math import exp
from typing import Any

from plotly.graph_objects import Figure

from core.figures.shared.marks import bars
from core.figures.shared.palette import OPPOSES, SUPPORTS
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LEAST, ZERO, token_axes, token_bars
from core.figures.shared.wording import capital, count, cut, escape, nats, number, percent, quoted, signed, token_text
from core.trace import Array, Token
from core.words import later, say

NAME = 34
"""Characters of a name in the title of an axis."""


def token_effects(tokens: Sequence[Token], before: Array, after: Array, name: str) -> Picture:
    """Draw the effect of a change on each token of the original summary.

    Args:
        tokens: the T tokens, at least one.
        before: [T], their log-probabilities in the untouched run, in nats.
        after: [T], those with the change, after the same tokens (forced).
        name: what was changed: "without head 2 of layer 3 (cross)".

    Returns:
        The picture; the points' customdata is the place of the token, 0-based.

    Raises:
        ValueError: there are no tokens, or not two numbers for each.
    """
    if not tokens or not len(tokens) == len(before) == len(after):
        raise ValueError(
            "before and after must be one a token. "
            f"Received: {len(before)} and {len(after)} for {count(len(tokens), 'token')}"
        )
    old, new = [float(value) for value in before], [float(value) for value in after]
    effects = [early - late for early, late in zip(old, new, strict=True)]
    figure = Figure()
    hover = [_about_token(place, *row) for place, row in enumerate(zip(tokens, old, new, strict=True), 1)]
    more: dict[str, Any] = {"hover": hover, "customdata": list(range(len(tokens))), "width": 0.72}
    for legend, color, most in (
        (say("less probable with the change (+)"), SUPPORTS, max),
        (say("more probable with the change (−)"), OPPOSES, min),
    ):
        figure.add_trace(bars(legend, color, **token_bars([most(effect, 0) for effect in effects]), **more))
    texts = [token_text(token) for token in tokens]
    effect = say("Effect (nats)")
    token_axes(figure, texts, say("Token of the original summary"), f"{effect}\n{cut(name, NAME)}")
    figure.update_layout(barmode="overlay")
    value_axis = figure.update_yaxes if figure.data[0].orientation == "v" else figure.update_xaxes
    value_axis(**ZERO, range=[1.05 * min(-LEAST, *effects), 1.05 * max(LEAST, *effects)])
    table: dict[str, list[object]] = {
        later("Position"): list(range(1, len(tokens) + 1)),
        later("Token"): [*texts],
        later("Untouched (nats)"): [*old],
        later("Changed (nats)"): [*new],
        later("Effect (nats)"): [*effects],
        later("Probability untouched"): [exp(value) for value in old],
        later("Probability changed"): [exp(value) for value in new],
    }
    return Picture("token-effects", figure, _effects_caption(tokens, old, effects, name), table)


def _about_token(place: int, token: Token, early: float, late: float) -> str:
    """Say what a change does to a token, for a hover."""
    return say(
        "{place} · {token}: effect {effect}<br>{before} → {after}, probability {probable} → {now}",
        place=place,
        token=escape(quoted(token)),
        effect=signed(early - late),
        before=nats(early),
        after=nats(late),
        probable=percent(exp(early)),
        now=percent(exp(late)),
    )


def _effects_caption(tokens: Sequence[Token], old: Sequence[float], effects: Sequence[float], name: str) -> str:
    total = sum(effects)
    if max(map(abs, effects)) < 0.005:
        return say(
            "{change}, the summary keeps its log-probability, {nats}: no token changes.",
            change=capital(name),
            nats=nats(sum(old)),
        )
    side = 0 if abs(total) < 0.005 else 1 if total > 0 else -1
    place = max(range(len(effects)), key=lambda index: effects[index] * side if side else abs(effects[index]))
    places = {
        "change": capital(name),
        "nats": nats(abs(total) if side else 0),
        "mean": number(abs(total) / len(effects)),
        "token": quoted(tokens[place]),
        "odds": f"{percent(exp(old[place]))} → {percent(exp(old[place] - effects[place]))}",
    }
    if side == 0:
        return say("{change}, the summary loses as much as it gains, {nats} in all; most at {token}, {odds}.", **places)
    if side > 0:
        return say("{change}, the summary loses {nats} ({mean} a token); most at {token}, {odds}.", **places)
    return say("{change}, the summary gains {nats} ({mean} a token); most at {token}, {odds}.", **places)
