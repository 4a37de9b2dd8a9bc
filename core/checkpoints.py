"""Checkpoint folders: config.json, tokenizer.json, weights.safetensors, history.csv, card.json.

Written beside and renamed, so that a folder is whole or absent; the card holds the SHA-256 of weights,
configuration and tokenizer, and `read` verifies them. Nothing is pickled.
"""

import csv
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.config import DecodeSettings, NetworkConfig
from core.errors import CheckpointError, SettingsError
from core.files import LARGEST, cause, claimed, exchange, fault, finite, leftovers, mistaken, read_text, sha256
from core.model import families
from core.text.encoded import AnyTokenizer
from core.text.tokenizer import Tokenizer
from core.words import later, say

Precision = Literal["half", "original"]
FOLDER = Path(__file__).resolve().parent.parent / "checkpoints"
"""Folder of the shipped checkpoints."""
FILES = ("config.json", "tokenizer.json", "weights.safetensors")
MARKS = ("config.json", "card.json")
"""Files of which each makes a folder a checkpoint, so that one that lacks the other is named, not passed over."""
AGAIN = later("copy the checkpoint's folder again")
"""The remedy for a damaged file; to be said."""
HEADS = "heads.json"
"""File of the optional head catalogue."""
JUDGED = "judged.json"
"""File of the optional verdicts on its summaries of the bundled dialogues."""
WRITTEN = "written.json"
"""File of the optional summaries of the bundled dialogues that it wrote."""
OPENING = "opening.json"
"""File of the optional first page: how it wrote the summary of the dialogue that the app opens with."""
RECORDED = "recorded"
"""Its sub-folder of recorded runs, which have a card.json and a history.csv but no weights."""
IMPORTED = "imported"
"""Its sub-folder of imported models, unless DIALOSCOPE_IMPORTED names another folder."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")
_OLD = "-old"
_ADDED: dict[str, Path] = {}
SCORES = ("rouge1", "rouge2", "rougeL")
HISTORY = ("epoch", "train_loss", "validation_loss", "learning_rate", "tokens_per_second", "seconds", *SCORES)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A checkpoint in memory.

    Args:
        name: of its folder.
        config: the model's shape.
        tokenizer: its tokenizer.
        weights: array of each trainable weight, by its path inside the model.
        history: one row an epoch, keys of `HISTORY`; those of `SCORES` only where epochs were scored.
        card: data, licence, preset, scores, hashes and decoding settings.
    """

    name: str
    config: NetworkConfig
    tokenizer: AnyTokenizer
    weights: Mapping[str, NDArray[Any]]
    history: Sequence[Mapping[str, float]]
    card: Mapping[str, Any]

    @property
    def identity(self) -> str:
        """Name and a prefix of the weights' hash: `name@0123456789ab`."""
        return f"{self.name}@{self.card['sha256']['weights.safetensors'][:12]}"


def installed() -> list[str]:
    """Return the names of the shipped checkpoints, ours first, then of the imported ones, then what `add` installed."""
    shipped, imported = _names(FOLDER), _names(imports())
    return [*dict.fromkeys([*sorted(shipped, key=lambda name: name != "dialoscope"), *imported, *_ADDED])]


def is_shipped(name: str) -> bool:
    """Return whether a checkpoint comes with the app."""
    return name in _names(FOLDER)


def imports() -> Path:
    """Return the folder of imported models, which need not exist."""
    return Path(os.environ.get("DIALOSCOPE_IMPORTED") or FOLDER / IMPORTED)


def place_of(name: str) -> Path:
    """Return the folder for an imported model; raises CheckpointError if it cannot be called so."""
    if not _NAME.fullmatch(name):
        raise CheckpointError(
            "a checkpoint cannot be called so. Received: {name!r}; allowed: up to 64 letters, "
            "digits, dots, hyphens and underscores, a letter or digit first",
            name=name[:80],
        )
    if name in installed() or (FOLDER / name).exists():
        raise CheckpointError("there is a checkpoint called {name!r} already: choose another name", name=name)
    return imports() / name


def add(folder: Path) -> None:
    """Install a checkpoint from another folder under that folder's name, until this process ends or `remove`."""
    _ADDED[folder.name] = folder


def remove(name: str) -> None:
    """Undo `add`; the folder itself stays."""
    _ADDED.pop(name, None)


def added() -> list[str]:
    """Return the names that `add` installed, the oldest first."""
    return [*_ADDED]


