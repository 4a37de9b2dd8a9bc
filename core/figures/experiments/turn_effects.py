"""Pictures of what leaving out each turn does: what the summary loses, and how much of it is written otherwise.

A drop is log p(untouched) − log p(without the turn): above zero where the turn was needed.
"""

from collections.abc import Sequence
from statistics import fmean
from textwrap import wrap

from plotly.graph_objects import Figure

from core.figures.shared.marks import points
from core.figures.shared.palette import AMOUNT, GREY, Note, annotate
from core.figures.shared.picture import Picture
from core.figures.shared.rows import (
    LABEL,
    ROOM,
    Turn,
    cards,
    check,
    frame,
    head,
    row_bars,
    signed_bars,
    signed_frame,
    signed_limits,
    signed_value,
    titled,
    turn_columns,
    turn_label,
    turn_name,
    write,
)
from core.figures.shared.wording import NEARLY_IMPOSSIBLE, count, escape, nats, percent, signed, times
from core.words import later, say

MISSING = later("not measured")
DROP_ROW = 58
"""Pixels of a row with a third line: the random stretches."""


def turn_drops(
    turns: Sequence[Turn], drops: Sequence[float | None], floors: Sequence[Sequence[float]], what: str
) -> Picture:
    """Draw what the original summary loses without a turn, beside its loss when random stretches as long are cut.

    Args:
        turns: label, speaker and text of every turn; the speaker may be empty.
        drops: of the forced log-probability of the summary without the turn, in nats; None: not measured.
        floors: of each turn, the drops when as many tokens are cut out of the other turns at random; empty: not
            measured, or there is no stretch as long.
        what: how the turns were left out.

    Returns:
        The picture; the points' customdata is the row.

    Raises:
        ValueError: there are no turns, or not one drop and one floor for each.
    """
    check(turns, drops=drops, floors=floors)
    labels = [turn_label(turn) for turn in turns]
    limits = signed_limits([drop for drop in drops if drop is not None] + [draw for floor in floors for draw in floor])
    effects = [say(MISSING) if drop is None else say("effect {nats}", nats=nats(drop)) for drop in drops]
    hover = [
        f"{escape(label)}<br>{effect}<br>{_floor_text(floor)}"
        for label, effect, floor in zip(labels, effects, floors, strict=True)
    ]
    figure, rows = Figure(), list(range(len(turns)))
    cards(figure, rows, hover, None, limits)
    signs = (say("supports: less probable without it (+)"), say("works against: more probable without it (−)"))
    signed_bars(figure, drops, rows, hover, signs, (0.06, 0.26))
    _floor_marks(figure, floors, hover)
    signed_frame(figure, len(turns), titled(say("Effect (nats), one scale"), what), limits, DROP_ROW)
    notes: list[Note] = []
    for row, (label, drop, floor) in enumerate(zip(labels, drops, floors, strict=True)):
        notes += head(row, label, 0.29), signed_value(drop, row + 0.06, say(MISSING))
        if drop is not None and not floor:
            notes.append(write(0, row + 0.34, say("no random stretch"), -limits[0] > limits[1]))
    annotate(figure, notes)
    table = turn_columns(turns) | {
        later("Effect (nats)"): [*drops],
        later("Random stretches, mean (nats)"): [fmean(floor) if floor else None for floor in floors],
        later("Random stretches, highest (nats)"): [max(floor, default=None) for floor in floors],
        later("Random stretches, each (nats)"): ["; ".join(f"{draw:.4f}" for draw in floor) for floor in floors],
    }
    return Picture("turn-drops", figure, _drops_caption(turns, drops, floors), table)


def _floor_marks(figure: Figure, floors: Sequence[Sequence[float]], hover: Sequence[str]) -> None:
    """The random stretches of each row under its bar: every draw, and their mean."""
    draws = [(draw, row) for row, floor in enumerate(floors) for draw in floor]
    means = [(fmean(floor), row) for row, floor in enumerate(floors) if floor]
    for name, pairs, marker in (
        (say("random stretch as long, each draw"), draws, {"symbol": "circle-open", "size": 8}),
        (say("their mean"), means, {"symbol": "line-ns", "size": 12, "line": {"width": 3, "color": GREY}}),
    ):
        values, rows = [value for value, _ in pairs], [row for _, row in pairs]
        texts, marker = [hover[row] for row in rows], {"color": GREY, **marker}
        figure.add_trace(points(name, values, [row + 0.34 for row in rows], texts, marker, customdata=rows))


