"""A model to be imported: a folder or a name of the hub, first looked at and then read."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core import checkpoints
from core.importing import adapter, download, families, folder
from core.importing.generation import read_generation
from core.importing.pieces import guess_dialogue
from core.importing.run import Decoding, Plan, Report, import_model, licence_of, plan
from core.text.written import Style


@dataclass(frozen=True)
class Source:
    """A model that can be imported.

    Args:
        name: on the hub, or of the folder.
        family: in words.
        bytes: size of the files that an import reads.
        licence: as its README.md names it, None if it names none.
        dialogue: how dialogues were written when it was trained, guessed from its names.
        prefix: that named its task, from its configuration or guessed from its names.
        origin: the folder, or the model on the hub.
        base: folder of the model that it adapts, if it is an adapter.
    """

    name: str
    family: str
    bytes: int
    licence: str | None
    dialogue: Style
    prefix: str
    origin: Path | download.Remote
    base: Path | None = None

    @property
    def short(self) -> str:
        """A name for the checkpoint."""
        return self.name.rpartition("/")[2]


def look_up(text: str, base: str | None = None) -> Source:
    """Look at a folder, or at a model of the hub without downloading its weights.

    Args:
        text: the path of a folder, or a name such as facebook/bart-large-cnn, with a branch, tag, commit or pull
            request if it is not the main branch: facebook/bart-large-cnn@refs/pr/1.
        base: folder of the model that a LoRA adapter belongs to.

    Raises:
        CheckpointError: the folder is not complete or damaged, or of a family that cannot be imported.
        DownloadError: there is no such folder and no such name, or the model may not be downloaded.
    """
    path = os.path.expanduser(text.strip())
    if os.path.isdir(path):
        return _folder(Path(path), Path(os.path.expanduser(base.strip())) if base and base.strip() else None)
    name, _, revision = text.strip().partition("@")
    remote = download.describe(name, revision or None)
    guessed = guess_dialogue(remote.name, remote.config)
    return Source(remote.name, remote.family, remote.bytes, remote.licence, *guessed, origin=remote)


def check(source: Source, decoding: Decoding = "own") -> Plan:
    """Check settings and tensors of a model, and its tokenizer if it is a folder, before it is downloaded or read.

    Raises:
        CheckpointError: something in it is not known, or does not fit.
        DownloadError: the heads of its weights cannot be read on the hub.
    """
    if isinstance(source.origin, Path):
        return plan(adapter.open_model(source.origin, source.base), decoding)
    remote = source.origin
    read_generation(remote.config, remote.generation, own=decoding != "default").settings()  # before the hub is asked
    return plan(download.heads(remote), decoding, tokenizer=False)


def read(
    source: Source,
    output: Path,
    *,
    decoding: Decoding = "own",
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
    **others: Any,
) -> Report:
    """Import a model; one of the hub is downloaded beside `output` first, and the download removed afterwards.

    Args:
        source: the model.
        output: folder of the checkpoint.
        decoding: see `import_model`.
        progress: called with the number of bytes that have arrived and of all bytes.
        cancelled: asked again and again; once it returns True, the download or the import stops.
        others: precision, dialogue, prefix and language, see `import_model`.

    Raises:
        CheckpointError: a file is damaged, something in it is not known, or the import was cancelled.
        DownloadError: the download failed or was cancelled.
        SettingsError: the output folder holds something else than a checkpoint.
    """
    checkpoints.check_replaceable(output)
    written = partial(import_model, output=output, name=source.name, decoding=decoding, cancelled=cancelled, **others)
    if isinstance(source.origin, Path):
        return written(folder=source.origin, base=source.base)
    check(source, decoding)
    with download.fetched(source.origin, output, progress, cancelled) as files:
        return written(folder=files, revision=source.origin.revision)


def _folder(path: Path, base: Path | None) -> Source:
    model = adapter.open_model(path, base)
    size = sum(file.stat().st_size for file in model.files.values())
    real = path.resolve()
    name = real.name
    if real.parent.name == "snapshots":  # in the cache of the hub's library
        name = real.parents[1].name.removeprefix("models--").replace("--", "/")
    elif folder.STEP.fullmatch(name):  # every training has such steps
        name = f"{real.parent.name}-{name}"
    title = families.checked(model.config).title
    return Source(name, title, size, licence_of(path), *guess_dialogue(name, model.config), origin=path, base=base)
