"""What a case notices at all."""

import logging

import pytest

from core.errors import SettingsError
from tests.fuzz.tried import refusal_of, tried


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (lambda: _raise(ValueError("boo")), "boo"),
        (lambda: _raise(SettingsError(" ")), "says nothing"),
        (lambda: _raise(SettingsError("x\nTraceback")), "holds a traceback"),
        (lambda: _raise(SettingsError("x" * 5000)), "5,000 characters"),
        (lambda: logging.getLogger("x").error("oh"), "logged: oh"),
        (lambda: bytearray(9_000_000), "allocated 9 MB"),
    ],
)
def test_a_case_notices_what_must_not_happen(case, problem: str) -> None:
    with pytest.raises((ValueError, AssertionError), match=problem), tried(megabytes=5):
        case()


def test_a_case_may_work_or_be_refused() -> None:
    assert refusal_of(lambda: None) == ""
    assert refusal_of(lambda: _raise(SettingsError("x must be 1"))) == "x must be 1"
