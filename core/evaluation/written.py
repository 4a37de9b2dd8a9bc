"""What a checkpoint wrote of the bundled dialogues, kept beside its weights: shown before its network is loaded."""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.config import DecodeSettings
from core.errors import CheckpointError, SettingsError
from core.evaluation.intake import bundled
from core.evaluation.rows import ScoredSummary
from core.words import later, say

if TYPE_CHECKING:
    from core.service import Summarizer

_AGAIN = later("Write it again with `python -m core written`, or take written.json out of the checkpoint's folder")
_OF_THE_DATA = ("dialogue", "references", "topic")


def read(values: Mapping[str, Any] | None, weights: str, settings: DecodeSettings) -> dict[int, ScoredSummary]:
    """Return the rows by their place in the bundled data.

    Args:
        values: from `core.checkpoints.read_written`.
        weights: SHA-256 of the checkpoint's weights, from its card.
        settings: of the decoding that is asked for.

    Returns:
        Nothing if other weights or another decoding wrote them; a dialogue that has changed since then is left out.

    Raises:
        CheckpointError: the file is damaged.
    """
    if values is None or values.get("weights") != weights or values.get("decoding") != settings.to_dict():
        return {}
    kept = values.get("rows")
    if not isinstance(kept, Mapping) or not all(isinstance(row, Mapping) for row in kept.values()):
        damage = say("the written summaries are damaged: rows must be a JSON object of objects.")
        raise CheckpointError(f"{damage} {say(_AGAIN)}")
    rows = {}
    for place, row in enumerate(bundled().rows):
        own = kept.get(row.id)
        if own is not None and own.get("of") == _hash(row):
            try:
                rows[place] = ScoredSummary.from_dict({**row.to_dict(), **own})
            except SettingsError as error:
                damage = say("the written summary of {id} is damaged: {reason}.", id=row.id, reason=error)
                raise CheckpointError(f"{damage} {say(_AGAIN)}") from None
    return rows


def make(summarizer: "Summarizer") -> dict[str, Any]:
    """Let a model write summaries of the bundled dialogues; return what `read` takes."""
    from core.evaluation.local import fill_rows
    from core.faults.measure import weights_hash

    rows = dict(enumerate(bundled().rows))
    outcomes = fill_rows(rows, rows, summarizer, summarizer.settings, alone=True)
    kept = {}
    for place, row in sorted(outcomes.items()):
        if isinstance(row, ScoredSummary):
            own = {name: value for name, value in row.to_dict().items() if name not in (*_OF_THE_DATA, "id")}
            kept[row.id] = {"of": _hash(rows[place]), **own}
    return {"weights": weights_hash(summarizer), "decoding": summarizer.settings.to_dict(), "rows": kept}


def _hash(row: ScoredSummary) -> str:
    text = json.dumps([getattr(row, name) for name in _OF_THE_DATA], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
