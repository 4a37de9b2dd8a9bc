"""Pictures with one column a written token: how surprising it was, and the ranks of a reference's tokens."""

import math
from collections.abc import Sequence

from plotly.graph_objects import Figure

from core.config import END
from core.explain.shared.repetition import repeated_at
from core.figures.shared.marks import bars, line, points
from core.figures.shared.palette import AMOUNT, GREY, SERIES, base, mark_step, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, escape, listed, nats, number, percent, quoted, token_text
from core.trace import Array, DecodingStep, Summary
from core.words import first_few, later, say


def remarks(summary: Summary) -> list[str]:
    """Say where a rule of decoding shaped a summary: it was cut, or the rule against n-grams gave way."""
    sentences = []
    if not summary.finished and not summary.forced:
        sentences.append(say("The summary has no end: it reached its longest length, {tokens}.",
                             tokens=count(len(summary.steps), "token")))  # fmt: skip
    size = summary.settings.no_repeat_ngram
    again = [step + 1 for step in repeated_at([token.id for token in summary.tokens], size) if step >= summary.forced]
    if again:
        sentences.append(gave_way(size, again))
    return sentences


def gave_way(size: int, steps: Sequence[int]) -> str:
    """Say that the rule against repeated n-grams gave way to a word that is kept whole, at some steps from 1."""
    return say(
        "The rule against repeated sequences of {size} tokens gave way at step {steps}: a word of the dialogue that "
        "was begun is written in full.",
        size=size, steps=first_few(steps),
    )  # fmt: skip


def surprise(summary: Summary, current: int) -> Picture:
    """Surprise −ln p of each written token beside the entropy of the distribution that it was taken from.

    A token is typical where the two are near each other (Meister et al. 2022, arXiv 2202.00666).

    Args:
        summary: with at least one written token.
        current: step that the page looks at, 0-based.

    Returns:
        The picture; the points' customdata is the step.

    Raises:
        ValueError: there are no steps.
    """
    steps = _steps_of(summary)
    texts = [token_text(step.token) for step in steps]
    places = range(len(steps))
    own = places[summary.forced : -1 if summary.forced_end else None]
    figure, hover = Figure(), [_hover(index, step) for index, step in enumerate(steps)]
    for name, color, shape, chosen in (
        (say("surprise of the written token"), AMOUNT, "", list(own)),
        (say("surprise of a forced token"), GREY, "/", [place for place in places if place not in own]),
    ):
        if chosen:
            numbers, heights = [index + 1 for index in chosen], [-steps[index].log_probability for index in chosen]
            marker = {"pattern": {"shape": shape, "solidity": 0.5}, "line": None}
            about = [hover[index] for index in chosen]
            figure.add_trace(bars(name, color, numbers, heights, about, customdata=chosen, width=0.72, marker=marker))
    name, style = say("entropy: the surprise to expect"), {"color": SERIES[0], "width": 2.5}
    across, up = [index + 1 for index in places], [step.entropy for step in steps]
    figure.add_trace(line(name, style, across, up, hover, {"size": 8}, customdata=list(places)))
    base(figure, say("Token of the summary"), say("Surprise and entropy (nats)"), 400)
    figure.update_xaxes(**token_ticks(texts))
    figure.update_yaxes(rangemode="tozero")
    mark_step(figure, current + 1, say("this step"))
    return Picture("surprise", figure, _surprise_caption(summary, own), _surprise_table(steps))


def _surprise_caption(summary: Summary, own: range) -> str:
    steps, forced, forced_end = summary.steps, summary.forced, summary.forced_end
    counted = own or range(len(steps))
    place = max(counted, key=lambda index: -steps[index].log_probability)
    most = steps[place]
    cost = -sum(steps[index].log_probability for index in counted) / len(counted)
    entropy = sum(steps[index].entropy for index in counted) / len(counted)
    sentence = say(
        "The greatest surprise was {token}, token {place} of {count}: {surprise}, a probability of {probability}; "
        "the mean surprise was {mean}, the mean entropy {entropy}.",
        token=quoted(most.token),
        place=place + 1,
        count=len(steps),
        surprise=nats(-most.log_probability),
        probability=percent(most.probability),
        mean=nats(cost),
        entropy=nats(entropy),
    )
    if not forced and not forced_end:
        return sentence
    first = say("the first token") if forced == 1 else say("the first {count} tokens", count=forced)
    forced_tokens = listed([first] * bool(forced) + [say("the end")] * forced_end)
    out = (
        say("Forced and counted out: {tokens}.", tokens=forced_tokens)
        if own
        else say("Forced: {tokens}.", tokens=forced_tokens)
    )
    return f"{sentence} {out}"


