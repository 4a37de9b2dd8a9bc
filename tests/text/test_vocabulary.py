"""Tests of the order of an imported vocabulary, on vocabularies of six tokens."""

import pytest

from core.errors import SettingsError
from core.text.vocabulary import NONE, Vocabulary
from tests.refusals import refusals


def test_start_of_its_own_is_copied_and_stays() -> None:
    vocabulary = Vocabulary(6, pad=1, start=4, end=2, unknown=3)
    assert vocabulary.peer == (1, 4, 2, 3, NONE, 0, 4, 5)
    assert vocabulary.ours == (5, 0, 2, 3, 6, 7)
    assert vocabulary.size == 8


@pytest.mark.parametrize(("start", "ours"), [(1, 0), (2, 2), (3, 3)], ids=["padding", "end", "unknown"])
def test_start_that_is_another_special_token_is_only_copied(start: int, ours: int) -> None:
    vocabulary = Vocabulary(6, pad=1, start=start, end=2, unknown=3)
    assert vocabulary.peer == (1, start, 2, 3, NONE, 0, 4, 5)
    assert vocabulary.ours[start] == ours


def test_unknown_may_be_missing() -> None:
    vocabulary = Vocabulary(4, pad=3, start=3, end=0, unknown=None)
    assert vocabulary.peer == (3, 3, 0, NONE, NONE, 1, 2)
    assert vocabulary.ours == (2, 5, 6, 0)


def test_both_orders_agree() -> None:
    vocabulary = Vocabulary(60, pad=0, start=7, end=1, unknown=41)
    assert [vocabulary.peer[ours] for ours in vocabulary.ours] == list(range(60))


def test_dictionary_round_trip() -> None:
    vocabulary = Vocabulary(6, pad=1, start=4, end=2, unknown=None)
    assert Vocabulary.from_dict(vocabulary.to_dict()) == vocabulary


def test_bad_values_are_refused(snapshot) -> None:
    values = {"rows": 6, "pad": 1, "start": 4, "end": 2, "unknown": 3}
    cases = [{"rows": 1}, {"pad": 6}, {"end": None}, {"start": True}, {"end": 1}, {"other": 1}]
    assert refusals(SettingsError, lambda changed: Vocabulary.from_dict(values | changed), cases) == snapshot
