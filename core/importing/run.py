"""Read a Hugging Face model's folder and write it as a checkpoint of this project."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.checkpoints import Precision
from core.config import DecodeSettings, ModelConfig
from core.errors import CheckpointError, SettingsError
from core.importing import families
from core.importing.adapter import open_model
from core.importing.folder import Folder, open_inside, sha256
from core.importing.generation import Generation, read_generation, task_settings
from core.importing.pieces import TokenizerFiles, guess_dialogue, make_tokenizer, read_files
from core.text.import_notes import Note, listed, said, way
from core.text.vocabulary import Vocabulary
from core.text.written import Style
from core.words import say

Decoding = Literal["own", "task", "default"]
"""Decode as the model's own settings ask, as its config.json asks for summaries, or as this project does up to the
model's length."""
_PLACEHOLDER = re.compile(r"<extra_id_\d+>|<unk_\d+>|<mask_\d+>|<.{0,1}>")
"""Names of special tokens that a family keeps for its first training."""


@dataclass(frozen=True)
class Report:
    """What was read.

    Args:
        checkpoint: folder that was written.
        family: in words.
        parameters: number of weights.
        model: the shape.
        decoding: the settings of decoding.
        dialogue: how turns are written for the model.
        prefix: in front of a dialogue.
        licence: that the model's own page names, or a sentence that it names none.
        files: SHA-256 of each file.
        notes: sentences about what differs from the model's own settings.
    """

    checkpoint: Path
    family: str
    parameters: int
    model: ModelConfig
    decoding: DecodeSettings
    dialogue: Style
    prefix: str
    licence: str
    files: dict[str, str]
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self) | {
            "checkpoint": str(self.checkpoint),
            "model": self.model.to_dict(),
            "decoding": self.decoding.to_dict(),
            "notes": said(self.notes),
        }


@dataclass(frozen=True)
class Plan:
    """What an import will do, known without the numbers of the weights.

    Args:
        found: the folder.
        vocabulary: the two orders of ids.
        files: of the tokenizer; None for a model of the hub that is not downloaded yet.
        config: the shape; the weights decide whether the output layer is shared.
        settings: of decoding.
        notes: what differs from `transformers`, or from the model's own settings.
        languages: that a summary can be forced to begin with, where nothing forces one.
    """

    found: Folder
    vocabulary: Vocabulary
    files: TokenizerFiles | None
    config: ModelConfig
    settings: DecodeSettings
    notes: tuple[Note, ...]
    languages: tuple[str, ...] = ()


def plan(found: Folder, decoding: Decoding = "own", language: str | None = None, tokenizer: bool = True) -> Plan:
    """Check settings, tokenizer and tensors of a model, without reading the numbers of its weights.

    Args:
        found: the folder.
        decoding: see `import_model`.
        language: see `import_model`.
        tokenizer: whether its files are there.

    Raises:
        CheckpointError: a file is damaged, or something in it is not known.
    """
    families.family_of(found.config)  # refused before its settings
    settings, own = found.generation, decoding != "default"
    task = task_settings(found.config)
    if decoding == "task":
        if not task:
            raise CheckpointError("config.json has no settings for summaries: it names no task_specific_params of them")
        settings = {**({} if settings is None else settings), **task}
    generation = read_generation(found.config, settings, own=own)
    rows = families.check_rows(found)
    files = read_files(found.tokenizer, rows, generation.end, found.config) if tokenizer else None
    if files:
        files.check(rows)
    languages = files.languages(rows) if files else {}
    if language is not None:
        if language not in languages:
            raise CheckpointError(
                "the tokenizer has no such language. Received: {language!r}; allowed: {allowed}",
                language=language[:80],
                allowed=listed([*languages]) or say("none"),
            )
        generation = replace(generation, values={**generation.values, "forced_bos_token_id": languages[language]})
    try:
        unknown = files.unknown if files else None
        vocabulary = Vocabulary(rows, generation.pad, generation.start, generation.end, unknown)
    except SettingsError as error:
        raise CheckpointError("config.json and the tokenizer do not fit: {error}", error=error) from None
    chosen = generation.settings()
    config = families.model_config(found.config, vocabulary, chosen.max_tokens, **generation.forced(vocabulary))
    families.check_tensors(found, config, vocabulary)
    notes = [*found.notes, *_of_decoding(decoding, generation, chosen, task)]
    if chosen.max_tokens > config.max_target_length:
        longest = config.max_target_length
        notes.append(("shorter", {"most": longest, "asked": chosen.max_tokens}))
        chosen = chosen.replace(max_tokens=longest, min_tokens=min(chosen.min_tokens, longest - 1))
    if chosen.min_tokens < generation.shortest:
        notes.append(("longer", {"fewest": chosen.min_tokens, "asked": generation.shortest}))
    if files:
        notes += _of_tokens(files, generation, config, languages, rows)
    open_languages = tuple(languages) if any(key == "language" for key, _ in notes) else ()
    return Plan(found, vocabulary, files, config, chosen, tuple(notes), open_languages)


def _of_decoding(
    decoding: Decoding, generation: Generation, settings: DecodeSettings, task: Mapping[str, Any]
) -> Iterator[Note]:
    """Yield what is special about how a model writes."""
    if decoding != "own":
        yield f"{decoding}_decoding", {}
    elif not generation.names_longest:
        yield "no_length", {"tokens": settings.max_tokens}
    if decoding == "own" and task:
        yield "task", {"settings": listed([f"{key}={value}" for key, value in task.items()])}