def _surprise_table(steps: Sequence[DecodingStep]) -> dict[str, list[object]]:
    return {
        later("Step"): [index + 1 for index in range(len(steps))],
        later("Token"): [token_text(step.token) for step in steps],
        later("Surprise (nats)"): [-step.log_probability for step in steps],
        later("Entropy (nats)"): [step.entropy for step in steps],
        later("Typicality (nats)"): [abs(-step.log_probability - step.entropy) for step in steps],
        later("Probability"): [step.probability for step in steps],
        later("Rank"): [step.rank for step in steps],
    }


def _hover(index: int, step: DecodingStep) -> str:
    typicality = abs(-step.log_probability - step.entropy)
    return "<br>".join(
        (
            f"{index + 1} · {escape(quoted(step.token))}",
            say(
                "surprise {surprise}, entropy {entropy}, difference {difference}",
                surprise=nats(-step.log_probability),
                entropy=nats(step.entropy),
                difference=number(typicality),
            ),
            say("probability {probability}, rank {rank:,}", probability=percent(step.probability), rank=step.rank),
        )
    )


def reference_here(steps: Sequence[DecodingStep], here: int, ids: Sequence[int], logits: Array) -> str:
    """Return one sentence on a reference's token at a step of a summary.

    Args:
        steps: of the reference under teacher forcing.
        here: the step, 0-based.
        ids: the summary's tokens.
        logits: [T, V], what the model gave at each step of the summary.
    """
    if here >= len(steps):
        return say(
            "The reference has {tokens}: it has ended before step {step}.",
            tokens=count(len(steps), "token"),
            step=here + 1,
        )
    step = steps[here]
    name = say("its end") if step.token.id == END else quoted(step.token)
    if [earlier.token.id for earlier in steps[:here]] == list(ids[:here]):
        return say(
            "At step {step} the reference has {token}: rank {rank:,} after its own words, which the summary shares so "
            "far.",
            step=here + 1,
            token=name,
            rank=step.rank,
        )
    rank = int((logits[here] > logits[here][step.token.id]).sum()) + 1
    return say(
        "At step {step} the reference has {token}: rank {rank:,} after its own words, rank {other:,} after the "
        "summary's words.",
        step=here + 1,
        token=name,
        rank=step.rank,
        other=rank,
    )


def reference_ranks(reference: Summary, current: int | None) -> Picture:
    """Rank of each token of a reference when the model reads the reference itself (teacher forcing).

    Args:
        reference: a text of at least one token, under teacher forcing.
        current: step that the page looks at, 0-based, or None.

    Returns:
        The picture; the points' customdata is the step.

    Raises:
        ValueError: there are no steps.
    """
    steps, figure = _steps_of(reference), Figure()
    first, others = ([i for i, step in enumerate(steps) if (step.rank == 1) == best] for best in (True, False))
    for name, color, symbol, chosen in (
        (say("first choice of the model"), SERIES[2], "circle", first),
        (say("other tokens came before it"), SERIES[1], "diamond", others),
    ):
        ranks, hover = [steps[index].rank for index in chosen], [_hover(index, steps[index]) for index in chosen]
        ends = {"array": [0] * len(ranks), "arrayminus": [rank - 1 for rank in ranks]}
        stem = {"type": "data", "symmetric": False, **ends, "width": 0, "thickness": 2, "color": color}
        places, marker = [index + 1 for index in chosen], {"color": color, "symbol": symbol, "size": 11}
        figure.add_trace(points(name, places, ranks, hover, marker, customdata=chosen, error_y=stem))
    base(figure, say("Token of the reference"), say("Rank among all tokens (logarithmic)"), 400)
    figure.update_xaxes(**token_ticks([token_text(step.token) for step in steps]))
    worst = max(steps, key=lambda step: step.rank)
    ticks = [10**power for power in range(len(str(worst.rank)) + 1)]
    figure.update_yaxes(
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:,}" for tick in ticks],
        range=[max(1.0, math.log10(worst.rank)) + 0.12, -0.12],
    )
    if current is not None:
        mark_step(figure, current + 1, say("this step"))
    return Picture("reference-ranks", figure, _ranks_caption(steps, worst), _surprise_table(steps))


def _ranks_caption(steps: Sequence[DecodingStep], worst: DecodingStep) -> str:
    first = sum(step.rank == 1 for step in steps)
    return say(
        "The model itself would have written {first} of the reference's {tokens} ({share}); "
        "the worst rank was {rank:,}, of {token} (token {place}).",
        first=first,
        tokens=count(len(steps), "token"),
        share=percent(first / len(steps)),
        rank=worst.rank,
        token=quoted(worst.token),
        place=steps.index(worst) + 1,
    )


def _steps_of(summary: Summary) -> Sequence[DecodingStep]:
    if not summary.steps:
        raise ValueError("steps must hold at least one token. Received: none")
    return summary.steps
