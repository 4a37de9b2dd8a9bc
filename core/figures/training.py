"""Pictures of trainings epoch by epoch: losses, scores and learning rates of several runs, and a loss as it falls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from plotly.graph_objects import Figure, Scatter

from core.explain.histories import LOSSES, History
from core.figures.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, base
from core.figures.picture import Picture
from core.figures.wording import count, cut, escape, listed, number, percent

if TYPE_CHECKING:
    from core.training.tiny import Look

COLORS = (BLUE, ORANGE, GREEN, PURPLE, "#b08600", GREY)
MOST = len(COLORS)
"""Runs in one picture."""
LABEL = 28
SHOWN = 5
"""Held-out inputs of a toy task that are shown while a network learns."""
AXES = {
    "loss": "Loss (nats a token)",
    "learning_rate": "Learning rate",
    "tokens_per_second": "Tokens a second",
    "seconds": "Seconds an epoch",
    "rouge1": "ROUGE-1 (0 to 100)",
    "rouge2": "ROUGE-2 (0 to 100)",
    "rougeL": "ROUGE-L (0 to 100)",
}
"""What can be drawn, with its unit; `loss` is both losses."""
_NAMES = {"train_loss": "training", "validation_loss": "validation"}


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
    table: dict[str, list[object]] = {"Run": [], "Epoch": [], "Kept": []}
    table |= {_heading(column): [] for column in columns}
    for color, history in zip(COLORS, histories, strict=False):
        for column in columns:
            _line(figure, history, column, color)
        _ring(figure, history, columns[-1], color)
        for row in history.rows:
            if any(column in row for column in columns):
                table["Run"].append(history.name)
                table["Epoch"].append(int(row["epoch"]))
                table["Kept"].append(int(row["epoch"]) == history.kept)
                for column in columns:
                    table[_heading(column)].append(row.get(column))
    base(figure, "Epoch", AXES[measure], 430)
    figure.update_xaxes(rangemode="tozero", tickformat="d")
    if measure == "learning_rate":
        figure.update_yaxes(rangemode="tozero", exponentformat="power")
    caption = _loss_caption(histories) if measure == "loss" else _caption(histories, measure)
    return Picture(f"training-{measure.replace('_', '-')}", figure, caption, table)


def _heading(column: str) -> str:
    if column in LOSSES:
        return f"{_NAMES[column].capitalize()} loss (nats a token)"
    return AXES[column]


def _line(figure: Figure, history: History, column: str, color: str) -> None:
    epochs, values = history.values(column)
    if not epochs:
        return
    name = escape(cut(history.name, LABEL)) + (f", {_NAMES[column]}" if column in LOSSES else "")
    figure.add_trace(
        Scatter(
            x=epochs,
            y=values,
            mode="lines+markers" if len(epochs) < 60 else "lines",
            name=name,
            line={"color": color, "width": 2.5, "dash": "dot" if column == "train_loss" else "solid"},
            marker={"color": color, "size": 6},
            hovertext=[f"{name}, epoch {epoch}<br>{value:.4g}" for epoch, value in zip(epochs, values, strict=True)],
            hoverinfo="text",
        )
    )


def _ring(figure: Figure, history: History, column: str, color: str) -> None:
    """Mark the epoch whose weights were kept."""
    value = history.at(history.kept, column)
    if value is None:
        return
    figure.add_trace(
        Scatter(
            x=[history.kept],
            y=[value],
            mode="markers",
            name="kept",
            showlegend=False,
            marker={"color": "rgba(0, 0, 0, 0)", "size": 17, "line": {"color": color, "width": 3}},
            hovertext=[f"{escape(cut(history.name, LABEL))}: weights of epoch {history.kept} were kept"],
            hoverinfo="text",
        )
    )


def _loss_caption(histories: Sequence[History]) -> str:
    lowest, gaps = [], []
    for each in histories:
        epochs, losses = each.values("validation_loss")
        if losses:
            place = min(range(len(losses)), key=lambda number: losses[number])
            lowest.append((losses[place], epochs[place], each.name))
        gap = each.gap(each.last)
        if gap is not None:
            gaps.append((gap, each.last, each.name))
    if not lowest:
        return f"Training loss of {count(len(histories), 'run')}; no validation loss was recorded."
    loss, epoch, name = min(lowest)
    said = f"The lowest validation loss is {number(loss)} nats a token, of “{name}” after epoch {epoch}"
    if not gaps:
        return f"{said}."
    gap, epoch, name = max(gaps)
    where = f"of “{name}” after epoch {epoch}" if len(histories) > 1 else f"after epoch {epoch}"
    wide = "widest gap" if len(gaps) > 1 else "gap"
    return f"{said}; the {wide} to the training loss at the end is {number(gap)}, {where}."


def _caption(histories: Sequence[History], measure: str) -> str:
    value, epoch, name = max(
        (value, epoch, each.name) for each in histories for epoch, value in zip(*each.values(measure), strict=True)
    )
    kept = [
        f"{each.at(each.kept, measure):.4g} in epoch {each.kept} of “{each.name}”"
        for each in histories
        if each.at(each.kept, measure) is not None
    ]
    said = f"{AXES[measure]} is highest in epoch {epoch} of “{name}”: {value:.4g}"
    return f"{said}. In the epoch that was kept it is {listed(kept)}." if kept else f"{said}."


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
        what: the score: "held-out inputs answered rightly".

    Raises:
        ValueError: there is no loss yet.
    """
    if not losses:
        raise ValueError("there must be a loss. Received: none")
    figure = Figure()
    lines = (
        ("training loss", losses, BLUE, "lines", "y", 1.0),
        ("validation loss", validation, ORANGE, "lines+markers", "y", 1.0),
        (what, scores, GREEN, "lines+markers", "y2", 100.0),
    )
    for name, points, color, mode, axis, factor in lines:
        if points:
            figure.add_trace(
                Scatter(
                    x=[x for x, _ in points],
                    y=[factor * y for _, y in points],
                    mode=mode,
                    name=name,
                    yaxis=axis,
                    line={"color": color, "width": 2.5, "dash": "dash" if axis == "y2" else "solid"},
                    marker={"color": color, "size": 7, "symbol": "diamond" if axis == "y2" else "circle"},
                    hovertemplate=f"epoch %{{x:.1f}}<br>{name}: %{{y:.2f}}<extra></extra>",
                )
            )
    base(figure, "Epochs done", "Loss (nats a token)", 380)
    figure.update_layout(
        yaxis_rangemode="tozero",
        yaxis2={
            "overlaying": "y", "side": "right", "range": [0, 105], "showgrid": False, "automargin": True,
            "tickvals": [0, 25, 50, 75, 100],
            "title": {"text": f"{what[0].upper()}{what[1:]} (%)"},
        }
    )  # fmt: skip
    figure.update_xaxes(range=[0, epochs * 1.02])
    table: dict[str, list[object]] = {"Epochs done": [], "What": [], "Value": []}
    for name, points, _, _, _, factor in lines:
        for x, y in points:
            table["Epochs done"].append(x)
            table["What"].append(name)
            table["Value"].append(factor * y)
    said = f"After {losses[-1][0]:.1f} of {epochs} epochs the training loss is {number(losses[-1][1])} nats a token"
    if validation:
        said += f", the validation loss {number(validation[-1][1])}"
    if scores:
        said += f"; {what}: {percent(scores[-1][1])}"
    return Picture("training-live", figure, f"{said}.", table)


