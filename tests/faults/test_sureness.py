"""Labelled summaries in thirds, by hand."""

from core.faults.labels import Label, LabelledSummary
from core.faults.sureness import Sureness, thirds


def test_thirds_by_hand():
    def row(*types):
        return LabelledSummary("1", "f00", "", tuple(Label(name) for name in types))

    rows = [row("missing"), row("grammar"), row(), row("missing", "predicate"), row("wrong_name"), row()]
    found = thirds(rows, [-0.1, -2.0, -0.3, -0.9, -0.5, -0.4])
    assert found == (Sureness(-2.0, -0.9, 2, 2), Sureness(-0.5, -0.4, 2, 1), Sureness(-0.3, -0.1, 2, 0))
