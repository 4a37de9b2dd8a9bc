"""Snapshots of a training: the model's summaries of some dialogues, with attention, after some of the epochs."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.config import Truncation
from core.errors import CheckpointError
from core.files import LARGEST, beside, fault, parsed, read_bytes, writing
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.text.tokenizer import Tokenizer
from core.trace import DAMAGE, read_arrays
from core.words import later, say

FILE = "moments.npz"
"""File of the snapshots in a checkpoint's folder; its name is older than the term."""
_FORMAT = 1
_STEPS = 255
PARTS = (1 / 2, 1 / 4, 1 / 8, 1 / 16)
"""Parts of the first epoch after which there are snapshots, where there are fewer epochs than snapshots."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """One summary at one snapshot.

    Args:
        id: of the dialogue.
        text: the summary.
        target: ids of its T tokens.
        log_probability: of the summary, natural logarithm, summed over its tokens.
        rouge: F-measures of ROUGE-1, ROUGE-2 and ROUGE-L against the first reference, 0 to 100.
        attention: [T, S] attention to the source, to the nearest 255th: the copy distribution, else the mean
            over the heads of the last layer's cross-attention; None for a model without attention.
    """

    id: str
    text: str
    target: tuple[int, ...]
    log_probability: float
    rouge: tuple[float, float, float]
    attention: NDArray[np.uint8] | None

    def weights(self) -> NDArray[np.float32] | None:
        """Return the attention as weights from 0 to 1, [T, S]."""
        return None if self.attention is None else (self.attention / np.float32(_STEPS)).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The summaries that were written after an epoch; 0 is before the first one, 0.25 after a quarter of it."""

    epoch: float
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, eq=False)
class Lapse:
    """The snapshots of one checkpoint's training, and what it takes to read them.

    Args:
        name: of the checkpoint.
        snapshots: in order, at least one.
        tokenizer: of the checkpoint.
        longest: tokens that its network reads.
        truncation: of longer dialogues.
        attention: which attention was recorded, in words; to be said.
    """

    name: str
    snapshots: tuple[Snapshot, ...]
    tokenizer: AnyTokenizer
    longest: int
    truncation: Truncation
    attention: str

    @property
    def epochs(self) -> list[float]:
        """Return the epochs of the snapshots."""
        return [float(snapshot.epoch) for snapshot in self.snapshots]

    @property
    def dialogues(self) -> frozenset[str]:
        """Return the ids of the dialogues that every snapshot has."""
        first, *others = ({attempt.id for attempt in snapshot.attempts} for snapshot in self.snapshots)
        return frozenset(first.intersection(*others))

    def attempts(self, dialogue: str) -> list[Attempt]:
        """Return what was written about a dialogue at each snapshot; raises CheckpointError if one is missing."""
        versions = [attempt for snapshot in self.snapshots for attempt in snapshot.attempts if attempt.id == dialogue]
        if len(versions) != len(self.snapshots):
            raise CheckpointError(
                "the snapshots of {name} hold nothing about {dialogue!r}", name=self.name, dialogue=dialogue
            )
        return versions

    def means(self, score: int) -> list[float]:
        """Return the mean of a score over all dialogues at each snapshot."""
        return [fmean(attempt.rouge[score] for attempt in snapshot.attempts) for snapshot in self.snapshots]

    def encode(self, attempt: Attempt, dialogue: str) -> EncodedDialogue:
        """Encode the dialogue of an attempt; raises CheckpointError if it is another text than was recorded."""
        encoded = self.tokenizer.encode_dialogue(parse_dialogue(dialogue), self.longest, self.truncation)
        if attempt.attention is not None and attempt.attention.shape[1] != len(encoded.tokens):
            raise CheckpointError(
                "the snapshots of {name} were recorded on another text of {id!r}: {before} tokens, and {now} now",
                name=self.name,
                id=attempt.id,
                before=attempt.attention.shape[1],
                now=len(encoded.tokens),
            )
        return encoded


