"""Pictures of what the layers know already: the decoder's logit lens, and summaries written from each encoder layer.

L layers, T tokens of the summary, W words of the summary; row 0 of L + 1 are the embeddings.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.config import Positions
from core.figures.shared.marks import heat, squares, top_bar, words
from core.figures.shared.palette import AMOUNT, FAINT, FONT, INVERSE, SERIES, annotate, base, note, ramp
from core.figures.shared.picture import Picture
from core.figures.shared.rows import row_ticks
from core.figures.shared.wording import capital, count, cut, escape, nats, number, percent, plain, token_text
from core.trace import Token
from core.words import later, say

ROW = 26
"""Pixels of a token or word."""
HEADER = 165
"""Pixels for the scale or the legend, and for the layers' names, above the rows."""
LABEL = 10
"""Characters of a token or word beside its row."""
WORST = 4
"""Power of ten of the rank at which the colour scale ends."""
PALE = 0.9
"""Share of the colour scale from which on white reads better than the page's ink (4:1 or more on both grounds)."""


def stage_name(layer: int, positions: Positions | None) -> str:
    """Name what an encoder layer gives; layer 0 is what the first one reads, with the model's kind of positions."""
    if layer:
        return say("Layer {layer}", layer=layer)
    return say("Embeddings") if positions in (None, "relative") else say("Embeddings and positions")


def logit_lens(
    rows: Sequence[Token],
    top: Sequence[Sequence[str]],
    probability: NDArray[np.floating],
    rank: NDArray[np.integer],
    hover: Sequence[Sequence[str]],
    by: Literal["probability", "rank"],
) -> Picture:
    """Draw what the model would write if the decoder ended at a layer (logit lens, nostalgebraist 2020).

    Args:
        rows: the T written tokens, at least one.
        top: [L+1][T] the most probable token there.
        probability: [L+1, T], of the token that was finally written.
        rank: [L+1, T], of that token, 1 for the best.
        hover: [L+1][T] lines about a cell, not escaped.
        by: what the colour shows.

    Raises:
        ValueError: there are no tokens, or the shapes differ.
    """
    shape = (len(top), len(rows))
    sizes = {"top": [len(cells) for cells in top], "hover": [len(cells) for cells in hover]}
    if (
        len(top) < 2
        or not rows
        or probability.shape != shape
        or rank.shape != shape
        or any(size != [len(rows)] * len(top) for size in sizes.values())
    ):
        raise ValueError(
            "top, probability, rank and hover must be [layers + 1, tokens]. Received: "
            f"{sizes['top']}, {list(probability.shape)}, {list(rank.shape)} and {sizes['hover']} for {len(rows)} tokens"
        )
    strength = probability if by == "probability" else 1 - np.minimum(np.log10(rank), WORST) / WORST  # [L+1, T]
    last = len(top) - 1
    ticks = [say("embed-\nding"), *(say("layer\n{layer}", layer=layer) for layer in range(1, last))]
    ticks.append(say("layer {layer}\noutput", layer=last))
    lines = [[escape(cell[place]).replace("\n", "<br>") for cell in hover] for place in range(len(rows))]
    places = (list(range(1, len(rows) + 1)), list(range(len(top))))
    figure = Figure(heat(strength.T, places, (0, 1), ramp(AMOUNT), lines, 2, colorbar=_scale(by)))
    _words(figure, top, strength, rank)
    texts = [token_text(token) for token in rows]
    title = say("Decoder layer\n(bold: the written token is first)")
    _layers_on_top(figure, ticks, texts, (title, say("token")))
    figure.update_layout(showlegend=False)
    table: dict[str, list[object]] = {later("Position"): list(range(1, len(rows) + 1)), later("Token"): [*texts]}
    names = [say("Embedding"), *(say("Layer {layer}", layer=layer) for layer in range(1, last))]
    names.append(say("Layer {layer} = output", layer=last))
    for layer, name in enumerate(names):
        table |= {
            name: [*top[layer]],
            say("{layer}, probability", layer=name): [float(value) for value in probability[layer]],
            say("{layer}, rank", layer=name): [int(value) for value in rank[layer]],
        }
    return Picture("logit-lens", figure, _lens_caption(rank), table)


