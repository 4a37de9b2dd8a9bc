"""What a report is made of: a run, what was measured of it, and how it came to be."""

import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.config import DecodeSettings
from core.errors import SettingsError
from core.explain.attention.catalogue import Catalogue, Effects
from core.explain.attention.head_outputs import Head
from core.explain.attention.head_scores import HeadScores, scores
from core.explain.attention.notable import describe, notable
from core.explain.attribution.attribution import Attribution
from core.explain.attribution.maps import Drawn
from core.explain.shared import cross
from core.explain.shared.rollup import groups, sum_columns
from core.faults import measure
from core.faults.fault import Fault
from core.faults.run import run_faults
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count
from core.limits import check, limits
from core.report.scores import Scored
from core.text.encoded import AnyTokenizer
from core.trace import Array, Summary
from core.words import later, say

NAME = "dialogue.txt"
"""Name of the file that the report's command reads, and that the report saves."""
GIVEN = "summary.txt"
"""Name of the file with a summary that was given, for the report's command."""
METHODS = ("contributions", "reliance")
"""What a report can say of what the summary owes to the dialogue."""
EXPLAINED = {
    "votes": later("Votes: which layers wrote the least certain token"),
    "patching": later("Patching: which turn and layer bring back the name"),
    "curves": later("Curves: which explanation holds"),
}
"""What a report can explain, by the name of its option; the name of its picture begins so."""
FEW = 4
"""Most heads of a report, unless heads are named."""
LIBRARIES = ("dialoscope", "numpy", "keras", "tensorflow", "jax", "onnxruntime")


@dataclass(frozen=True, eq=False)
class Report:
    """The contents of a report.

    Args:
        summary: the run.
        name: of the checkpoint.
        card: of the checkpoint.
        heads: what is shown of cross-attention, as in `core.explain.shared.cross`: `3.2`, `3.mean`, `copy`, `only`, or
            a key of `maps`.
        about: what is known of each of them, in a sentence.
        references: reference summaries.
        bertscore: of the summary, or None.
        hints: of the detectors that are on.
        measured: how often each detector was right, or None.
        made: when.
        versions: of Python and the libraries.
        maps: norms, contributions or value zeroing of heads: `3.mean.norms`.
        owed: answers of some of `METHODS` about the whole summary, by token.
        explained: pictures of `EXPLAINED`; one without a table says why there is none.
    """

    summary: Summary
    name: str
    card: Mapping[str, Any]
    heads: tuple[str, ...]
    about: Mapping[str, str]
    references: tuple[str, ...]
    bertscore: Scored | None
    hints: tuple[Fault, ...]
    measured: measure.Measured | None
    made: datetime
    versions: Mapping[str, str]
    maps: Mapping[str, Drawn] = field(default_factory=dict)
    owed: tuple[Attribution, ...] = ()
    explained: tuple[Picture, ...] = ()

    def weights(self, choice: str, by_turn: bool) -> Array:
        """Return what is shown of a head [T, C], by token or by turn."""
        drawn = self.maps.get(choice)
        matrix = cross.weights(self.summary.attention, choice) if drawn is None else drawn.values
        return sum_columns(matrix, groups(self.summary.source, "turn")) if by_turn else matrix

    @property
    def command(self) -> str:
        """Return the command that makes the same report again from its dialogue, and its summary if that was given."""
        words = [NAME, "--checkpoint", self.name, *_options(self.summary.settings, self.card)]
        words += ["--force", GIVEN] if self.summary.given else []
        words += [word for head in self.heads for word in ("--head", head)]
        words += [word for answer in self.owed for word in ("--explain", answer.method)]
        words += [
            word
            for picture in self.explained
            if picture.table
            for word in ("--explain", picture.name.partition("-")[0])
        ]
        words += [word for reference in self.references for word in ("--reference", reference)]
        if self.bertscore:
            words += ["--metric", "bertscore", "--encoder", self.bertscore.encoder]
        return f"python -m core report {shlex.join(words)} --output report.html"


