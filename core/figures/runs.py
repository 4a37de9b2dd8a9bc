"""Pictures of two runs on the same dialogues, and of how much a probability is worth.

N rows. Differences are A − B: above zero A is better.
"""

from collections.abc import Sequence
from typing import Any

from plotly.graph_objects import Bar, Figure, Scatter

from core.faults.calibration import SHOWN, Calibration
from core.figures.corpus import Axis
from core.figures.palette import BLUE, GREY, ORANGE, annotate, base, note
from core.figures.picture import Picture
from core.figures.rows import LABEL
from core.figures.wording import count, cut, escape, number, percent, signed


def paired(
    ids: Sequence[str],
    differences: Sequence[float],
    axis: Axis,
    names: tuple[str, str],
    interval: tuple[float, float, float],
    chosen: int | None = None,
) -> Picture:
    """Who wins where: the difference of every row, in order.

    Args:
        ids: of the N rows.
        differences: A − B of each.
        axis: what is measured.
        names: of A and B.
        interval: mean of the differences, and the ends of its 95 % interval.
        chosen: the opened row.

    Returns:
        The picture; a bar's customdata is its row.

    Raises:
        ValueError: there are no rows, or not one difference for each.
    """
    if not ids or len(ids) != len(differences):
        raise ValueError(f"there must be rows and a difference for each. Received: {len(ids)} and {len(differences)}")
    order = sorted(range(len(ids)), key=lambda row: (-differences[row], row))
    first, second = (cut(name, LABEL) for name in names)
    figure = Figure()
    for name, color, wins in (
        (f"{first} is better", BLUE, [place for place, row in enumerate(order) if differences[row] > 0]),
        (f"{second} is better", ORANGE, [place for place, row in enumerate(order) if differences[row] < 0]),
        ("the same", GREY, [place for place, row in enumerate(order) if differences[row] == 0]),
    ):
        if wins:
            figure.add_trace(
                Bar(
                    x=[place + 1 for place in wins],
                    y=[differences[order[place]] for place in wins],
                    customdata=[order[place] for place in wins],
                    hovertext=[f"{escape(ids[order[place]])}: {signed(differences[order[place]])}" for place in wins],
                    hoverinfo="text",
                    name=escape(f"{name} ({len(wins)})"),
                    width=0.9,
                    marker={
                        "color": color,
                        "line": {"color": GREY, "width": [3 * (order[place] == chosen) for place in wins]},
                    },
                )
            )
    base(figure, "Dialogue, by difference", f"Difference of {axis.title}", 380)
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(zeroline=True, zerolinecolor=GREY, zerolinewidth=1)
    mean, low, high = interval
    figure.add_hline(y=mean, line={"color": GREY, "dash": "dash", "width": 2})
    free = {"xanchor": "left", "yanchor": "top"} if mean < 0 else {"xanchor": "right", "yanchor": "bottom"}
    annotate(figure, [note(f"mean {signed(mean)}", int(mean >= 0), mean, xref="x domain", **free)])  # beyond short bars
    table: dict[str, Sequence[Any]] = {
        "Id": [ids[row] for row in order],
        "Difference": [differences[row] for row in order],
    }
    return Picture("paired", figure, _paired_caption(differences, axis, names, interval), table)


def p_text(p_value: float) -> str:
    """A p with three decimals; none is shown as 0."""
    return f"{p_value:.3f}" if p_value >= 0.001 else "under 0.001"


def _paired_caption(
    differences: Sequence[float], axis: Axis, names: tuple[str, str], interval: tuple[float, float, float]
) -> str:
    mean, low, high = interval
    wins, losses = (sum(sign * each > 0 for each in differences) for sign in (1, -1))
    who = "higher" if mean >= 0 else "lower"
    sure = (
        "the interval holds 0: these dialogues do not tell the two apart"
        if low <= 0 <= high
        else "the interval leaves 0 out"
    )
    return (
        f"{axis.name} of {names[0]} is {number(abs(mean))} {who} than of {names[1]} on average over "
        f"{count(len(differences), 'dialogue')}, 95 % interval {signed(low)} to {signed(high)} (paired bootstrap): "
        f"{sure}. "
        f"It wins {wins}, loses {losses}, and ties {len(differences) - wins - losses}."
    )


def reliability(found: Calibration, event: str) -> Picture:
    """How often what a probability promises is so: a reliability diagram (Guo et al. 2017, section 2).

    Args:
        found: of all tokens; bins of few tokens are not drawn.
        event: what "right" means here: "the token's word is in the dialogue".

    Raises:
        ValueError: no bin has enough tokens to be drawn.
    """
    if not found.shown:
        raise ValueError(f"a bin must have {SHOWN} tokens to be drawn. Received: {len(found.bins)} bins of fewer")
    confidences, rates = ([getattr(each, name) for each in found.shown] for name in ("confidence", "accuracy"))
    counts = [each.count for each in found.shown]
    figure = Figure()
    figure.add_trace(
        Scatter(x=[0, 100], y=[0, 100], mode="lines", name="as promised", hoverinfo="skip",
                line={"color": GREY, "dash": "dash"})
    )  # fmt: skip
    figure.add_trace(
        Scatter(
            x=[100 * each for each in confidences],
            y=[100 * each for each in rates],
            mode="lines+markers",
            name="measured",
            line={"color": BLUE, "width": 2},
            marker={"color": BLUE, "size": 10},
            hovertext=[
                f"promised {percent(one)}, found {percent(two)}<br>{count(amount, 'token')}"
                for one, two, amount in zip(confidences, rates, counts, strict=True)
            ],
            hoverinfo="text",
        )
    )
    base(figure, "Probability of the token (%)", f"Share of tokens (%)\n{cut(event, LABEL)}", 420)
    figure.update_xaxes(range=[-3, 103])
    figure.update_yaxes(range=[-3, 103])
    ends = f"95 % interval {percent(found.low)} to {percent(found.high)}"
    lean = "less" if found.signed > 0 else "more"
    caption = (
        f"Expected calibration error {percent(found.error)} ({ends}) over {count(found.count, 'token')}. All in all "
        f"the probabilities promise {percent(abs(found.signed))} {lean} often than it happens that {event}."
    )
    table: dict[str, Sequence[Any]] = {
        "Mean probability": confidences,
        "Share that is right": rates,
        "Tokens": counts,
    }
    return Picture("reliability", figure, caption, table)


def not_drawn(found: Calibration) -> str:
    """Say how many bins have too few tokens to be drawn; "" if none has."""
    hidden = len(found.bins) - len(found.shown)
    return f"Not drawn: {count(hidden, 'bin')} of fewer than {SHOWN} tokens; the error counts all." if hidden else ""
