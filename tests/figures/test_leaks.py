"""Pictures of a mask that is missing, from made-up numbers."""

import numpy as np
import pytest

from core.config import END
from core.figures.leaks import leak, loss_bars, padding_curves
from tests.figures.conftest import said, token

TOKENS = [token("the"), token("<b>cat</b>"), token("sat"), token("[EOS]", END)]


def arrays(*rows: list[float]) -> tuple[np.ndarray, ...]:
    return tuple(np.float32(row) for row in rows)


def test_a_leak_is_a_number_and_none_is_zero():
    picture = leak(
        TOKENS, 2, " ran", arrays([0, 0, 0, 0.5], [0.02, 0.31, 0.1, 0.6]), arrays([0, 0, 0, -1], [0.1, -0.75, 0, -2])
    )
    assert said(picture) == (
        "With “ran” in place of “sat”, number 3, the 3 positions up to it move by exactly 0 under the look-ahead mask; "
        "without it a probability moves by up to 31 points (position 2, “<b>cat</b>”) and the log-probability of a "
        "token by up to 0.75 nats."
    )
    kept, removed = picture.figure.data
    assert (kept.name, removed.name) == ("with the mask", "without it")
    np.testing.assert_allclose(kept.y, [0, 0, 0, 50])
    np.testing.assert_allclose(removed.y, [2, 31, 10, 60], rtol=1e-6)
    assert "&lt;b&gt;cat" in removed.hovertext[1]
    band = picture.figure.layout.shapes[0]
    assert (band.x0, band.x1, band.name) == (3.5, 4.6, "may know of the change")
    assert picture.table["When asked"] == ["before the changed token is read"] * 3 + ["after the changed token is read"]
    assert picture.table["Token"][-1] == "the end"
    # A leak through the mask would be said.
    caption = said(leak(TOKENS, 0, "a", arrays([0.001, 0.5, 0, 0], [0.2, 0.5, 0, 0]), arrays([0] * 4, [0.5, 0, 0, 0])))
    assert "the 1 position up to it moves by 1.0e-03" in caption and "up to 20 points (position 1, “the”)" in caption
    # Many tokens lie one under another.
    picture = leak([token("x")] * 31, 29, "y", *[arrays([0] * 31, [0.1] * 31)] * 2)
    assert picture.figure.data[0].orientation == "h" and picture.figure.layout.shapes[0].y0 == 30.5


def test_numbers_must_fit_the_tokens(subtests):
    fine = arrays([0] * 4, [0] * 4)
    for place, probability in ((4, fine), (-1, fine), (0, arrays([0] * 4, [0] * 3))):
        with subtests.test(place=place), pytest.raises(ValueError, match="one number a token"):
            leak(TOKENS, place, "a", probability, fine)
    with pytest.raises(ValueError, match="two losses a text. Received: 1 and 2 for 1"):
        loss_bars(["a"], [1], [1, 2])
    with pytest.raises(ValueError, match="Received: none 1 for 1"):
        padding_curves([0], {"none": [0]}, 0, 4)


def test_the_loss_goes_where_it_goes():
    up = loss_bars(["The summary", "Reference 1"], [1.0, 3.0], [2.5, 3.5])
    assert said(up) == (
        "The summary: 1.00 nats a token with the mask, 2.50 without it; the loss rises: this model never learnt to use "
        "the future, so seeing it only disturbs."
    )
    assert up.table["Change"] == [1.5, 0.5] and list(up.figure.data[1].x) == [2.5, 3.5]
    assert "the loss falls: seeing what comes next helps" in loss_bars(["a"], [2], [1]).caption
    mixed = said(loss_bars(["a", "b", "c"], [1, 1, 1], [2, 0.5, 3]))
    assert mixed.endswith("with the mask, 2.00 without it; of 3 texts the loss rises for 2 and falls for 1.")


def test_padding_curves_say_the_noise_and_the_cost():
    curves = {"none": [0, 4e-6], "encoder": [0, -2], "cross": [0, 1], "both": [0, -6]}
    picture = padding_curves([0, 128], curves, 128, 4)
    assert said(picture) == (
        "With both masks up to 128 pad tokens change at most 4e−06 nats, the rounding of float32; without any the "
        "summary loses 6.00 nats (−1.50 a token), −2.00 without the encoder's alone and +1.00 without the "
        "cross-attention's alone."
    )
    assert [trace.name for trace in picture.figure.data][-1] == "none at all"
    assert picture.figure.layout.shapes[0].x0 == 128 and picture.table["none at all (nats)"] == [0, -6]
    none = padding_curves([0, 8], {name: [0, 2] if name == "both" else [0, 0] for name in curves}, 8, 4).caption
    assert "change exactly nothing; without any the summary gains 2.00" in said(none)
    only = padding_curves([0], {name: [0] for name in curves}, 0, 4).caption
    assert said(only).endswith("exactly nothing; there is no room for more.")
