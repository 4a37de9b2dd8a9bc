"""Pictures of masks and of scores, from cells that are counted by hand."""

from io import BytesIO

import numpy as np

from core.explain.masks.masks import Cells
from core.figures.masks.masks import hidden_share, mask, scores
from core.figures.shared.files import to_npz
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

LOWER = np.tril(np.ones((3, 3), dtype=bool))
NO_LAST = np.array([[True, True, False]] * 3)
NAMES = ["[SOS]", "<b>cat</b>", "[PAD]"]


def cut(padding: list[list[int]], ahead: list[list[int]] | None = None) -> Cells:
    """Cells that padding and look-ahead leave; without the second, all."""
    keys = np.array(padding, dtype=bool)
    return Cells(keys, np.ones_like(keys) if ahead is None else np.array(ahead, dtype=bool))


def test_the_target_mask_tells_why_a_cell_is_blocked(snapshot):
    """Of nine cells five are open; (3, 3) is padding alone, (1, 2) later alone, (1, 3) and (2, 3) both."""
    picture = mask("target", Cells(NO_LAST, LOWER), NAMES, NAMES)
    assert drawn(picture) == snapshot
    with np.load(BytesIO(to_npz(picture.table))) as arrays:
        assert arrays["Query"].tolist() == NAMES and (arrays["Target mask"] == NO_LAST & LOWER).all()


def test_the_caption_follows_the_cells(snapshot):
    cases = [("padding", cut([[1]])), ("cross", cut([[0, 0], [0, 0]], [[1, 0], [1, 1]])),
             ("padding", cut([[1, 0], [0, 0]])), ("look_ahead", Cells(np.ones((3, 3), dtype=bool), LOWER))]  # fmt: skip
    named = [(kind, cells, NAMES[: len(cells.attend)]) for kind, cells in cases]
    pictures = [mask(kind, cells, names, names) for kind, cells, names in named]
    assert drawn(*map(said, pictures), [trace.name for trace in pictures[-1].figure.data]) == snapshot
    cells = Cells(NO_LAST, LOWER)
    for rows, columns in (([], NAMES), (NAMES[:2], NAMES), (NAMES, NAMES[:2])):
        why = r"one label a row and a column. Received: \[3, 3\]"
        cannot_draw(why, mask, "target", cells, rows, columns)
        cannot_draw(why, scores, np.zeros((3, 3), np.float32), cells, rows, columns, "x")


def test_scores_before_the_softmax(snapshot):
    values = np.float32([[1, 5, 0], [-2, 3, 1], [-0.01, 0, 4]])
    picture = scores(values, Cells(NO_LAST, LOWER), NAMES, NAMES, "Encoder self-attention, layer 1, head 2")
    low = scores(np.float32([[2, 1]]), cut([[1, 1]]), ["q"], ["k", "l"], "x")
    assert drawn(picture, said(low)) == snapshot
    wide = scores(np.zeros((1, 9), np.float32), cut([[1] * 9]), ["q"], ["k"] * 9, "x")
    assert [trace.name for trace in wide.figure.data] == [None]


def test_what_blocked_cells_get_is_said(snapshot):
    cases = [([[1, 0], [0.5, 0.5]], [[1, 0], [0, 0]]), ([[0.8, 0.2], [0.5, 0.5]], [[1, 0], [0, 0]]),
             ([[1, 0], [1, 0]], [[1, 0], [1, 0]]), ([[0.3, 0.7]], [[1, 1]])]  # fmt: skip
    assert drawn(*(hidden_share(np.float32(weights), cut(padding)) for weights, padding in cases)) == snapshot
