"""What each head of a checkpoint tends to do, measured over many dialogues and kept as numbers beside it."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from core.errors import CheckpointError, CorpusError, DialogueError, SettingsError
from core.explain.heads import HeadScores, HeadTag, combine, scores, tag
from core.explain.inside import Kind

if TYPE_CHECKING:
    from core.service import Summarizer

FORMAT = 1
_DIGITS = 4
_WHOLE = ("layer", "head", "rows", "offset")


@dataclass(frozen=True)
class CatalogueHead:
    """One head: its scores over all dialogues, and the name that fits them."""

    scores: HeadScores
    tag: HeadTag


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

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types, numbers rounded to 4 decimals."""
        heads = [asdict(each.scores) | {"tag": asdict(each.tag)} for each in self.heads]
        return {"format": FORMAT} | asdict(self) | {"heads": [_rounded(head) for head in heads]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Catalogue":
        """Read what `to_dict` gave; raises CheckpointError if it is something else."""
        try:
            if values["format"] != FORMAT:
                raise ValueError(f"format {values['format']!r}; allowed: {FORMAT}")
            texts = {name: _text(values, name) for name in ("checkpoint", "data", "command")}
            heads = tuple(_head(each) for each in values["heads"])
            if not heads or len({_place(each.scores) for each in heads}) != len(heads):
                raise ValueError("every head must be there once")
            return cls(dialogues=_number(values, "dialogues", whole=True), heads=heads, **texts)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
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
    """
    found: dict[tuple[Kind, int, int], list[HeadScores]] = {}
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
        if report:
            report(number, reason)
    if not measured:
        raise CorpusError("no dialogue could be summarised: the heads were not measured")
    heads = [combine(parts) for parts in found.values()]
    return Catalogue(
        summarizer.checkpoint.identity, data, measured, command, tuple(CatalogueHead(each, tag(each)) for each in heads)
    )


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
    fresh = path.with_name(path.name + ".part")
    try:
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise SettingsError(f"the head catalogue cannot be written: {error}") from None


def _place(scores: HeadScores) -> tuple[Kind, int, int]:
    return scores.kind, scores.layer, scores.head


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
    return CatalogueHead(HeadScores(kind=values["kind"], **numbers), HeadTag(**shown, **behind))  # type: ignore[arg-type]


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