def lens_hover(
    written: Sequence[str],
    top: Sequence[Sequence[Sequence[str]]],
    top_probability: NDArray[np.floating],
    probability: NDArray[np.floating],
    rank: NDArray[np.integer],
) -> list[list[str]]:
    """Return the lines about each cell of the logit lens, [L+1][T]: the written token, then the most probable ones.

    Args:
        written: the T written tokens.
        top: [L+1][T] the most probable tokens there, best first.
        top_probability: [L+1, T, as many].
        probability: [L+1, T], of the written token.
        rank: [L+1, T], of the written token.
    """
    lines = []
    for layer, row in enumerate(top):
        heads = [
            say(
                "finally written: “{token}”, {share}, rank {rank:,}",
                token=text,
                share=percent(float(share)),
                rank=int(place),
            )
            for text, share, place in zip(written, probability[layer], rank[layer], strict=True)
        ]
        best = [
            [f"{place}. “{text}” {percent(float(share))}" for place, (text, share) in enumerate(pairs, 1)]
            for pairs in (zip(*cell, strict=True) for cell in zip(row, top_probability[layer], strict=True))
        ]
        lines.append(["\n".join([head, *rest]) for head, rest in zip(heads, best, strict=True)])
    return lines


def _scale(by: Literal["probability", "rank"]) -> dict[str, object]:
    if by == "probability":
        return top_bar(say("probability of the written token"), {0: "0 %", 0.5: "50 %", 1: "100 %"})
    ticks = {1 - power / WORST: f"{10**power:,}" for power in range(WORST)} | {0: f"{10**WORST:,}+"}
    return top_bar(say("rank of the written token (log scale)"), ticks)


