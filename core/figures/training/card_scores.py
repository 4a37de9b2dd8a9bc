"""Pictures of what cards say about scores: by length of the dialogue, and on training dialogues and others."""

from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from core.explain.training.histories import History
from core.figures.shared import card_facts
from core.figures.shared.files import table_of
from core.figures.shared.marks import bars, line
from core.figures.shared.palette import AMOUNT, FONT, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, listed, literal, number, signed
from core.figures.training.curves import COLORS, LABEL, MOST
from core.words import later, say

SHAPES = ("circle", "square", "diamond", "triangle-up", "x", "cross")
NAMES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L", "bertscore": "BERTScore F1"}
HEADINGS = (later("System"), later("Words"), later("Dialogues"), later("Mean words"))
ROW = 54  # pixels for the two bars of a system
_CLOSE = 0.5

Groups = Sequence[Mapping[str, Any]]
"""`by_length` of a card: from, to, count, words, and mean, low and high of each score."""


def groups(card: Mapping[str, Any], score: str = "rouge1") -> Groups:
    """Return a card's scores by length; none if it lacks this score."""
    by_length = (card.get("scores") or {}).get("by_length") or []
    return by_length if all(score in group for group in by_length) else []


def pair(card: Mapping[str, Any], score: str = "rouge1") -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """Return a card's scores on dialogues of the training data and on others; None if it lacks this score."""
    seen, unseen = card.get("training_scores") or {}, card.get("scores") or {}
    name = "rouge" if score.startswith("rouge") else score
    return (seen, unseen) if name in seen and name in unseen else None


def by_length(systems: Mapping[str, Groups], score: str) -> Picture:
    """Score against the length of the dialogue, with the 95 % interval of each group of dialogues.

    Args:
        systems: groups of 1 to `MOST` systems by name, shortest dialogues first.
        score: a key of `NAMES`.

    Raises:
        ValueError: no system, or too many.
    """
    if not 0 < len(systems) <= MOST or not all(systems.values()):
        raise ValueError(f"there must be 1 to {MOST} systems with groups. Received: {len(systems)}")
    figure = Figure()
    headings = (*HEADINGS, NAMES[score], later("Low"), later("High"))
    for (name, groups), color, shape in zip(systems.items(), COLORS, SHAPES, strict=False):
        means, lows, highs = zip(*(group[score] for group in groups), strict=True)
        reach = {
            "type": "data",
            "array": [high - mean for mean, high in zip(means, highs, strict=True)],
            "arrayminus": [mean - low for mean, low in zip(means, lows, strict=True)],
            "thickness": 1.5,
            "width": 4,
        }
        label, words = escape(cut(name, LABEL)), [group["words"] for group in groups]
        hover = [f"{label}, {_about(group, score)}" for group in groups]
        marked = {"size": 10, "symbol": shape}
        figure.add_trace(line(label, {"color": color, "width": 2.5}, words, means, hover, marked, error_y=reach))
    base(figure, say("Words of the dialogue (mean of each group)"), _axis(score), 430)
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(rangemode="tozero")
    rows = [
        (name, _words(group), group["count"], group["words"], *group[score])
        for name, groups in systems.items()
        for group in groups
    ]
    return Picture(f"length-{score}", figure, _length_caption(systems, score), table_of(headings, rows))


def _length_caption(systems: Mapping[str, Groups], score: str) -> str:
    digits = _digits(score)
    changes = [
        say(
            "{name} goes from {first} to {last} ({change})",
            name=name,
            first=number(groups[0][score][0], digits),
            last=number(groups[-1][score][0], digits),
            change=signed(groups[-1][score][0] - groups[0][score][0], digits),
        )
        for name, groups in systems.items()
    ]
    return say(
        "From the shortest dialogues to the longest ({words}): {systems}. Bars: 95 % intervals.",
        words=_words(next(iter(systems.values()))[-1]),
        systems=listed(changes),
    )