def _floor_text(floor: Sequence[float]) -> str:
    if not floor:
        return say("no random stretch")
    return say(
        "{draws}: mean {mean}, highest {highest}",
        draws=count(len(floor), "random draw"),
        mean=signed(fmean(floor)),
        highest=signed(max(floor)),
    )


def _without(drop: float) -> str:
    if drop >= NEARLY_IMPOSSIBLE:
        return say("without this turn the summary is nearly impossible")
    return say("without this turn the summary is {times} times less probable", times=times(drop))


def _drops_caption(turns: Sequence[Turn], drops: Sequence[float | None], floors: Sequence[Sequence[float]]) -> str:
    measured = [(drop, row) for row, drop in enumerate(drops) if drop is not None]
    if not measured:
        return say("No turn has been left out yet.")
    most, row = max(measured, key=lambda pair: pair[0])
    turn = turn_name(turns[row])
    caption = say(
        "The summary depends most on {turn} and loses {nats} without it: {meaning}",
        turn=turn,
        nats=nats(most),
        meaning=_without(most),
    )
    if round(most, 2) <= 0:
        left_out = count(len(measured), "turn")
        caption = say("The summary loses nothing without any of the {turns} that were left out", turns=left_out)
    compared = [(drop, floors[row]) for drop, row in measured if floors[row]]
    if not compared:
        return say("{result}; there is no noise floor to compare with.", result=caption)
    above = sum(drop > max(floor) for drop, floor in compared)
    places = {"result": caption, "above": above, "turns": count(len(compared), "turn")}
    if above == 1:
        return say("{result}; {above} of {turns} stands above the highest of their own random draws.", **places)
    return say("{result}; {above} of {turns} stand above the highest of their own random draws.", **places)


def turn_rewrites(turns: Sequence[Turn], changed: Sequence[float | None], texts: Sequence[str], what: str) -> Picture:
    """How many words of the summary change when a turn is left out and the model writes again.

    Args:
        turns: label, speaker and text of every turn; the speaker may be empty.
        changed: share of the words that differ, 0 to 1; None: not measured.
        texts: the summary without each turn; empty where it was not measured.
        what: how the turns were left out and how the model wrote.

    Returns:
        The picture; the points' customdata is the row.

    Raises:
        ValueError: there are no turns, or not one share and one text for each.
    """
    check(turns, changed=changed, texts=texts)
    labels, rows = [turn_label(turn) for turn in turns], list(range(len(turns)))
    shares = [share or 0.0 for share in changed]
    values = [
        say(MISSING) if share is None else f"<b>{percent(share)}</b>" if share else say("the same words")
        for share in changed
    ]
    hover = [
        "<br>".join([escape(label), value, *map(escape, wrap(text, LABEL))])
        for label, value, text in zip(labels, values, texts, strict=True)
    ]
    figure, limits = Figure(), (0, 100 + 100 * ROOM)
    cards(figure, rows, hover, None, limits)
    name = say("words of the summary that change")
    figure.add_trace(row_bars(name, AMOUNT, [100 * share for share in shares], rows, hover, customdata=rows))
    frame(figure, len(turns), titled(say("Changed words (%), fixed scale"), what), limits)
    figure.update_xaxes(tickvals=[0, 25, 50, 75, 100])
    notes: list[Note] = []
    for row, (label, share, value) in enumerate(zip(labels, shares, values, strict=True)):
        notes += head(row, label), write(100 * share, row + 0.2, value)
    annotate(figure, notes)
    table = turn_columns(turns)
    table |= {later("Share of words changed"): [*changed], later("Summary without the turn"): [*texts]}
    return Picture("turn-rewrites", figure, _rewrites_caption(turns, changed), table)


def _rewrites_caption(turns: Sequence[Turn], changed: Sequence[float | None]) -> str:
    measured = [(share, row) for row, share in enumerate(changed) if share is not None]
    if not measured:
        return say("No turn has been left out yet.")
    most, row = max(measured, key=lambda pair: pair[0])
    same = sum(share == 0 for share, _ in measured)
    if same == len(measured):
        left_out = count(same, "turn")
        return say("The model writes the same summary without any of the {turns} that were left out.", turns=left_out)
    places = {"turns": count(len(measured), "turn"), "turn": turn_name(turns[row]), "share": percent(most)}
    if same:
        return say(
            "Without {same} of {turns} the model writes the same summary; without {turn} it changes most, {share} of "
            "the words.",
            same=same,
            **places,
        )
    return say(
        "Without any of {turns} the model writes another summary; without {turn} it changes most, {share} of the "
        "words.",
        **places,
    )
