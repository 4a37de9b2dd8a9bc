"""What written tokens owe to the dialogue, drawn and said: a summary of two tokens by hand."""

import numpy as np

from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import Group
from core.figures.summarize.own_words import caption, shade_data, shares, table
from core.trace import Token
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

SOURCE = (Token("hi", 9, 0, 2, 0, "A", 0),)
CHECK = Check("sums", 0.0, 1e-3)
ALL = (Group("the dialogue", (0,), None, None),)
MADE = Attribution(
    "contributions", "state", ("<b>", "go"), SOURCE, ALL, np.array([[0.75], [0.25]]), "share", CHECK,
    np.array([[0.25, 0], [0.25, 0.5]]), ("[SOS]", "<b>"),
)  # fmt: skip
RELIED = Attribution(
    "reliance", "log p", ("<b>", "go"), SOURCE, ALL, np.array([[3.0], [-1.0]]), "nats", CHECK,
    interval=np.array([[0.5], [2.0]]),
)  # fmt: skip


def test_the_bars_of_a_token_are_its_shares_and_reach_1(snapshot):
    assert drawn(shares(MADE)) == snapshot


def test_a_shade_has_its_interval_and_says_where_it_is_not_above_0(snapshot):
    assert drawn(table(RELIED), *shade_data(RELIED).values(), caption(RELIED)) == snapshot


def test_a_method_without_own_words_has_no_shares():
    cannot_draw("reliance has no shares", shares, RELIED)
