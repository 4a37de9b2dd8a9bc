"""What each head of a checkpoint tends to do, measured over many dialogues and kept as numbers beside it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from core.config import ModelConfig
from core.errors import CheckpointError, CorpusError, DialogueError, SettingsError
from core.explain.head_outputs import Head, mean_outputs
from core.explain.heads import HeadScores, HeadTag, combine, scores, tag
from core.explain.inside import Kind
from core.files import beside
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

FORMAT = 2
_DIGITS = 4
_WHOLE = ("layer", "head", "rows", "offset")


@dataclass(frozen=True)
class CatalogueHead:
    """One head over all dialogues.

    Args:
        scores: its statistics.
        tag: the name that fits them.
        mean_output: [K] mean of its output before the output projection, over every query position of every dialogue.
    """

    scores: HeadScores
    tag: HeadTag
    mean_output: tuple[float, ...]


@dataclass(frozen=True)
class Catalogue:
    """Every head of a checkpoint.

    Args:
        checkpoint: name and weights hash, `name@sha256-prefix`.
        data: name of the corpus.
        dialogues: number of dialogues that were measured.
        command: what made it.
        heads: by kind, layer and head.
    """

    checkpoint: str
    data: str
    dialogues: int
    command: str
    heads: tuple[CatalogueHead, ...]

    def find(self, kind: Kind, layer: int, head: int) -> CatalogueHead | None:
        """One head (0-based), None where the checkpoint has none such."""
        wanted = (kind, layer, head)
        return next((each for each in self.heads if _place(each.scores) == wanted), None)

    def mean_outputs(self) -> dict[Head, Array]:
        """Mean output [K] of every head, for mean ablation."""
        return {_place(each.scores): np.array(each.mean_output, dtype=np.float32) for each in self.heads}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types, scores rounded to 4 decimals and mean outputs to 4 significant digits."""
        heads = [
            _rounded(asdict(each.scores) | {"tag": asdict(each.tag)})
            | {"mean_output": [float(f"{value:.{_DIGITS}g}") for value in each.mean_output]}
            for each in self.heads
        ]
        return {"format": FORMAT} | asdict(self) | {"heads": heads}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Catalogue":
        """Read what `to_dict` gave; raises CheckpointError if it is something else."""
        try:
            if values["format"] != FORMAT:
                raise ValueError(f"format {values['format']!r}; allowed: {FORMAT}, which `python -m core heads` writes")
            texts = {name: _text(values, name) for name in ("checkpoint", "data", "command")}
            heads = tuple(_head(each) for each in values["heads"])
            if not heads or len({_place(each.scores) for each in heads}) != len(heads):
                raise ValueError("every head must be there once")
            widths = sorted({len(each.mean_output) for each in heads})
            if len(widths) > 1 or not widths[0]:
                raise ValueError(f"mean_output must have the same length for every head. Received: {widths}")
            return cls(dialogues=_number(values, "dialogues", whole=True), heads=heads, **texts)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise CheckpointError(f"the head catalogue is damaged or of another version: {reason}") from None


def measure(
    summarizer: "Summarizer",
    dialogues: Iterable[str],
    data: str,
    command: str,
    report: Callable[[int, str | None], None] | None = None,
) -> Catalogue:
    """Summarise dialogues as the checkpoint's card says and measure every head.

    Args:
        summarizer: the checkpoint.
        dialogues: their texts; those without words are left out.
        data: name of the corpus.
        command: what is run, for the record.
        report: called with the number of dialogues done, and why the last one was left out or None.

    Raises:
        CorpusError: no dialogue could be summarised.
        SettingsError: it is a recurrent model.
    """
    if not isinstance(summarizer.config, ModelConfig):
        raise SettingsError(
            "only a Transformer has heads to measure. "
            f"Received: {summarizer.checkpoint.name!r}, a recurrent model"
        )
    found: dict[Head, list[HeadScores]] = {}
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
            for each in scores(summary.attention):
                found.setdefault(_place(each), []).append(each)
            _add_outputs(outputs, summarizer, summary)
        if report:
            report(number, reason)
    if not measured:
        raise CorpusError("no dialogue could be summarised: the heads were not measured")
    heads = []
    for place, parts in found.items():
        total, rows = outputs[place]
        overall = combine(parts)
        heads.append(CatalogueHead(overall, tag(overall), tuple((total / rows).tolist())))
    return Catalogue(summarizer.checkpoint.identity, data, measured, command, tuple(heads))


