"""Visits for tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.visited.visit import Visit

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STEP = Visit(
    "Cat · step by step, step 3", "step by step", "decoding", {"step": "3"}, "dialoscope", NOON, "Ann: Hi.\nBo: <b>",
    ("A <i>greeting</i>.",), {"strategy": "beam", "beam_size": 4, "top_p": 1.0}, "Ann greets Bo.",
)  # fmt: skip
MASKS = Visit("Masks · your batch", "your batch", "masks", {}, "", NOON - timedelta(hours=1))


def at(step: int, minutes: int = 0) -> Visit:
    """The same walk at another step, some minutes later."""
    return replace(STEP, link={"step": str(step)}, name=f"Step {step}", time=NOON + timedelta(minutes=minutes))
