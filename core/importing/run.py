"""Read a Hugging Face model's folder and write it as a checkpoint of this project."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.checkpoints import Precision
from core.config import DecodeSettings, ModelConfig
from core.errors import CheckpointError, SettingsError
from core.importing.families import FAMILIES, check_rows, check_shapes, family_of, model_config, read_weights
from core.importing.folder import open_folder, open_inside, sha256
from core.importing.generation import read_generation
from core.importing.pieces import guess_dialogue, make_tokenizer, read_files
from core.text.vocabulary import Vocabulary
from core.text.written import Style

Decoding = Literal["own", "default"]
"""Decode as the model's own settings ask, or as this project does, up to the model's length."""


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
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self) | {
            "checkpoint": str(self.checkpoint),
            "model": self.model.to_dict(),
            "decoding": self.decoding.to_dict(),
        }


def import_model(
    folder: Path,
    output: Path,
    *,
    name: str,
    precision: Precision = "half",
    dialogue: Style | None = None,
    prefix: str | None = None,
    decoding: Decoding = "own",
    revision: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Report:
    """Import a model.

    Args:
        folder: config.json, *.safetensors, a tokenizer, and generation_config.json if there is one.
        output: folder of the checkpoint; another checkpoint there is replaced as a whole.
        name: of the model, for the card.
        precision: "half" writes float16, "original" what the files have (bfloat16 as float32).
        dialogue: how turns are written for the model; None: guessed from the name.
        prefix: in front of a dialogue; None: guessed from the name.
        decoding: whose settings of decoding the card gets.
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
    found = open_folder(folder)
    family = FAMILIES[family_of(found.config)]
    generation = read_generation(found.config, found.generation, own=decoding == "own")
    rows = check_rows(found)
    files = read_files(folder, rows, generation.end)
    try:
        vocabulary = Vocabulary(rows, generation.pad, generation.start, generation.end, files.unknown)
    except SettingsError as error:
        raise CheckpointError("config.json and the tokenizer do not fit: {error}", error=error) from None
    settings = generation.settings()
    config = model_config(found.config, vocabulary, settings.max_tokens, **generation.forced(vocabulary))
    config, weights, origins = read_weights(found, config, vocabulary, step)
    check_shapes(config, weights, origins, vocabulary)
    notes = []
    if decoding == "default":
        notes.append("It is decoded with the default settings of this project, not with its own.")
    elif not generation.names_longest:
        notes.append(
            f"Its own settings do not say how long a summary may be: it writes at most {settings.max_tokens} tokens, "
            "as in transformers. “--decoding default”, in the app Decoding “As in this app”, takes the settings of "
            "this project."
        )
    if settings.max_tokens > config.max_target_length:
        notes.append(f"It writes at most {config.max_target_length} tokens, not {settings.max_tokens}.")
        longest = config.max_target_length
        settings = settings.replace(max_tokens=longest, min_tokens=min(settings.min_tokens, longest - 1))
    if config.positions == "relative":
        notes.append(f"Its positions are relative; the longest source is set to {config.max_source_length:,} tokens.")
    guessed = guess_dialogue(name)
    style, start = dialogue or guessed[0], guessed[1] if prefix is None else prefix
    first = config.forced_first
    before = files.pieces.before
    if first is None and found.config["model_type"] == "bart" and len(before) == 1 and before[0] < rows:
        first = vocabulary.ours[before[0]]  # its targets were encoded like its sources
    tokenizer = make_tokenizer(files, vocabulary, first, style, start)
    licence = licence_of(folder) or "not named, see the model's own page"
    parameters = sum(values.size for values in weights.values())
    report = Report(
        output, family.title, parameters, config, settings, style, start, licence, sha256(found, step), tuple(notes)
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
        "notes": notes,
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
        raise CheckpointError("{name} has numbers that half precision cannot hold. Use --precision original", name=name)
    return half