def lapse(name: str) -> Lapse:
    """Read the snapshots of an installed checkpoint; raises CheckpointError if there are none."""
    folder = checkpoints.locate(name)
    snapshots = read(folder / FILE)
    if not snapshots:
        raise CheckpointError("{name}/{file} holds no snapshot", name=name, file=FILE)
    config = checkpoints.read_config(name)
    if config.copy:
        attention = later("copy distribution")
    elif config.has.heads:
        attention = later("cross-attention of the last layer, mean of its heads")
    else:
        attention = later("cross-attention")
    truncation = checkpoints.card_decoding(checkpoints.read_card(name)).truncation
    return Lapse(
        name, snapshots, Tokenizer.load(folder / "tokenizer.json"), config.max_source_length, truncation, attention
    )


def quantised(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Round weights from 0 to 1 to the nearest 255th."""
    return np.rint(np.clip(weights, 0, 1) * _STEPS).astype(np.uint8)


def snapshot_epochs(epochs: int, count: int) -> tuple[float, ...]:
    """Choose the epochs of at most `count` snapshots: 0 and the last one included, close together at first.

    Where there are fewer epochs than that, `PARTS` of the first one are taken, too.
    """
    if count < 2:
        return (epochs,)[:count]
    spaced = np.unique(np.rint(np.geomspace(epochs, 1, count - 1)).astype(int))
    others = [epoch for epoch in range(1, epochs + 1) if epoch not in spaced]
    chosen = sorted([*spaced.tolist(), *others[: count - 1 - len(spaced)]])
    return (0, *sorted(PARTS[: max(count - 1 - epochs, 0)]), *chosen)


def write(path: Path, snapshots: Sequence[Snapshot]) -> None:
    """Write snapshots to one .npz file, complete or not at all; raises CheckpointError if that fails."""
    arrays: dict[str, Any] = {}
    document: dict[str, Any] = {"format": _FORMAT, "moments": []}
    for snapshot in snapshots:
        rows = []
        for attempt in snapshot.attempts:
            if attempt.attention is not None:
                arrays[f"{snapshot.epoch:g}/{attempt.id}"] = attempt.attention
            rows.append(
                {
                    "id": attempt.id,
                    "text": attempt.text,
                    "target": attempt.target,
                    "log_probability": round(attempt.log_probability, 4),
                    "rouge": [round(score, 2) for score in attempt.rouge],
                }
            )
        document["moments"].append({"epoch": snapshot.epoch, "attempts": rows})
    arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    with writing(f"the snapshots '{path}'", CheckpointError, ", or name another place; what was there is kept"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside(path) as file:
            file.write(buffer.getvalue())


def read(path: Path) -> tuple[Snapshot, ...]:
    """Read a file that `write` wrote, empty if it is missing; raises CheckpointError for any other file."""
    if not path.exists():
        return ()
    try:
        arrays = read_arrays(read_bytes(path, 4 * LARGEST))
        document = parsed(bytes(arrays.pop("document")).decode())
        if document["format"] != _FORMAT:
            raise ValueError(say("another format version"))
        return tuple(
            Snapshot(each["epoch"], tuple(_attempt(row, arrays.get(f"{each['epoch']:g}/{row['id']}")) for row in rows))
            for each in document["moments"]
            for rows in [each["attempts"]]
        )
    except DAMAGE as error:
        remedy = say("record it again with python -m core snapshots, or take the file out")
        raise CheckpointError(
            "{folder}/{file} holds no snapshots of a training, or is damaged: {reason}",
            folder=path.parent.name,
            file=path.name,
            reason=fault(path, error, remedy),
        ) from None


def _attempt(row: dict[str, Any], attention: NDArray[np.uint8] | None) -> Attempt:
    target, rouge = tuple(map(int, row["target"])), tuple(map(float, row["rouge"]))
    if attention is not None and (attention.dtype != np.uint8 or attention.ndim != 2 or len(attention) != len(target)):
        raise ValueError(say("the attention of {id} does not fit its summary", id=row["id"]))
    if len(rouge) != 3:
        raise ValueError(say("{id} must have three scores", id=row["id"]))
    log_probability = float(row["log_probability"])
    if not np.isfinite([log_probability, *rouge]).all():
        raise ValueError(say("the scores of {id} must be finite numbers", id=row["id"]))
    return Attempt(str(row["id"]), str(row["text"]), target, log_probability, rouge, attention)
