"""Numbers, times, days and prices: one value however they are written."""

from core.faults.quantities import quantities
from tests.figures.drawing import drawn


def test_values_and_sorts(snapshot):
    texts = ["twenty-five and 25", "half past ten, 10:30, 10.30 a.m. and ten thirty", "7:00, 7 p.m., seven o'clock"]
    texts += ["a quarter to six, ten minutes past eight", "$25, twenty-five dollars", "two and a half years"]
    texts += ["20,000, 20, 000 RMB, twenty thousand, 20k", "three hundred and fifty-two, a hundred"]
    texts += ["the third, 3rd, 21st", "Thursday, Mondays in June", "from 20 to 30", "1.2.3 \u0663 \u2167", ""]
    texts += ["one of them, the first, may I, #Person2#, room 2B, someone, often, tenths"]
    found = [quantities(text) for text in texts]
    assert drawn(
        {"text": texts, "values": [[each.value for each in some] for some in found],
         "sorts": [[each.sort for each in some] for some in found]}
    ) == snapshot  # fmt: skip
    text = "Call me at half past ten on Fridays."
    assert [text[each.start : each.end] for each in quantities(text)] == ["half past ten", "Friday"]


def test_long_texts_are_read():
    cases = [("1" * 50_000, 1), ("five hundred " * 5_000, 5_000), ("twenty, " * 8_000, 8_000), ("1," * 25_000, 1)]
    for text, count in cases:
        assert len(quantities(text)) == count, text[:9]
