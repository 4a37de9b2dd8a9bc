"""The texts that the page scores, and the references that they are compared with."""

from dataclasses import dataclass

import streamlit as st

from core.config import DecodeSettings
from core.errors import ScoringError
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.words import say
from pages.shared.model import loading, models
from pages.shared.session import decoding, notices, selection
from pages.shared.session.fields import Text

OTHER = Text("bert_other", 80)
TEXT = Text("bert_text", 1200)
OWN = Text("bert_own", 1200, of_dialogue=True)
FIELDS = (OTHER, TEXT, OWN)
UNTRAINED = "untrained"
MOST = 3
"""Most references of one candidate."""
TURNS = 3


@dataclass(frozen=True)
class Candidate:
    """A text that is scored.

    Args:
        name: its name on the page.
        text: the text; may be blank.
        references: the texts that it is compared with; at least one.
    """

    name: str
    text: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class References:
    """The texts that candidates are compared with.

    Args:
        texts: one to three.
        names: of each.
        stand_in: whether the greedy summary stands in for a reference.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]
    stand_in: bool = False


def strategies(settings: DecodeSettings) -> dict[str, tuple[str, DecodeSettings]]:
    """Return how the loaded model writes candidates, by key: name and settings."""
    sampled = settings.replace(strategy="sample", temperature=0.7, top_p=0.9, top_k=0, seed=0)
    return {
        "set": (
            say("Summary as set in the sidebar ({strategy})", strategy=say(decoding.IN_SENTENCE[settings.strategy])),
            settings,
        ),
        "greedy": (say("Greedy"), settings.replace(strategy="greedy")),
        "beam": (say("Beam search, 4 beams"), settings.replace(strategy="beam", beam_size=4)),
        "sample": (say("Sampled, temperature 0.7, top p 0.9"), sampled),
    }


def references(stand_in: str) -> References:
    """Return the typed references, else those of the dialogue, else the greedy summary in their place.

    Args:
        stand_in: the greedy summary.
    """
    typed = [line.strip() for line in OWN.value.splitlines() if line.strip()]
    if len(typed) > MOST:
        lines = {"most": MOST, "got": len(typed)}
        reason = say("at most {most} references, one a line. Received: {got} lines; the first {most} count", **lines)
        notices.show(ScoringError(reason))
    given = tuple(typed[:MOST]) or selection.current().references[:MOST]
    if not given:
        return References((stand_in,), (say("the greedy summary"),), stand_in=True)
    return References(given, tuple(say("reference {number}", number=number) for number in range(1, len(given) + 1)))


def idf_references(current: tuple[str, ...]) -> tuple[str, ...]:
    """Return the references over which idf weights are counted: those of all examples, and the current ones."""
    known = [reference for example in load_examples() for reference in example.references]
    return tuple(dict.fromkeys([*known, *(text for text in current if text.strip())]))


def type_texts() -> None:
    """Draw boxes for a candidate and references of one's own."""
    _box(say("A text of your own as candidate"), TEXT, say("Another system’s summary, for instance."))
    hint = say("Leave it empty to use those of the dialogue.")
    _box(say("References of your own, one a line, up to three"), OWN, hint)


def _box(label: str, field: Text, hint: str) -> None:
    st.text_area(label, key=field.name, persist_state="session", height=100, placeholder=hint)


def candidates(written: dict[str, str], references: References) -> dict[str, Candidate]:
    """Return everything that can be scored, by key.

    Args:
        written: summaries by the loaded model, by key of `strategies`.
        references: the references.
    """
    names = {key: name for key, (name, _) in strategies(decoding.settings()).items()}
    texts = {key: (names[key], text, references.texts) for key, text in written.items()}
    other = _other_checkpoint()
    if other:
        texts["other"] = (*other, references.texts)
    turns = parse_dialogue(selection.current().text).turns[:TURNS]
    lines = [f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in turns]
    texts["turns"] = (say("The dialogue’s first three turns"), " ".join(lines), references.texts)
    if len(references.texts) > 1:
        human = say("A second human: {reference} against the others", reference=references.names[-1])
        texts["human"] = (human, references.texts[-1], references.texts[:-1])
    title, floor = _floor(references.texts)
    texts["floor"] = (say("Floor: from another dialogue ({title})", title=title), floor, references.texts)
    if TEXT.value.strip():
        texts["own"] = (say("Your text"), TEXT.value, references.texts)
    return {key: Candidate(*values) for key, values in texts.items()}


def _floor(used: tuple[str, ...]) -> tuple[str, str]:
    """Return title and reference of the next example that is about something else."""
    examples = load_examples()
    place = next((place for place, each in enumerate(examples) if each.id == selection.origin()), -1)
    example = next(each for each in (*examples[place + 1 :], *examples) if each.references[0] not in used)
    return say(example.title), example.references[0]


def other_checkpoints() -> dict[str, str]:
    """Return what else can write a summary: other checkpoints, and this network before training."""
    names = {name: name for name in decoding.available() if name != decoding.checkpoint()}
    return {"": say("None"), **names, UNTRAINED: say("This network before training")}


def _other_checkpoint() -> tuple[str, str] | None:
    """Return name and summary of the other checkpoint, if one is chosen; the page waits until it is loaded."""
    chosen = OTHER.value
    if not chosen:
        return None
    name = decoding.checkpoint() if chosen == UNTRAINED else chosen
    job = models.job(name, trained=chosen != UNTRAINED)
    if not loading.ready(job) or job.summarizer is None:
        st.stop()
    settings = decoding.settings() if chosen == UNTRAINED else decoding.of_card(name)
    summary = models.summary(job.summarizer, selection.current().text, settings)
    if chosen == UNTRAINED:
        return say("This network before training"), summary.text
    return say("Checkpoint {name}", name=name), summary.text


def written() -> dict[str, str]:
    """Return the loaded model's summaries of the current dialogue, by key of `strategies`."""
    summarizer = loading.current_job().summarizer
    if summarizer is None:
        return {}
    text = selection.current().text
    return {
        key: models.summary(summarizer, text, settings).text
        for key, (_, settings) in strategies(decoding.settings()).items()
    }
