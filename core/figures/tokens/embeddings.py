"""Pictures of a token's embedding, and of what each position of a summary costs under teacher forcing.

T target tokens, D width.
"""

import math
from collections.abc import Mapping, Sequence

from plotly.graph_objects import Figure

from core.explain.attention.head_scores import input_tokens
from core.explain.tokens.embedding import Kind, TokenVector
from core.figures.shared.marks import bars, line
from core.figures.shared.palette import AMOUNT, FONT, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.rows import FRAME, UPRIGHT, ZERO, row_bars, row_ticks, token_axes, token_bars
from core.figures.shared.wording import count, escape, listed, nats, number, percent, plain, quoted, token_text
from core.trace import DecodingStep, Token
from core.words import later, say

SHOWN = 32
"""Components of an embedding that are drawn; the table has all of them."""


def components(entry: TokenVector, name: str, scaled: bool = True) -> Picture:
    """The first components of a token's embedding as the model reads them.

    Args:
        entry: the token's row of the table.
        name: of the token.
        scaled: whether the model reads it times √D.
    """
    values = [float(value) for value in (entry.scaled if scaled else entry.vector)]
    shown = values[:SHOWN]
    hover = [
        say("component {place}: {value}", place=place, value=number(value)) for place, value in enumerate(shown, 1)
    ]
    label = say("embedding × √D") if scaled else say("embedding")
    figure = Figure(bars(label, AMOUNT, list(range(1, len(shown) + 1)), shown, hover))
    width = len(values)
    base(figure, say("Component, {shown} of {width}", shown=len(shown), width=width), say("Value"), 300)
    figure.update_yaxes(**ZERO)
    table: dict[str, list[object]] = {
        later("Component"): list(range(1, width + 1)),
        later("Row of the table"): [float(value) for value in entry.vector],
    }
    if scaled:
        table[later("Times √D")] = [*values]
    return Picture("embedding", figure, _components_caption(entry, name, shown, scaled), table)


def _components_caption(entry: TokenVector, name: str, shown: Sequence[float], scaled: bool) -> str:
    row = {"token": plain(name), "id": entry.id, "rank": entry.norm_rank, "tokens": entry.tokens}
    length = {"length": number(entry.norm)}
    width = len(entry.vector)
    sentence = (
        say(
            "The row of “{token}” (id {id}) has length {length}: number {rank:,} of {tokens:,}, the longest first. "
            "Times √{width} it is {scaled}.",
            **row,
            **length,
            width=width,
            scaled=number(entry.norm * math.sqrt(width)),
        )
        if scaled
        else say(
            "The row of “{token}” (id {id}) has length {length}: number {rank:,} of {tokens:,}, the longest first.",
            **row,
            **length,
        )
    )
    largest = max(range(len(shown)), key=lambda place: abs(shown[place]))
    most = say(
        "Of the components shown, number {place} is the largest: {value}.",
        place=largest + 1,
        value=number(shown[largest]),
    )
    return f"{sentence} {most}"


def neighbours(entry: TokenVector, name: str, labels: Sequence[str]) -> Picture:
    """The tokens whose embeddings point most nearly the same way.

    Args:
        entry: the token's row of the table.
        name: of the token.
        labels: of its neighbours, in their order.

    Raises:
        ValueError: there are no neighbours, or not one label for each.
    """
    if not labels or len(labels) != len(entry.nearest):
        raise ValueError(f"there must be one label a neighbour. Received: {len(labels)} for {len(entry.nearest)}")
    cosines = [cosine for _, cosine in entry.nearest]
    texts = [plain(label) for label in labels]
    hover = [
        say("{token}, id {id}<br>cosine {cosine}", token=escape(text), id=token, cosine=number(cosine))
        for text, (token, cosine) in zip(texts, entry.nearest, strict=True)
    ]
    beside = {
        "text": [f"<b>{number(cosine)}</b>" for cosine in cosines],
        "textposition": "outside",
        "cliponaxis": False,
    }
    label, rows = say("cosine with “{token}”", token=escape(plain(name))), range(len(cosines))
    figure = Figure(row_bars(label, AMOUNT, cosines, rows, hover, 0, 0.7, **beside))
    title = say("Cosine") + "\n" + say("1: same direction, 0: unrelated")  # two lines: a phone has no room for one
    base(figure, title, say("Token"), 28 * len(cosines) + FRAME)
    figure.update_xaxes(range=[min(0.0, *cosines) * 1.15, 1.0], **ZERO)
    figure.update_yaxes(**row_ticks([escape(text) for text in texts]))
    table: dict[str, list[object]] = {
        later("Rank"): list(range(1, len(texts) + 1)),
        later("Token"): [*labels],
        later("Id"): [token for token, _ in entry.nearest],
        later("Cosine"): [*cosines],
    }
    return Picture("nearest-tokens", figure, _nearest_caption(entry, name, texts), table)