def recorded() -> list[Path]:
    """Return the folders of the runs that are recorded without weights."""
    return sorted(path.parent for path in (FOLDER / RECORDED).glob("*/history.csv"))


def read_record(folder: Path) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """Read the card and the history of a run, with or without weights; raises CheckpointError."""
    return _json(folder / "card.json"), read_history(folder / "history.csv")


def locate(name_or_path: str | Path) -> Path:
    """Return the folder of an installed checkpoint or of a path; raises CheckpointError with the installed names."""
    added = _ADDED.get(str(name_or_path))
    name = str(name_or_path)
    for folder in (*([added] if added else []), FOLDER / name, imports() / name, Path(os.path.abspath(name_or_path))):
        if any(os.path.isfile(folder / file) for file in MARKS):
            return folder
    raise CheckpointError(
        "no such checkpoint. Received: {name!r}; allowed: {names}, or a checkpoint folder",
        name=str(name_or_path)[:200],
        names=", ".join(installed()) or say("none is installed"),
    )


def read_card(name_or_path: str | Path) -> dict[str, Any]:
    """Return the card alone, without reading weights; raises CheckpointError."""
    return _json(locate(name_or_path) / "card.json")


def card_decoding(card: Mapping[str, Any]) -> DecodeSettings:
    """Return the decoding settings that a card names; raises CheckpointError if they are invalid."""
    try:
        return DecodeSettings.from_dict(card.get("decoding", {}))
    except SettingsError as error:
        raise CheckpointError(
            "card.json names decoding settings that are none: {error}; {remedy}", error=error, remedy=say(AGAIN)
        ) from None


def _optional(name_or_path: str | Path, file: str, most: int = LARGEST) -> dict[str, Any] | None:
    path = locate(name_or_path) / file
    return _json(path, most) if path.exists() else None


read_heads = partial(_optional, file=HEADS)
"""Read the head catalogue of a checkpoint, None if it has none; raises CheckpointError."""
read_judged = partial(_optional, file=JUDGED)
"""Read the verdicts of a language model on its summaries of the examples, None if there are none; likewise."""
read_written = partial(_optional, file=WRITTEN)
"""Read what it wrote of the examples, None if that was not kept; likewise."""
read_opening = partial(_optional, file=OPENING, most=200_000)
"""Read how it wrote the summary of the dialogue that the app opens with, None if that was not kept; likewise."""


def read_config(name_or_path: str | Path) -> NetworkConfig:
    """Return the model's shape alone, without reading weights; raises CheckpointError."""
    folder = locate(name_or_path)
    try:
        return families.read(_json(folder / "config.json"))
    except SettingsError as error:
        raise CheckpointError(
            "{folder}/config.json: {error}; {remedy}", folder=folder.name, error=error, remedy=say(AGAIN)
        ) from None


def read(name_or_path: str | Path) -> Checkpoint:
    """Read and verify a checkpoint; raises CheckpointError if a file is missing, damaged or does not fit."""
    folder = locate(name_or_path)
    card = _json(folder / "card.json")
    _check_hashes(folder, card)
    config = read_config(folder)
    weights = _weights(folder, config)
    tokenizer = Tokenizer.load(folder / "tokenizer.json")
    vocabulary = min(config.source_vocabulary, config.target_vocabulary)
    if tokenizer.size > vocabulary:
        raise CheckpointError(
            "{folder}: tokenizer.json and config.json do not fit: the tokenizer has {ids} ids, the "
            "model only {vocabulary}; {remedy}",
            folder=folder.name,
            ids=tokenizer.size,
            vocabulary=vocabulary,
            remedy=say(AGAIN),
        )
    return Checkpoint(folder.name, config, tokenizer, weights, read_history(folder / "history.csv"), card)


def _check_hashes(folder: Path, card: Mapping[str, Any]) -> None:
    hashes = card.get("sha256")
    if not isinstance(hashes, dict) or not all(isinstance(hashes.get(name), str) for name in FILES):
        raise CheckpointError(
            "{folder}/card.json has no SHA-256 of {files}; {remedy}",
            folder=folder.name,
            files=", ".join(FILES),
            remedy=say(AGAIN),
        )
    for name in FILES:
        expected = hashes[name]
        actual = _sha256(folder / name)
        if actual != expected:
            reason = mistaken(folder / name) or say(
                "copy the checkpoint's folder again, or bring it back with git restore"
            )
            raise CheckpointError(
                "{folder}/{name} is damaged or was changed: SHA-256 {actual}…; the card says {expected}…; {reason}",
                folder=folder.name,
                name=name,
                actual=actual[:12],
                expected=expected[:12],
                reason=reason,
            )


