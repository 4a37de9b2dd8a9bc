"""Pictures of biases by distance: the bucket of each distance, the bias of each head, and what is added to scores.

N distances, H heads.
"""

from collections.abc import Sequence

import numpy as np
from plotly.graph_objects import Figure

from core.explain.positions import Biases, Side
from core.figures.positions.heatmap import CELL, scale_bar
from core.figures.shared.marks import heat, line
from core.figures.shared.palette import AMOUNT, SERIES, SIGNED, base, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.rows import ZERO
from core.figures.shared.wording import KIND_NAMES, count, number, plain, signed
from core.trace import Array
from core.words import later, say

AXIS = later("Distance: key's position − query's")
SIDES: dict[Side, str] = {"encoder": later("Encoder"), "decoder": later("Decoder")}
"""In English, and translated when shown."""
ACROSS, UP, BUCKET = "%{x}", "%{y}", "%{customdata}"
"""What plotly fills in."""


def buckets(biases: Biases) -> Picture:
    """The number of the bucket of each distance, as steps."""
    figure = Figure()
    sides = (
        (say("keys before the query and at it"), biases.distances <= 0, AMOUNT),
        (say("keys after it"), biases.distances > 0, SERIES[0]),
    )
    for name, places, color in sides:
        if places.any():
            hover = say("distance {distance}: bucket {bucket}", distance=ACROSS, bucket=UP)
            x, y = biases.distances[places].tolist(), biases.buckets[places].tolist()
            figure.add_trace(line(name, {"color": color, "width": 2.5, "shape": "hvh"}, x, y, hover))
    base(figure, say(AXIS), say("Bucket"), 320)
    return Picture("distance-buckets", figure, _buckets_caption(biases), _table(biases))


def _table(biases: Biases) -> dict[str, list[float]]:
    return {later("Distance"): biases.distances.tolist(), later("Bucket"): biases.buckets.tolist()}


def _buckets_caption(biases: Biases) -> str:
    before = biases.buckets[biases.distances <= 0][::-1]  # distance 0, −1, −2, …
    alone = next((place for place in range(len(before)) if np.sum(before == before[place]) > 1), len(before)) - 1
    last = int(np.flatnonzero(before == before[-1])[0])
    first = say(
        "{side}: {buckets}, {half} of them for keys before the query and at it.",
        side=say(SIDES[biases.side]),
        buckets=count(biases.size, "bucket"),
        half=len(np.unique(before)),
    )
    second = (
        say("The distances 0 to {alone} have one each; all from {last} on share one.", alone=alone, last=last)
        if (biases.distances > 0).any()
        else say(
            "The distances 0 to {alone} have one each; all from {last} on share one; keys after the query are masked.",
            alone=alone,
            last=last,
        )
    )
    return f"{first} {second}"


def head_map(biases: Biases) -> Picture:
    """The bias of each head at each distance, on one scale."""
    limit = max(1e-6, float(np.abs(biases.values).max()))
    heads = [f"{place}" for place in range(1, len(biases.values) + 1)]
    limits, places = (-limit, limit), (list(range(1, len(heads) + 1)), biases.distances.tolist())
    told = {"head": UP, "distance": ACROSS, "bias": "%{z:.3f}", "bucket": BUCKET}
    hover = say("head {head}, distance {distance}: {bias}<br>bucket {bucket}", **told)
    scale, numbers = scale_bar(say("bias of the score"), limits), np.broadcast_to(biases.buckets, biases.values.shape)
    figure = Figure(heat(biases.values, places, limits, SIGNED, hover, customdata=numbers, colorbar=scale))
    base(figure, say(AXIS), say("Head"), max(260, min(CELL, 26) * len(heads) + 150))
    figure.update_layout(showlegend=False, margin={"t": 70})
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False, range=[len(heads) + 0.5, 0.5], dtick=1 if len(heads) <= 16 else None)
    table = _table(biases) | {
        say("Head {head}", head=name): row.tolist() for name, row in zip(heads, biases.values, strict=True)
    }
    return Picture(f"{biases.side}-biases", figure, _map_caption(biases), table)


def _map_caption(biases: Biases) -> str:
    (high, high_place), (low, low_place) = (
        np.unravel_index(int(pick(biases.values)), biases.values.shape) for pick in (np.argmax, np.argmin)
    )
    return say(
        "{side}, {heads}: the largest bias is {high}, of head {high_head} at {high_distance}; the smallest bias is "
        "{low}, of head {low_head} at {low_distance}.",
        side=say(SIDES[biases.side]),
        heads=count(len(biases.values), "head"),
        high=signed(float(biases.values[high, high_place])),
        high_head=high + 1,
        high_distance=_at(int(biases.distances[high_place])),
        low=signed(float(biases.values[low, low_place])),
        low_head=low + 1,
        low_distance=_at(int(biases.distances[low_place])),
    )


