"""Finished batches of an evaluation on disk, one file each, so that a stopped run can be continued."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import CorpusError, SettingsError
from core.evaluation.local import Batch
from core.evaluation.rows import ScoredSummary, from_line, to_line
from core.files import beside

MANIFEST = "manifest.json"
_ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class Parts:
    """A folder of finished batches.

    Args:
        folder: holds the manifest, and a file for each batch; a line is an index, a tab and the row as JSON.
        output: the file that the parts are joined to.
    """

    folder: Path
    output: Path

    def done(self) -> set[int]:
        """Return the numbers of the finished batches."""
        return {int(path.stem) for path in self.folder.glob(f"*{_ENDING}")}

    def write(self, batch: Batch) -> None:
        """Write a finished batch to its file, complete or not at all; raises CorpusError."""
        lines = (f"{place}\t{to_line(row)}\n" for place, row in zip(batch.places, batch.rows, strict=True))
        _write(self.folder / f"{batch.number:06d}{_ENDING}", "".join(lines))

    def rows(self) -> Iterator[ScoredSummary]:
        """Yield every row in the order of the corpus; only one at a time is in memory."""
        return map(from_line, self._lines())

    def join(self) -> None:
        """Join the parts to the output and remove their folder; raises CorpusError."""
        try:
            with beside(self.output) as file:
                file.writelines(f"{line}\n".encode() for line in self._lines())
            shutil.rmtree(self.folder)
        except OSError as error:
            raise CorpusError(f"the output cannot be written: {error}") from None

    def _lines(self) -> Iterator[str]:
        places: list[tuple[int, Path, int]] = []  # of each row: its index in the corpus, its file, its first byte
        for path in sorted(self.folder.glob(f"*{_ENDING}")):
            start = 0
            for line in path.read_bytes().splitlines(keepends=True):
                head = line.partition(b"\t")[0]
                places.append((int(head), path, start + len(head) + 1))
                start += len(line)
        for _, path, start in sorted(places):
            with path.open("rb") as file:
                file.seek(start)
                yield file.readline().decode("utf-8").rstrip("\n")


def open_parts(output: Path, fingerprint: dict[str, Any], resume: bool) -> Parts:
    """Open the parts of a new run or of a stopped one.

    Args:
        output: the file that they are joined to.
        fingerprint: everything that determines the rows, in plain JSON types.
        resume: whether to continue a stopped run.

    Raises:
        CorpusError: the folder cannot be made or read.
        SettingsError: there is a stopped run and `resume` is off, or its data or settings differ.
    """
    parts = Parts(output.with_name(output.name + ".parts"), output)
    manifest = parts.folder / MANIFEST
    try:
        parts.folder.mkdir(exist_ok=True)
        if not parts.done():  # no finished batch is lost
            _write(manifest, json.dumps(fingerprint, ensure_ascii=False, indent=1))
            return parts
        known = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"'{parts.folder}' cannot hold the finished batches: {error}") from None
    if not resume:
        raise SettingsError(
            f"there is a stopped run in '{parts.folder}': continue with --resume, or delete that folder to start again"
        )
    other = sorted(name for name in fingerprint.keys() | known.keys() if fingerprint.get(name) != known.get(name))
    if other:
        raise SettingsError(
            f"the stopped run in '{parts.folder}' had other {', '.join(other)}: go on with the same, or delete that "
            f"folder to begin anew. Received: {other[0]}={json.dumps(fingerprint.get(other[0]))[:200]}; "
            f"stopped: {json.dumps(known.get(other[0]))[:200]}"
        )
    return parts


def _write(path: Path, text: str) -> None:
    try:
        with beside(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise CorpusError(f"'{path.name}' cannot be written: {error}") from None
