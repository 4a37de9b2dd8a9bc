"""Sentences and tables about changes, with numbers worked out by hand."""

from types import SimpleNamespace

from core.explain.attention.head_outputs import Head
from core.figures.experiments.changes import effect_sentence, heads_caption, heads_table, resampled, together, without
from core.figures.shared.wording import times
from tests.figures.drawing import drawn

CROSS, ENCODER, DECODER = Head("cross", 1, 0), Head("encoder", 0, 1), Head("decoder", 0, 0)
EFFECTS = {
    ENCODER: SimpleNamespace(drop_per_token=-0.25, changed=0.0, text="Same."),
    CROSS: SimpleNamespace(drop_per_token=1.23456, changed=0.5, text="Other."),
    DECODER: SimpleNamespace(drop_per_token=0.5, changed=None, text=None),
}


def test_how_many_times_less_probable(snapshot):
    """e to the power of the drop, in decimals."""
    drops = (0.0, 0.41, -0.41, 2.31, 7.0, -11.0, 13.83, 120.0, 2000.0)
    assert drawn({"Drop (nats)": drops, "Times": [times(drop) for drop in drops]}) == snapshot
    assert drawn(*map(effect_sentence, (2.31, -0.41, 0.004, 48.33))) == snapshot


def test_turns_together_against_each_alone(snapshot):
    # The least difference that is told is 1 nat, and a fifth of the sum.
    sentences = [together((0, 2), (1.5, 2.5), drop) for drop in (6.5, 5.0, 3.2, 2.9)]
    assert drawn(*sentences, together((0, 1, 2), (10.0, 10.0, 10.0), 35.0)) == snapshot


def test_the_largest_effect_is_named_and_comes_first(snapshot):
    assert drawn(heads_caption(EFFECTS, 12), heads_caption({}, 12), heads_table(EFFECTS)) == snapshot


def test_sets_of_heads_are_named(snapshot):
    five = {Head("cross", 0, head) for head in range(5)}
    sets = [({ENCODER, DECODER}, "zero"), ({ENCODER, DECODER}, "mean"), ({CROSS}, "mean"), (five, "zero")]
    assert drawn(*(without(heads, given) for heads, given in sets)) == snapshot


def test_resampled_heads_are_named_with_their_interval(snapshot):
    assert drawn(without({CROSS}, "resample"), resampled(0.5, 0.25, 8)) == snapshot
