"""Pictures of a mask that is missing, from made-up numbers."""

import numpy as np

from core.config import END
from core.figures.masks.leaks import leak, loss_bars, padding_curves
from tests.figures.conftest import cannot_draw, said, token
from tests.figures.drawing import drawn

TOKENS = [token("the"), token("<b>cat</b>"), token("sat"), token("[EOS]", END)]


def arrays(*rows: list[float]) -> tuple[np.ndarray, ...]:
    return tuple(np.float32(row) for row in rows)


def test_a_leak_is_a_number_and_none_is_zero(snapshot):
    probability = arrays([0, 0, 0, 0.5], [0.02, 0.31, 0.1, 0.6])
    picture = leak(TOKENS, 2, " ran", probability, arrays([0, 0, 0, -1], [0.1, -0.75, 0, -2]))
    # A leak through the mask would be said.
    through = leak(TOKENS, 0, "a", arrays([0.001, 0.5, 0, 0], [0.2, 0.5, 0, 0]), arrays([0] * 4, [0.5, 0, 0, 0]))
    assert drawn(picture, said(through)) == snapshot
    # Many tokens lie one under another.
    picture = leak([token("x")] * 31, 29, "y", *[arrays([0] * 31, [0.1] * 31)] * 2)
    assert picture.figure.data[0].orientation == "h" and picture.figure.layout.shapes[0].y0 == 30.5


def test_numbers_must_fit_the_tokens():
    fine = arrays([0] * 4, [0] * 4)
    for place, probability in ((4, fine), (-1, fine), (0, arrays([0] * 4, [0] * 3))):
        cannot_draw("one number a token", leak, TOKENS, place, "a", probability, fine)
    cannot_draw("two losses a text. Received: 1 and 2 for 1", loss_bars, ["a"], [1], [1, 2])
    cannot_draw("Received: none 1 for 1", padding_curves, [0], {"none": [0]}, 0, 4)


def test_the_loss_goes_where_it_goes(snapshot):
    others = loss_bars(["a"], [2], [1]), loss_bars(["a", "b", "c"], [1, 1, 1], [2, 0.5, 3])
    assert drawn(loss_bars(["The summary", "Reference 1"], [1.0, 3.0], [2.5, 3.5]), *map(said, others)) == snapshot


def test_padding_curves_say_the_noise_and_the_cost(snapshot):
    curves = {"none": [0, 4e-6], "encoder": [0, -2], "cross": [0, 1], "both": [0, -6]}
    none = padding_curves([0, 8], {name: [0, 2] if name == "both" else [0, 0] for name in curves}, 8, 4)
    only = padding_curves([0], {name: [0] for name in curves}, 0, 4)
    assert drawn(padding_curves([0, 128], curves, 128, 4), said(none), said(only)) == snapshot
