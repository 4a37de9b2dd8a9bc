"""Sentences and the table about ablated heads, with numbers worked out by hand."""

from types import SimpleNamespace

from core.explain.attention.head_outputs import Head
from core.figures.experiments.head_effects import caption, resampled, table, without
from tests.figures.drawing import drawn

CROSS, ENCODER, DECODER = Head("cross", 1, 0), Head("encoder", 0, 1), Head("decoder", 0, 0)
EFFECTS = {
    ENCODER: SimpleNamespace(drop_per_token=-0.25, changed=0.0, text="Same."),
    CROSS: SimpleNamespace(drop_per_token=1.23456, changed=0.5, text="Other."),
    DECODER: SimpleNamespace(drop_per_token=0.5, changed=None, text=None),
}


def test_the_largest_effect_is_named_and_comes_first(snapshot):
    assert drawn(caption(EFFECTS, 12), caption({}, 12), table(EFFECTS)) == snapshot


def test_sets_of_heads_are_named(snapshot):
    five = {Head("cross", 0, head) for head in range(5)}
    sets = [({ENCODER, DECODER}, "zero"), ({ENCODER, DECODER}, "mean"), ({CROSS}, "mean"), (five, "zero")]
    assert drawn(*(without(heads, given) for heads, given in sets)) == snapshot


def test_resampled_heads_are_named_with_their_interval():
    assert without({CROSS}, "resample") == "with head 1 of layer 2 (cross-attention) resampled"
    said = "Over 8 draws the summary loses +0.50 ± 0.25\xa0nats a token (95 % interval of the mean)."
    assert resampled(0.5, 0.25, 8).startswith(said)
