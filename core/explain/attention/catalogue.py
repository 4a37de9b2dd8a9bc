"""The head catalogue of a checkpoint: statistics of every head over many dialogues, stored beside it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from core.errors import CheckpointError, CorpusError, DialogueError, SettingsError
from core.explain.attention.head_outputs import Head, outputs_of, part_name
from core.explain.attention.head_scores import HeadScores, combine, scores
from core.explain.attention.head_types import Standing, ordinal, outstanding, type_or_nearest
from core.explain.attention.inside import Kind
from core.files import beside, writing
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

FORMAT = 3
_DIGITS = 4
_WHOLE = ("layer", "head", "rows", "offset")


@dataclass(frozen=True)
class CatalogueHead:
    """One head over all dialogues.

    Args:
        scores: its statistics.
        mean_output: [K] mean of its output before the output projection, over every query position of every dialogue.
    """

    scores: HeadScores
    mean_output: tuple[float, ...]

    @property
    def place(self) -> Head:
        """Return which head it is."""
        return _place(self.scores)


@dataclass(frozen=True)
class Effects:
    """What the model's own summaries lose under teacher forcing without some of its attention.

    Args:
        dialogues: number of dialogues that were summarized.
        tokens: of their summaries.
        nats: mean loss of log-probability in nats a token, by `part_name` of what was switched off.
    """

    dialogues: int
    tokens: int
    nats: Mapping[str, float]

    def of(self, kind: Kind, layer: int | None = None, head: int | None = None) -> float | None:
        """Return the loss without a kind of attention, one of its layers or one head; None: not measured."""
        return self.nats.get(part_name(kind, layer, head))


@dataclass(frozen=True)
class Catalogue:
    """Every head of a checkpoint.

    Args:
        checkpoint: name and weights hash, `name@sha256-prefix`.
        data: name of the corpus.
        dialogues: number of dialogues that were measured.
        command: the command that made it.
        heads: by kind, layer and head.
        effects: the loss without each of them, or None if it was not measured.
    """

    checkpoint: str
    data: str
    dialogues: int
    command: str
    heads: tuple[CatalogueHead, ...]
    effects: Effects | None = None

    def find(self, kind: Kind, layer: int, head: int) -> CatalogueHead | None:
        """Return one head (0-based), or None."""
        wanted = (kind, layer, head)
        return next((each for each in self.heads if each.place == wanted), None)

    def of_kind(self, kind: Kind) -> tuple[HeadScores, ...]:
        """Return the scores of all heads of one kind of attention, by layer and head."""
        return tuple(head.scores for head in self.heads if head.scores.kind == kind)

    def type_or_nearest(self, head: CatalogueHead) -> Standing | None:
        """Return the published type that a head reaches, or the nearest; None if no row of it was measured."""
        return self._standings[head.place][0]

    def outstanding(self, head: CatalogueHead) -> Standing | None:
        """Return by which type a head differs most from the other heads of its kind."""
        return self._standings[head.place][1]

    @cached_property
    def _standings(self) -> dict[Head, tuple[Standing | None, Standing | None]]:
        """Both standings of every head: each is ranked among all of its kind."""
        standings = {}
        for head in self.heads:
            others = self.of_kind(head.scores.kind)
            standings[head.place] = (type_or_nearest(head.scores, others), outstanding(head.scores, others))
        return standings

    def labels(self) -> dict[Head, str]:
        """Return what to write beside each head in a picture: "broad" where it is that type, else "copy · 1st"."""
        texts = {}
        for head in self.heads:
            by_type, out = self.type_or_nearest(head), self.outstanding(head)
            if by_type and out:
                texts[head.place] = say(by_type.name) if by_type.reached else f"{say(out.name)} · {ordinal(out.place)}"
        return texts

    def mean_outputs(self) -> dict[Head, Array]:
        """Return the mean output [K] of every head, for mean ablation."""
        return {head.place: np.array(head.mean_output, dtype=np.float32) for head in self.heads}

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain JSON types, scores rounded to 4 decimals and mean outputs to 4 significant digits."""
        heads = [
            _rounded(asdict(head.scores))
            | {"mean_output": [float(f"{value:.{_DIGITS}g}") for value in head.mean_output]}
            for head in self.heads
        ]
        effects = self.effects and _rounded(asdict(self.effects))
        return {"format": FORMAT} | asdict(self) | {"effects": effects, "heads": heads}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Catalogue":
        """Build from what `to_dict` returned; raises CheckpointError for anything else."""
        try:
            if values["format"] != FORMAT:
                raise ValueError(
                    say(
                        "format {received}; allowed: {allowed}, which `python -m core heads` writes",
                        received=repr(values["format"]),
                        allowed=FORMAT,
                    )
                )
            texts = {name: _text(values, name) for name in ("checkpoint", "data", "command")}
            heads = tuple(_head(head) for head in values["heads"])
            if not heads or len({head.place for head in heads}) != len(heads):
                raise ValueError(say("every head must be there once"))
            widths = sorted({len(head.mean_output) for head in heads})
            if len(widths) > 1 or not widths[0]:
                raise ValueError(
                    say("mean_output must have the same length for every head. Received: {widths}", widths=widths)
                )
            effects = values["effects"] and _effects(values["effects"])
            return cls(dialogues=_number(values, "dialogues", whole=True), heads=heads, effects=effects, **texts)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            reason = say("lacks {name}", name=error) if isinstance(error, KeyError) else str(error)
            raise CheckpointError(
                "the head catalogue is damaged or of another version: {reason}. Measure the heads again with "
                "python -m core heads, or take the file heads.json out of the checkpoint's folder",
                reason=reason,
            ) from None


