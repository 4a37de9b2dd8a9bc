"""Visits for tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from core.place import Place
from core.visited.visit import Visit

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STEP = Visit(
    "Cat · step by step, step 3", "step by step",
    Place("decoding", {"step": "3"}, "Ann: Hi.\nBo: <b>", ("A <i>greeting</i>.",)), "dialoscope", NOON,
    {"strategy": "beam", "beam_size": 4, "top_p": 1.0}, "Ann greets Bo.",
)  # fmt: skip
MASKS = Visit("Masks · your batch", "your batch", Place("masks"), "", NOON - timedelta(hours=1))


def of(visit: Visit, **changes: Any) -> Visit:
    """A visit of another place."""
    return replace(visit, place=replace(visit.place, **changes))


def at(step: int, minutes: int = 0) -> Visit:
    """The same walk at another step, some minutes later."""
    return replace(of(STEP, link={"step": str(step)}), name=f"Step {step}", time=NOON + timedelta(minutes=minutes))
