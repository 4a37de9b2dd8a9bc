"""The strategy comparison."""

import pytest

from core.figures.strategy_comparison import StrategyRow, strategy_comparison
from tests.figures.conftest import said

GREEDY = StrategyRow("Greedy", "A <b>nap</b>.", -6.0, 4, -1.5, 0.0, 0.0, 0.5, True, 31.0, 0.625)
BEAM = StrategyRow("Beam 4", "A cat naps.", -5.0, 5, -1.0, 0.1, 0.6, 2.0, False)


def test_the_strategy_comparison():
    picture, alone = strategy_comparison([GREEDY, BEAM]), strategy_comparison([GREEDY])
    assert said(picture) == (
        "Most probable per token: Beam 4, −1.00 nats; fastest: Greedy, 0.50 s, 4.0 times as fast as Beam 4."
    )
    assert said(alone) == "Greedy wrote −1.50 nats a token in 0.50 s." and len(alone.figure.data) == 2
    chances, seconds, _ = picture.figure.data
    assert list(chances.x) == [-1.5, -1.0] and list(seconds.x) == [0.5, 2.0]
    assert list(chances.customdata) == [0, 1] and "A &lt;b&gt;nap&lt;/b&gt;." in chances.hovertext[0]
    assert list(chances.marker.symbol) == ["circle", "circle-open"] and picture.figure.layout.yaxis.range[0] > 0
    columns = {"Per token (nats)": [-1.5, -1.0], "ROUGE-1": [31.0, None], "BERTScore F1": [0.625, None]}
    assert {name: picture.table[name] for name in columns} == columns
    assert {len(column) for column in picture.table.values()} == {2} and len(picture.table) == 12
    with pytest.raises(ValueError, match="Received: none"):
        strategy_comparison([])
