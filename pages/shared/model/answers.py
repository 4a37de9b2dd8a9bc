"""Answers of the methods that say what a summary is made of or depends on, kept for all pages."""

from typing import TYPE_CHECKING

from core.explain.attribution.attribution import Attribution
from core.explain.shared.rollup import Unit
from core.trace import Summary
from core.words import later
from pages.shared.model.cache import cached

if TYPE_CHECKING:
    from core.service import Summarizer


@cached(16, later("Asking the method; Shapley values take up to a minute"), worded=True)
def answer(
    summarizer: "Summarizer", summary: Summary, method: str, step: int | None, against: int | None, by: Unit
) -> Attribution:
    """Return what a method of the registry says; see `core.experiments.attribution.registry.attribute`."""
    from core.experiments.attribution.registry import attribute

    return attribute(method, summarizer, summary, step, against, by=by)