def measure(
    summarizer: "Summarizer",
    dialogues: Iterable[str],
    data: str,
    command: str,
    report: Callable[[int, str | None], None] | None = None,
) -> Catalogue:
    """Summarize dialogues with the card's decoding and measure every head.

    Args:
        summarizer: the checkpoint.
        dialogues: their texts; those without words are left out.
        data: name of the corpus.
        command: the command that is run.
        report: called with the number of finished dialogues, and the reason if the last one was left out.

    Raises:
        CorpusError: no dialogue could be summarized.
        SettingsError: the model has no heads.
    """
    has = summarizer.config.has
    if not has.heads:
        name = summarizer.checkpoint.name
        raise SettingsError(f"the model must have attention heads to measure. Received: {name!r}, a {has.family}")
    of_heads: dict[Head, list[HeadScores]] = {}
    outputs: dict[Head, tuple[Any, int]] = {}
    measured = 0
    for number, dialogue in enumerate(dialogues, 1):
        reason = None
        try:
            summary = summarizer.summarize(dialogue)
        except DialogueError as error:
            reason = f"dialogue {number}: {error}"
        else:
            measured += 1
            for head_scores in scores(summary.attention):
                of_heads.setdefault(_place(head_scores), []).append(head_scores)
            _add_outputs(outputs, summarizer, summary)
        if report:
            report(number, reason)
    if not measured:
        raise CorpusError("no dialogue could be summarized: the heads were not measured")
    heads = []
    for place, parts in of_heads.items():
        total, rows = outputs[place]
        overall = combine(parts)
        heads.append(CatalogueHead(overall, tuple((total / rows).tolist())))
    return Catalogue(summarizer.checkpoint.identity, data, measured, command, tuple(heads))


def choose(values: Mapping[str, Any] | None, identity: str) -> tuple[Catalogue | None, str]:
    """Return the catalogue of a checkpoint, or None and a sentence that says why.

    Args:
        values: from `core.checkpoints.read_heads`.
        identity: of the checkpoint, `name@sha256-prefix`; its name may change, its weights may not.

    Raises:
        CheckpointError: the catalogue is damaged.
    """
    if values is None:
        return None, say("The heads of this checkpoint have not been measured yet.")
    catalogue = Catalogue.from_dict(values)
    if catalogue.checkpoint.rpartition("@")[2] != identity.rpartition("@")[2]:
        return None, say(
            "The head catalogue was measured with other weights ({measured}), so it is not shown for {shown}.",
            measured=catalogue.checkpoint,
            shown=identity,
        )
    return catalogue, ""


def write(path: Path, catalogue: Catalogue) -> None:
    """Write a catalogue, complete or not at all; raises SettingsError if that fails."""
    values = catalogue.to_dict()
    heads = ",\n  ".join(json.dumps(head) for head in values.pop("heads"))
    text = json.dumps(values, indent=1, ensure_ascii=False).removesuffix("\n}") + f',\n "heads": [\n  {heads}\n ]\n}}\n'
    with writing(f"the head catalogue '{path}'", SettingsError), beside(path) as file:
        file.write(text.encode())


def _place(scores: HeadScores) -> Head:
    return Head(scores.kind, scores.layer, scores.head)


def _add_outputs(outputs: dict[Head, tuple[Any, int]], summarizer: "Summarizer", summary: Summary) -> None:
    """Add the outputs of a run, and the number of its query positions, to the sums."""
    for place, mean in outputs_of(summarizer, summary).items():
        total, rows = outputs.get(place, (0, 0))
        more = len(summary.source if place.kind == "encoder" else summary.steps)
        outputs[place] = (total + more * mean.astype(np.float64), rows + more)


def _rounded(value: Any) -> Any:
    """Round numbers to 4 decimals, also inside of containers."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return round(value, _DIGITS) if isinstance(value, float) else value


def _head(values: Mapping[str, Any]) -> CatalogueHead:
    if values["kind"] not in get_args(Kind):
        raise ValueError(
            say(
                "{name} must be one of {allowed}. Received: {value}",
                name="kind",
                allowed=", ".join(get_args(Kind)),
                value=repr(values["kind"]),
            )
        )
    numbers: dict[str, Any] = {
        item.name: _number(values, item.name, item.name in _WHOLE, "None" in str(item.type))
        for item in fields(HeadScores)
        if item.name != "kind"
    }
    output = values["mean_output"]
    if not isinstance(output, list):
        raise ValueError(say("mean_output must be a list of numbers. Received: {value}", value=repr(output)))
    return CatalogueHead(
        HeadScores(kind=values["kind"], **numbers),
        tuple(float(_number({"mean_output": number}, "mean_output")) for number in output),
    )


def _effects(values: Mapping[str, Any]) -> Effects:
    nats = values["nats"]
    dialogues, tokens = (_number(values, name, whole=True) for name in ("dialogues", "tokens"))
    return Effects(dialogues, tokens, {str(name): float(_number(nats, name)) for name in nats})


def _text(values: Mapping[str, Any], name: str) -> str:
    if not isinstance(values[name], str):
        raise ValueError(say("{name} must be text. Received: {value}", name=name, value=repr(values[name])))
    return str(values[name])


def _number(values: Mapping[str, Any], name: str, whole: bool = False, optional: bool = False) -> Any:
    value = values[name]
    if value is None and optional:
        return None
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or value != value or abs(value) == float("inf"):
        if whole:
            raise ValueError(say("{name} must be an integer. Received: {value}", name=name, value=repr(value)))
        raise ValueError(say("{name} must be a number. Received: {value}", name=name, value=repr(value)))
    return value
