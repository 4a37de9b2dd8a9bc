"""Save and load a tree of branches with every trace in one file, without pickle."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace

from core.errors import CheckpointError
from core.explain.branches import MOST_BRANCHES, Branches, Path, branch_of, read_path, write_path
from core.trace import DAMAGE, Summary, unpacked_size

FORMAT = 1
LARGEST = 256_000_000
"""Largest unpacked size of all traces together, in bytes."""
_INDEX = "branches.json"


def to_bytes(branches: Branches, summaries: Mapping[Path, Summary]) -> bytes:
    """Write a zip archive of the tree and one trace for each branch.

    The encoder is the same for all branches: only the root keeps its attention.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entries = [{"name": each.name, "path": write_path(each.path)} for each in branches.items]
        archive.writestr(_INDEX, json.dumps({"format": FORMAT, "branches": entries}))
        for number, branch in enumerate(branches.items):
            summary = summaries[branch.path]
            if number:
                summary = replace(summary, attention=replace(summary.attention, encoder_self=None))
            archive.writestr(f"{number}.npz", summary.to_bytes())
    return buffer.getvalue()


def from_bytes(data: bytes) -> tuple[Branches, dict[Path, Summary]]:
    """Read what `to_bytes` wrote, or one trace as `Summary.save` writes it; raises CheckpointError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if min(entry.header_offset for entry in archive.infolist()):
                raise ValueError("it is cut off")  # and only a trace inside it could be read
            if _INDEX not in archive.namelist():
                summary = _trace(data)
                return Branches((branch_of(summary, (), "Original"),)), {(): summary}
            _check_size(unpacked_size(data))
            return _read(archive)
    except DAMAGE as error:
        raise CheckpointError(f"no saved run of this project, or a damaged one: {error}") from None


def _read(archive: zipfile.ZipFile) -> tuple[Branches, dict[Path, Summary]]:
    index = json.loads(archive.read(_INDEX))
    if index["format"] != FORMAT:
        raise ValueError("another format version")
    branches, summaries, size = Branches(), dict[Path, Summary](), 0
    for number, entry in enumerate(index["branches"][:MOST_BRANCHES]):
        data = archive.read(f"{number}.npz")
        size += unpacked_size(data)
        _check_size(size)
        summary = _trace(data)
        path = read_path(str(entry["path"]), summary.logits.shape[-1])
        if number:
            start = branches.prefix(path)
            if tuple(token.id for token in summary.tokens[: len(start)]) != start:
                raise ValueError(f"branch {number + 1} does not start as its path says")
            first = summaries[()].attention.encoder_self
            summary = replace(summary, attention=replace(summary.attention, encoder_self=first))
        branches = branches.add(branch_of(summary, path, "…")).rename(path, str(entry["name"]))
        summaries[path] = summary
    if () not in summaries:
        raise ValueError("the original is missing")
    return branches, summaries


def _trace(data: bytes) -> Summary:
    summary = Summary.from_bytes(data)
    if not summary.steps:
        raise ValueError("a summary without tokens")
    return summary


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise CheckpointError(
            f"the saved run is too large. Received: {size // 1_000_000} MB unpacked; allowed: {LARGEST // 1_000_000} MB"
        )
