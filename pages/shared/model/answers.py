"""Answers of the methods that say what a summary is made of or depends on, kept for all pages."""

from typing import TYPE_CHECKING

from core.explain.attribution.attribution import Attribution
from core.explain.shared.rollup import Unit
from core.trace import Summary
from core.words import later, say
from pages.shared.guard import demo
from pages.shared.model.cache import cached

if TYPE_CHECKING:
    from core.service import Summarizer

LONG = 256
"""Tokens of a dialogue from which the methods of `REFUSED` take some seconds: their time grows with the square."""
REFUSED = {
    "contributions": later("no contributions of a dialogue of more than {count} tokens are computed"),
    "value-zeroing": later("no values of a dialogue of more than {count} tokens are set to zero"),
}
"""What a demonstration says of a longer dialogue."""
KEPT = 16
"""Answers, for all visitors together; docs/limits.md has their size."""


@cached(KEPT, later("Asking the method; Shapley values take up to a minute"), worded=True)
def answer(
    summarizer: "Summarizer", summary: Summary, method: str, step: int | None, against: int | None, by: Unit
) -> Attribution:
    """Return what a method of the registry says; see `core.experiments.attribution.registry.attribute`."""
    from core.experiments.attribution.registry import attribute

    check(method, summary)
    return attribute(method, summarizer, summary, step, against, by=by)


def refused(method: str, summary: Summary) -> bool:
    """Return whether a demonstration leaves a method out because it would take long."""
    return demo.on() and method in REFUSED and len(summary.source) > LONG


def check(method: str, summary: Summary) -> None:
    """Raise SettingsError where a demonstration leaves a method out."""
    if refused(method, summary):
        demo.check(say(REFUSED[method], count=LONG))
