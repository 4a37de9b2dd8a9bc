"""Minimum risk training: weigh the model's own candidates by their ROUGE (Shen et al. 2016, section 3)."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from core.config import PAD
from core.model.families import essentials
from core.runtime.backend import keras, ops
from core.training.batches import Batches, Item
from core.training.loss import TeacherForcing

ABSENT = -1.0
"""Merit of a reference that is no candidate, and of missing candidates."""
_NEVER = -1e9


class Judged(NamedTuple):
    """A dialogue, its reference, and candidates for its summary.

    Args:
        source: ids.
        target: ids of the reference.
        candidates: ids of each candidate.
        merits: of each candidate, 0 to 1.
        merit: of the reference, if it is a candidate itself.
    """

    source: Sequence[int]
    target: Sequence[int]
    candidates: Sequence[Sequence[int]] = ()
    merits: Sequence[float] = ()
    merit: float = ABSENT


class JudgedBatches(Batches):
    """Batches of `Judged`.

    Each item is `((source [B, S], target [B * (1 + K), T]), merits float32 [B, 1 + K])`: every dialogue has its
    reference and then K candidates; the merit of missing candidates, and mostly of the reference, is `ABSENT`.
    """

    wanted: ClassVar[str] = "float32"

    def __getitem__(self, index: int) -> Item:
        """Return one padded batch."""
        rows = self.rows(index)
        most = max(1, *(len(row.candidates) for row in rows))
        missing = [most - len(row.candidates) for row in rows]
        pairs = list(zip(rows, missing, strict=True))
        targets = [ids for row, free in pairs for ids in (row.target, *row.candidates, *[[]] * free)]
        merits = [[row.merit, *row.merits, *[ABSENT] * free] for row, free in pairs]
        return (self.padded_sources(rows), self.padded_targets(targets)), np.array(merits, dtype=np.float32)

    def lengths(self, pair: Judged) -> tuple[int, int]:
        """Return the number of source tokens, and that of reference and candidates padded to the longest."""
        return len(pair.source), max(map(len, (pair.target, *pair.candidates))) * (1 + len(pair.candidates))


class MinimumRisk(TeacherForcing):
    """Teacher forcing of the reference, and a reward for the expected merit of the candidates.

    The arguments are those of `TeacherForcing`; the settings' `risk` weighs the expected merit. A candidate y of T
    tokens has the probability softmax(sharpness * log P(y) / T) among the candidates (equation 8, per token).

    Call arguments:
        source: ids [B, S].
        target: ids [B * R, T], R rows for each source side by side: its reference first.

    Returns:
        `target` and `smooth` as `TeacherForcing` gives them [B * R, T], and `kept` [B * R, T], 0 at padding.
    """

    def call(self, inputs: tuple[Any, Any], training: bool = False) -> dict[str, Any]:
        """Score every target of every source."""
        source, target = inputs
        encoded = essentials(self.transformer.encode(source, training=training))
        repeats = ops.shape(target)[0] // ops.shape(source)[0]
        encoded = keras.tree.map_structure(lambda tensor: ops.repeat(tensor, repeats, axis=0), encoded)
        result = self.score(encoded, target, training)
        return {"target": result["target"], "smooth": result["smooth"], "kept": ops.cast(target != PAD, "float32")}

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Cross-entropy of the references minus `risk` times the mean expected merit; y are the merits [B, R]."""
        kept = y_pred["kept"]
        total, smooth, count = (
            ops.reshape(ops.sum(values, axis=-1), ops.shape(y))
            for values in (y_pred["target"] * kept, y_pred["smooth"] * kept, kept)
        )  # [B, R]
        tokens = ops.maximum(ops.sum(count[:, 0]), 1.0)
        loss = self.cross_entropy(ops.sum(total[:, 0]), ops.sum(smooth[:, 0]), tokens)
        there = y >= 0
        per_token = total / ops.maximum(count, 1.0)
        likely = ops.where(there, self.config.sharpness * per_token, _NEVER)
        shares = ops.exp(likely - ops.logsumexp(likely, axis=-1, keepdims=True))
        expected = ops.sum(ops.where(there, shares * y, 0.0), axis=-1)  # [B]
        judged = ops.maximum(ops.sum(ops.cast(ops.any(there, axis=-1), "float32")), 1.0)
        return loss - self.config.risk * ops.sum(expected) / judged
