"""The detectors: their definitions, their needs, and the function that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from core.faults import form_rules, turn_rules, word_rules
from core.faults.case import Case, WrittenToken
from core.faults.fault import Fault
from core.faults.labels import LABELS
from core.files import table
from core.text.dialogue import Dialogue

Need = Literal["references", "tokens", "attention", "model"]

ANY_ERROR = tuple(label for label in LABELS if label != "missing")
"""Labels of any error in the text of a summary."""


@dataclass(frozen=True, slots=True)
class Detector:
    """One detector.

    Args:
        label: its name on the page, to be said.
        definition: in one or two sentences, to be said.
        literature: its error types, with places for their `SOURCES`, to be said.
        confirmed_by: labels of `core.faults.labels` that confirm its hint; a hint that a user confirms gets the first
            one, unless `ANY_ERROR` confirms it.
        needs: further needs beside dialogue and summary.
        find: the rule; None for likelihood swaps, which need a model (`core.faults.swaps`).
    """

    label: str
    definition: str
    literature: str
    confirmed_by: Sequence[str] = ANY_ERROR
    needs: Sequence[Need] = ()
    find: Callable[[Case], Iterator[Fault]] | None = None


_TABLE = table(__file__)
SOURCES: Mapping[str, str] = _TABLE["sources"]
"""The works whose error types the detectors look for, by the places in `Detector.literature`."""
NEEDS: Mapping[Need, str] = _TABLE["needed"]
"""What a detector needs beside dialogue and summary, to be said."""

_RULES = vars(form_rules) | vars(turn_rules) | vars(word_rules)
DETECTORS = {kind: Detector(**each, find=_RULES.get(kind)) for kind, each in _TABLE["kinds"].items()}
"""Every kind of hint, with the rule that has its name. A hint says what to check, never that something is wrong."""


def find_faults(
    dialogue: Dialogue,
    summary: str,
    *,
    references: Sequence[str] = (),
    tokens: Sequence[WrittenToken] = (),
    attention: Sequence[float] = (),
    tags: Mapping[str, str] = MappingProxyType({}),
    ended: bool | None = None,
) -> tuple[Fault, ...]:
    """Find hints for a summary by rules, without a model.

    Args:
        dialogue: the dialogue.
        summary: its summary.
        references: reference summaries; without them there are no hints about omitted turns.
        tokens: the summary's tokens with their probabilities; without them there are no hints about confidence.
        attention: share of the attention on each turn; without it there are no hints about unread turns.
        tags: speakers by the tags that stand for them in the summary; see `written_tags`.
        ended: whether the model wrote an end; None where nobody knows.

    Returns:
        The hints in the order of `DETECTORS`.

    Raises:
        SettingsError: `attention` does not have one share for each turn, or a token is outside the summary.
    """
    case = Case(dialogue, summary, tuple(references), tokens, tuple(attention), tags, ended)
    return tuple(fault for detector in DETECTORS.values() if detector.find for fault in detector.find(case))
