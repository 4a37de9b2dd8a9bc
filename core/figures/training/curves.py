"""Pictures of trainings epoch by epoch: losses, scores and learning rates of several runs, and a loss as it falls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from plotly.graph_objects import Figure

from core.explain.training.histories import LOSSES, History
from core.figures.shared.files import table_of
from core.figures.shared.marks import line, points
from core.figures.shared.palette import AMOUNT, GREY, NOTHING, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import capital, count, cut, escape, listed, number, percent
from core.words import later, say

if TYPE_CHECKING:
    from core.training.tiny import Look

COLORS = (AMOUNT, *SERIES, GREY)
MOST = len(COLORS)
"""Runs in one picture."""
LABEL = 28
SHOWN = 5
"""Held-out inputs of a toy task that are shown while a network learns."""
AXES = {
    "loss": later("Loss (nats a token)"),
    "learning_rate": later("Learning rate"),
    "tokens_per_second": later("Tokens a second"),
    "seconds": later("Seconds an epoch"),
    "rouge1": later("ROUGE-1 (0 to 100)"),
    "rouge2": later("ROUGE-2 (0 to 100)"),
    "rougeL": later("ROUGE-L (0 to 100)"),
}
"""What can be drawn, with its unit, marked with `later`; `loss` is both losses."""
_HEADINGS = AXES | {
    "train_loss": later("Training loss (nats a token)"),
    "validation_loss": later("Validation loss (nats a token)"),
}
_LINES = {"train_loss": later("{run}, training"), "validation_loss": later("{run}, validation")}


def measures(measure: str) -> tuple[str, ...]:
    """The columns of a history that a measure of `AXES` draws."""
    return LOSSES if measure == "loss" else (measure,)


def curves(histories: Sequence[History], measure: str) -> Picture:
    """A measure of several runs, epoch by epoch, the kept epoch of each ringed.

    Args:
        histories: 1 to `MOST` runs.
        measure: a key of `AXES`.

    Raises:
        ValueError: no run, too many, or none of them has the measure.
    """
    columns = measures(measure)
    if not 0 < len(histories) <= MOST or not any(each.values(column)[0] for each in histories for column in columns):
        raise ValueError(f"there must be 1 to {MOST} runs with {measure}. Received: {len(histories)}")
    figure = Figure()
    rows: list[tuple[object, ...]] = []
    for color, history in zip(COLORS, histories, strict=False):
        for column in columns:
            _line(figure, history, column, color)
        _ring(figure, history, columns[-1], color)
        for row in history.rows:
            epoch, values = int(row["epoch"]), [row.get(column) for column in columns]
            if any(column in row for column in columns):
                rows.append((history.name, epoch, epoch == history.kept, *values))
    headings = (later("Run"), later("Epoch"), later("Kept"), *(_HEADINGS[column] for column in columns))
    base(figure, say("Epoch"), say(AXES[measure]), 430)
    figure.update_xaxes(rangemode="tozero", tickformat="d")
    if measure == "learning_rate":
        figure.update_yaxes(rangemode="tozero", exponentformat="power")
    caption = _loss_caption(histories) if measure == "loss" else _caption(histories, measure)
    return Picture(f"training-{measure.replace('_', '-')}", figure, caption, table_of(headings, rows))


def _line(figure: Figure, history: History, column: str, color: str) -> None:
    epochs, values = history.values(column)
    if not epochs:
        return
    name = escape(cut(history.name, LABEL))
    if column in _LINES:
        name = say(_LINES[column], run=name)
    style = {"color": color, "width": 2.5, "dash": "dot" if column == "train_loss" else "solid"}
    hover = [
        say("{run}, epoch {epoch}", run=name, epoch=epoch) + f"<br>{value:.4g}"
        for epoch, value in zip(epochs, values, strict=True)
    ]
    mode = "lines+markers" if len(epochs) < 60 else "lines"
    figure.add_trace(line(name, style, epochs, values, hover, {"size": 6}, mode=mode))


def _ring(figure: Figure, history: History, column: str, color: str) -> None:
    """Mark the epoch whose weights were kept."""
    value = history.at(history.kept, column)
    if value is None:
        return
    run = escape(cut(history.name, LABEL))
    hover = [say("{run}: weights of epoch {epoch} were kept", run=run, epoch=history.kept)]
    marker = {"color": NOTHING, "size": 17, "line": {"color": color, "width": 3}}
    figure.add_trace(points(say("kept"), [history.kept], [value], hover, marker, showlegend=False))


def _loss_caption(histories: Sequence[History]) -> str:
    lowest, gaps = [], []
    for history in histories:
        epochs, losses = history.values("validation_loss")
        if losses:
            place = min(range(len(losses)), key=lambda number: losses[number])
            lowest.append((losses[place], epochs[place], history.name))
        gap = history.gap(history.last)
        if gap is not None:
            gaps.append((gap, history.last, history.name))
    if not lowest:
        runs = count(len(histories), "run")
        return say("Training loss of {runs}; no validation loss was recorded.", runs=runs)
    loss, epoch, name = min(lowest)
    sentence = say(
        "The lowest validation loss is {loss} nats a token, of “{run}” after epoch {epoch}",
        loss=number(loss),
        run=name,
        epoch=epoch,
    )
    return f"{sentence}; {_gap_text(gaps, len(histories))}." if gaps else f"{sentence}."


def _gap_text(gaps: Sequence[tuple[float, int, str]], runs: int) -> str:
    """Say how far the training loss lies below the validation loss at the end of the run with the widest gap."""
    gap, epoch, name = max(gaps)
    places = {"gap": number(gap), "epoch": epoch, "run": name}
    if len(gaps) > 1:
        return say("the widest gap to the training loss at the end is {gap}, of “{run}” after epoch {epoch}", **places)
    if runs > 1:
        return say("the gap to the training loss at the end is {gap}, of “{run}” after epoch {epoch}", **places)
    return say("the gap to the training loss at the end is {gap}, after epoch {epoch}", **places)


def _caption(histories: Sequence[History], measure: str) -> str:
    value, epoch, name = max(
        (value, epoch, history.name)
        for history in histories
        for epoch, value in zip(*history.values(measure), strict=True)
    )
    kept = [
        say("{value:.4g} in epoch {epoch} of “{run}”", value=there, epoch=history.kept, run=history.name)
        for history in histories
        if (there := history.at(history.kept, measure)) is not None
    ]
    sentence = say(
        "{measure} is highest in epoch {epoch} of “{run}”: {value:.4g}.",
        measure=say(AXES[measure]),
        epoch=epoch,
        run=name,
        value=value,
    )
    if not kept:
        return sentence
    return sentence + " " + say("In the epoch that was kept it is {values}.", values=listed(kept))


def live(
    losses: Sequence[tuple[float, float]],
    validation: Sequence[tuple[float, float]],
    scores: Sequence[tuple[float, float]],
    epochs: int,
    what: str,
) -> Picture:
    """A training as it runs: the loss after every few batches, and how much is right after every epoch.

    Args:
        losses: (epochs done, training loss), at least one.
        validation: (epoch, validation loss).
        scores: (epoch, score on what is held out, 0 to 1).
        epochs: of the whole training.
        what: the score, translated: "held-out inputs answered rightly".

    Raises:
        ValueError: there is no loss yet.
    """
    if not losses:
        raise ValueError("there must be a loss. Received: none")
    figure = Figure()
    lines = (
        (say("training loss"), losses, AMOUNT, "lines", "y", 1.0),
        (say("validation loss"), validation, SERIES[0], "lines+markers", "y", 1.0),
        (what, scores, SERIES[2], "lines+markers", "y2", 100.0),
    )
    moment = say("epoch {epoch}", epoch="%{x:.1f}")
    for name, pairs, color, mode, axis, factor in lines:
        if pairs:
            dash, symbol = ("dash", "diamond") if axis == "y2" else ("solid", "circle")
            style, marked = {"color": color, "width": 2.5, "dash": dash}, {"size": 7, "symbol": symbol}
            x, y = [epoch for epoch, _ in pairs], [factor * value for _, value in pairs]
            hover = f"{moment}<br>{name}: %{{y:.2f}}"
            figure.add_trace(line(name, style, x, y, hover, marked, mode=mode, yaxis=axis))
    base(figure, say("Epochs done"), say(AXES["loss"]), 380)
    figure.update_layout(
        yaxis_rangemode="tozero",
        yaxis2={
            "overlaying": "y", "side": "right", "range": [0, 105], "showgrid": False, "automargin": True,
            "tickvals": [0, 25, 50, 75, 100],
            "title": {"text": f"{capital(what)} (%)"},
        }
    )  # fmt: skip
    figure.update_xaxes(range=[0, epochs * 1.02])
    rows = [(x, name, factor * y) for name, pairs, _, _, _, factor in lines for x, y in pairs]
    table: dict[str, list[object]] = {
        later("Epochs done"): [x for x, _, _ in rows],
        later("What"): [name for _, name, _ in rows],
        later("Value"): [value for _, _, value in rows],
    }
    caption = _live_text(losses, validation, epochs)
    if scores:
        caption += f"; {what}: {percent(scores[-1][1])}"
    return Picture("training-live", figure, f"{caption}.", table)


def _live_text(losses: Sequence[tuple[float, float]], validation: Sequence[tuple[float, float]], epochs: int) -> str:
    places = {"done": f"{losses[-1][0]:.1f}", "epochs": epochs, "loss": number(losses[-1][1])}
    if not validation:
        return say("After {done} of {epochs} epochs the training loss is {loss} nats a token", **places)
    return say(
        "After {done} of {epochs} epochs the training loss is {loss} nats a token, the validation loss {validation}",
        validation=number(validation[-1][1]),
        **places,
    )


def attempts(look: "Look", task: str, titles: Mapping[str, str]) -> tuple[str, dict[str, list[str]]]:
    """How much a tiny network does rightly, in Markdown, and some of its inputs with its outputs as a table.

    Args:
        look: the outputs after an epoch.
        task: of `core.training.toys`; of "dialogues" the score is ROUGE-1, of the others right or wrong.
        titles: of dialogues, which stand in the table in their place.
    """
    held_out = [attempt for attempt in look.attempts if attempt.item.held_out]
    when = say("After epoch {epoch}", epoch=look.epoch) if look.epoch else say("Before training")
    shown, column, extra = held_out[:SHOWN], say("Right?"), {}
    if task == "dialogues":
        learnt = [attempt for attempt in look.attempts if not attempt.item.held_out]
        shown, column = [*learnt[:2], *held_out[:2]], "ROUGE-1"
        extra = {say("Trained on"): [say("no") if attempt.item.held_out else say("yes") for attempt in shown]}
        text = say(
            "**{when}:** mean ROUGE-1 {new} on held-out dialogues, {learnt} on those that it learns from.",
            when=when,
            new=percent(look.mean(True) or 0.0),
            learnt=percent(look.mean(False) or 0.0),
        )
        marks = [percent(attempt.score) for attempt in shown]
    else:
        right = sum(attempt.score == 1 for attempt in held_out)
        text = say(
            "**{when}** it answers {right} of {inputs} rightly, to the last letter. None of them is trained on.",
            when=when,
            right=right,
            inputs=count(len(held_out), "held-out input"),
        )
        marks = ["✓" if attempt.score == 1 else "✗" for attempt in shown]
    return text, {
        say("Input"): [titles.get(attempt.item.text, attempt.item.text) for attempt in shown],
        **extra,
        column: marks,
        say("It writes"): [attempt.written for attempt in shown],
        say("Right answer"): [attempt.item.answer for attempt in shown],
    }