def _nearest_caption(entry: TokenVector, name: str, texts: Sequence[str]) -> str:
    top = [f"“{text}” ({number(cosine)})" for text, (_, cosine) in zip(texts[:3], entry.nearest, strict=False)]
    return say(
        "Of {others:,} other tokens, {nearest} point most nearly the way of “{token}”.",
        others=entry.tokens - 1,
        nearest=listed(top),
        token=plain(name),
    )


def kinds(word_kinds: Sequence[Kind], labels: Mapping[int, str]) -> Picture:
    """Draw how alike the embeddings of words of one kind are, beside their likeness to all other tokens.

    Args:
        word_kinds: the kinds, at least one.
        labels: of their tokens, by id.

    Raises:
        ValueError: there are no kinds.
    """
    if not word_kinds:
        raise ValueError("found must hold at least one kind. Received: none")
    ordered = sorted(word_kinds, key=lambda kind: kind.others - kind.alike)
    words = [[plain(labels[token]) for token in kind.tokens] for kind in ordered]
    figure, rows = Figure(), list(range(len(ordered)))
    for name, color, values in (
        (say("with words of the same kind"), SERIES[2], [kind.alike for kind in ordered]),
        (say("with all other tokens"), GREY, [kind.others for kind in ordered]),
    ):
        hover = [
            f"{say(kind.name)}, {name}: {number(value)}<br>{escape(listed(texts))}"
            for kind, value, texts in zip(ordered, values, words, strict=True)
        ]
        figure.add_trace(bars(name, color, values, rows, hover, orientation="h"))
    base(figure, say("Mean cosine"), "", 40 * len(ordered) + FRAME)
    figure.update_layout(barmode="group")
    figure.update_xaxes(**ZERO)
    figure.update_yaxes(**row_ticks([say(kind.name) for kind in ordered]))
    table: dict[str, list[object]] = {
        later("Kind of word"): [say(kind.name) for kind in ordered],
        later("Words"): [", ".join(texts) for texts in words],
        later("Pairs"): [kind.pairs for kind in ordered],
        later("Mean cosine"): [kind.alike for kind in ordered],
        later("With all other tokens"): [kind.others for kind in ordered],
        later("Nearer to its kind"): [kind.nearer for kind in ordered],
        later("Words whose nearest token is of the kind"): [kind.ranks.count(1) for kind in ordered],
    }
    return Picture("words-of-one-kind", figure, _kinds_caption(ordered), table)


def _kinds_caption(word_kinds: Sequence[Kind]) -> str:
    pairs = sum(kind.pairs for kind in word_kinds)
    alike, others, nearer = (
        sum(getattr(kind, name) * kind.pairs for kind in word_kinds) / pairs for name in ("alike", "others", "nearer")
    )
    best, worst = (pick(word_kinds, key=lambda kind: kind.nearer) for pick in (max, min))
    return say(
        "Over {pairs} of words of one kind the mean cosine is {alike}; with all other tokens it is {others}. A word is "
        "nearer to one of its kind than to another token in {share} of the comparisons: most often for {best} "
        "({best_share}), least often for {worst} ({worst_share}).",
        pairs=count(pairs, "pair"),
        alike=number(alike),
        others=number(others),
        share=percent(nearer),
        best=say(best.name),
        best_share=percent(best.nearer),
        worst=say(worst.name),
        worst_share=percent(worst.nearer),
    )