def _weights(folder: Path, config: NetworkConfig) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        weights: dict[str, NDArray[Any]] = load((folder / "weights.safetensors").read_bytes())
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        reason = fault(folder / "weights.safetensors", error, say(AGAIN))
        raise CheckpointError(
            "{folder}/weights.safetensors cannot be read: {reason}", folder=folder.name, reason=reason
        ) from None
    wrong = next((name for name, values in weights.items() if not np.isfinite(values).all()), None)
    if wrong:
        raise CheckpointError(
            "{folder}/weights.safetensors is damaged: {wrong} has values that are not finite numbers; {remedy}",
            folder=folder.name,
            wrong=wrong,
            remedy=say(AGAIN),
        )
    held, asked = sum(values.size for values in weights.values()), _fewest(config)
    if held < asked:  # before a network of that size is built
        raise CheckpointError(
            "{folder}: config.json asks for at least {asked:,} weights, weights.safetensors has {held:,}; {remedy}",
            folder=folder.name,
            asked=asked,
            held=held,
            remedy=say(AGAIN),
        )
    return weights


def _fewest(config: NetworkConfig) -> int:
    """Return a number of weights that a network of this shape has at least."""
    table = config.source_vocabulary * config.embedding_dim
    if config.has.blocks is None:
        cells = config.has.cells
        return table + (0 if cells is None else 8 * cells.units * (cells.units + cells.embedding_dim))
    blocks = config.has.blocks
    attention = 4 * blocks.d_model * blocks.num_heads * blocks.key_dim
    feed_forward = 2 * blocks.d_model * blocks.feed_forward_dim
    decoder = blocks.decoder_layers * (2 * attention + feed_forward)
    return table + blocks.encoder_layers * (attention + feed_forward) + decoder


def write(
    folder: Path,
    config: NetworkConfig,
    tokenizer: AnyTokenizer,
    weights: Mapping[str, NDArray[Any]],
    history: Sequence[Mapping[str, float]],
    card: Mapping[str, Any],
    precision: Precision = "half",
) -> None:
    """Write a checkpoint, replacing the folder as a whole; "half" rounds the weights to float16."""
    from safetensors.numpy import save

    stored = {
        name: np.ascontiguousarray(values, dtype=np.float16 if precision == "half" else None)
        for name, values in weights.items()
    }
    with replaced(folder) as fresh:
        (fresh / "config.json").write_text(json.dumps(config.to_dict(), indent=1) + "\n", encoding="utf-8")
        tokenizer.save(fresh / "tokenizer.json")
        (fresh / "weights.safetensors").write_bytes(save(stored))
        write_history(fresh / "history.csv", history)
        hashes = {name: _sha256(fresh / name) for name in FILES}
        text = json.dumps({**card, "sha256": hashes}, indent=1, ensure_ascii=False)
        (fresh / "card.json").write_text(text + "\n", encoding="utf-8")


def check_replaceable(folder: Path) -> None:
    """Raise SettingsError if a folder is there that is no checkpoint of ours: `replaced` would remove it."""
    held = folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))
    if held and not (folder / "card.json").is_file():
        raise SettingsError(
            "the output must be a new folder, or a checkpoint to replace. Received: {folder!r}, "
            "which holds something else",
            folder=str(folder),
        )


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder that replaces `folder` when the block ends without an error.

    Old and new are exchanged at one stroke where the system can, so that `folder` is never absent. Elsewhere a kill
    between two renames leaves the old folder under another name: `recover`, which this calls first, brings it back.

    Raises:
        CheckpointError: it cannot be written, for instance because the disk is full; the old one is kept.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        recover(folder)
        with _fresh(folder) as fresh:
            yield fresh
            fresh.chmod(0o755)
            if not (folder.exists() and exchange(fresh, folder)):
                _rename(fresh, folder)
    except OSError as error:
        raise CheckpointError(
            "{parent}/{folder} cannot be written: {reason}. Make room there or name another "
            "folder; what was there is kept",
            parent=folder.parent.name,
            folder=folder.name,
            reason=cause(error),
        ) from None


@contextmanager
def _fresh(folder: Path) -> Iterator[Path]:
    """Yield a new folder beside another, claimed until it is removed or renamed."""
    while True:
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            with claimed(fresh, wait=True):
                if not fresh.exists():  # another process took it for what a kill left, before it was claimed
                    continue
                yield fresh
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return


