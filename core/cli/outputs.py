"""The outputs of commands: no command writes over what it reads, nor over a result unless it is told to."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from core import checkpoints
from core.cli.options import tell
from core.errors import DialoscopeError, SettingsError
from core.files import cause

OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")]
_ANOTHER = "Name another output, or replace it with --overwrite"
_STDIN = Path("-")


def check_file(
    output: Path | None,
    reads: Iterable[str | Path | None],
    overwrite: bool,
    option: str = "--output",
    error: type[DialoscopeError] = SettingsError,
) -> None:
    """Refuse a file that a command must not write, before anything is computed for it.

    Args:
        output: the file; None: nothing is written.
        reads: files and folders that the command reads, names of checkpoints and of data on the hub among them; None
            for an option that was not given.
        overwrite: whether a result that exists may be replaced.
        option: that names the file.
        error: what is raised.

    Raises:
        DialoscopeError: of the kind `error`: the folder does not exist, the output is a folder or one of the files that
            are read, or it exists and `overwrite` is off.
    """
    if output is None:
        return
    if not output.parent.is_dir():
        raise error(f"the output folder does not exist. Received: {output}")
    if output.is_dir():
        raise error(f"{option} must be a file. Received: {output}, which is a folder")
    check_not_read(output, reads, option, error)
    if output.exists() and not overwrite:
        raise error(f"{option} exists. Received: {output}. {_ANOTHER}")
    check_writable(output.parent, output, option, error)


def check_resumable(output: Path | None, reads: Iterable[str | Path | None], resume: bool, overwrite: bool) -> None:
    """Check an output as `check_file` does; one that a stopped run left is no result yet, and `resume` goes on there.

    Raises:
        SettingsError: as `check_file`, or there is no output to resume.
    """
    from core.evaluation.parts import folder_of

    check_file(output, reads, overwrite or resume and output is not None and folder_of(output).is_dir())
    if resume and not output:
        raise SettingsError("--resume needs --output: without it nothing was kept")


@contextmanager
def resumable(output: Path | None) -> Iterator[None]:
    """Say how to go on where a run is stopped that keeps its finished rows."""
    try:
        yield
    except KeyboardInterrupt:
        if output:
            tell(f"the finished rows are kept beside {output}: continue with --resume")
        raise


def check_writable(
    folder: Path, output: Path, option: str = "--output", error: type[DialoscopeError] = SettingsError
) -> None:
    """Refuse an output in a folder where nothing can be written, or the disk is full; see `check_file`."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"0")
    except OSError as failed:
        reason = f"{cause(failed)} in {folder}"
        raise error(f"{option} cannot be written: {reason}. Received: {output}. Name another folder") from None


def check_not_read(
    output: Path,
    reads: Iterable[str | Path | None],
    option: str = "--output",
    error: type[DialoscopeError] = SettingsError,
) -> None:
    """Refuse a file to write that is one of those that a command reads, under any name; see `check_file`."""
    if any(_same(output, path) for path in _files(reads)):
        raise error(f"{option} is a file that this command reads. Received: {output}. Name another output")


def check_checkpoint(output: Path, reads: Iterable[str | Path | None], overwrite: bool) -> None:
    """Refuse a folder in the place of which a command must not write a checkpoint; see `check_file`.

    Raises:
        SettingsError: the folder is or holds something that is read, holds something else than a checkpoint, or is
            one and `overwrite` is off.
    """
    for path in _files(reads):
        if _same(output, path) or output.resolve() in path.resolve().parents:
            raise SettingsError(
                f"--output is or holds what this command reads, and would be replaced. Received: {output}. "
                "Name another output"
            )
    checkpoints.check_replaceable(output)
    check_writable(next(path for path in output.absolute().parents if path.is_dir()), output)
    if output.exists() and any(output.iterdir()) and not overwrite:
        raise SettingsError(f"--output is a checkpoint that exists. Received: {output}. {_ANOTHER}")


def _files(reads: Iterable[str | Path | None]) -> list[Path]:
    """Return what is read and exists: files, folders, of a checkpoint the files that are the model, and "-"."""
    paths = []
    for each in (given for given in reads if given is not None):
        path = Path(each)
        if path == _STDIN and sys.stdin:
            paths.append(path)
            continue
        if not path.exists() and each in checkpoints.installed():
            path = checkpoints.locate(str(each))
        if path.exists():
            paths.append(path)
        if path.is_dir():
            paths += [path / name for name in {*checkpoints.FILES, *checkpoints.MARKS}]
    return paths


def _same(one: Path, other: Path) -> bool:
    """Whether two names are those of one file: through links, too, and where it comes on standard input."""
    if other == _STDIN:
        return one.exists() and os.path.samestat(one.stat(), os.fstat(0))
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()