def _of_tokens(
    files: TokenizerFiles, generation: Generation, config: ModelConfig, languages: Mapping[str, int], rows: int
) -> Iterator[Note]:
    """Yield what a reader of tokens finds otherwise than in `transformers`."""
    pieces = files.pieces
    names = {number: name for name, number in pieces.ids.items()}
    usual = {*files.settings.usual(), *languages}
    added = [name for name, number in pieces.special.items() if name not in usual and number < rows]
    added = [name for name in added if not _PLACEHOLDER.fullmatch(name)]
    without = [f"{name} ({number})" for name, number in pieces.special.items() if number >= rows]
    cut = files.settings.tokenizer.get("model_max_length")
    cut = cut if type(cut) is int and cut < 10**6 and cut != config.max_source_length else None
    if added:
        yield "special", {"tokens": listed(added)}
    if without:
        yield "no_row", {"tokens": listed(without)}
    if languages and not {generation.start, generation.values.get("forced_bos_token_id")} & {*languages.values()}:
        yield "language", {"tokens": listed([*languages])}
    if generation.ends:
        yield "ends", {"tokens": listed([names.get(end, str(end)) for end in generation.ends])}
    if files.settings.reads_bytes:
        yield "bytes", {}
    if config.positions == "relative":
        yield "relative", {"most": config.max_source_length}
    if cut:
        yield "cut", {"most": config.max_source_length, "asked": cut}


def import_model(
    folder: Path,
    output: Path,
    *,
    name: str,
    precision: Precision = "half",
    dialogue: Style | None = None,
    prefix: str | None = None,
    decoding: Decoding = "own",
    language: str | None = None,
    base: Path | None = None,
    revision: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Report:
    """Import a model.

    Args:
        folder: config.json, *.safetensors, a tokenizer, and generation_config.json if there is one; or a LoRA adapter.
        output: folder of the checkpoint; another checkpoint there is replaced as a whole.
        name: of the model, for the card.
        precision: "half" writes float16, "original" what the files have (bfloat16 as float32).
        dialogue: how turns are written for the model; None: guessed, see `guess_dialogue`.
        prefix: in front of a dialogue; None: guessed likewise.
        decoding: whose settings of decoding the card gets.
        language: code of the tokenizer's language that every summary begins with; None leaves it to the model.
        base: folder of the model that an adapter belongs to.
        revision: of the model on the hub, for the card.
        cancelled: asked again and again; once it returns True, the import stops and writes nothing.

    Raises:
        CheckpointError: a file is missing or damaged, something in it is not known, the disk is full, or it was
            cancelled.
        SettingsError: the output folder holds something else than a checkpoint.
    """

    def step() -> None:
        if cancelled():
            raise CheckpointError("the import of {name} was cancelled", name=name)

    checkpoints.check_replaceable(output)
    found = open_model(folder, base)
    planned = plan(found, decoding, language)
    files, vocabulary, settings = planned.files, planned.vocabulary, planned.settings
    assert files is not None  # noqa: S101
    family = families.checked(found.config)
    config, weights, origins = families.read_weights(found, planned.config, vocabulary, step)
    guessed = guess_dialogue(name, found.config)
    style, start = dialogue or guessed[0], guessed[1] if prefix is None else prefix
    first = config.forced_first
    before = files.pieces.before
    if first is None and found.config["model_type"] == "bart" and len(before) == 1 and before[0] < vocabulary.rows:
        first = vocabulary.ours[before[0]]  # its targets were encoded like its sources
    tokenizer = make_tokenizer(files, vocabulary, first, style, start)
    licence = licence_of(folder) or "not named, see the model's own page"
    parameters = sum(values.size for values in weights.values())
    report = Report(
        output, family.title, parameters, config, settings, style, start, licence, sha256(found, step), planned.notes
    )
    card = {
        "about": f"Imported: {family.title} “{name}”.",
        "source": name,
        "revision": revision,
        "licence": licence,
        "family": family.title,
        "parameters": report.parameters,
        "dialogue": style,
        "prefix": start,
        "precision": precision,
        "files": report.files,
        "notes": planned.notes,
        "decoding": settings.to_dict(),
    }
    if precision == "half":
        weights = {path: _rounded(values, origins[path].names[0]) for path, values in weights.items()}
    step()
    checkpoints.write(output, config, tokenizer, weights, [], card, precision=precision)
    return report


def licence_of(folder: Path) -> str | None:
    """Return the licence that a model's README.md names in its head, None if it names none."""
    try:
        with open_inside(folder / "README.md") as file:
            lines = file.read(20_000).decode("utf-8", errors="replace").splitlines()
    except (OSError, CheckpointError):
        return None
    if not lines or lines[0].strip() != "---":
        return None
    for line in lines[1:]:
        key, _, value = line.partition(":")
        if line.strip() == "---":
            return None
        if key.strip() in ("license", "licence") and value.strip():
            return value.strip().strip("'\"")[:100]
    return None


def _rounded(values: NDArray[Any], name: str) -> NDArray[np.float16]:
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    if not np.isfinite(half).all():
        raise CheckpointError(
            "{name} has numbers that half precision cannot hold. {advice}", name=name, advice=way("precision")
        )
    return half
