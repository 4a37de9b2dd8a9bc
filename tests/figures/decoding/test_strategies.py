"""The strategy comparison."""

from core.figures.decoding.strategies import StrategyRow, strategy_comparison
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

GREEDY = StrategyRow("Greedy", "A <b>nap</b>.", -6.0, 4, -1.5, 0.0, 0.0, 0.5, True, 31.0, 0.625)
BEAM = StrategyRow("Beam 4", "A cat naps.", -5.0, 5, -1.0, 0.1, 0.6, 2.0, False)


def test_the_strategy_comparison(snapshot):
    assert drawn(strategy_comparison([GREEDY, BEAM]), strategy_comparison([GREEDY])) == snapshot
    cannot_draw("Received: none", strategy_comparison, [])
