"""The answer of a method: sizes, sums by word, turn and speaker, and its check."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import groups
from core.trace import Token
from tests.closeness import near
from tests.refusals import refused

SOURCE = tuple(
    Token(text, 10 + place, place, place + 1, turn, speaker, word)
    for place, (text, turn, speaker, word) in enumerate(
        [("un", 0, "Ann", 0), ("do", 0, "Ann", 0), ("it", 1, "Ben", 1), ("now", 2, "Ann", 2)]
    )
)
CHECK = Check("sums", 0.1234567, 0.5)


@pytest.fixture
def found() -> Attribution:
    values = np.array([[1, 2, 3, 4], [0, -1, 0, 1]])
    return Attribution("x", "F", ("a", "b"), SOURCE, groups(SOURCE, "token"), values, "nats", CHECK)


def test_columns_add_up_by_word_turn_and_speaker(found: Attribution) -> None:
    for unit, sums in {"word": [3, 3, 4], "turn": [3, 3, 4], "speaker": [7, 3]}.items():
        rolled = found.by(unit)
        near(rolled.values[0], sums, terms=4)
        near(rolled.values.sum(axis=1), found.values.sum(axis=1), terms=4)
    assert [column.label for column in found.by("turn").by("speaker").columns] == ["Ann", "Ben"]


def test_turns_cannot_be_taken_apart(found: Attribution) -> None:
    refused(SettingsError, "several of the parts", found.by("turn").by, "token")
    assert found.by("turn").by("turn").values.tolist() == found.by("turn").values.tolist()


def test_sizes_are_checked(found: Attribution) -> None:
    for change, why in [
        ({"rows": ("a",)}, "values must have the shape"), ({"columns": groups(SOURCE, "turn")}, "values must have"),
        ({"columns": groups(SOURCE, "token") * 2}, "once"), ({"source": SOURCE[:2]}, "columns must hold"),
        ({"prefix": np.zeros((2, 3))}, "prefix must have"), ({"unit": "points"}, "unit must be"),
    ]:  # fmt: skip
        refused(ValueError, why, replace, found, **change)
    refused(ValueError, "read-only", found.values.fill, 0)


def test_plain_types_have_six_digits_and_the_check(found: Attribution) -> None:
    plain = replace(found, values=found.values / 3).to_dict()
    assert plain["values"][0] == [0.333333, 0.666667, 1.0, 1.33333]
    assert plain["check"] == {"name": "sums", "value": 0.123457, "bound": 0.5, "holds": True}
    assert "prefix" not in plain and list(plain)[:4] == ["method", "target", "rows", "columns"]


def test_what_is_no_number_does_not_pass() -> None:
    assert not Check("x", float("nan"), 1).holds and Check("x", float("nan"), 1).to_dict()["value"] is None
