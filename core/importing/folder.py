"""Find, check and read the files of a Hugging Face model folder. Only safetensors are read; nothing is unpickled."""

import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CheckpointError
from core.files import LARGEST, cause, fault, mistaken, open_plain
from core.text.import_notes import Note
from core.words import later, say

CONFIG = "config.json"
GENERATION = "generation_config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json"),
    *("merges.txt", "vocab.txt", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "tokenizer.model"),
    *("source.spm", "target.spm", "target_vocab.json"),
)
"""Files that a tokenizer may consist of."""
STEP = re.compile(r"checkpoint-\d+")
"""Name of a folder that a Trainer leaves behind at a step."""
WRAPPERS = frozenset({"_orig_mod", "module"})
"""What torch.compile and parallel training put into the names of tensors."""
PART = 1 << 24
"""Bytes that are hashed at once: about 20 ms."""
_AGAIN = later("download it again")
_NUMBERS = {"F16": np.float16, "F32": np.float32, "F64": np.float64, "BF16": np.uint16}


@dataclass(frozen=True)
class Tensor:
    """A tensor in a file, read when it is asked for.

    Args:
        name: given by the peer.
        shape: its sizes.
        dtype: its numbers, as safetensors names them.
        path: file that holds it.
        offset: its first byte in the file.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    path: Path
    offset: int

    def read(self) -> NDArray[Any]:
        """Read the numbers: float16 where the file has them, else float32; raises CheckpointError."""
        if self.dtype not in _NUMBERS:
            raise CheckpointError(
                "{tensor} in {file} holds {kind} numbers: quantised weights are not read. Allowed: F16, BF16, F32, F64",
                tensor=self.name,
                file=self.path.name,
                kind=self.dtype,
            )
        try:
            count = int(np.prod(self.shape))
            values = np.fromfile(self.path, dtype=_NUMBERS[self.dtype], count=count, offset=self.offset)
            values = values.reshape(self.shape)
        except (OSError, ValueError) as error:
            raise CheckpointError(
                "{tensor} in {file} cannot be read: {error}; {remedy}",
                tensor=self.name,
                file=self.path.name,
                error=error,
                remedy=say(_AGAIN),
            ) from None
        if self.dtype == "BF16":
            values = from_bfloat16(values)
        elif self.dtype == "F64":
            values = values.astype(np.float32)
        if not np.isfinite(values).all():
            raise CheckpointError(
                "{tensor} in {file} holds values that are no finite numbers; {remedy}",
                tensor=self.name,
                file=self.path.name,
                remedy=say(_AGAIN),
            )
        return values


@dataclass(frozen=True)
class Folder:
    """The checked files of a model.

    Args:
        path: of the folder.
        config: content of config.json.
        generation: content of generation_config.json; None if there is none.
        tensors: by the peer's names, without `WRAPPERS`.
        files: those that were read or that a tokenizer consists of, by their names.
        tokenizer: folder of the tokenizer: this one, or the one above what a Trainer left behind at a step.
        notes: what was read otherwise than `transformers` reads it.
    """

    path: Path
    config: Mapping[str, Any]
    generation: Mapping[str, Any] | None
    tensors: Mapping[str, Tensor]
    files: Mapping[str, Path]
    tokenizer: Path
    notes: tuple[Note, ...] = ()


def from_bfloat16(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Widen bfloat16, given as 16-bit integers, to float32, which begins with the same 16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def open_folder(path: Path) -> Folder:
    """Check a folder and list its tensors, without reading their numbers.

    Raises:
        CheckpointError: there is no such folder, it is still being downloaded, or a file is missing or damaged.
    """
    if not os.path.isdir(path):  # a name may be too long for a path
        raise CheckpointError(
            "there is no such folder. Received: {folder!r}; a folder with {file} is needed",
            folder=str(path)[:200],
            file=CONFIG,
        )
    _check_finished(path)
    steps = sorted((step.name for step in path.glob("checkpoint-*") if STEP.fullmatch(step.name)), key=_number)
    if steps and not (path / CONFIG).exists():
        raise CheckpointError(
            "there is no {file} in {folder}: it holds the steps of a training. Name one of them: {steps}",
            file=CONFIG,
            folder=path.name,
            steps=", ".join(steps[:10]),
        )
    config = read_json(path / CONFIG)
    generation = read_json(path / GENERATION) if (path / GENERATION).exists() else None
    shards, index = _weights_files(path)
    tensors: dict[str, Tensor] = {}
    for shard in shards:
        tensors |= {tensor.name: tensor for tensor in read_tensors(path / shard)}
    for name, shard in index.items():
        if name not in tensors or tensors[name].path.name != shard:
            raise CheckpointError(
                "{part} has no tensor {name}, which {index} places there; {remedy}",
                part=shard,
                name=name,
                index=INDEX,
                remedy=say(_AGAIN),
            )
    notes: list[Note] = []
    tensors, parts = unwrapped(tensors, path)
    if parts:
        notes.append(("wrapped", {"parts": ", ".join(sorted(parts))}))
    tokenizer = tokenizer_of(path)
    if tokenizer != path:
        notes.append(("tokenizer", {"folder": path.name}))
    names = (CONFIG, GENERATION, *((INDEX,) if index else ()), *shards)
    files = {name: path / name for name in names} | {name: tokenizer / name for name in TOKENIZER}
    files = {name: file for name, file in files.items() if file.is_file()}
    return Folder(path, config, generation, tensors, files, tokenizer, tuple(notes))


def tokenizer_of(path: Path) -> Path:
    """Return the folder of the tokenizer: the one above for a Trainer's step that has none, else the model's own."""
    real = path.resolve()
    if STEP.fullmatch(real.name) and not any((path / name).is_file() for name in TOKENIZER):
        if any((real.parent / name).is_file() for name in TOKENIZER):
            return real.parent
    return path


def _number(step: str) -> int:
    return int(step.rpartition("-")[2])


def unwrapped(tensors: Mapping[str, Tensor], path: Path) -> tuple[dict[str, Tensor], set[str]]:
    """Return tensors by their names without `WRAPPERS`, and those that were found; raises CheckpointError."""
    plain_tensors: dict[str, Tensor] = {}
    parts: set[str] = set()
    for name, tensor in tensors.items():
        steps = name.split(".")
        parts |= WRAPPERS.intersection(steps)
        plain = ".".join(step for step in steps if step not in WRAPPERS)
        if plain in plain_tensors:
            raise CheckpointError(
                "{folder} has the tensor {name} twice, once with {parts} in its name",
                folder=path.name,
                name=plain,
                parts=", ".join(sorted(parts)),
            )
        plain_tensors[plain] = tensor
    return plain_tensors, parts


def sha256(folder: Folder, step: Callable[[], None] = lambda: None) -> dict[str, str]:
    """Compute the SHA-256 of every file; `step` is called before each part of `PART` bytes, and may raise to stop."""
    hashes = {}
    for name, path in folder.files.items():
        digest = hashlib.sha256()
        try:
            with open_inside(path) as file:
                while part := file.read(PART):
                    step()
                    digest.update(part)
        except OSError as error:
            raise CheckpointError(
                "{name} cannot be read: {reason}; {remedy}", name=name, reason=cause(error), remedy=say(_AGAIN)
            ) from None
        hashes[name] = digest.hexdigest()
    return hashes


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object; raises CheckpointError."""
    try:
        values = json.loads(read_text(path), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            "{file} is not JSON: {reason}", file=path.name, reason=fault(path, error, say(_AGAIN))
        ) from None
    if not isinstance(values, dict):
        raise CheckpointError(
            "{file} must hold a JSON object. Received: {kind}; {remedy}",
            file=path.name,
            kind=type(values).__name__,
            remedy=say(_AGAIN),
        )
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(say("a number must be finite. Received: {name}", name=name))


