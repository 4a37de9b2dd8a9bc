"""What answers for each method: notebook, command line, pages and the comparison ask here.

A new method is one function in one file, a row here and one in `core.explain.attribution.methods`.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.attribution.chance import chance
from core.experiments.attribution.gradient import gradient, integrated
from core.experiments.attribution.hiding import occlusion
from core.experiments.attribution.question import Question, Report
from core.experiments.attribution.reliance import reliance
from core.experiments.attribution.shapley import shapley
from core.explain.attribution.attention import attention
from core.explain.attribution.attribution import Attribution, no_foil
from core.explain.attribution.contributions import contributions
from core.explain.attribution.methods import METHODS
from core.explain.attribution.norms import norms
from core.explain.attribution.value_zeroing import value_zeroing
from core.explain.shared.rollup import Unit
from core.trace import Summary

if TYPE_CHECKING:
    from core.service import Summarizer

Answer = Callable[[Question], Attribution]


def _of_values(method: Callable[["Summarizer", Summary, int | None], Attribution]) -> Answer:
    """Return a method of `core.explain`, which needs values of the run only."""
    return lambda question: method(question.summarizer, question.run, question.step)


ANSWERS: Mapping[str, Answer] = {
    "attention": _of_values(attention),
    "norms": _of_values(norms),
    "contributions": _of_values(contributions),
    "value-zeroing": _of_values(value_zeroing),
    "gradient": gradient,
    "integrated": integrated,
    "occlusion": occlusion,
    "shapley": shapley,
    "reliance": reliance,
    "random": chance,
}
"""What answers for each method of `METHODS`."""


def attribute(
    method: str,
    summarizer: "Summarizer",
    run: Summary,
    target: int | None = None,
    contrast: int | None = None,
    *,
    by: Unit = "token",
    seed: int = 0,
    report: Report | None = None,
) -> Attribution:
    """Ask a method how much each part of the dialogue counts for the written tokens.

    Args:
        method: a key of `METHODS`.
        summarizer: the model that wrote the run.
        run: the summary and its run.
        target: the written token that is explained, 0-based; None: all of them.
        contrast: id of a token that could stand there instead, or None.
        by: the parts of the dialogue.
        seed: of what is drawn.
        report: progress; whatever it raises stops the work.

    Raises:
        SettingsError: there is no such method, token or foil, the model lacks what the method needs, or the method
            cannot tell such parts.
    """
    if method not in METHODS:
        raise SettingsError(
            "{name} must be one of {allowed}. Received: {value}",
            name="method",
            allowed=", ".join(METHODS),
            value=repr(method[:20]),
        )
    asked = METHODS[method]
    if contrast is not None and not asked.foil:
        raise no_foil(method, [name for name, each in METHODS.items() if each.foil])
    question = Question(summarizer, run, target, contrast, by, seed, report)
    return ANSWERS[method](question).by(by)
