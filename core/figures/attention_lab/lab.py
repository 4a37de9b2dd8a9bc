"""Pictures of the attention lab: what the division by sqrt(d) does to a softmax."""

import math

from plotly.subplots import make_subplots

from core.explain.attention_lab.lab import ScaleEffect
from core.figures.shared.marks import line
from core.figures.shared.palette import AMOUNT, FONT, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import nats, number, percent
from core.words import later, say

HEIGHT = 430


def scale_picture(effect: ScaleEffect) -> Picture:
    """Entropy and largest weight of a softmax over random dot products against d, with and without ÷ √d."""
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.2)
    names = (say("with ÷ √d"), say("without"))
    panels = (effect.entropy, effect.largest)
    for panel, rows in enumerate(panels, 1):
        for name, values, color, dash in zip(names, rows, (AMOUNT, SERIES[0]), ("solid", "dash"), strict=True):
            style, hover = {"color": color, "width": 3, "dash": dash}, f"d = %{{x}}, {name}: %{{y:.3f}}"
            widths, heights = list(effect.widths), [float(value) for value in values]
            curve = line(name, style, widths, heights, hover, {"size": 8}, showlegend=panel == 1)
            figure.add_trace(curve, row=1, col=panel)
        bounds = (math.log(effect.keys), 1 / effect.keys)
        figure.add_hline(y=bounds[panel - 1], line={"color": GREY, "dash": "dot", "width": 2}, row=1, col=panel)
    figure.add_trace(line(say("equal weights"), {"color": GREY, "dash": "dot"}, [None], [None], hoverinfo=None), 1, 1)
    base(figure, say("Width d"), "", HEIGHT)
    ticks = effect.widths[::3]
    figure.update_xaxes(
        type="log", tickvals=ticks, ticktext=[f"{width:,}" for width in ticks], tickfont_size=FONT - 2, tickangle=0
    )
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title_text=say("Entropy of the weights (nats)"), row=1, col=1)
    figure.update_yaxes(title_text=say("Largest weight"), range=[0, 1.05], row=1, col=2)
    return Picture("scale", figure, _scale_caption(effect), _scale_table(effect))


def _scale_caption(effect: ScaleEffect) -> str:
    if effect.keys == 1:
        return say("With a single key its weight is 1 and the entropy 0 at every width: there is nothing to share out.")
    scaled, plain = (float(row[-1]) for row in effect.largest)
    return say(
        "At d = {width:,} the dot products have the variance {variance}; without the division the largest of {keys} "
        "weights is {largest} in the mean and the entropy {entropy}, with it {divided_largest} and {divided_entropy}, "
        "about as at d = {first_width} ({first_largest}).",
        width=effect.widths[-1],
        variance=number(float(effect.variance[-1])),
        keys=effect.keys,
        largest=percent(plain),
        entropy=nats(float(effect.entropy[1][-1])),
        divided_largest=percent(scaled),
        divided_entropy=nats(float(effect.entropy[0][-1])),
        first_width=effect.widths[0],
        first_largest=percent(float(effect.largest[0][0])),
    )


def _scale_table(effect: ScaleEffect) -> dict[str, list[float]]:
    return {
        "d": [*effect.widths],
        later("Variance of q·k"): [float(value) for value in effect.variance],
        later("Entropy, with ÷ √d (nats)"): [float(value) for value in effect.entropy[0]],
        later("Entropy, without (nats)"): [float(value) for value in effect.entropy[1]],
        later("Largest weight, with ÷ √d"): [float(value) for value in effect.largest[0]],
        later("Largest weight, without"): [float(value) for value in effect.largest[1]],
    }
