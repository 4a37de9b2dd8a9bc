"""Pictures of the lesson of the look-ahead mask: two losses as they fall, position by position, and what is written."""

import numpy as np
from plotly.graph_objects import Figure, Scatter
from plotly.subplots import make_subplots

from core.explain.masks.noisy_copy import CHUNK, LENGTH, SYMBOLS, Ids, Lesson, Outcome, chance, last_only, letter
from core.explain.masks.noisy_copy import noise_entropy as entropy
from core.figures.shared.marks import bars, line, squares
from core.figures.shared.palette import AMOUNT, FONT, GREY, INVERSE, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import BLANK, count, nats, number, percent
from core.words import later, say

NAMES = (later("with the look-ahead mask"), later("without it"))
COLORS = (AMOUNT, SERIES[0])


def curves(lesson: Lesson) -> Picture:
    """Both losses as they fall, and lines for guessing, the noise, and a noise that only the last position pays.

    Raises:
        ValueError: nothing is trained yet.
    """
    if not lesson.masked or len(lesson.masked) != len(lesson.unmasked):
        raise ValueError(
            "both losses must have one value a chunk, at least one. "
            f"Received: {len(lesson.masked)} and {len(lesson.unmasked)}"
        )
    steps = [CHUNK * number_ for number_ in range(1, len(lesson.masked) + 1)]
    figure = Figure()
    for label, color, losses in zip(NAMES, COLORS, (lesson.masked, lesson.unmasked), strict=True):
        name = say(label)
        hover = [
            say("{name}, step {step}<br>{loss}", name=name, step=step, loss=nats(loss))
            for step, loss in zip(steps, losses, strict=True)
        ]
        figure.add_trace(line(name, {"color": color, "width": 3}, steps, [*losses], hover, {"size": 7}))
    figure.add_traces(_levels(lesson.steps))
    title = "\n".join([say("Loss under teacher forcing"), say("(nats a symbol)")])
    base(figure, say("Training step"), title, 430)
    figure.update_xaxes(range=[0, lesson.steps * 1.02])
    figure.update_yaxes(range=[0, 1.08 * max(2.5, *lesson.masked, *lesson.unmasked)])
    table: dict[str, list[object]] = {
        later("Step"): [*steps],
        later("Loss with the mask (nats)"): [*lesson.masked],
        later("Loss without it (nats)"): [*lesson.unmasked],
        later("Entropy of the noise (nats)"): [entropy()] * len(steps),
        later("What the last position must pay (nats)"): [last_only()] * len(steps),
    }
    return Picture("lesson-loss", figure, _curves_caption(lesson), table)


def _levels(steps: int) -> list[Scatter]:
    """The losses that can be worked out before, as lines across the steps."""
    guess = float(np.log(SYMBOLS))
    levels = (
        (say("guessing, ln {symbols} = {loss}", symbols=SYMBOLS, loss=number(guess)), guess, GREY, "dot"),
        (say("entropy of the noise {entropy}", entropy=number(entropy())), entropy(), SERIES[2], "dash"),
        (say("that ÷ {length}: {loss}", length=LENGTH, loss=number(last_only())), last_only(), SERIES[3], "dash"),
    )
    return [
        line(name, {"color": color, "width": 2, "dash": dash}, [0, steps], [level, level])
        for name, level, color, dash in levels
    ]


def _curves_caption(lesson: Lesson) -> str:
    return say(
        "After {done:,} of {steps} the loss is {masked} a symbol with the look-ahead mask, where the entropy of the "
        "noise is {entropy}; without the mask it is {unmasked}, where that entropy ÷ {length} is {last}.",
        done=lesson.done,
        steps=count(lesson.steps, "step"),
        masked=nats(lesson.masked[-1]),
        entropy=number(entropy()),
        unmasked=nats(lesson.unmasked[-1]),
        length=LENGTH,
        last=number(last_only()),
    )


def positions(outcomes: tuple[Outcome, Outcome]) -> Picture:
    """Fresh sequences: the loss of each position under teacher forcing, and the share of right symbols without it.

    Args:
        outcomes: with the mask and without it.
    """
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.2)
    places = list(range(1, LENGTH + 1))
    table: dict[str, list[object]] = {later("Position"): [*places]}
    columns = (
        (later("Loss with the look-ahead mask (nats)"), later("Right with the look-ahead mask (%)")),
        (later("Loss without it (nats)"), later("Right without it (%)")),
    )
    for label, color, outcome, headings in zip(NAMES, COLORS, outcomes, columns, strict=True):
        name = say(label)
        loss, right = [float(value) for value in outcome.loss], [100 * float(value) for value in outcome.right]
        for row, values in ((1, loss), (2, right)):
            hover = [_hover(place, name, value, row) for place, value in zip(places, values, strict=True)]
            figure.add_trace(bars(name, color, places, values, hover, showlegend=row == 1), row=row, col=1)
        table |= {headings[0]: [*loss], headings[1]: [*right]}
    figure.add_hline(y=100 / SYMBOLS, line={"color": GREY, "dash": "dot", "width": 2}, row=2, col=1)
    guess, style = say("a guess, 1 of {symbols}", symbols=SYMBOLS), {"color": GREY, "dash": "dot"}
    figure.add_trace(line(guess, style, [None], [None], hoverinfo=None), row=2, col=1)
    base(figure, say("Position"), "", 560)
    figure.update_layout(barmode="group")
    figure.update_xaxes(tickvals=places, tickfont_size=FONT - 1)
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_yaxes(title_text=say("Loss, teacher forcing (nats)"), rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text=say("Right, written freely (%)"), range=[0, 105], row=2, col=1)
    return Picture("lesson-positions", figure, _positions_caption(*outcomes), table)


