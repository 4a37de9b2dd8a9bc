"""Choose one of the measures that the summaries have."""

from core.evaluation.measures import known
from core.faults.slices import MEASURES
from core.figures.corpus import Axis
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import select
from pages.shared.frame.fields import Text


def axis(name: str) -> Axis:
    """Return name and unit of a measure."""
    return Axis(MEASURES[name].label, MEASURES[name].unit)


def choose(text: str, field: Text, run: Run) -> str:
    """Draw the choice of one of the measures that the run has."""
    names = known(run.rows)
    usual = next((name for name in (field.default, "rouge1", "coverage") if name in names), names[0])
    field.fit(names, "measure", usual)
    return str(select(text, {name: MEASURES[name].label for name in names}, field, width=240))
