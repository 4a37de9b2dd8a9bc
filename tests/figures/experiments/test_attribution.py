"""The matrix of an answer: every cell in the table, and a sentence that says whether the numbers passed."""

from dataclasses import replace

import numpy as np

from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import groups
from core.figures.experiments.attribution import attribution, verdict
from core.trace import Token
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

SOURCE = tuple(Token(text, 9, place, place + 1, place, "A", place) for place, text in enumerate(("<b>", "go")))
FOUND = Attribution(
    "occlusion", "log p", ("x", "y"), SOURCE, groups(SOURCE, "token"), np.array([[1, -2], [0, 0.5]]), "nats",
    Check("hiding nothing changes nothing", 0, 1e-3),
)  # fmt: skip


def test_the_table_holds_every_cell_and_the_scale_is_even_around_0(snapshot) -> None:
    assert drawn(attribution(FOUND)) == snapshot


def test_numbers_that_do_not_pass_say_so() -> None:
    failed = replace(FOUND, check=Check("sums", 2.0, 0.5))
    assert verdict(failed.check) == "✗ Check not passed: sums (off by 2, allowed 0.5). Do not rely on these numbers."


def test_an_empty_answer_is_refused() -> None:
    cannot_draw("a row and a column", attribution, replace(FOUND, rows=(), values=np.zeros((0, 2))))
