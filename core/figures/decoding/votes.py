"""Votes for a token against another one, as bars on both sides of 0: by layer, by head, by turn."""

from collections.abc import Sequence
from typing import Any, Literal

from plotly.graph_objects import Figure

from core.explain.attention.head_outputs import Head
from core.explain.attribution.votes import Part, Votes
from core.explain.shared.rollup import Group
from core.figures.experiments.attribution import verdict
from core.figures.shared.palette import Note, annotate
from core.figures.shared.picture import Picture
from core.figures.shared.rows import cards, head, signed_bars, signed_frame, signed_limits, signed_value, titled
from core.figures.shared.wording import capital, cut, escape, head_name, kind_text, percent, plain, signed
from core.words import later, say

By = Literal["layer", "head", "turn"]
MOST = 10
"""Heads with a bar of their own: those with the largest votes."""
KINDS = {
    "embedding": later("Embedding of the token before"),
    "biases": later("Biases: whatever is read"),
    "feed-forward": later("Layer {layer}, feed-forward network"),
}


def votes(answer: Votes, by: By, turns: Sequence[Group], token: str, foil: str) -> Picture:
    """Draw who votes for the first written token of an answer against its foil; the bars add up to the difference.

    Args:
        answer: with heads of cross-attention taken apart into `turns`.
        by: what has a bar.
        turns: groups of the source tokens.
        token: text of the written token.
        foil: text of the other one.

    Raises:
        ValueError: the answer is not taken apart into these turns.
    """
    if any(part.turn is not None and part.turn >= len(turns) for part in answer.parts):
        raise ValueError(f"votes are of other turns. Received: {len(turns)}")
    sums: dict[str, float] = {}
    for part, value in zip(answer.parts, answer.values[0].tolist(), strict=True):
        name = _name(part, by, turns)
        sums[name] = sums.get(name, 0.0) + value
    if by == "head":
        largest = sorted(sums, key=lambda name: -abs(sums[name]))[:MOST]
        sums = {name: sums[name] for name in largest} | {
            say("All the rest"): sum(value for name, value in sums.items() if name not in largest)
        }
    names, values = list(sums), list(sums.values())
    limits, codes = signed_limits(values), list(range(len(values)))
    hover = [f"{escape(name)}<br>{signed(value)}" for name, value in sums.items()]
    figure = Figure()
    cards(figure, codes, hover, None, limits)
    signs = [say("for “{token}”", token=escape(cut(plain(each), 20))) for each in (token, foil)]
    signed_bars(figure, values, codes, hover, (f"{signs[0]} (+)", f"{signs[1]} (−)"), (0.2, 0.38))
    signed_frame(figure, len(values), titled(say("Votes (logits)"), ""), limits)
    figure.update_yaxes(title={"text": ""})
    notes: list[Note] = []
    for row, (name, value) in enumerate(sums.items()):
        notes += head(row, name), signed_value(value, row + 0.2, "")
    annotate(figure, notes)
    routes = {say("Generating: all votes"): answer.generated[0]}
    routes |= {
        say("Copying, head {head}", head=part.head + 1) if isinstance(part.head, int) else say("Copying"): probabilities
        for part, probabilities in zip(answer.copy_parts, answer.copied[0], strict=True)
    }
    nothing = [None] * len(names)
    table: dict[str, Sequence[Any]] = {
        later("Who votes"): [*names, *routes],
        later("Vote (logits)"): [*values, sum(values), *[None] * len(answer.copy_parts)],
        later("Probability"): [*nothing, *(float(probabilities[0]) for probabilities in routes.values())],
        later("Probability of the other"): [*nothing, *(float(probabilities[1]) for probabilities in routes.values())],
    }
    return Picture(f"votes-by-{by}", figure, _caption(answer, sums, token, foil), table)


def _name(part: Part, by: By, turns: Sequence[Group]) -> str:
    """Return to which bar the vote of a part belongs."""
    if isinstance(part.head, Head):
        place = part.head
        if by == "turn":
            if part.turn is None:
                return say("The summary so far: decoder self-attention")
            turn = turns[part.turn]
            return turn.label if turn.turn is None else say("Turn {number}", number=turn.label)
        layer, single = say("Layer {layer}", layer=place.layer + 1), capital(head_name(place.layer, place.head))
        return f"{layer if by == 'layer' else single}, {kind_text(place.kind)}"
    if by == "turn":
        return say("Feed-forward networks, embedding, biases")
    return say(KINDS[part.kind], layer=(part.layer or 0) + 1)


def _caption(answer: Votes, sums: dict[str, float], token: str, foil: str) -> str:
    best, worst = max(sums, key=lambda name: sums[name]), min(sums, key=lambda name: sums[name])
    sentences = [
        say(
            "“{part}” votes most for “{token}” ({vote}), “{other}” least ({least}); all votes together are {total} "
            "logits against “{foil}”.",
            part=best, vote=signed(sums[best]), other=worst, least=signed(sums[worst]),
            total=signed(sum(sums.values())), token=plain(token), foil=plain(foil),
        )
    ]  # fmt: skip
    if answer.copy_parts:
        own, other = answer.copied[0].sum(axis=0).tolist()
        sentences.append(
            say(
                "Copying is another route: it gives “{token}” {own} and “{foil}” {other}; generating gives {made} and "
                "{other_made}.",
                token=plain(token), foil=plain(foil), own=percent(own), other=percent(other),
                made=percent(float(answer.generated[0, 0])), other_made=percent(float(answer.generated[0, 1])),
            )
        )  # fmt: skip
    return " ".join([*sentences, verdict(answer.check)])