def choose(values: Mapping[str, Any] | None, identity: str) -> tuple[Catalogue | None, str]:
    """The catalogue of a checkpoint, or none and a sentence that says why.

    Args:
        values: what `core.checkpoints.read_heads` gave.
        identity: of the checkpoint, `name@sha256-prefix`; its name may change, its weights may not.

    Raises:
        CheckpointError: the catalogue is damaged.
    """
    if values is None:
        return None, "What the heads of this checkpoint tend to do was not measured yet."
    catalogue = Catalogue.from_dict(values)
    if catalogue.checkpoint.rpartition("@")[2] != identity.rpartition("@")[2]:
        return None, (
            f"The head catalogue was measured with other weights ({catalogue.checkpoint}), "
            f"so it is not shown for {identity}."
        )
    return catalogue, ""


def write(path: Path, catalogue: Catalogue) -> None:
    """Write one head a line, beside and then renamed; raises SettingsError if that fails."""
    values = catalogue.to_dict()
    heads = ",\n  ".join(json.dumps(head) for head in values.pop("heads"))
    text = json.dumps(values, indent=1, ensure_ascii=False).removesuffix("\n}") + f',\n "heads": [\n  {heads}\n ]\n}}\n'
    try:
        with beside(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise SettingsError(f"the head catalogue cannot be written: {error}") from None


def _place(scores: HeadScores) -> Head:
    return Head(scores.kind, scores.layer, scores.head)


def _add_outputs(outputs: dict[Head, tuple[Any, int]], summarizer: "Summarizer", summary: Summary) -> None:
    """Add the outputs of a run to their sums, and its query positions to their numbers."""
    for place, mean in mean_outputs(summarizer, summary).items():
        total, rows = outputs.get(place, (0, 0))
        more = len(summary.source if place.kind == "encoder" else summary.steps)
        outputs[place] = (total + more * mean.astype(np.float64), rows + more)


def _rounded(value: Any) -> Any:
    """Numbers to 4 decimals, in what an object holds too."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return round(value, _DIGITS) if isinstance(value, float) else value


def _head(values: Mapping[str, Any]) -> CatalogueHead:
    if values["kind"] not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}. Received: {values['kind']!r}")
    numbers: dict[str, Any] = {
        item.name: _number(values, item.name, item.name in _WHOLE, "None" in str(item.type))
        for item in fields(HeadScores)
        if item.name != "kind"
    }
    name = values["tag"]
    shown = {each: _text(name, each) for each in ("name", "runner_up")}
    behind = {each: _number(name, each) for each in ("score", "runner_up_score")}
    output = values["mean_output"]
    if not isinstance(output, list):
        raise ValueError(f"mean_output must be a list of numbers. Received: {output!r}")
    return CatalogueHead(
        HeadScores(kind=values["kind"], **numbers),
        HeadTag(**shown, **behind),  # type: ignore[arg-type]
        tuple(float(_number({"mean_output": each}, "mean_output")) for each in output),
    )


def _text(values: Mapping[str, Any], name: str) -> str:
    if not isinstance(values[name], str):
        raise ValueError(f"{name} must be text. Received: {values[name]!r}")
    return str(values[name])


def _number(values: Mapping[str, Any], name: str, whole: bool = False, optional: bool = False) -> Any:
    value = values[name]
    if value is None and optional:
        return None
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or value != value or abs(value) == float("inf"):
        raise ValueError(f"{name} must be {'an integer' if whole else 'a number'}. Received: {value!r}")
    return value
