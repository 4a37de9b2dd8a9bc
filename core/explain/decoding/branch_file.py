"""Save and load a tree of branches with every trace in one file, without pickle."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace

from core.errors import CheckpointError
from core.explain.decoding.branches import Branches, Path, branch_of, read_path, write_path
from core.files import fault, parsed
from core.limits import check, limits
from core.trace import DAMAGE, Summary, unpacked_size
from core.words import say

FORMAT = 1
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


def from_bytes(data: bytes, name: str = "the file") -> tuple[Branches, dict[Path, Summary]]:
    """Read what `to_bytes` wrote, or one trace as `Summary.save` writes it, from a file called `name`.

    Raises:
        CheckpointError: it is something else, too large, or damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if min(entry.header_offset for entry in archive.infolist()):
                raise ValueError(say("it is cut off"))  # and only a trace inside it could be read
            if _INDEX not in archive.namelist():
                summary = _trace(data, name)
                return Branches((branch_of(summary, (), say("Original")),)), {(): summary}
            check("unpacked_file", unpacked_size(data), say("the unpacked saved run"), CheckpointError)
            return _read(archive, name)
    except DAMAGE as error:
        reason = fault(data, error, say("save the run again, or take another copy of the file"))
        raise CheckpointError(
            "{name} is no saved run of this project, or a damaged one: {reason}", name=repr(name), reason=reason
        ) from None


def _read(archive: zipfile.ZipFile, name: str) -> tuple[Branches, dict[Path, Summary]]:
    index = parsed(archive.read(_INDEX).decode())
    if index["format"] != FORMAT:
        raise ValueError(say("another format version"))
    branches, summaries, size = Branches(), dict[Path, Summary](), 0
    for number, entry in enumerate(index["branches"][: limits().branches]):
        data = archive.read(f"{number}.npz")
        size += unpacked_size(data)
        check("unpacked_file", size, say("the unpacked saved run"), CheckpointError)
        summary = _trace(data, f"{name}/{number}.npz")
        path = read_path(str(entry["path"]), summary.logits.shape[-1])
        if number:
            start = branches.prefix(path)
            if tuple(token.id for token in summary.tokens[: len(start)]) != start:
                raise ValueError(say("branch {number} does not start as its path says", number=number + 1))
            first = summaries[()].attention.encoder_self
            summary = replace(summary, attention=replace(summary.attention, encoder_self=first))
        branches = branches.add(branch_of(summary, path, "…")).rename(path, str(entry["name"]))
        summaries[path] = summary
    if () not in summaries:
        raise ValueError(say("the original is missing"))
    return branches, summaries


def _trace(data: bytes, name: str) -> Summary:
    summary = Summary.from_bytes(data, name)
    if not summary.steps:
        raise ValueError(say("a summary without tokens"))
    texts = [step.token.text for step in summary.steps] + [token.text for token in summary.source]
    texts += [token.text for step in summary.steps for token in step.alternatives]
    texts += [hypothesis.text for hypothesis in summary.hypotheses]
    "".join((summary.text, summary.dialogue.text, summary.checkpoint, *texts)).encode()  # a page has to show them
    return summary
