"""Masks as values: what is typed, and why each cell is blocked, counted by hand."""

import numpy as np

from core.errors import SettingsError
from core.explain.masks.masks import ROWS, Batch, Masks, check_rows, filled, read_pads, read_rows
from tests.refusals import refusals, refused


def masks(source: list[list[int]], target: list[list[int]]) -> Masks:
    """By hand: pad id 0."""
    keys = np.array(target) != 0
    ahead = np.tril(np.ones((len(target[0]),) * 2, dtype=bool))
    return Masks(
        (np.array(source) != 0)[:, None, None], keys[:, None, None], ahead, keys[:, None, None] & ahead[None, None]
    )


def test_pad_ids_are_an_int_or_a_set(snapshot):
    for text, pads in [("0", (0,)), (" 0, 7 ", (0, 7)), ("{7 0;7}", (7, 0)), ("999999", (999999,)), ("007", (7,))]:
        assert read_pads(text) == pads, text
        found = Batch(np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int32), pads).pad
        assert found == (pads[0] if len(pads) == 1 else frozenset(pads)), text
    assert refusals(SettingsError, read_pads, ["", "{}", "x", "0, -1", "1.5", "1000000", "٣"]) == snapshot


def test_rows_of_ids(snapshot):
    assert read_rows("1 2, 3\n\n  \n4;5\n") == [[1, 2, 3], [4, 5]]
    assert read_rows(ROWS["tutorial"])[1] == [1, 2, 0, 0, 0, 0, 0]
    assert refusals(SettingsError, read_rows, ["", "1\n2\n3\n4\n5", "1 2\n3 b", " ".join("1" * 25)]) == snapshot
    refused(SettingsError, "1 to 4 texts here. Received: 0", check_rows, [], texts=True)
    table = filled([[5, 6, 7], [8]], 9)
    assert table.tolist() == [[5, 6, 7], [8, 9, 9]] and table.dtype == np.int32


def test_cells_by_hand():
    # The second row of the tutorial has two tokens and five pads: 13 open; of the others 15 are padding alone, 1 is
    # later alone, 20 are both.
    rows = read_rows(ROWS["tutorial"])
    found = masks(rows, rows)
    cells = found.cells("target", 1)
    np.testing.assert_array_equal(cells.attend, found.target[1, 0])
    counts = {("target", 1): (13, 15, 1, 20), ("look_ahead", 1): (28, 0, 21, 0), ("padding", 1): (14, 35, 0, 0)}
    for place, count in (counts | {("target", 2): (28, 0, 21, 0)}).items():
        assert found.cells(*place).counts == count and not found.cells(*place).blind
    assert [found.stored(name).shape for name in ("padding", "look_ahead", "target", "cross")] == [
        (3, 1, 1, 7), (7, 7), (3, 1, 7, 7), (3, 1, 1, 7)
    ]  # fmt: skip
    assert found.stored("cross") is found.padding
    # Cross cells have a row a target token and a column a source token.
    found = masks([[5, 6, 0]], [[1, 5]])
    assert found.cells("cross", 0).attend.tolist() == [[True, True, False]] * 2
    assert found.cells("padding", 0).attend.shape == (3, 3) and found.cells("target", 0).attend.shape == (2, 2)
    # Rows without an open key are found; in row 2 two pads stand before the first token.
    rows = read_rows(ROWS["empty"])
    found = masks(rows, rows)
    places = [("target", 1), ("padding", 1), ("target", 2), ("padding", 2), ("look_ahead", 1)]
    assert [found.cells(*place).blind for place in places] == [(0, 1, 2, 3), (0, 1, 2, 3), (0, 1), (), ()]