def attempts(look: "Look", task: str, titles: Mapping[str, str]) -> tuple[str, dict[str, list[str]]]:
    """How much a tiny network does rightly, in Markdown, and some of its inputs with its outputs as a table.

    Args:
        look: the outputs after an epoch.
        task: of `core.training.toys`; of "dialogues" the score is ROUGE-1, of the others right or wrong.
        titles: of dialogues, which stand in the table in their place.
    """
    held_out = [each for each in look.attempts if each.item.held_out]
    when = f"After epoch {look.epoch}" if look.epoch else "Before training"
    shown, column, extra = held_out[:SHOWN], "Right", {}
    if task == "dialogues":
        shown, column = [*[each for each in look.attempts if not each.item.held_out][:2], *held_out[:2]], "ROUGE-1"
        extra = {"Trained on": ["no" if each.item.held_out else "yes" for each in shown]}
        said = (
            f"**{when}:** mean ROUGE-1 {percent(look.mean(True) or 0.0)} on held-out dialogues, "
            f"{percent(look.mean(False) or 0.0)} on those that it learns from."
        )
        marks = [percent(each.score) for each in shown]
    else:
        right = sum(each.score == 1 for each in held_out)
        said = (
            f"**{when}** it answers {right} of {count(len(held_out), 'held-out input')} rightly, to the last letter. "
            "None of them is trained on."
        )
        marks = ["✓" if each.score == 1 else "✗" for each in shown]
    table = {"Input": [titles.get(each.item.text, each.item.text) for each in shown], **extra, column: marks}
    table |= {"It writes": [each.written for each in shown], "Right answer": [each.item.answer for each in shown]}
    return said, table
