"""The picture of the strategy comparison: one dialogue, many decoding strategies."""

from collections.abc import Sequence
from dataclasses import dataclass

from plotly.subplots import make_subplots

from core.config import DecodeSettings
from core.figures.shared.marks import bars, points
from core.figures.shared.palette import AMOUNT, GREY, SERIES, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, nats, number, percent, wrapped
from core.words import later, say

ROW, FRAME, NAME = 48, 130, 40
"""Pixels of a row and of what is not rows; letters of a name."""
MARKER = {"color": AMOUNT, "size": 14, "line": {"width": 3, "color": AMOUNT}}


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """One strategy on the dialogue.

    Args:
        name: of the strategy, with its settings.
        text: the summary.
        log_probability: summed, in nats.
        tokens: how many, the end token included; at least 1.
        score: log P / length^penalty.
        repetition: share of word n-grams that stand there more than once, 0 to 1.
        changed: share of words that differ from greedy decoding, 0 to 1.
        seconds: wall time.
        finished: whether the model ended it; see `Summary`.
        rouge1: F-measure against the reference, 0 to 100, or None without one.
        bertscore: F1 against the reference, or None where it was not asked for.
    """

    name: str
    text: str
    log_probability: float
    tokens: int
    score: float
    repetition: float
    changed: float
    seconds: float
    finished: bool
    rouge1: float | None = None
    bertscore: float | None = None

    @property
    def mean(self) -> float:
        """Log-probability per token, in nats."""
        return self.log_probability / self.tokens

    def line(self, greedy: bool) -> str:
        """Say the numbers of the text in one line; that of greedy decoding does not differ from itself."""
        tokens = count(self.tokens, "token")
        parts = [
            say("log-probability {value}", value=nats(self.log_probability)),
            say("{value} a token", value=number(self.mean)),
            say("score {score}", score=number(self.score)),
            tokens if self.finished else say("{tokens}, cut", tokens=tokens),
            say("repetition {share}", share=percent(self.repetition)),
            "" if greedy else say("{share} of the words differ from greedy", share=percent(self.changed)),
            f"ROUGE-1 {self.rouge1:.1f}" if self.rouge1 is not None else "",
            f"BERTScore F1 {self.bertscore:.3f}" if self.bertscore is not None else "",
        ]
        return " · ".join(filter(None, parts))


def compared(
    settings: DecodeSettings, *, beam_size: float, top_k: float, top_p: float, temperature: float, seed: float
) -> dict[str, DecodeSettings]:
    """Return the settings of each row by its name; `settings` say what holds for all: length, repetition, words."""
    plain = settings.replace(strategy="sample", seed=int(seed), temperature=1.0, top_k=0, top_p=1.0)
    return {
        say("Greedy"): settings.replace(strategy="greedy"),
        say("Beam {size}", size=beam_size): settings.replace(strategy="beam", beam_size=int(beam_size)),
        say("Top k {count}", count=top_k): plain.replace(top_k=int(top_k)),
        say("Top p {share:g}", share=top_p): plain.replace(top_p=top_p),
        say("Temperature {value:g}", value=temperature): plain.replace(temperature=temperature),
        say("Plain sampling"): plain,
    }