def _rename(fresh: Path, folder: Path) -> None:
    """Put a new folder in the place of another by two renames, the old one first."""
    old = fresh.with_name(fresh.name + _OLD)
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(fresh, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def recover(folder: Path) -> None:
    """Clean up after a process that was killed inside `replaced`: restore the old folder, remove the new one."""
    for path in [*leftovers(folder, _OLD), *leftovers(folder)]:
        new = path.with_name(path.name.removesuffix(_OLD))
        with claimed(new if new.exists() else path) as mine:
            if not mine:
                continue
            if path.name.endswith(_OLD) and not folder.exists():
                os.replace(path, folder)
            else:
                shutil.rmtree(path, ignore_errors=True)


def weights_of(model: families.Network) -> dict[str, NDArray[Any]]:
    """Return every weight by its path inside the model."""
    return {variable.path: np.asarray(variable.value) for variable in model.weights}


def set_weights(model: families.Network, weights: Mapping[str, NDArray[Any]], name: str = "checkpoint") -> None:
    """Put weights into a model; raises CheckpointError if names or shapes do not fit."""
    wanted = {variable.path: variable for variable in model.weights}
    if set(wanted) != set(weights):
        missing, extra = sorted(set(wanted) - set(weights)), sorted(set(weights) - set(wanted))
        raise CheckpointError(
            "{name}/weights.safetensors: the weights do not fit the configuration; missing: "
            "{missing}, not known: {extra}; {remedy}",
            name=name,
            missing=missing[:3],
            extra=extra[:3],
            remedy=say(AGAIN),
        )
    for path, variable in wanted.items():
        if tuple(variable.shape) != weights[path].shape:
            raise CheckpointError(
                "{name}/weights.safetensors: weight {path} has the shape {shape}; the configuration "
                "wants {wanted}; {remedy}",
                name=name,
                path=path,
                shape=list(weights[path].shape),
                wanted=list(variable.shape),
                remedy=say(AGAIN),
            )
        variable.assign(weights[path].astype(np.float32))


def write_history(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write one line an epoch."""
    names = [name for name in HISTORY if name not in SCORES or any(name in row for row in rows)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def read_history(path: Path) -> list[dict[str, float]]:
    """Read a history file; empty if there is none. Raises CheckpointError on anything but finite numbers."""
    if not path.exists():
        return []
    try:
        table = csv.DictReader(io.StringIO(read_text(path), newline=""))
        rows = [{name: finite(value) for name, value in row.items() if value != ""} for row in table]
        if "epoch" not in (table.fieldnames or ()) or any("epoch" not in row for row in rows):
            raise ValueError(
                say("its first line must name the column {name}, and every line must have one", name="epoch")
            )
        return rows
    except (OSError, ValueError, TypeError, AttributeError, csv.Error) as error:
        reason = fault(path, error, say(AGAIN))
        raise CheckpointError(
            "{folder}/{file} is no training history: {reason}", folder=path.parent.name, file=path.name, reason=reason
        ) from None


def _names(folder: Path) -> list[str]:
    try:
        names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]  # a dot: still being written
    except OSError:
        return []
    return [name for name in names if any(os.path.exists(folder / name / file) for file in MARKS)]


def _json(path: Path, most: int = LARGEST) -> dict[str, Any]:
    name = f"{path.parent.name}/{path.name}"
    try:
        values = json.loads(read_text(path, most))
    except FileNotFoundError as error:
        raise CheckpointError(
            "{name} is missing: {reason}; {remedy}", name=name, reason=cause(error), remedy=say(AGAIN)
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError("{name} is damaged: {reason}", name=name, reason=fault(path, error, say(AGAIN))) from None
    if not isinstance(values, dict):
        raise CheckpointError(
            "{name} must hold a JSON object. Received: {kind}; {remedy}",
            name=name,
            kind=type(values).__name__,
            remedy=say(AGAIN),
        )
    return values


def _sha256(path: Path) -> str:
    try:
        return sha256(path)
    except OSError as error:
        places = {"name": f"{path.parent.name}/{path.name}", "reason": cause(error), "remedy": say(AGAIN)}
        if isinstance(error, FileNotFoundError):
            raise CheckpointError("{name} is missing: {reason}; {remedy}", **places) from None
        raise CheckpointError("{name} is damaged: {reason}; {remedy}", **places) from None
