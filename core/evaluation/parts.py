"""Finished batches of an evaluation on disk, one file each, so that a stopped run can be continued."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import CorpusError, SettingsError
from core.evaluation.local import Batch
from core.evaluation.rows import MOST_BYTES, from_line, to_line
from core.files import beside, fault, held, read_bytes, read_text, writing

MANIFEST = "manifest.json"
_ENDING = ".jsonl"
_GO_ON = " and continue with --resume: what is finished is kept"


@dataclass(frozen=True, slots=True)
class Parts:
    """A folder of finished batches.

    Args:
        folder: holds the manifest, and a file for each batch; a line is an index, a tab and the row as JSON.
        output: the file that the parts are joined to.
        only: pattern of the names of the parts that are read.
        read: makes a row of its line, and raises ValueError or CorpusError for what is none.
    """

    folder: Path
    output: Path
    only: str = f"*{_ENDING}"
    read: Callable[[str], Any] = from_line

    def done(self) -> set[int]:
        """Return the numbers of the finished batches."""
        return {int(path.stem) for path in self._files()}

    def sound(self, batches: Sequence[Sequence[int]]) -> set[int]:
        """Return the numbers of the finished batches that can be read and are whole; damaged ones are removed.

        Args:
            batches: the indices of the rows of each batch.
        """
        kept = set()
        for path in self._files():
            number = int(path.stem)
            try:
                places = [place for place, _ in self._places(path)]
                whole = number < len(batches) and places == list(batches[number])
                for _ in replace(self, only=path.name).rows() if whole else ():
                    pass
            except CorpusError:
                whole = False
            if whole:
                kept.add(number)
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return kept

    def write(self, batch: Batch) -> None:
        """Write a finished batch to its file, complete or not at all; raises CorpusError."""
        self.write_lines(batch.number, zip(batch.places, map(to_line, batch.rows), strict=True))

    def write_lines(self, number: int, lines: Iterable[tuple[int, str]]) -> None:
        """Write a finished batch of lines, each with the index of its row in the corpus; raises CorpusError."""
        _write(self.folder / f"{number:06d}{_ENDING}", "".join(f"{place}\t{line}\n" for place, line in lines))

    def rows(self) -> Iterator[Any]:
        """Yield every row in the order of the corpus; only one at a time is in memory."""
        return (row for row, _ in self._rows())

    def join(self) -> None:
        """Join the parts to the output and remove their folder; raises CorpusError."""
        with writing(f"the output '{self.output}'", CorpusError, _GO_ON):
            with beside(self.output) as file:
                file.writelines(f"{line}\n".encode() for _, line in self._rows())
            shutil.rmtree(self.folder)

    def _files(self) -> list[Path]:
        return sorted(path for path in self.folder.glob(self.only) if path.stem.isdecimal())

    def _places(self, path: Path) -> list[tuple[int, int]]:
        """Return of each row of a part its index in the corpus, and its first byte; raises CorpusError."""
        places, start = [], 0
        with _reading(path):
            for line in read_bytes(path, MOST_BYTES).splitlines(keepends=True):
                head = line.partition(b"\t")[0]
                places.append((int(head), start + len(head) + 1))
                start += len(line)
        return places

    def _rows(self) -> Iterator[tuple[Any, str]]:
        """Yield each row with its line; raises CorpusError if a part is damaged."""
        places = [(place, path, start) for path in self._files() for place, start in self._places(path)]
        for _, path, start in sorted(places):
            with _reading(path):
                with path.open("rb") as file:
                    file.seek(start)
                    line = file.readline().decode("utf-8").rstrip("\n")
                row = self.read(line)
            yield row, line


def folder_of(output: Path) -> Path:
    """Return the folder that holds the finished batches of an output until all are there."""
    return output.with_name(output.name + ".parts")


def open_parts(
    output: Path, fingerprint: dict[str, Any], resume: bool, read: Callable[[str], Any] = from_line
) -> Parts:
    """Open the parts of a new run or of a stopped one.

    Args:
        output: the file that they are joined to.
        fingerprint: everything that determines the rows, in plain JSON types.
        resume: whether to continue a stopped run.
        read: see `Parts`.

    Raises:
        CorpusError: the folder cannot be made or read.
        SettingsError: there is a stopped run and `resume` is off, or its data or settings differ.
    """
    parts = Parts(folder_of(output), output, read=read)
    manifest = parts.folder / MANIFEST
    try:
        parts.folder.mkdir(exist_ok=True)
        if not parts.done() and any(parts.folder.iterdir()) and not manifest.is_file():
            raise SettingsError(
                f"'{parts.folder}' holds something else than the batches of a stopped run, and would be removed: "
                "name another output"
            )
        if not parts.done():  # no finished batch is lost
            _write(manifest, json.dumps(fingerprint, ensure_ascii=False, indent=1))
            return parts
    except OSError as error:
        raise CorpusError(
            f"'{parts.folder}' cannot hold the finished batches: {error.strerror}. Name another output"
        ) from None
    try:
        known = json.loads(read_text(manifest))
        if not isinstance(known, dict) or known.keys() < fingerprint.keys():
            raise ValueError("it does not name what the run was made from")
    except (OSError, ValueError, RecursionError) as error:
        reason = fault(manifest, error, "delete that folder to start again")
        raise CorpusError(f"'{parts.folder}' has a damaged {MANIFEST}: {reason}") from None
    if not resume:
        raise SettingsError(
            f"there is a stopped run in '{parts.folder}': continue with --resume, or delete that folder to start again"
        )
    other = sorted(name for name in fingerprint.keys() | known.keys() if fingerprint.get(name) != known.get(name))
    if other:
        raise SettingsError(
            f"the stopped run in '{parts.folder}' ({MANIFEST}) had other {', '.join(other)}: go on with the same, or "
            f"delete that folder to begin anew. Received: {other[0]}={json.dumps(fingerprint.get(other[0]))[:200]}; "
            f"stopped: {json.dumps(known.get(other[0]))[:200]}"
        )
    return parts


@contextmanager
def kept(output: Path | None, fingerprint: dict[str, Any], resume: bool) -> Iterator[Parts | None]:
    """Hold an output and open its parts, lines of JSON of any kind; None without an output. See `open_parts`."""
    if output is None:
        yield None
        return
    with held(output):
        yield open_parts(output, fingerprint, resume, json.loads)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what a damaged part raises into a CorpusError."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = fault(path, error, "delete this part and continue with --resume, which makes it again")
        raise CorpusError(f"'{path}' is damaged: {reason}") from None


def _write(path: Path, text: str) -> None:
    with writing(f"'{path}'", CorpusError, _GO_ON), beside(path) as file:
        file.write(text.encode())