def strategy_comparison(rows: Sequence[StrategyRow]) -> Picture:
    """Log-probability per token and time of each strategy, in the order given.

    Args:
        rows: at least one.

    Returns:
        The picture; the points' customdata is the row.

    Raises:
        ValueError: there are no rows.
    """
    if not rows:
        raise ValueError("rows must hold at least one strategy. Received: none")
    places = list(range(len(rows)))
    hover = [_hover(row) for row in rows]
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, column_widths=[0.64, 0.36], horizontal_spacing=0.1)
    name, marker = say("log-probability per token"), MARKER | {"symbol": [_symbol(row.finished) for row in rows]}
    figure.add_trace(points(name, [row.mean for row in rows], places, hover, marker, customdata=places), 1, 1)
    more = {"customdata": places, "orientation": "h", "width": 0.3}
    figure.add_trace(bars(say("time taken"), SERIES[0], [row.seconds for row in rows], places, hover, **more), 1, 2)
    if not all(row.finished for row in rows):  # an entry of the legend for hollow points
        marker = MARKER | {"symbol": _symbol(False)}
        figure.add_trace(points(say("cut off before its end"), [None], [None], None, marker), 1, 1)
    base(figure, say("Log-probability per token (nats)"), say("Strategy"), ROW * len(rows) + FRAME)
    low, high = min(row.mean for row in rows), max(row.mean for row in rows)
    room = 0.08 * (high - low) + 0.02
    figure.update_xaxes(range=[low - room, high + room], nticks=5, row=1, col=1)
    figure.update_xaxes(title_text=say("Time (s)"), rangemode="tozero", nticks=4, row=1, col=2)
    figure.update_yaxes(showticklabels=False, range=[len(rows) - 0.5, -0.6], showgrid=False)
    figure.update_yaxes(title_text="", row=1, col=2)
    names = [escape(cut(row.name, NAME)) for row in rows]
    annotate(figure, [note(name, 0, row - 0.34, xref="x domain", xanchor="left") for row, name in enumerate(names)])
    rule = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "line": {"color": GREY, "width": 0.5}, "layer": "below"}
    figure.update_layout(shapes=[rule | {"y0": row + 0.42, "y1": row + 0.42} for row in range(len(rows))])
    return Picture("strategies", figure, _caption(rows), _table(rows))


def _symbol(finished: bool) -> str:
    return "circle" if finished else "circle-open"


def _hover(row: StrategyRow) -> str:
    lines = [f"<b>{escape(row.name)}</b>", *(escape(line) for line in wrapped(row.text, 60)[:6])]
    lines.append(
        say(
            "log P {total}, {mean} a token, score {score}",
            total=number(row.log_probability),
            mean=number(row.mean),
            score=number(row.score),
        )
    )
    repeated, changed = percent(row.repetition), percent(row.changed)
    lines.append(say("repeated {repeated}, changed from greedy {changed}", repeated=repeated, changed=changed))
    tokens = count(row.tokens, "token")
    if row.finished:
        lines.append(say("{tokens} in {seconds:.2f} s", tokens=tokens, seconds=row.seconds))
    else:
        lines.append(say("{tokens} in {seconds:.2f} s, cut off before its end", tokens=tokens, seconds=row.seconds))
    return "<br>".join(lines)


def _caption(rows: Sequence[StrategyRow]) -> str:
    best = max(rows, key=lambda row: row.mean)
    if len(rows) == 1:
        return say(
            "{name} wrote {mean} a token in {seconds:.2f} s.",
            name=best.name,
            mean=nats(best.mean),
            seconds=best.seconds,
        )
    fastest = min(rows, key=lambda row: row.seconds)
    slowest = max(rows, key=lambda row: row.seconds)
    values = {"best": best.name, "mean": nats(best.mean), "fastest": fastest.name, "slowest": slowest.name}
    if fastest.seconds > 0:
        return say(
            "Most probable per token: {best}, {mean}; fastest: {fastest}, {seconds:.2f} s, {times:.1f} times as fast "
            "as {slowest}.",
            **values,
            seconds=fastest.seconds,
            times=slowest.seconds / fastest.seconds,
        )
    return say(
        "Most probable per token: {best}, {mean}; fastest: {fastest}, {seconds:.2f} s, faster than {slowest}.",
        **values,
        seconds=fastest.seconds,
    )


def _table(rows: Sequence[StrategyRow]) -> dict[str, list[object]]:
    return {
        later("Strategy"): [row.name for row in rows],
        later("Text"): [row.text for row in rows],
        later("Log-probability (nats)"): [row.log_probability for row in rows],
        later("Tokens"): [row.tokens for row in rows],
        later("Per token (nats)"): [row.mean for row in rows],
        later("Score"): [row.score for row in rows],
        later("Repetition"): [row.repetition for row in rows],
        later("Changed from greedy"): [row.changed for row in rows],
        "ROUGE-1": [row.rouge1 for row in rows],
        "BERTScore F1": [row.bertscore for row in rows],
        later("Seconds"): [row.seconds for row in rows],
        later("Finished"): [row.finished for row in rows],
    }
