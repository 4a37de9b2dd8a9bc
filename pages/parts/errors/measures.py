"""Choose one of the measures that the summaries have."""

from core.evaluation.measures import MEASURES, known
from core.figures.errors.corpus import Axis
from core.words import say
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import select
from pages.shared.session.fields import Text


def axis(name: str) -> Axis:
    """Return name and unit of a measure."""
    return Axis(say(MEASURES[name].label), say(MEASURES[name].unit) if MEASURES[name].unit else "")


def choose(text: str, field: Text, run: Run, width: int = 240) -> str:
    """Draw the choice of one of the measures that the run has."""
    names = known(run.rows)
    usual = next((name for name in (field.default, "rouge1", "coverage") if name in names), names[0])
    field.fit(names, say("measure"), usual)
    return str(select(text, {name: say(MEASURES[name].label) for name in names}, field, width=width))