def _at(distance: int) -> str:
    return say("distance {distance}", distance=number(distance, 0))


def head_line(biases: Biases, head: int) -> Picture:
    """The bias of one head, 0-based, against the distance."""
    row = biases.values[head]
    told = {"distance": ACROSS, "bias": "%{y:.3f}", "bucket": BUCKET}
    hover = say("distance {distance}: {bias}<br>bucket {bucket}", **told)
    style, name = {"color": SERIES[2], "width": 2.5, "shape": "hvh"}, say("head {head}", head=head + 1)
    x, y = biases.distances.tolist(), row.tolist()
    figure = Figure(line(name, style, x, y, hover, customdata=biases.buckets))
    base(figure, say(AXIS), say("Bias of the score"), 320)
    figure.update_yaxes(**ZERO)
    return Picture(
        f"{biases.side}-bias", figure, _line_caption(biases, head), _table(biases) | {later("Bias"): row.tolist()}
    )


def _line_caption(biases: Biases, head: int) -> str:
    row = biases.values[head]
    best, worst = (int(biases.distances[int(pick(row))]) for pick in (np.argmax, np.argmin))
    factor = float(np.exp(row.max() - row.min()))
    times = f"{factor:,.0f}" if factor >= 100 else number(factor)
    return say(
        "{side}, head {head}: from {low} at {low_distance} to {high} at {high_distance}. Of two keys with the same dot "
        "product the one at {high_distance} gets {factor} times the weight of the one at {low_distance}.",
        side=say(SIDES[biases.side]),
        head=head + 1,
        low=signed(float(row.min())),
        low_distance=_at(worst),
        high=signed(float(row.max())),
        high_distance=_at(best),
        factor=times,
    )


def score_map(matrix: Array, labels: Sequence[str], side: Side, head: int, tokens: int) -> Picture:
    """Draw what is added to the scores of one head for each query and key.

    Args:
        matrix: [R, R] of the first R tokens.
        labels: of these tokens.
        side: "encoder" or "decoder": there later keys are masked, and left out here.
        head: 0-based.
        tokens: how many there are in all.

    Raises:
        ValueError: there is not one label a row.
    """
    if matrix.shape != (len(labels), len(labels)) or not labels:
        raise ValueError(f"labels must be one a row. Received: {list(matrix.shape)}, {len(labels)} labels")
    texts, places = [plain(label) for label in labels], list(range(1, len(labels) + 1))
    seen = np.tril(np.ones_like(matrix)) if side == "decoder" else np.ones_like(matrix)
    shown = np.where(seen > 0, matrix, np.nan).astype(np.float32)
    limit = max(1e-6, float(np.nanmax(np.abs(shown))))
    hover = say("query {query}, key {key}: {bias}", query=UP, key=ACROSS, bias="%{z:.3f}")
    scale = scale_bar(say("added to the score"), (-limit, limit))
    cells = heat(shown, (places, places), (-limit, limit), SIGNED, hover, colorbar=scale, hoverongaps=False)
    figure = Figure(cells)
    ticks = token_ticks(texts)
    base(figure, say("Key"), say("Query"), max(340, min(640, 14 * len(labels) + 220)))
    figure.update_layout(showlegend=False, margin={"t": 70})
    figure.update_xaxes(**ticks)
    figure.update_yaxes(
        tickvals=ticks["tickvals"], ticktext=ticks["ticktext"], showgrid=False, range=[len(labels) + 0.5, 0.5]
    )
    table: dict[str, list[object]] = {later("Query"): [*texts]}
    table |= {
        f"{place} · {text}": [None if np.isnan(value) else float(value) for value in shown[:, place - 1]]
        for place, text in enumerate(texts, 1)
    }
    return Picture(f"{side}-bias-matrix", figure, _score_caption(matrix, texts, side, head, tokens), table)


def _score_caption(matrix: Array, texts: Sequence[str], side: Side, head: int, tokens: int) -> str:
    last = len(texts) - 1
    sentence = say(
        "{attention}, head {head}, every layer: where “{query}” looks at “{key}”, {distance}, {bias} is added; at "
        "itself {own}. Each diagonal is one distance and has one colour.",
        attention=say(KIND_NAMES[side]),
        head=head + 1,
        query=texts[last],
        key=texts[0],
        distance=_at(-last),
        bias=signed(float(matrix[last, 0])),
        own=signed(float(matrix[last, last])),
    )
    if len(texts) == tokens:
        return sentence
    part = say("Drawn are the first {drawn} of {tokens}.", drawn=len(texts), tokens=count(tokens, "token"))
    return f"{sentence} {part}"
