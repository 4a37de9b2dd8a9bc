"""Pictures of two runs on the same dialogues, and of how much a probability is worth.

N rows. Differences are A − B: above zero A is better.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from core.faults.token_calibration import SHOWN, Calibration
from core.figures.errors.corpus import Axis
from core.figures.shared.marks import bars, line
from core.figures.shared.palette import AMOUNT, CHOSEN, GREY, OPPOSES, SUPPORTS, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LABEL
from core.figures.shared.wording import count, cut, escape, number, percent, signed
from core.words import later, say


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
    for name, color, sign in ((first, SUPPORTS, 1), (second, OPPOSES, -1), ("", GREY, 0)):
        places = [place for place, row in enumerate(order, 1) if np.sign(differences[row]) == sign]
        if places:
            rows = [order[place - 1] for place in places]
            lengths, hover = (
                [differences[row] for row in rows],
                [f"{escape(ids[row])}: {signed(differences[row])}" for row in rows],
            )
            marker = {"line": {"color": CHOSEN, "width": [3 * (row == chosen) for row in rows]}}
            legend = escape(_who_wins(name, len(rows)))
            figure.add_trace(bars(legend, color, places, lengths, hover, customdata=rows, width=0.9, marker=marker))
    base(figure, say("Dialogue, by difference"), say("Difference of {measure}", measure=axis.title), 380)
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(zeroline=True, zerolinecolor=GREY, zerolinewidth=1)
    mean, low, high = interval
    figure.add_hline(y=mean, line={"color": GREY, "dash": "dash", "width": 2})
    free = {"xanchor": "left", "yanchor": "top"} if mean < 0 else {"xanchor": "right", "yanchor": "bottom"}
    words = say("mean {value}", value=signed(mean))
    annotate(figure, [note(words, int(mean >= 0), mean, xref="x domain", **free)])  # beyond short bars
    table: dict[str, Sequence[Any]] = {
        later("Id"): [ids[row] for row in order],
        later("Difference"): [differences[row] for row in order],
    }
    return Picture("paired", figure, _paired_caption(differences, axis, names, interval), table)


def _who_wins(name: str, amount: int) -> str:
    """An entry of the legend; no name: nobody is better."""
    return (
        say("{name} is better ({count})", name=name, count=amount) if name else say("the same ({count})", count=amount)
    )


def p_text(p_value: float) -> str:
    """A p with three decimals; none is shown as 0."""
    return f"{p_value:.3f}" if p_value >= 0.001 else say("under {share}", share="0.001")


def _paired_caption(
    differences: Sequence[float], axis: Axis, names: tuple[str, str], interval: tuple[float, float, float]
) -> str:
    mean, low, high = interval
    wins, losses = (sum(sign * difference > 0 for difference in differences) for sign in (1, -1))
    values = {"measure": axis.name, "first": names[0], "second": names[1], "difference": number(abs(mean))}
    values |= {"dialogues": count(len(differences), "dialogue"), "low": signed(low), "high": signed(high)}
    if mean >= 0:
        sentence = say(
            "{measure} of {first} is {difference} higher than of {second} on average over {dialogues}, "
            "95 % interval {low} to {high} (paired bootstrap).",
            **values,
        )
    else:
        sentence = say(
            "{measure} of {first} is {difference} lower than of {second} on average over {dialogues}, "
            "95 % interval {low} to {high} (paired bootstrap).",
            **values,
        )
    if low <= 0 <= high:
        certainty = say("The interval holds 0: these dialogues do not tell the two apart.")
    else:
        certainty = say("The interval leaves 0 out.")
    ties = len(differences) - wins - losses
    score = say("It wins {wins}, loses {losses}, and ties {ties}.", wins=wins, losses=losses, ties=ties)
    return f"{sentence} {certainty} {score}"


def reliability(calibration: Calibration, event: str) -> Picture:
    """How often tokens of each probability are right: a reliability diagram (Guo et al. 2017, section 2).

    Args:
        calibration: of all tokens; bins of few tokens are not drawn.
        event: what "right" means here, translated: "the token's word is in the dialogue".

    Raises:
        ValueError: no bin has enough tokens to be drawn.
    """
    if not calibration.shown:
        raise ValueError(f"a bin must have {SHOWN} tokens to be drawn. Received: {len(calibration.bins)} bins of fewer")
    confidences, rates = ([getattr(each, name) for each in calibration.shown] for name in ("confidence", "accuracy"))
    counts = [each.count for each in calibration.shown]
    figure = Figure(line(say("perfectly calibrated"), {"color": GREY, "dash": "dash"}, [0, 100], [0, 100]))
    hover = [
        say("promised {promised}, found {found}", promised=percent(one), found=percent(two))
        + f"<br>{count(amount, 'token')}"
        for one, two, amount in zip(confidences, rates, counts, strict=True)
    ]
    x, y = ([100 * each for each in shares] for shares in (confidences, rates))
    figure.add_trace(line(say("measured"), {"color": AMOUNT, "width": 2}, x, y, hover, {"size": 10}))
    share = say("Share of tokens (%)")
    base(figure, say("Probability of the token (%)"), f"{share}\n{cut(event, LABEL)}", 420)
    figure.update_xaxes(range=[-3, 103])
    figure.update_yaxes(range=[-3, 103])
    table: dict[str, Sequence[Any]] = {
        later("Mean probability"): confidences,
        later("Share that is right"): rates,
        later("Tokens"): counts,
    }
    return Picture("reliability", figure, _reliability_caption(calibration, event), table)


def _reliability_caption(calibration: Calibration, event: str) -> str:
    error = say(
        "Expected calibration error {error} (95 % interval {low} to {high}) over {tokens}.",
        error=percent(calibration.error),
        low=percent(calibration.low),
        high=percent(calibration.high),
        tokens=count(calibration.count, "token"),
    )
    share = percent(abs(calibration.signed))
    if calibration.signed > 0:
        lean = say(
            "All in all the probabilities promise this {share} less often than it happens: {event}.",
            share=share,
            event=event,
        )
    else:
        lean = say(
            "All in all the probabilities promise this {share} more often than it happens: {event}.",
            share=share,
            event=event,
        )
    return f"{error} {lean}"


def not_drawn(calibration: Calibration) -> str:
    """Say how many bins have too few tokens to be drawn; "" if none has."""
    hidden = len(calibration.bins) - len(calibration.shown)
    if not hidden:
        return ""
    bins = count(hidden, "bin")
    return say("Not drawn: {bins} of fewer than {least} tokens; the error counts all.", bins=bins, least=SHOWN)
