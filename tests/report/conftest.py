"""Reports of the small model."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from core.report.contents import Report, collect
from core.service import Summarizer
from core.text.examples import load_examples

EXAMPLE = load_examples()[0]
MADE = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def of(summarizer: Summarizer, dialogue: str = EXAMPLE.dialogue, **asked: Any) -> Report:
    """Return the report of a dialogue."""
    checkpoint = summarizer.checkpoint
    summary = summarizer.summarize(dialogue)
    return collect(summary, checkpoint.name, checkpoint.card, checkpoint.tokenizer, made=MADE, **asked)


@pytest.fixture
def make(tiny: Summarizer) -> Callable[..., Report]:
    """Make a report with the small model; arguments of `collect`."""
    return lambda dialogue=EXAMPLE.dialogue, **asked: of(tiny, dialogue, **asked)
