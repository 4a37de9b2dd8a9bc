"""Numbers, times, days and prices: one value however they are written."""

from core.faults.quantities import quantities


def test_values_and_sorts():
    for text, values in [
        ("twenty-five and 25", ["25", "25"]),
        ("half past ten, 10:30, 10.30 a.m. and ten thirty", ["10:30"] * 4),
        ("7:00, 7 p.m., seven o'clock", ["7"] * 3),
        ("a quarter to six, ten minutes past eight", ["5:45", "8:10"]),
        ("$25, twenty-five dollars", ["25", "25"]),
        ("20,000, 20, 000 RMB, twenty thousand, 20k", ["20000"] * 4),
        ("three hundred and fifty-two, a hundred", ["352", "100"]),
        ("two and a half years", ["2.5"]),
        ("the third, 3rd, 21st", ["3", "3", "21"]),
        ("Thursday, Mondays in June", ["thursday", "monday", "june"]),
        ("from 20 to 30", ["20", "30"]),
        ("one of them, the first, may I, #Person2#, room 2B, someone, often, tenths", []),
        ("1.2.3 \u0663 \u2167", ["1.2.3", "\u0663"]),
        ("", []),
    ]:
        assert [each.value for each in quantities(text)] == values, text
    for text, sort in [
        ("at 7 pm", "time"), ("7", "number"), ("7th", "ordinal"), ("$7", "money"), ("Friday", "day"),
        ("July", "month"),
    ]:  # fmt: skip
        assert [each.sort for each in quantities(text)] == [sort], text
    text = "Call me at half past ten on Fridays."
    assert [text[each.start : each.end] for each in quantities(text)] == ["half past ten", "Friday"]
    for text, count in [
        ("1" * 50_000, 1), ("five hundred " * 5_000, 5_000), ("twenty, " * 8_000, 8_000), ("1," * 25_000, 1),
    ]:  # fmt: skip
        assert len(quantities(text)) == count, text[:9]