def read_text(path: Path) -> str:
    """Read a file of text; raises CheckpointError."""
    try:
        with open_inside(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST:
                raise CheckpointError(
                    "{file} has more than {most:,} bytes: it is no file of a model; {remedy}",
                    file=path.name,
                    most=LARGEST,
                    remedy=say(_AGAIN),
                )
            content = file.read(size)
        text = content.decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        raise CheckpointError(
            "there is no {file} in {folder}: it is not a model's folder. Download it again as a whole",
            file=path.name,
            folder=path.parent.name,
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(
            "{file} cannot be read: {reason}", file=path.name, reason=fault(path, error, say(_AGAIN))
        ) from None
    if reason := mistaken(path):
        raise CheckpointError("{file} cannot be read: {reason}", file=path.name, reason=reason)
    return text


def open_inside(path: Path) -> io.BufferedReader:
    """Open a file of a folder that may be a stranger's; raises CheckpointError if it is a link out of the folder.

    A link could make any file of this machine a part of the model. The hub's cache is of links: what they lead to lies
    in its own folder `blobs`.
    """
    real = path.resolve()
    cached = real.parent.name == "blobs" and real.parents[1].name.startswith("models--")
    if path.is_symlink() and not cached and not real.is_relative_to(path.parent.resolve()):
        raise CheckpointError(
            "{file} in {folder} is a link out of the folder, which is not followed: put the file itself there",
            file=path.name,
            folder=path.parent.name,
        )
    return open_plain(path)


def _check_finished(path: Path) -> None:
    """Raise CheckpointError if the hub's client writes into the folder, or stopped before it was complete."""
    places = [path, path / ".cache" / "huggingface" / "download"]
    if path.parent.name == "snapshots":
        places.append(path.parents[1] / "blobs")
    for place in places:
        for file in sorted(place.glob("*.incomplete")):
            raise CheckpointError(
                "{folder} is not complete: {found} shows a download that is running or was broken off. "
                "Wait for it, or download the model again",
                folder=path.name,
                found=file.name,
            )
        for file in sorted(place.glob("*.lock")):
            if _is_held(file):
                raise CheckpointError(
                    "{folder} is being downloaded by another process: {found} is locked",
                    folder=path.name,
                    found=file.name,
                )


def _is_held(lock: Path) -> bool:
    """Return whether another process holds a lock file; where locks cannot be asked, no."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return False
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _weights_files(path: Path) -> tuple[list[str], dict[str, str]]:
    """Return the names of the weights' files, and the index of a model in several files."""
    if (path / WEIGHTS).is_file():
        return [WEIGHTS], {}
    if (path / INDEX).is_file():
        index = read_json(path / INDEX).get("weight_map")
        if not isinstance(index, dict) or not index or not all(isinstance(name, str) for name in index.values()):
            raise CheckpointError(
                "{index} has no weight_map of tensors to files; {remedy}", index=INDEX, remedy=say(_AGAIN)
            )
        shards = sorted(set(index.values()))
        for shard in shards:
            if Path(shard).name != shard:
                raise CheckpointError(
                    "{index} names a file outside of the folder. Received: {part!r}", index=INDEX, part=shard
                )
            if not (path / shard).is_file():
                raise CheckpointError(
                    "{folder} is not complete: {part} is missing, one of {count} files of weights; {remedy}",
                    folder=path.name,
                    part=shard,
                    count=len(shards),
                    remedy=say(_AGAIN),
                )
        return shards, index
    pickled = sorted(file.name for pattern in ("pytorch_model*.bin", "*.ckpt", "*.pt") for file in path.glob(pattern))
    if pickled:
        raise CheckpointError(
            "there is no {weights} in {folder}, only {found}, which is refused because reading it "
            "can run code. Convert it where you trust it: load it with transformers and call "
            "save_pretrained(folder, safe_serialization=True)",
            weights=WEIGHTS,
            folder=path.name,
            found=pickled[0],
        )
    raise CheckpointError(
        "there is no {weights} and no {index} in {folder}: only safetensors are read. Download it again as a whole",
        weights=WEIGHTS,
        index=INDEX,
        folder=path.name,
    )


def read_tensors(path: Path) -> Iterator[Tensor]:
    """List the tensors of a file; raises CheckpointError if it is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with open_inside(path) as file:
            start = file.read(8)
            if reason := mistaken(path):
                raise CheckpointError("{file} cannot be read: {reason}", file=path.name, reason=reason)
            with safe_open(path, framework="numpy"):  # checks that header, offsets and size agree
                pass
            size = int.from_bytes(start, "little")
            header = json.loads(file.read(size))
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        raise CheckpointError(
            "{file} is damaged or cut off ({error}); {remedy}",
            file=path.name,
            error=str(error)[:200],
            remedy=say(_AGAIN),
        ) from None
    for name, entry in header.items():
        if name != "__metadata__":
            offset = 8 + size + entry["data_offsets"][0]
            yield Tensor(name, tuple(entry["shape"]), entry["dtype"], path, offset)
