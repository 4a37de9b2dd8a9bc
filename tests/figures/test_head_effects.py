"""Sentences and the table about ablated heads, with numbers worked out by hand."""

from types import SimpleNamespace

from core.explain.head_outputs import Head
from core.figures.head_effects import caption, table, without

CROSS, ENCODER, DECODER = Head("cross", 1, 0), Head("encoder", 0, 1), Head("decoder", 0, 0)
EFFECTS = {
    ENCODER: SimpleNamespace(drop_per_token=-0.25, changed=0.0, text="Same."),
    CROSS: SimpleNamespace(drop_per_token=1.23456, changed=0.5, text="Other."),
    DECODER: SimpleNamespace(drop_per_token=0.5, changed=None, text=None),
}


def test_the_caption_names_the_head_with_the_largest_effect():
    assert caption(EFFECTS, 12).replace("\xa0", " ") == (
        "3 of 12 heads measured, each ablated alone. The largest effect has head 1 of layer 2 (cross-attention): "
        "1.23 nats a token; without it 50 % of the words change. Without 1 head the text stays as it is, and without "
        "1 head the summary is more probable. A small effect is no proof that a head is idle: others may do its work."
    )
    assert caption({}, 12) == "No head has been ablated alone yet: the cells have no colour."


def test_the_table_has_the_largest_effect_first():
    found = table(EFFECTS)
    assert found["Attention"] == ["Cross-attention", "Decoder self-attention", "Encoder self-attention"]
    assert (found["Layer"], found["Head"]) == ([2, 1, 1], [1, 1, 2])
    assert found["Effect (nats a token)"] == [1.2346, 0.5, -0.25] and found["Share of words changed"] == [0.5, 0.0, 0.0]
    assert found["Summary without it"] == ["Other.", "", "Same."]


def test_sets_of_heads_are_named():
    both = "without head 1 of layer 1 (decoder self-attention) and head 2 of layer 1 (encoder self-attention)"
    assert without({ENCODER, DECODER}, False) == both
    assert without({ENCODER, DECODER}, True) == f"{both}, their means instead"
    assert without({CROSS}, True) == "without head 1 of layer 2 (cross-attention), its mean instead"
    assert without({Head("cross", 0, head) for head in range(5)}, False) == "without 5 heads"