def _words(
    figure: Figure, top: Sequence[Sequence[str]], strength: NDArray[np.floating], rank: NDArray[np.integer]
) -> None:
    """The word in each cell: in the page's ink, white on strong cells."""
    letters = max(4, 34 // len(top))
    for color, strong in ((None, False), (INVERSE, True)):
        cells = [(int(layer), int(place)) for layer, place in np.argwhere((strength >= PALE) == strong)]
        texts = [escape(cut(plain(top[layer][place]), letters)) for layer, place in cells]
        texts = [f"<b>{text}</b>" if rank[cell] == 1 else text for text, cell in zip(texts, cells, strict=True)]
        across, down = [layer for layer, _ in cells], [place + 1 for _, place in cells]
        figure.add_trace(words(across, down, texts, FONT - 2, color))


def _layers_on_top(figure: Figure, ticks: Sequence[str], labels: Sequence[str], titles: tuple[str, str]) -> None:
    """Rows from the top with the layers' names above them, where one reads them first.

    Args:
        figure: with its traces.
        ticks: names of the layers on short lines.
        labels: of the rows.
        titles: of the layers and, above their labels, of the rows: a title beside them would take a phone's room.
    """
    base(figure, titles[0], "", ROW * len(labels) + HEADER + 12)
    above = {"xref": "container", "yref": "container", "y": 0.999, "yanchor": "top"}
    figure.update_layout(margin_t=HEADER, legend=above)
    figure.update_xaxes(
        side="top",
        tickvals=list(range(len(ticks))),
        ticktext=[tick.replace("\n", "<br>") for tick in ticks],
        tickangle=0,
        tickfont={"size": FONT - 2},
        range=[-0.5, len(ticks) - 0.5],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(**row_ticks([escape(cut(label, LABEL)) for label in labels], 1), fixedrange=True)
    where = {"xref": "x domain", "xanchor": "right", "xshift": -2, "yref": "y domain", "yanchor": "bottom"}
    annotate(figure, [note(f"<b>{titles[1]}</b>", 0, 1, **where)])


def _lens_caption(rank: NDArray[np.integer]) -> str:
    first = [int(np.sum(row == 1)) for row in rank]
    tokens, last = count(rank.shape[1], "written token"), len(first) - 1
    if first[-1] == 0:
        return say("Even at the output, the model ranks none of the {tokens} first.", tokens=tokens)
    layer = next(index for index, amount in enumerate(first) if 2 * amount >= first[-1])
    if layer == last:
        return say(
            "Only at the output does the model rank {first} of {tokens} first; at {place} it is {before}.",
            first=first[-1],
            tokens=tokens,
            place=_named(last - 1),
            before=first[-2],
        )
    return say(
        "At {place} the model already ranks {first} of {tokens} first; at the output {last}.",
        place=_named(layer),
        first=first[layer],
        tokens=tokens,
        last=first[-1],
    )


def _named(layer: int) -> str:
    return say("layer {layer}", layer=layer) if layer else say("the embedding")


def decoder_lens(
    texts: Sequence[str],
    first: Sequence[int | None],
    inside: NDArray[np.bool_],
    log_probabilities: Sequence[float],
) -> Picture:
    """Which words of the summary stand already in the one that the decoder writes from an earlier encoder layer.

    The decoder reads each layer's output in place of the last one's (DecoderLens, arXiv 2310.03686).

    Args:
        texts: the W words of the final summary, at least one.
        first: of each word, the first layer from which it is written, 0 for the embeddings; None: from none.
        inside: [L+1, W], whether the word is in the summary written from the layer.
        log_probabilities: [L+1], mean log-probability a token of the final summary (forced), in nats.

    Returns:
        The picture; the cells' customdata is the layer.

    Raises:
        ValueError: there are no words, or the shapes differ.
    """
    if not texts or len(first) != len(texts) or inside.shape != (len(log_probabilities), len(texts)):
        raise ValueError(
            "first must be one a word, inside [layers + 1, words], log_probabilities [layers + 1]. "
            f"Received: {len(first)}, {list(inside.shape)} and {len(log_probabilities)} for {count(len(texts), 'word')}"
        )
    layers = [say("embeddings"), *(say("layer {layer}", layer=layer) for layer in range(1, len(log_probabilities)))]
    kinds = [[2 if layer == first[word] else int(inside[layer, word]) for layer in range(len(layers))]
             for word in range(len(texts))]  # fmt: skip
    figure = Figure()
    legend = (say("not there"), say("in the summary from this layer"), say("there for the first time"))
    for kind, (name, color) in enumerate(zip(legend, (FAINT, AMOUNT, SERIES[0]), strict=True)):
        cells = [(word, layer) for word, row in enumerate(kinds) for layer, each in enumerate(row) if each == kind]
        hover = [f"“{escape(plain(texts[word]))}”, {layers[layer]}<br>{name}" for word, layer in cells]
        places, of_layers = [(word + 1, layer) for word, layer in cells], [layer for _, layer in cells]
        figure.add_trace(squares(name, color, places, hover, size=(0.97, 0.86), customdata=of_layers))
    names = [say("embed-\ndings"), *(say("layer\n{layer}", layer=layer) for layer in range(1, len(layers)))]
    ticks = [f"{name}\n{number(value)}" for name, value in zip(names, log_probabilities, strict=True)]
    title = say("Encoder layer the decoder reads,\nlog-probability a token (nats)")
    _layers_on_top(figure, ticks, [plain(word) for word in texts], (title, say("word")))
    figure.update_layout(barmode="overlay")
    table: dict[str, list[object]] = {
        later("Word"): [*texts],
        later("First at layer"): [say("never") if layer is None else layers[layer] for layer in first],
    }
    for layer, name in enumerate(layers):
        heading = say("{layer} ({nats} a token)", layer=capital(name), nats=nats(log_probabilities[layer]))
        table[heading] = [bool(cell) for cell in inside[layer]]
    return Picture("decoder-lens", figure, _decoder_caption(first, inside), table)


def _decoder_caption(first: Sequence[int | None], inside: NDArray[np.bool_]) -> str:
    start, last = int(inside[0].sum()), len(inside) - 1
    late, never = sum(layer == last for layer in first), sum(layer is None for layer in first)
    words = {"start": start, "words": count(len(first), "word")}
    clauses = [
        say("From the embeddings alone {start} of {words} is there", **words)
        if start == 1
        else say("From the embeddings alone {start} of {words} are there", **words),
        say("{late} appears first at layer {layer}, the last", late=late, layer=last)
        if late == 1
        else say("{late} appear first at layer {layer}, the last", late=late, layer=last),
    ]
    if never:
        clauses.append(say("{never} from no layer", never=never))
    return f"{'; '.join(clauses)}."
