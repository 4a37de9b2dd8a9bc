"""A few hundred hostile cases, a part of what `make fuzz` runs; and what a case notices at all."""

import logging
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.errors import SettingsError
from tests.fuzz import made
from tests.fuzz.families import FAMILIES
from tests.fuzz.house import opened
from tests.fuzz.run import Family, run

CASES = 300
WHOLE = sum(family.share for family in FAMILIES)


@pytest.fixture(scope="module")
def house() -> Iterator[None]:
    with opened():
        yield


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=[family.name for family in FAMILIES])
def test_hostile_cases_work_or_are_refused_in_a_sentence(family: Family, house: None) -> None:
    patient = replace(family, seconds=6 * family.seconds)  # others test at the same time, and the first case compiles
    for seed in range(max(2, CASES * family.share // WHOLE)):
        problem = run(patient, seed).problem
        assert not problem, f'make fuzz ARGS="--case {family.name}:{seed}"  {problem}'


def _raises() -> None:
    raise ValueError("boo")


def _refuses() -> None:
    raise SettingsError("x must be 1. Received: 2")


def _long() -> None:
    raise SettingsError("x" * 5000)


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (lambda: None, ""),
        (_refuses, ""),
        (_raises, "ValueError: boo"),
        (_long, "5,000 characters"),
        (lambda: logging.getLogger("x").error("oh"), "logged: oh"),
        (lambda: sys.stderr.write("Traceback (most recent call last)"), "written: Traceback"),
        (lambda: sys.stdout.write("Traceback (most recent call last)"), "written: Traceback"),
        (lambda: bytearray(9_000_000), "allocated 9 MB"),
    ],
)
def test_a_case_notices_what_must_not_happen(case, problem: str) -> None:
    found = run(Family("x", "x", 1, lambda rng: case(), megabytes=5), 0)
    assert problem in found.problem and bool(problem) == bool(found.problem)
    assert bool(found.refused) == (case in (_refuses, _long))


def test_a_case_is_late() -> None:
    assert "allowed: 0" in run(Family("x", "x", 1, lambda rng: None, seconds=0), 0).problem


def test_a_seed_makes_the_same_case_again() -> None:
    found: list[str] = []
    family = Family("x", "x", 1, lambda rng: found.append(made.text(rng)))
    for seed in (1, 1, 2):
        run(family, seed)
    assert found[0] == found[1] != found[2]
