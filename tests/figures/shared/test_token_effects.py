"""The picture of the effects on tokens, with numbers worked out by hand."""

import numpy as np

from core.config import END
from core.figures.shared.token_effects import token_effects
from tests.figures.conftest import cannot_draw, said, token
from tests.figures.drawing import drawn

TOKENS = [token("the"), token("<b>Friday</b>"), token("the"), token("[EOS]", END)]


def changed(*after: float, noise: float = 0):
    before, after = (np.log(np.array(each)).astype(np.float32) for each in ((0.5, 0.6, 0.5, 0.5), after))
    return token_effects(TOKENS, before, after + np.float32(noise), "without <i>head</i> 2")


def test_a_change_of_tokens_is_said_and_drawn_by_sign(snapshot):
    # ln 5 + ln 2 − ln 2 = 1.609; ln 1.5 − ln 2 + ln 2; as much lost as gained; 3 ln 0.5 + ln 0.6, kept.
    others = [changed(*after) for after in ((0.5, 0.9, 0.25, 1.0), (0.5, 0.6, 0.25, 1.0), (0.5, 0.6, 0.5, 0.5))]
    assert drawn(changed(0.5, 0.12, 0.25, 1.0), *map(said, others)) == snapshot
    # Rounding noise does not fill the axis, and many tokens lie one under another.
    noise = changed(0.5, 0.6, 0.5, 0.5, noise=1e-6).figure
    assert noise.layout.yaxis.range[1] >= 0.05 and noise.data[0].orientation == "v"
    many = token_effects([token("a")] * 96, np.full(96, -1.0), np.full(96, -2.0), "without it").figure
    assert many.data[0].orientation == "h" and list(many.data[0].x) == [1.0] * 96
    assert many.layout.height > 96 * 16 and many.layout.xaxis.range[1] > 1
    cannot_draw("Received: 1 and 2 for 2 tokens", token_effects, TOKENS[:2], np.zeros(1), np.zeros(2), "without it")
