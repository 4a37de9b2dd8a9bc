"""Verdicts on a checkpoint's summaries of the bundled dialogues: right, partly right or wrong.

Those that ship were given by a language model that read the summaries; the file says so in its field `by`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import CheckpointError
from core.words import later, say

Verdict = Literal["right", "partly right", "wrong"]
_AGAIN = later("Copy judged.json again, or take it out of the checkpoint's folder")
LONGEST = 400
"""Most characters of a reason."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of a language model on one summary.

    Args:
        verdict: "right": nothing in it is wrong, and it names the outcome; "partly right": what it is about is right,
            a detail is wrong or the outcome is missing; "wrong": it says something false.
        why: one sentence.
        summary: the text that was judged.
    """

    verdict: Verdict
    why: str
    summary: str


def read(values: Mapping[str, Any] | None, weights: str) -> dict[str, Judged]:
    """Return the verdicts of a checkpoint by the id of the dialogue; none if they were given to other weights.

    Args:
        values: from `core.checkpoints.read_judged`.
        weights: SHA-256 of the checkpoint's weights, from its card.

    Raises:
        CheckpointError: the file is damaged.
    """
    if values is None or values.get("weights") != weights:
        return {}
    rows = values.get("verdicts")
    if not isinstance(rows, Mapping):
        raise CheckpointError(
            "the verdicts on the examples are damaged: they must be a JSON object. {remedy}", remedy=say(_AGAIN)
        )
    return {str(id): _judged(str(id), row) for id, row in rows.items()}


def _judged(id: str, row: Any) -> Judged:
    names = ("verdict", "why", "summary")
    if not isinstance(row, Mapping) or not all(isinstance(row.get(name), str) for name in names):
        raise CheckpointError(
            "the verdict on {id} must have the texts {names}. Received: {value}. {remedy}",
            id=id[:40],
            names=", ".join(names),
            value=str(row)[:80],
            remedy=say(_AGAIN),
        )
    if row["verdict"] not in get_args(Verdict):
        allowed = ", ".join(get_args(Verdict))
        raise CheckpointError(
            "the verdict on {id} must be one of {allowed}. Received: {value!r}. {remedy}",
            id=id[:40],
            allowed=allowed,
            value=row["verdict"][:40],
            remedy=say(_AGAIN),
        )
    return Judged(row["verdict"], row["why"][:LONGEST], row["summary"])