def collect(
    summary: Summary,
    name: str,
    card: Mapping[str, Any],
    tokenizer: AnyTokenizer,
    catalogue: Catalogue | None = None,
    *,
    heads: Sequence[str] | None = None,
    references: Sequence[str] = (),
    bertscore: Scored | None = None,
    made: datetime | None = None,
    maps: Mapping[str, Drawn] | None = None,
    owed: Sequence[Attribution] = (),
    explained: Sequence[Picture] = (),
) -> Report:
    """Collect the contents of a report.

    Args:
        summary: the run.
        name: of the checkpoint, as one names it to load it.
        card: of the checkpoint.
        tokenizer: of the checkpoint.
        catalogue: of its heads, or None.
        heads: what to show of cross-attention, as in `core.explain.shared.cross`; None: `usual_heads`.
        references: reference summaries.
        bertscore: of the summary.
        made: when; None: now.
        maps: of the heads that are no weights, as `core.explain.attribution.maps.chosen` gives them.
        owed: answers of `METHODS`.
        explained: pictures of `EXPLAINED`.

    Raises:
        SettingsError: more heads or references than a report has, or a head that the model does not have.
    """
    chosen = usual_heads(summary, catalogue) if heads is None else tuple(dict.fromkeys(heads))
    check_request(chosen, references)
    known = (*cross.choices(summary.attention), *(maps or {}))
    for head in chosen:
        if head not in known:
            allowed = ", ".join(known) or say("none")
            raise SettingsError(
                "this model has no such head. Received: {received!r}; allowed: {allowed}",
                received=head[:30],
                allowed=allowed,
            )
    measured = measure.known()  # without it every detector is on, and none has a number
    off = measured.off if measured else frozenset()
    hints = tuple(hint for hint in run_faults(summary, tokenizer, references) if hint.kind not in off)
    return Report(
        summary, name, card, chosen, _about(summary, catalogue, chosen), tuple(references), bertscore, hints, measured,
        made or datetime.now(UTC), versions(), maps or {}, tuple(owed), tuple(explained),
    )  # fmt: skip


def check_request(heads: Sequence[str], references: Sequence[str]) -> None:
    """Refuse more heads or references than a report has, and references that are too long; raises SettingsError."""
    check("report_heads", len(heads), say("the list of heads"))
    check("report_references", len(references), say("the list of references"))
    for reference in references:
        check("summary_characters", len(reference), say("a reference"))


def usual_heads(summary: Summary, catalogue: Catalogue | None) -> tuple[str, ...]:
    """Return the heads that are most worth a look, as in `core.explain.shared.cross`, and the copy distribution."""
    every, effects, _ = _measured(summary, catalogue)
    if len(every) < 2:
        return cross.choices(summary.attention)
    best = notable(every, effects, min(FEW, limits().report_heads - 1))
    copies = (cross.COPY,) if summary.attention.copy is not None else ()
    return (*(_choice(head.place) for head in best), *copies)


def _about(summary: Summary, catalogue: Catalogue | None, heads: Sequence[str]) -> dict[str, str]:
    """Return what is known of heads, in a sentence each."""
    every, effects, where = _measured(summary, catalogue)
    described = [description for scores in every if (description := describe(scores, every, effects))]
    sentences = {_choice(description.place): f"{where}: {description.reason}" for description in described}
    return {head: sentences[head] for head in heads if head in sentences}


def _measured(summary: Summary, catalogue: Catalogue | None) -> tuple[tuple[HeadScores, ...], Effects | None, str]:
    """Return the scores of all heads of cross-attention, what is lost without each, and where they were measured."""
    if catalogue:
        dialogues = count(catalogue.dialogues, "dialogue")
        where = say("Over {dialogues} of {data}", dialogues=dialogues, data=catalogue.data)
        return catalogue.of_kind("cross"), catalogue.effects, where
    return tuple(head for head in scores(summary.attention) if head.kind == "cross"), None, say("In this run")


def _choice(place: Head) -> str:
    return f"{place.layer + 1}.{place.head + 1}"


def _options(settings: DecodeSettings, card: Mapping[str, Any]) -> list[str]:
    """Return the options that lead from the decoding that a card names to these settings."""
    usual = DecodeSettings.from_dict(card.get("decoding", {})).to_dict()
    names = {"whole_words": ("--whole-words", "--any-words")}
    words = []
    for name, value in settings.to_dict().items():
        if usual[name] == value:
            continue
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            yes, no = names.get(name, (option, f"--no-{name.replace('_', '-')}"))
            words.append(yes if value else no)
        else:
            words += [option, str(value)]
    return words


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that take part."""
    numbers = {"Python": platform.python_version()}
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    for library in LIBRARIES:
        if library in ("tensorflow", "jax") and library != backend:
            continue
        try:
            numbers[library] = version(library)
        except PackageNotFoundError:
            continue
    return numbers