def seen_and_unseen(systems: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]], score: str) -> Picture:
    """A score on dialogues that were trained on beside the score on those that were not: the gap is what was memorised.

    Args:
        systems: for 1 to `MOST` systems, by name, `training_scores` and `scores` of their cards.
        score: a key of `NAMES`.

    Raises:
        ValueError: no system, or too many.
    """
    if not 0 < len(systems) <= MOST:
        raise ValueError(f"there must be 1 to {MOST} systems. Received: {len(systems)}")
    title, digits = NAMES[score], _digits(score)
    values = {name: tuple(_value(scores, score) for scores in pair) for name, pair in systems.items()}
    places = [escape(cut(name, LABEL)) for name in values]
    figure = Figure()
    sides = ((say("dialogues it was trained on"), SERIES[0]), (say("new dialogues"), AMOUNT))
    for (label, color), lengths in zip(sides, zip(*values.values(), strict=True), strict=True):
        texts = [number(length, digits) for length in lengths]
        hover = [f"{place}, {label}: {text}" for place, text in zip(places, texts, strict=True)]
        more = {"text": texts, "textposition": "outside", "textfont": {"size": FONT - 1}, "cliponaxis": False}
        more |= {"orientation": "h", "marker": {"line": None}}  # the numbers stay legible in a narrow window
        figure.add_trace(bars(label, color, lengths, places, hover, **more))
    base(figure, _axis(score), "", 160 + ROW * len(values))
    figure.update_layout(barmode="group", bargap=0.35, bargroupgap=0.08)
    figure.update_xaxes(range=[0, 1.2 * max(map(max, values.values()))])  # room for the last number
    figure.update_yaxes(showgrid=False, autorange="reversed")
    gaps = {name: seen - unseen for name, (seen, unseen) in values.items()}
    higher = listed([f"{number(gap, digits)} ({name})" for name, gap in gaps.items()])
    caption = say("{score} on dialogues of the training data is higher by {gaps}.", score=title, gaps=higher)
    if len(gaps) > 1:
        most = max(gaps, key=lambda name: gaps[name])
        rest = max(gap for name, gap in gaps.items() if name != most)
        if gaps[most] > rest * (1 + _CLOSE):
            caption += " " + say(
                "{name} remembers its training dialogues: what it gains there, it cannot do with new ones.", name=most
            )
    table: dict[str, Sequence[Any]] = {
        later("System"): list(values),
        later("Trained on"): [pair[0] for pair in values.values()],
        later("New"): [pair[1] for pair in values.values()],
        later("Gap"): list(gaps.values()),
    }
    return Picture(f"seen-{score}", figure, caption, table)


def _value(scores: Mapping[str, Any], score: str) -> float:
    return float(scores["bertscore"]["f1"] if score == "bertscore" else scores["rouge"][score])


def _digits(score: str) -> int:
    return 3 if score == "bertscore" else 2


def _axis(score: str) -> str:
    name = NAMES[score]
    return say("{score} (0 to 1)", score=name) if score == "bertscore" else say("{score} (0 to 100)", score=name)


def _words(group: Mapping[str, Any]) -> str:
    if group["to"] is None:
        return say("{first} words or more", first=group["from"])
    return say("{first} to {last} words", first=group["from"], last=group["to"] - 1)


def _about(group: Mapping[str, Any], score: str) -> str:
    """Say the score of a group of dialogues, for a hover."""
    mean, low, high = (number(value, _digits(score)) for value in group[score][:3])
    amount = count(group["count"], "dialogue")
    numbers = say("{mean} ({low} to {high}), {dialogues}", mean=mean, low=low, high=high, dialogues=amount)
    return f"{_words(group)}<br>{numbers}"


def in_one_line(card: Mapping[str, Any], history: History) -> str:
    """Return what a card says of its training, as Markdown: data, machine, epochs, scores and settings."""
    entry = card.get("data")
    data = entry if isinstance(entry, dict) else {}
    name = literal(str(data.get("name")))
    rows = count(data["rows"], "row") if isinstance(data.get("rows"), int) else ""
    minutes = sum(row.get("seconds", 0.0) for row in history.rows) / 60
    before = card.get("pretraining") or {}
    epochs = count(len(history.rows), "epoch")
    if minutes >= 1:
        epochs = say("{epochs} in {minutes}", epochs=epochs, minutes=count(round(minutes), "minute"))
    data_text = say("Data: {name}, {rows}", name=name, rows=rows) if rows else say("Data: {name}", name=name)
    facts = [
        data_text if data.get("name") else "",
        say("machine: {name}", name=literal(str(card["machine"]))) if card.get("machine") else "",
        epochs,
        say("kept: epoch {epoch}", epoch=history.kept) if history.kept is not None else "",
        say(
            "pre-trained for {epochs} epochs on {data}",
            epochs=before["epochs"],
            data=literal(str((before.get("data") or {}).get("name"))),
        )
        if before.get("epochs")
        else "",
        say("begun with {source}", source=literal(str(before["source"]))) if before.get("source") else "",
        card_facts.rouge(card),
        _settings(card.get("training") or {}, card.get("training_steps")),
    ]
    return " · ".join(filter(None, facts))


def _settings(training: dict[str, Any], taken: object) -> str:
    """Return the settings that shape a curve; `taken` are the steps of the training, where the card has them."""
    tokens, steps = training.get("batch_tokens"), training.get("warmup_steps")
    parts = [literal(str(training["schedule"]))] if training.get("schedule") else []
    if isinstance(tokens, int):
        parts.append(say("{count:,} tokens a batch", count=tokens))
    if isinstance(steps, int):
        parts.append(say("{count:,} steps of warm-up", count=steps))
    if isinstance(steps, int) and isinstance(taken, int) and steps >= taken:
        parts.append(say("longer than the training of {count:,} steps: the rate only rose", count=taken))
    return ", ".join(parts)
