"""The bench of strategies."""

import pytest

from core.figures.bench import BenchRow, bench

GREEDY = BenchRow("Greedy", "A <b>nap</b>.", -6.0, 4, -1.5, 0.0, 0.0, 0.5, True, 31.0, 0.625)
BEAM = BenchRow("Beam 4", "A cat naps.", -5.0, 5, -1.0, 0.1, 0.6, 2.0, False)


def test_the_caption_names_the_likeliest_and_the_fastest():
    assert bench([GREEDY, BEAM]).caption.replace("\u00a0", " ") == (
        "Most probable per token: Beam 4, −1.00 nats; fastest: Greedy, 0.50 s, 4.0 times as fast as Beam 4."
    )
    assert bench([GREEDY]).caption.replace("\u00a0", " ") == "Greedy wrote −1.50 nats a token in 0.50 s."


def test_rows_stay_in_order_and_hover_is_escaped():
    figure = bench([GREEDY, BEAM]).figure
    chances, seconds, _ = figure.data
    assert list(chances.x) == [-1.5, -1.0] and list(seconds.x) == [0.5, 2.0]
    assert list(chances.customdata) == [0, 1] and "A &lt;b&gt;nap&lt;/b&gt;." in chances.hovertext[0]
    assert list(chances.marker.symbol) == ["circle", "circle-open"] and figure.layout.yaxis.range[0] > 0
    assert len(bench([GREEDY]).figure.data) == 2


def test_the_table_has_everything():
    table = bench([GREEDY, BEAM]).table
    assert table["Per token (nats)"] == [-1.5, -1.0] and table["ROUGE-1"] == [31.0, None]
    assert table["BERTScore F1"] == [0.625, None]
    assert {len(column) for column in table.values()} == {2} and len(table) == 12
    with pytest.raises(ValueError, match="Received: none"):
        bench([])
