"""Sentences about a change, with numbers worked out by hand."""

from core.figures.experiments.changes import effect_sentence, together
from core.figures.shared.wording import times
from tests.figures.drawing import drawn


def test_how_many_times_less_probable(snapshot):
    """e to the power of the drop, in decimals."""
    drops = (0.0, 0.41, -0.41, 2.31, 7.0, -11.0, 13.83, 120.0, 2000.0)
    assert drawn({"Drop (nats)": drops, "Times": [times(drop) for drop in drops]}) == snapshot
    assert drawn(*map(effect_sentence, (2.31, -0.41, 0.004))) == snapshot
    assert "+48.33 nats: with this change it is nearly impossible, 9.76 · 10²⁰ times" in effect_sentence(48.33)


def test_turns_together_against_each_alone(snapshot):
    # The least difference that is told is 1 nat, and a fifth of the sum.
    sentences = [together((0, 2), (1.5, 2.5), drop) for drop in (6.5, 5.0, 3.2, 2.9)]
    assert drawn(*sentences, together((0, 1, 2), (10.0, 10.0, 10.0), 35.0)) == snapshot
