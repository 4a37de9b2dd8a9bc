"""What written tokens owe to the dialogue, drawn and said: a summary of two tokens by hand."""

import numpy as np
import pytest

from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import Group
from core.figures.summarize.own_words import caption, shade_data, shares, table
from core.trace import Token

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


def test_the_bars_of_a_token_are_its_shares_and_reach_1():
    picture = shares(MADE)
    assert [list(bar.y) for bar in picture.figure.data] == [[0.75, 0.25], [0, 0.5], [0.25, 0.25]]
    assert picture.table["From its own words"] == [0, 0.5] and picture.table["Token"] == ["<b>", "go"]
    assert "50\xa0% of what the tokens are made of comes from the dialogue; least of “go”, 25\xa0%" in picture.caption
    assert "Check passed" in picture.caption
    assert "&lt;b&gt;" in str(picture.figure.data[0].hovertext) and "<b>" not in str(picture.figure.data[0].hovertext)


def test_a_shade_has_its_interval_and_says_where_it_is_not_above_0():
    assert table(RELIED)["± (nats)"] == [0.5, 2.0]
    drawn = shade_data(RELIED)
    assert (drawn["values"], drawn["half"], drawn["most"]) == ([3, -1], [0.5, 2], 3)
    assert "For 1 of 2 tokens the interval does not lie above 0" in drawn["caption"] and "**" not in drawn["caption"]
    assert "“<b>” relies on the dialogue most, +3.00 nats; the mean is +1.00 nats" in caption(RELIED)


def test_a_method_without_own_words_has_no_shares():
    with pytest.raises(ValueError, match="reliance has no shares"):
        shares(RELIED)
