"""Pictures of masks and of scores, from cells that are counted by hand."""

import numpy as np
import pytest

from core.explain.masks import Cells
from core.figures.masks import hidden_share, mask, scores
from tests.figures.conftest import said

LOWER = np.tril(np.ones((3, 3), dtype=bool))
NO_LAST = np.array([[True, True, False]] * 3)
NAMES = ["[SOS]", "<b>cat</b>", "[PAD]"]


def cut(padding: list[list[int]], ahead: list[list[int]] | None = None) -> Cells:
    """Cells that padding and look-ahead leave; without the second, all."""
    keys = np.array(padding, dtype=bool)
    return Cells(keys, np.ones_like(keys) if ahead is None else np.array(ahead, dtype=bool))


def test_the_target_mask_tells_why_a_cell_is_blocked():
    """Of nine cells five are open; (3, 3) is padding alone, (1, 2) later alone, (1, 3) and (2, 3) both."""
    picture = mask("target", Cells(NO_LAST, LOWER), NAMES, NAMES)
    assert picture.caption == (
        "Target mask: 5 of 9 cells are open; 1 by padding alone, 1 by look-ahead alone and 2 by both are blocked."
    )
    drawn = {trace.name: [(int(y), round(b + 0.47)) for y, b in zip(trace.y, trace.base, strict=True)]
             for trace in picture.figure.data}  # fmt: skip
    assert drawn == {
        "1: attend": [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)],
        "0: the key is padding": [(3, 3)],
        "0: the key is later": [(1, 2)],
        "0: both": [(1, 3), (2, 3)],
    }
    hover = picture.figure.data[3].hovertext
    assert hover[1] == "2 · &lt;b&gt;cat&lt;/b&gt; → 3 · [PAD]<br>padding 0 ∧ look-ahead 0 = 0"
    assert picture.table["Target mask"] == [1, 0, 0, 1, 1, 0, 1, 1, 0]
    assert picture.table["Not later"] == [1, 0, 0, 1, 1, 0, 1, 1, 1]
    assert picture.name == "target-mask" and picture.table["Query"][3] == "<b>cat</b>"


def test_the_caption_follows_the_cells(subtests):
    for kind, cells, text in [
        ("padding", cut([[1]]), "Padding mask: 1 of 1 cell is open."),
        ("cross", cut([[0, 0], [0, 0]], [[1, 0], [1, 1]]), "Cross padding mask: 0 of 4 cells are open; 3 by padding "
         "alone and 1 by both are blocked; 2 queries may look nowhere."),
        ("padding", cut([[1, 0], [0, 0]]), "Padding mask: 1 of 4 cells is open; 3 by padding alone are blocked; "
         "1 query may look nowhere."),
    ]:  # fmt: skip
        size = len(cells.attend)
        assert mask(kind, cells, NAMES[:size], NAMES[:size]).caption == text
    ahead = mask("look_ahead", Cells(np.ones((3, 3), dtype=bool), LOWER), NAMES, NAMES)
    assert ahead.caption == "Look-ahead mask: 6 of 9 cells are open; 3 by look-ahead alone are blocked."
    assert [trace.name for trace in ahead.figure.data] == ["1: attend", "0: the key is later"]
    cells = Cells(NO_LAST, LOWER)
    for rows, columns in (([], NAMES), (NAMES[:2], NAMES), (NAMES, NAMES[:2])):
        refusal = r"one label a row and a column. Received: \[3, 3\]"
        with subtests.test(rows=rows), pytest.raises(ValueError, match=refusal):
            mask("target", cells, rows, columns)
        with subtests.test(rows=rows), pytest.raises(ValueError, match="one label a row"):
            scores(np.zeros((3, 3), np.float32), cells, rows, columns, "x")


def test_scores_before_the_softmax():
    values = np.float32([[1, 5, 0], [-2, 3, 1], [-0.01, 0, 4]])
    picture = scores(values, Cells(NO_LAST, LOWER), NAMES, NAMES, "Encoder self-attention, layer 1, head 2")
    assert said(picture) == (
        "Encoder self-attention, layer 1, head 2: scores from −2.00 to 5.00; the highest, “[SOS]” → “<b>cat</b>”, is "
        "blocked, so it does not count. The mask turns 4 of 9 scores into −1e9."
    )
    heat, texts, blocked = picture.figure.data[:3]
    assert (heat.zmin, heat.zmax) == (-5, 5) and list(texts.text) == ["1.0", "−2.0", "3.0", "0.0", "0.0"]
    assert blocked.name == "blocked: becomes −1e9" and len(blocked.y) == 4
    assert picture.table["After the mask"] == [1, -1e9, -1e9, -2, 3, -1e9, pytest.approx(-0.01), 0, -1e9]
    assert picture.table["Score"][1] == 5
    low = scores(np.float32([[2, 1]]), cut([[1, 1]]), ["q"], ["k", "l"], "x")
    assert "“q” → “k”, is open. The mask turns 0 of 2 scores" in low.caption
    wide = scores(np.zeros((1, 9), np.float32), cut([[1] * 9]), ["q"], ["k"] * 9, "x")
    assert [trace.name for trace in wide.figure.data] == [None]
    # What blocked cells get is said.
    for weights, cells, text in [
        ([[1, 0], [0.5, 0.5]], cut([[1, 0], [0, 0]]), "After the softmax 1 blocked cell has exactly 0. The 1 query "
         "that may look nowhere gave every one of 2 keys the same, 50 %."),
        ([[0.8, 0.2], [0.5, 0.5]], cut([[1, 0], [0, 0]]), "at most 20 %"),
        ([[1, 0], [1, 0]], cut([[1, 0], [1, 0]]), "2 blocked cells have exactly 0."),
        ([[0.3, 0.7]], cut([[1, 1]]), "No cell is blocked"),
    ]:  # fmt: skip
        assert text in said(hidden_share(np.float32(weights), cells))
