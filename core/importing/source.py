"""A model to be imported: a folder or a name of the hub, first looked at and then read."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core import checkpoints
from core.importing import download, families, folder
from core.importing.generation import read_generation
from core.importing.pieces import guess_dialogue
from core.importing.run import Decoding, Report, import_model, licence_of
from core.text.written import Style


@dataclass(frozen=True)
class Source:
    """A model that can be imported.

    Args:
        name: on the hub, or of the folder.
        family: in words.
        bytes: size of the files that an import reads.
        licence: as its README.md names it, None if it names none.
        dialogue: how dialogues were written when it was trained, guessed from its name.
        prefix: that named its task, guessed from its name.
        origin: the folder, or the model on the hub.
    """

    name: str
    family: str
    bytes: int
    licence: str | None
    dialogue: Style
    prefix: str
    origin: Path | download.Remote

    @property
    def short(self) -> str:
        """A name for the checkpoint."""
        return self.name.rpartition("/")[2]


def look_up(text: str) -> Source:
    """Look at a folder, or at a model of the hub without downloading its weights.

    Args:
        text: the path of a folder, or a name such as facebook/bart-large-cnn, with a branch, tag, commit or pull
            request if it is not the main branch: facebook/bart-large-cnn@refs/pr/1.

    Raises:
        CheckpointError: the folder is not complete or damaged, or of a family that cannot be imported.
        DownloadError: there is no such folder and no such name, or the model may not be downloaded.
    """
    path = os.path.expanduser(text.strip())
    if os.path.isdir(path):
        return _folder(Path(path))
    name, _, revision = text.strip().partition("@")
    remote = download.describe(name, revision or None)
    return Source(remote.name, remote.family, remote.bytes, remote.licence, *guess_dialogue(remote.name), origin=remote)


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
        others: precision, dialogue and prefix, see `import_model`.

    Raises:
        CheckpointError: a file is damaged, something in it is not known, or the import was cancelled.
        DownloadError: the download failed or was cancelled.
        SettingsError: the output folder holds something else than a checkpoint.
    """
    checkpoints.check_replaceable(output)
    written = partial(import_model, output=output, name=source.name, decoding=decoding, cancelled=cancelled, **others)
    if isinstance(source.origin, Path):
        return written(folder=source.origin)
    read_generation(source.origin.config, source.origin.generation, own=decoding == "own").settings()
    with download.fetched(source.origin, output, progress, cancelled) as files:
        return written(folder=files, revision=source.origin.revision)


def _folder(path: Path) -> Source:
    found = folder.open_folder(path)
    size = sum((path / name).stat().st_size for name in found.files)
    real = path.resolve()
    name = real.name
    if real.parent.name == "snapshots":  # in the cache of the hub's library
        name = real.parents[1].name.removeprefix("models--").replace("--", "/")
    return Source(
        name, families.checked(found.config).title, size, licence_of(path), *guess_dialogue(name), origin=path
    )
