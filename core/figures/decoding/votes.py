"""Votes for a token against another one, as bars on both sides of 0: by layer, by head, by turn."""

from collections.abc import Sequence
from typing import Any, Literal

from plotly.graph_objects import Figure

from core.explain.attention.head_outputs import Head
from core.explain.attribution.votes import Part, Votes
from core.explain.shared.rollup import Group
from core.figures.experiments.attribution import verdict
from core.figures.shared.palette import FAINT, OPPOSES, SUPPORTS, Note, annotate, note
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LEAST, head, row_bars, signed_frame, signed_limits, write
from core.figures.shared.wording import capital, cut, escape, head_name, kind_text, number, percent, plain, signed
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
    caption = _caption(answer, sums, plain(token), plain(foil))
    if by == "head":
        ends, order = _ends(sums), sorted(sums, key=lambda name: -abs(sums[name]))
        largest = sorted(order, key=lambda name: name not in ends)[:MOST]
        sums = {name: sums[name] for name in order if name in largest} | {
            say("All the rest"): sum(value for name, value in sums.items() if name not in largest)
        }
    generated: list[float] = answer.generated[0].tolist()
    copied: dict[str, list[float]] = {
        say("Copying, head {head}", head=part.head + 1) if isinstance(part.head, int) else say("Copying"): pair
        for part, pair in zip(answer.copy_parts, answer.copied[0].tolist(), strict=True)
    }
    figure = _figure(sums, copied, generated, token, foil)
    names, values, routes = list(sums), list(sums.values()), {say("Generating: all votes"): generated} | copied
    nothing = [None] * len(names)
    table: dict[str, Sequence[Any]] = {
        later("Who votes"): [*names, *routes],
        later("Vote (logits)"): [*values, sum(values), *[None] * len(answer.copy_parts)],
        later("Probability"): [*nothing, *(own for own, _ in routes.values())],
        later("Probability of the other"): [*nothing, *(other for _, other in routes.values())],
    }
    return Picture(f"votes-by-{by}", figure, caption, table)


def _figure(
    sums: dict[str, float], copied: dict[str, list[float]], generated: list[float], token: str, foil: str
) -> Figure:
    """Draw the votes, and above them what each part of copying gives: a probability of 1 is as long as the largest."""
    texts = {"token": escape(cut(plain(token), 20)), "foil": escape(cut(plain(foil), 20))}
    rows: list[tuple[str, list[tuple[float, str]]]] = [(name, [(vote, signed(vote))]) for name, vote in sums.items()]
    if copied:
        whole = max(LEAST, *map(abs, sums.values()))
        routes = (
            (say("Copying (probability, its own scale)"), [sum(pair) for pair in zip(*copied.values(), strict=True)]),
            (say("Generating (votes)"), generated),
        )
        heads = [
            f"<b>{title}</b><br>"
            + say("“{token}” {own}, “{foil}” {other}", **texts, own=percent(own), other=percent(other))
            for title, (own, other) in routes
        ]
        given = [
            (name, [(whole * own, percent(own)), *([(-whole * other, percent(other))] if other else [])])
            for name, (own, other) in copied.items()
        ]
        rows = [(heads[0], []), *given, (heads[1], []), *rows]
    drawn = [row for row, (_, bars) in enumerate(rows) if bars]
    hover = [f"{escape(rows[row][0])}<br>{', '.join(text for _, text in rows[row][1])}" for row in drawn]
    limits = signed_limits([length for _, bars in rows for length, _ in bars])
    figure = Figure(
        row_bars(
            None, FAINT, [limits[1] - limits[0]] * len(drawn), drawn, hover, 0, 0.92, base=limits[0], showlegend=False
        )
    )
    for name, color, end in (
        (f"{say('for “{token}”', token=texts['token'])} (+)", SUPPORTS, max),
        (f"{say('for “{token}”', token=texts['foil'])} (−)", OPPOSES, min),
    ):
        lengths = [end(0.0, *(length for length, _ in rows[row][1])) for row in drawn]
        figure.add_trace(row_bars(name, color, lengths, drawn, hover))
    signed_frame(figure, len(rows), say("Votes (logits)"), limits)
    figure.update_yaxes(title={"text": ""})
    figure.layout.shapes = [figure.layout.shapes[row] for row in drawn]
    notes: list[Note] = []
    for row, (name, bars) in enumerate(rows):
        notes.append(head(row, name) if bars else note(name, 0, row, xref="x domain", xanchor="left", align="left"))
        notes += [write(length, row + 0.2, f"<b>{text}</b>", length < 0) for length, text in bars]
    annotate(figure, notes)
    return figure


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


def _ends(sums: dict[str, float]) -> tuple[str | None, str | None]:
    """Return who votes most for the token and who most against it; None where nobody does."""
    best, worst = (end(sums, key=lambda name: sums[name]) for end in (max, min))
    return best if sums[best] > 0 else None, worst if sums[worst] < 0 else None


def _caption(answer: Votes, sums: dict[str, float], token: str, foil: str) -> str:
    (best, worst), total, sentences = _ends(sums), sum(sums.values()), []
    if answer.copy_parts:
        (own, other), (made, other_made) = answer.copied[0].sum(axis=0).tolist(), answer.generated[0].tolist()
        places = {"token": token, "own": percent(own), "made": percent(made), "foil": foil}
        places |= {"other": percent(other), "other_made": percent(other_made)}
        if own > made:
            route = say(
                "“{token}” was written mostly by copying: {own}, and {made} by generating; “{foil}” has {other} and "
                "{other_made}.",
                **places,
            )
        else:
            route = say(
                "“{token}” was written mostly by generating: {made}, and {own} by copying; “{foil}” has {other_made} "
                "and {other}.",
                **places,
            )
        sentences = [route, say("The votes are those of generating alone.")]
    sentences += [
        say("“{part}” votes most for “{token}” ({vote}).", part=best, token=token, vote=signed(sums[best]))
        if best
        else say("No part votes for “{token}”.", token=token),
        say("“{part}” votes most against “{token}” ({vote}).", part=worst, token=token, vote=signed(sums[worst]))
        if worst
        else say("No part votes against “{token}”.", token=token),
        say(
            "All votes together favour “{token}” over “{foil}” by {total} logits.",
            token=token if total > 0 else foil, foil=foil if total > 0 else token, total=number(abs(total)),
        ),
    ]  # fmt: skip
    return " ".join([*sentences, verdict(answer.check)])