def _hover(place: int, name: str, value: float, row: int) -> str:
    """Return the hover text of a bar: a loss in the first row, a share of right symbols in the second."""
    if row == 1:
        return say("position {place}, {name}<br>{loss}", place=place, name=name, loss=nats(value))
    share = f"{value:.2f}{BLANK}%"
    return say("position {place}, {name}<br>{share} right", place=place, name=name, share=share)


def _positions_caption(masked: Outcome, unmasked: Outcome) -> str:
    first, last = float(unmasked.loss[:-1].mean()), float(unmasked.loss[-1])
    return say(
        "On fresh sequences the mask leaves a loss of {masked} a symbol, and written freely {masked_right} of the "
        "symbols are right; without it {unmasked} ({first} in the mean of the first {places} positions, {last} at the "
        "last) and {unmasked_right}, where guessing everywhere but at the last position gives {chance}.",
        masked=nats(float(masked.loss.mean())),
        masked_right=percent(float(masked.right.mean())),
        unmasked=nats(float(unmasked.loss.mean())),
        first=number(first),
        places=LENGTH - 1,
        last=number(last),
        unmasked_right=percent(float(unmasked.right.mean())),
        chance=percent(chance()),
    )


def sequences(lesson: Lesson) -> Picture:
    """Some fresh sources, their noisy targets, and what both models write freely.

    Raises:
        ValueError: the training has not ended.
    """
    if lesson.outcomes is None:
        raise ValueError("there is nothing to compare before the training has ended. Received: no outcomes")
    masked, unmasked = (outcome.written for outcome in lesson.outcomes)
    lines = _lines(lesson, masked, unmasked)
    figure = Figure()
    kinds = ((say("source"), GREY), (say("the source's symbol"), SERIES[2]), (say("another symbol"), SERIES[1]))
    for kind, (legend, color) in enumerate(kinds):
        cells = [
            (row, place)
            for row, (_, ids, source) in enumerate(lines)
            for place in range(LENGTH)
            if kind == (0 if source is None else 1 if ids[place] == source[place] else 2)
        ]
        hover = [
            say("{line}, position {place}: {symbol}", line=lines[row][0], place=place + 1, symbol=legend)
            for row, place in cells
        ]
        texts = [f"<b>{letter(int(lines[row][1][place]))}</b>" for row, place in cells]
        spots, font = [(_height(row), place + 1) for row, place in cells], {"size": FONT, "color": INVERSE}
        figure.add_trace(squares(legend, color, spots, hover, texts, (0.94, 0.9), insidetextfont=font))
    base(figure, say("Position"), "", 30 * len(lines) + 150)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(tickvals=list(range(1, LENGTH + 1)), range=[0.4, LENGTH + 0.6], showgrid=False, fixedrange=True)
    figure.update_yaxes(
        tickvals=[_height(line) for line in range(len(lines))],
        ticktext=[name for name, _, _ in lines],
        range=[_height(len(lines) - 1) + 0.7, -0.7],
        showgrid=False,
        fixedrange=True,
    )
    table: dict[str, list[object]] = {
        later("Sequence"): [line // 4 + 1 for line in range(len(lines))],
        later("Line"): [name for name, _, _ in lines],
        later("Symbols"): ["".join(letter(int(symbol)) for symbol in ids) for _, ids, _ in lines],
    }
    return Picture("lesson-sequences", figure, _sequences_caption(lesson.source, masked, unmasked), table)


def _lines(lesson: Lesson, masked: Ids, unmasked: Ids) -> list[tuple[str, Ids, Ids | None]]:
    """The name of each line, its symbols, and the source that it should repeat; of a source itself None."""
    written = ((say("target"), lesson.target), (say("with the mask"), masked), (say("without the mask"), unmasked))
    lines: list[tuple[str, Ids, Ids | None]] = []
    for row, source in enumerate(lesson.source):
        lines.append((say("source"), source, None))
        lines += [(name, ids[row], source) for name, ids in written]
    return lines


def _height(line: int) -> float:
    """Where a line stands: four of them belong together."""
    return line + 0.6 * (line // 4)


def _sequences_caption(source: Ids, masked: Ids, unmasked: Ids) -> str:
    first, second = (int((ids == source).sum()) for ids in (masked, unmasked))
    before = unmasked[:, :-1]
    repeats = int((before == source[:, -1:]).sum())
    values = {"first": first, "size": source.size, "second": second, "repeats": repeats, "before": before.size}
    if repeats > before.size / 2:
        return say(
            "Written freely, the model that learnt with the mask gives {first} of these {size} source symbols, the one "
            "that learnt without it {second}; {repeats} of its {before} symbols before the last position are the "
            "source's last symbol: it does everywhere what it learnt for the last position.",
            **values,
        )
    return say(
        "Written freely, the model that learnt with the mask gives {first} of these {size} source symbols, the one "
        "that learnt without it {second}; {repeats} of its {before} symbols before the last position are the source's "
        "last symbol.",
        **values,
    )
