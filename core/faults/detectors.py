"""The detectors: their definitions, their needs, and the function that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from core.faults import form_rules, turn_rules, word_rules
from core.faults.case import Case, WrittenToken
from core.faults.fault import Fault, Kind
from core.faults.labels import LABELS
from core.text.dialogue import Dialogue

Need = Literal["references", "tokens", "attention", "model"]


ANY_ERROR = tuple(label for label in LABELS if label != "missing")
"""Labels of any error in the text of a summary."""


@dataclass(frozen=True, slots=True)
class Detector:
    """One detector.

    Args:
        label: its name on the page.
        definition: in one or two sentences.
        literature: its error types, with their source.
        confirmed_by: labels of `core.faults.labels` that confirm its hint; a hint that a user confirms gets the first
            one, unless `ANY_ERROR` confirms it.
        needs: further needs beside dialogue and summary.
        find: the rule; None for likelihood swaps, which need a model (`core.faults.swaps`).
    """

    label: str
    definition: str
    literature: str
    confirmed_by: tuple[str, ...]
    needs: tuple[Need, ...] = ()
    find: Callable[[Case], Iterator[Fault]] | None = None


_CONFIT = "CONFIT (Tang et al. 2022)"
_DIASUMFACT = "DIASUMFACT (Zhu et al. 2023)"
_FACEVAL = "FacEval (Wang et al. 2022)"
_FRANK = "FRANK (Pagnoni et al. 2021)"
_DIALSUMMER = "DIAL-SUMMER (Ramnath 2026)"

DETECTORS: Mapping[Kind, Detector] = {
    "repetition": Detector(
        "Repetition",
        "A sequence of three words twice, a word twice in a row, or a content word twice within four words.",
        f"Redundant information of {_CONFIT}; grammar of {_FRANK}.",
        ("repetition", "grammar"),
        find=form_rules.repetition,
    ),
    "novel_word": Detector(
        "New word",
        "A content word whose stem stands in no turn. Words that report speech (tells, discuss) do not count.",
        f"Hallucination of {_FACEVAL}; extrinsic predicate or circumstance of {_DIASUMFACT}.",
        ("invented", "predicate", "circumstance", "wrong_name"),
        find=word_rules.novel_word,
    ),
    "novel_name": Detector(
        "New name",
        "A proper name that stands in no turn.",
        f"Extrinsic entity of {_DIASUMFACT}; hallucination of {_FACEVAL}; out of article of {_FRANK}.",
        ("invented", "wrong_name", "wrong_speaker"),
        find=word_rules.novel_name,
    ),
    "novel_number": Detector(
        "New number",
        "A number, time, day or price that stands in no turn, in digits or words.",
        f"Particulars of {_FACEVAL}; extrinsic circumstance of {_DIASUMFACT}.",
        ("invented", "wrong_number"),
        find=word_rules.novel_number,
    ),
    "number_mismatch": Detector(
        "Other number",
        "A number, time, day or price that differs from the one beside the same unit, or in the turn that fits best.",
        f"Particulars of {_FACEVAL}; circumstantial error of {_CONFIT}.",
        ("wrong_number",),
        find=word_rules.number_mismatch,
    ),
    "negation_mismatch": Detector(
        "Negation",
        "A word is negated in the summary and never in the dialogue, or the other way round.",
        f"Negation of {_CONFIT} and of {_FACEVAL}.",
        ("negation",),
        find=word_rules.negation_mismatch,
    ),
    "wrong_speaker": Detector(
        "Other speaker",
        "The words of a clause are said by somebody else than the person whom the clause names as its subject.",
        f"Wrong reference of {_CONFIT}; subject and object of {_FACEVAL}; speaker misattribution of {_DIALSUMMER}.",
        ("wrong_speaker",),
        find=turn_rules.wrong_speaker,
    ),
    "same_person": Detector(
        "Same person twice",
        "One person on both sides of a verb that needs two: \u201cTom invites Tom\u201d.",
        f"Wrong reference of {_CONFIT}; subject and object of {_FACEVAL}.",
        ("wrong_speaker",),
        find=turn_rules.same_person,
    ),
    "omitted_turn": Detector(
        "Omitted turn",
        "A turn that the reference is about, and the summary has none of the words that the two share.",
        f"Missing information of {_CONFIT}; missed turn of {_DIALSUMMER}.",
        ("missing",),
        ("references",),
        turn_rules.omitted_turn,
    ),
    "unread_turn": Detector(
        "Hardly read turn",
        "A turn that the reference is about and that got less than half of the attention due to its length.",
        f"Missing information of {_CONFIT}; missed turn of {_DIALSUMMER}.",
        ("missing",),
        ("references", "attention"),
        turn_rules.unread_turn,
    ),
    "too_short": Detector(
        "Too short",
        "Less than half as long as the shortest reference; without references, shorter than 99 % of human summaries "
        "of a dialogue of this length.",
        f"Missing information of {_CONFIT}.",
        ("missing",),
        find=form_rules.too_short,
    ),
    "too_long": Detector(
        "Too long",
        "More than twice as long as the longest reference; without references, longer than 99 % of human summaries "
        "of a dialogue of this length.",
        f"Redundant information of {_CONFIT}.",
        ("repetition", "invented"),
        find=form_rules.too_long,
    ),
    "low_confidence": Detector(
        "Low confidence",
        "The model gave a token a probability of less than 0.1 when it wrote it.",
        "No error type: the model's own doubt.",
        ANY_ERROR,
        ("tokens",),
        form_rules.low_confidence,
    ),
    "special_token": Detector(
        "Leftover token",
        "A mark of the tokenizer, the tag of a speaker whom the dialogue has not, or a damaged character.",
        f"Grammar of {_FRANK}.",
        ("grammar",),
        find=form_rules.special_token,
    ),
    "speaker_swap": Detector(
        "Speaker swap",
        "The model finds the summary more likely with another speaker in this place, or with two exchanged.",
        f"Subject and object of {_FACEVAL}; entity of {_DIASUMFACT}, whose ENDERANKER ranks by likelihood, too.",
        ("wrong_speaker",),
        ("model",),
    ),
    "name_swap": Detector(
        "Name swap",
        "The model finds the summary more likely with another name of the dialogue in this place.",
        f"Entity of {_DIASUMFACT}.",
        ("wrong_name", "wrong_speaker"),
        ("model",),
    ),
    "number_swap": Detector(
        "Number swap",
        "The model finds the summary more likely with another number of the dialogue in this place.",
        f"Particulars of {_FACEVAL}.",
        ("wrong_number",),
        ("model",),
    ),
    "negation_swap": Detector(
        "Negation swap",
        "The model finds the summary more likely with a negation taken out or put in.",
        f"Negation of {_CONFIT} and of {_FACEVAL}.",
        ("negation",),
        ("model",),
    ),
}
"""Every kind of hint. A hint says what to check, never that something is wrong."""


def find_faults(
    dialogue: Dialogue,
    summary: str,
    *,
    references: Sequence[str] = (),
    tokens: Sequence[WrittenToken] = (),
    attention: Sequence[float] = (),
    tags: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Fault, ...]:
    """Find hints for a summary by rules, without a model.

    Args:
        dialogue: the dialogue.
        summary: its summary.
        references: reference summaries; without them there are no hints about omitted turns.
        tokens: the summary's tokens with their probabilities; without them there are no hints about confidence.
        attention: share of the attention on each turn; without it there are no hints about unread turns.
        tags: speakers by the tags that stand for them in the summary; see `written_tags`.

    Returns:
        The hints in the order of `DETECTORS`.

    Raises:
        SettingsError: `attention` does not have one share for each turn, or a token is outside the summary.
    """
    case = Case(dialogue, summary, tuple(references), tokens, tuple(attention), tags)
    return tuple(fault for detector in DETECTORS.values() if detector.find for fault in detector.find(case))
