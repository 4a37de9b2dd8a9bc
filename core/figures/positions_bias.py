"""Pictures of biases by distance: the bucket of each distance, the bias of each head, and what is added to scores.

N distances, H heads.
"""

from collections.abc import Sequence

import numpy as np
from plotly.graph_objects import Figure, Heatmap, Scatter

from core.explain.positions import Biases
from core.figures.palette import BLUE, GREEN, ORANGE, SIGNED, base, token_ticks
from core.figures.picture import Picture
from core.figures.positions_map import CELL, scale_bar
from core.figures.rows import ZERO
from core.figures.wording import capital, count, number, plain, signed
from core.trace import Array

AXIS = "Distance: key's position − query's"


def buckets(biases: Biases) -> Picture:
    """The number of the bucket of each distance, as steps."""
    figure = Figure()
    sides = (("keys before the query and at it", biases.distances <= 0, BLUE), ("keys after it", None, ORANGE))
    for name, chosen, color in sides:
        places = biases.distances > 0 if chosen is None else chosen
        if places.any():
            figure.add_trace(
                Scatter(
                    x=biases.distances[places].tolist(), y=biases.buckets[places].tolist(), name=name, mode="lines",
                    line={"color": color, "width": 2.5, "shape": "hvh"},
                    hovertemplate="distance %{x}: bucket %{y}<extra></extra>",
                )
            )  # fmt: skip
    base(figure, AXIS, "Bucket", 320)
    table = {"Distance": biases.distances.tolist(), "Bucket": biases.buckets.tolist()}
    return Picture("distance-buckets", figure, _buckets_caption(biases), table)


def _buckets_caption(biases: Biases) -> str:
    before = biases.buckets[biases.distances <= 0][::-1]  # distance 0, −1, −2, …
    alone = next((place for place in range(len(before)) if np.sum(before == before[place]) > 1), len(before)) - 1
    last = int(np.flatnonzero(before == before[-1])[0])
    ways = "" if (biases.distances > 0).any() else "; keys after the query are masked"
    half = len(np.unique(before))
    return (
        f"{capital(biases.side)}: {count(biases.size, 'bucket')}, {half} of them for keys before the query and at it. "
        f"The distances 0 to {alone} have one each; all from {last} on share one{ways}."
    )


def head_map(biases: Biases) -> Picture:
    """The bias of each head at each distance, on one scale."""
    limit = max(1e-6, float(np.abs(biases.values).max()))
    heads = [f"{place}" for place in range(1, len(biases.values) + 1)]
    numbers = np.broadcast_to(biases.buckets, biases.values.shape)
    figure = Figure(
        Heatmap(
            z=biases.values, x=biases.distances.tolist(), y=list(range(1, len(heads) + 1)), zmin=-limit, zmax=limit,
            customdata=numbers, colorscale=[list(stop) for stop in SIGNED],
            colorbar=scale_bar("bias of the score", (-limit, limit)),
            hovertemplate="head %{y}, distance %{x}: %{z:.3f}<br>bucket %{customdata}<extra></extra>",
        )
    )  # fmt: skip
    base(figure, AXIS, "Head", max(260, min(CELL, 26) * len(heads) + 150))
    figure.update_layout(showlegend=False, margin={"t": 70})
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False, range=[len(heads) + 0.5, 0.5], dtick=1 if len(heads) <= 16 else None)
    table = {"Distance": biases.distances.tolist(), "Bucket": biases.buckets.tolist()}
    table |= {f"Head {name}": row.tolist() for name, row in zip(heads, biases.values, strict=True)}
    return Picture(f"{biases.side}-biases", figure, _map_caption(biases), table)


def _map_caption(biases: Biases) -> str:
    said = []
    for name, pick in (("largest", np.argmax), ("smallest", np.argmin)):
        head, place = np.unravel_index(int(pick(biases.values)), biases.values.shape)
        value, distance = float(biases.values[head, place]), int(biases.distances[place])
        said.append(f"the {name} bias is {signed(value)}, of head {head + 1} at {_at(distance)}")
    return f"{capital(biases.side)}, {count(len(biases.values), 'head')}: {'; '.join(said)}."


def _at(distance: int) -> str:
    return f"distance {distance}".replace("-", "−")


def head_line(biases: Biases, head: int) -> Picture:
    """The bias of one head, 0-based, against the distance."""
    row = biases.values[head]
    figure = Figure(
        Scatter(
            x=biases.distances.tolist(), y=row.tolist(), name=f"head {head + 1}", mode="lines",
            customdata=biases.buckets, line={"color": GREEN, "width": 2.5, "shape": "hvh"},
            hovertemplate="distance %{x}: %{y:.3f}<br>bucket %{customdata}<extra></extra>",
        )
    )  # fmt: skip
    base(figure, AXIS, "Bias of the score", 320)
    figure.update_yaxes(**ZERO)
    table = {
        "Distance": biases.distances.tolist(), "Bucket": biases.buckets.tolist(), "Bias": row.tolist(),
    }  # fmt: skip
    return Picture(f"{biases.side}-bias", figure, _line_caption(biases, head), table)


def _line_caption(biases: Biases, head: int) -> str:
    row = biases.values[head]
    best, worst = (int(biases.distances[int(pick(row))]) for pick in (np.argmax, np.argmin))
    factor = float(np.exp(row.max() - row.min()))
    times = f"{factor:,.0f}" if factor >= 100 else number(factor)
    return (
        f"{capital(biases.side)}, head {head + 1}: from {signed(float(row.min()))} at {_at(worst)} to "
        f"{signed(float(row.max()))} at {_at(best)}. Of two keys with the same dot product the one at {_at(best)} gets "
        f"{times} times the weight of the one at {_at(worst)}."
    )


def score_map(matrix: Array, labels: Sequence[str], side: str, head: int, tokens: int) -> Picture:
    """What is added to the scores of one head for each query and key.

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
    figure = Figure(
        Heatmap(
            z=shown, x=places, y=places, zmin=-limit, zmax=limit, colorscale=[list(stop) for stop in SIGNED],
            colorbar=scale_bar("added to the score", (-limit, limit)), hoverongaps=False,
            hovertemplate="query %{y}, key %{x}: %{z:.3f}<extra></extra>",
        )
    )  # fmt: skip
    ticks = token_ticks(texts)
    base(figure, "Key", "Query", max(340, min(640, 14 * len(labels) + 220)))
    figure.update_layout(showlegend=False, margin={"t": 70})
    figure.update_xaxes(**ticks)
    figure.update_yaxes(
        tickvals=ticks["tickvals"], ticktext=ticks["ticktext"], showgrid=False, range=[len(labels) + 0.5, 0.5]
    )
    table: dict[str, list[object]] = {"Query": [*texts]}
    table |= {
        f"{place} · {text}": [None if np.isnan(value) else float(value) for value in shown[:, place - 1]]
        for place, text in enumerate(texts, 1)
    }
    part = "" if len(labels) == tokens else f" Drawn are the first {len(labels)} of {count(tokens, 'token')}."
    last = len(labels) - 1
    caption = (
        f"{capital(side)} self-attention, head {head + 1}, every layer: where “{texts[last]}” looks at "
        f"“{texts[0]}”, {_at(-last)}, {signed(float(matrix[last, 0]))} is added; at itself "
        f"{signed(float(matrix[last, last]))}. Each diagonal is one distance and has one colour.{part}"
    )
    return Picture(f"{side}-bias-matrix", figure, caption, table)
