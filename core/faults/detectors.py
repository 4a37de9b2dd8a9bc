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
from core.words import later

Need = Literal["references", "tokens", "attention", "model"]


ANY_ERROR = tuple(label for label in LABELS if label != "missing")
"""Labels of any error in the text of a summary."""


@dataclass(frozen=True, slots=True)
class Detector:
    """One detector.

    Args:
        label: its name on the page, marked with `later`.
        definition: in one or two sentences, marked with `later`.
        literature: its error types, with places for their `SOURCES`, marked with `later`.
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


SOURCES = {
    "confit": "CONFIT (Tang et al. 2022)",
    "diasumfact": "DIASUMFACT (Zhu et al. 2023)",
    "faceval": "FacEval (Wang et al. 2022)",
    "frank": "FRANK (Pagnoni et al. 2021)",
    "dialsummer": "DIAL-SUMMER (Ramnath 2026)",
}
"""The works whose error types the detectors look for, by the places in `Detector.literature`."""

DETECTORS: Mapping[Kind, Detector] = {
    "repetition": Detector(
        later("Repetition"),
        later("A sequence of three words twice, a word twice in a row, or a content word twice within four words."),
        later("Redundant information of {confit}; grammar of {frank}."),
        ("repetition", "grammar"),
        find=form_rules.repetition,
    ),
    "novel_word": Detector(
        later("New word"),
        later("A content word whose stem stands in no turn. Words that report speech (tells, discuss) do not count."),
        later("Hallucination of {faceval}; extrinsic predicate or circumstance of {diasumfact}."),
        ("invented", "predicate", "circumstance", "wrong_name"),
        find=word_rules.novel_word,
    ),
    "novel_name": Detector(
        later("New name"),
        later("A proper name that stands in no turn."),
        later("Extrinsic entity of {diasumfact}; hallucination of {faceval}; out of article of {frank}."),
        ("invented", "wrong_name", "wrong_speaker"),
        find=word_rules.novel_name,
    ),
    "novel_number": Detector(
        later("New number"),
        later("A number, time, day or price that stands in no turn, in digits or words."),
        later("Particulars of {faceval}; extrinsic circumstance of {diasumfact}."),
        ("invented", "wrong_number"),
        find=word_rules.novel_number,
    ),
    "number_mismatch": Detector(
        later("Other number"),
        later(
            "A number, time, day or price that differs from the one beside the same unit, or in the turn that fits "
            "best."
        ),
        later("Particulars of {faceval}; circumstantial error of {confit}."),
        ("wrong_number",),
        find=word_rules.number_mismatch,
    ),
    "negation_mismatch": Detector(
        later("Negation"),
        later("A word is negated in the summary and never in the dialogue, or the other way round."),
        later("Negation of {confit} and of {faceval}."),
        ("negation",),
        find=word_rules.negation_mismatch,
    ),
    "wrong_speaker": Detector(
        later("Other speaker"),
        later("The words of a clause are said by somebody else than the person whom the clause names as its subject."),
        later("Wrong reference of {confit}; subject and object of {faceval}; speaker misattribution of {dialsummer}."),
        ("wrong_speaker",),
        find=turn_rules.wrong_speaker,
    ),
    "same_person": Detector(
        later("Same person twice"),
        later("One person on both sides of a verb that needs two: \u201cTom invites Tom\u201d."),
        later("Wrong reference of {confit}; subject and object of {faceval}."),
        ("wrong_speaker",),
        find=turn_rules.same_person,
    ),
    "omitted_turn": Detector(
        later("Omitted turn"),
        later("A turn that the reference is about, and the summary has none of the words that the two share."),
        later("Missing information of {confit}; missed turn of {dialsummer}."),
        ("missing",),
        ("references",),
        turn_rules.omitted_turn,
    ),
    "unread_turn": Detector(
        later("Hardly read turn"),
        later("A turn that the reference is about and that got less than half of the attention due to its length."),
        later("Missing information of {confit}; missed turn of {dialsummer}."),
        ("missing",),
        ("references", "attention"),
        turn_rules.unread_turn,
    ),
    "too_short": Detector(
        later("Too short"),
        later(
            "Less than half as long as the shortest reference; without references, shorter than 99 % of human "
            "summaries of a dialogue of this length."
        ),
        later("Missing information of {confit}."),
        ("missing",),
        find=form_rules.too_short,
    ),
    "too_long": Detector(
        later("Too long"),
        later(
            "More than twice as long as the longest reference; without references, longer than 99 % of human "
            "summaries of a dialogue of this length."
        ),
        later("Redundant information of {confit}."),
        ("repetition", "invented"),
        find=form_rules.too_long,
    ),
    "low_confidence": Detector(
        later("Low confidence"),
        later("The model gave a token a probability of less than 0.1 when it wrote it."),
        later("No error type: the model's own doubt."),
        ANY_ERROR,
        ("tokens",),
        form_rules.low_confidence,
    ),
    "special_token": Detector(
        later("Leftover token"),
        later("A mark of the tokenizer, the tag of a speaker whom the dialogue has not, or a damaged character."),
        later("Grammar of {frank}."),
        ("grammar",),
        find=form_rules.special_token,
    ),
    "speaker_swap": Detector(
        later("Speaker swap"),
        later("The model finds the summary more likely with another speaker in this place, or with two exchanged."),
        later("Subject and object of {faceval}; entity of {diasumfact}, whose ENDERANKER ranks by likelihood, too."),
        ("wrong_speaker",),
        ("model",),
    ),
    "name_swap": Detector(
        later("Name swap"),
        later("The model finds the summary more likely with another name of the dialogue in this place."),
        later("Entity of {diasumfact}."),
        ("wrong_name", "wrong_speaker"),
        ("model",),
    ),
    "number_swap": Detector(
        later("Number swap"),
        later("The model finds the summary more likely with another number of the dialogue in this place."),
        later("Particulars of {faceval}."),
        ("wrong_number",),
        ("model",),
    ),
    "negation_swap": Detector(
        later("Negation swap"),
        later("The model finds the summary more likely with a negation taken out or put in."),
        later("Negation of {confit} and of {faceval}."),
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