def forcing(source: Sequence[Token], steps: Sequence[DecodingStep], vocabulary: int) -> Picture:
    """Teacher forcing: what the decoder reads, what it must write, and the loss −ln p of each position.

    Args:
        source: what the encoder reads.
        steps: the T target tokens, at least one.
        vocabulary: number of target tokens.

    Returns:
        The picture; its table has a line a position, the encoder's input beside the decoder's.

    Raises:
        ValueError: there are no steps.
    """
    if not steps:
        raise ValueError("steps must hold at least one token. Received: none")
    losses = [-step.log_probability for step in steps]
    mean = sum(losses) / len(losses)
    read = input_tokens([step.token for step in steps])
    hover = [
        say(
            "{place} · reads {before}, must write {token}<br>loss {loss}, probability {share}, rank {rank:,}",
            place=place,
            before=escape(quoted(before)),
            token=escape(quoted(step.token)),
            loss=nats(loss),
            share=percent(step.probability),
            rank=step.rank,
        )
        for place, (before, step, loss) in enumerate(zip(read, steps, losses, strict=True), 1)
    ]
    figure = Figure(bars(say("loss −ln p"), AMOUNT, **token_bars(losses), hover=hover))
    ends, level = [0.5, len(steps) + 0.5], [mean, mean]
    across, up = (ends, level) if len(steps) <= UPRIGHT else (level, ends)
    style = {"color": GREY, "width": 2.5, "dash": "dash"}
    figure.add_trace(line(say("mean {loss}", loss=number(mean)), style, across, up))
    token_axes(figure, [token_text(step.token) for step in steps], say("Decoder target"), say("Loss (nats)"))
    figure.update_layout(font_size=FONT)
    caption = _forcing_caption(steps, read, losses, vocabulary)
    return Picture("teacher-forcing", figure, caption, _forcing_table(source, steps, read, losses))


def _forcing_caption(
    steps: Sequence[DecodingStep], read: Sequence[Token], losses: Sequence[float], vocabulary: int
) -> str:
    mean = sum(losses) / len(losses)
    worst = max(range(len(steps)), key=lambda place: losses[place])
    return say(
        "The mean loss of {positions} is {loss}, a perplexity of e^{exponent} = {perplexity}; even guessing would cost "
        "ln {vocabulary:,} = {guess}. The most costly target is {token} after {before}: {worst}, {share}.",
        positions=count(len(steps), "position"),
        loss=nats(mean),
        exponent=number(mean),
        perplexity=_perplexity(mean),
        vocabulary=vocabulary,
        guess=nats(math.log(vocabulary)),
        token=quoted(steps[worst].token),
        before=quoted(read[worst]),
        worst=nats(losses[worst]),
        share=percent(steps[worst].probability),
    )


def _perplexity(mean: float) -> str:
    value = math.exp(mean)
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def _forcing_table(
    source: Sequence[Token], steps: Sequence[DecodingStep], read: Sequence[Token], losses: Sequence[float]
) -> dict[str, list[object]]:
    """A line a position, as long as the longer side; beyond its end the shorter one has nothing."""
    length = max(len(source), len(steps))

    def column(values: Sequence[object]) -> list[object]:
        return [*values, *[None] * (length - len(values))]

    written = [step.token for step in steps]
    return {
        later("Position"): list(range(1, length + 1)),
        later("Encoder input"): column([plain(token.text) for token in source]),
        later("Decoder input"): column([plain(token.text) for token in read]),
        later("Decoder target"): column([plain(token.text) for token in written]),
        later("Loss (nats)"): column(losses),
        later("Probability"): column([step.probability for step in steps]),
        later("Encoder id"): column([token.id for token in source]),
        later("Input id"): column([token.id for token in read]),
        later("Target id"): column([token.id for token in written]),
    }
