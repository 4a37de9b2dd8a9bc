"""Sentences about a change, with numbers worked out by hand."""

from core.figures.changes import effect_sentence, times, together


def test_how_many_times_less_probable():
    """e to the power of the drop, in decimals."""
    cases = ((0.0, "1"), (0.41, "1.51"), (-0.41, "1.51"), (2.31, "10.1"), (7.0, "1,097"), (-11.0, "59,874"),
             (13.83, "1.01 · 10⁶"), (120.0, "1.30 · 10⁵²"), (2000.0, "3.88 · 10⁸⁶⁸"))  # fmt: skip
    for drop, text in cases:
        assert times(drop) == text
    start = "In all, the effect on the untouched summary is"
    assert effect_sentence(2.31) == f"{start} +2.31 nats: 10.1 times less probable than before."
    assert effect_sentence(-0.41) == f"{start} −0.41 nats: 1.51 times more probable than before."
    assert effect_sentence(0.004) == f"{start} 0.00 nats."


def test_turns_together_against_each_alone():
    for drop, text in (
        (6.5, "2.50 more than the sum. They say the same, and each alone hid the other's part."),
        (5.0, "1.00 more than the sum. They count about as much together as alone."),  # the least that is told is 1
        (3.2, "0.80 less than the sum. They count about as much together as alone."),
        (2.9, "1.10 less than the sum. Together they are worth less than alone: one needs the other."),
    ):
        found = together((0, 2), (1.5, 2.5), drop).replace("\xa0", " ")
        assert found == f"Turns 1 and 3: alone 1.50 and 2.50 nats, together {drop:.2f} nats; {text}"
    assert "They count about" in together((0, 1, 2), (10.0, 10.0, 10.0), 35.0)  # a fifth of the sum is told
