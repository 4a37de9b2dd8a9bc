"""All methods by their names: pages, command line, notebook and the comparison read this table.

A new method is one function in one file and a row here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.attribution.chance import chance
from core.experiments.attribution.gradient import gradient, integrated
from core.experiments.attribution.hiding import occlusion
from core.experiments.attribution.question import Question, Report
from core.experiments.attribution.reliance import reliance
from core.experiments.attribution.shapley import shapley
from core.explain.attribution.attention import attention
from core.explain.attribution.attribution import Attribution, Word, no_foil
from core.explain.attribution.contributions import contributions
from core.explain.attribution.norms import norms
from core.explain.attribution.value_zeroing import value_zeroing
from core.explain.shared.rollup import Unit
from core.trace import Summary
from core.words import later, say

if TYPE_CHECKING:
    from core.service import Summarizer

Answer = Callable[[Question], Attribution]


@dataclass(frozen=True)
class Method:
    """A method.

    Args:
        says: one of the three words, which are never mixed.
        about: what it says, in a sentence.
        answer: the method.
        foil: whether it can contrast a token with another one.
        whole: whether it takes parts of the dialogue away, so that the parts are chosen before and not added up.
    """

    says: Word
    about: str
    answer: Answer
    foil: bool = False
    whole: bool = False


def _of_values(method: Callable[["Summarizer", Summary, int | None], Attribution]) -> Answer:
    """Return a method of `core.explain`, which needs values of the run only."""
    return lambda question: method(question.summarizer, question.run, question.step)


METHODS: Mapping[str, Method] = {
    "attention": Method("looks at", later("where the last layer looks"), _of_values(attention)),
    "norms": Method("carries", later("how much vector travels in the last layer"), _of_values(norms)),
    "contributions": Method(
        "carries",
        later("which tokens of dialogue and summary a token is made of, through all layers"),
        _of_values(contributions),
    ),
    "value-zeroing": Method(
        "depends on", later("what changes in the last state without a token's value"), _of_values(value_zeroing)
    ),
    "gradient": Method("depends on", later("effect of each embedding, to first order"), gradient, foil=True),
    "integrated": Method(
        "depends on", later("effect of each embedding, along a path from nothing"), integrated, foil=True
    ),
    "occlusion": Method(
        "depends on", later("what is lost when a part is hidden alone"), occlusion, foil=True, whole=True
    ),
    "shapley": Method(
        "depends on",
        later("share of each turn, with what turns say twice divided between them"),
        shapley,
        foil=True,
        whole=True,
    ),
    "reliance": Method(
        "depends on", later("what the words owe to the content of the dialogue"), reliance, foil=True, whole=True
    ),
    "random": Method("chance", later("nothing: drawn values, which every method must beat"), chance),
}


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
            say(
                "{name} must be one of {allowed}. Received: {value}",
                name="method",
                allowed=", ".join(METHODS),
                value=repr(method[:20]),
            )
        )
    asked = METHODS[method]
    if contrast is not None and not asked.foil:
        raise no_foil(method, [name for name, each in METHODS.items() if each.foil])
    question = Question(summarizer, run, target, contrast, by, seed, report)
    return asked.answer(question).by(by)
