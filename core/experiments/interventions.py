"""Measure the effect of a change of the dialogue or of the heads on a summary, in two separate ways.

The forced log-probability says how likely the original summary still is; writing again shows the summary that the
model would now write. Search is discontinuous: a small change of the first can change the second completely, and a
large one can leave it as it was. T tokens of the summary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.config import DecodeSettings
from core.model.families import open_gates
from core.model.gates import HeadGate, HeadGates
from core.runtime.queue import CALLS
from core.text.diff import changed_share
from core.text.encoded import EncodedDialogue
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer


@dataclass(frozen=True, eq=False)
class Condition:
    """The input of the model, and its head gates (None: all heads on)."""

    encoded: EncodedDialogue
    gates: HeadGates | None = None


@dataclass(frozen=True, eq=False)
class Untouched:
    """The original run that changes are compared with.

    Args:
        condition: before the change.
        settings: decoding.
        ids: the summary that is scored, [EOS] last.
        log_probabilities: [T] of its tokens under teacher forcing, natural logarithms.
        text: the summary that the model writes; it differs from `ids` if those are of another run.
    """

    condition: Condition
    settings: DecodeSettings
    ids: tuple[int, ...]
    log_probabilities: Array
    text: str


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of a change on a summary.

    Args:
        before: [T] log-probability of each token of the original summary.
        after: [T] log-probability with the change.
        text: the summary that the model writes with the change; None if it did not write.
        changed: share of the words of both texts that differ, 0 to 1; None if it did not write.
    """

    before: Array
    after: Array
    text: str | None = None
    changed: float | None = None

    @property
    def drop(self) -> float:
        """Nats that the summary loses; negative if it becomes more likely (Li et al. 2016, section 3)."""
        return float(np.sum(self.before - self.after))

    @property
    def drop_per_token(self) -> float:
        """Nats that the summary loses for each token."""
        return self.drop / len(self.before)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two summaries under two conditions: the original one and the one that was written with the change.

    Args:
        original: the effect on the original summary.
        ids: the summary that was written with the change, [EOS] last.
        text: of `ids`.
        before: [T] log-probabilities of those ids without the change.
        after: [T] with the change.
    """

    original: Effect
    ids: tuple[int, ...]
    text: str
    before: Array
    after: Array


def untouched(
    summarizer: "Summarizer",
    condition: Condition,
    ids: Sequence[int],
    settings: DecodeSettings,
    text: str | None = None,
) -> Untouched:
    """Score a summary under a condition; `text` is the summary that the model writes there, None lets it write."""
    text = summarizer.write(condition.encoded, settings, condition.gates)[0] if text is None else text
    scored = forced(summarizer, [condition], ids)[0]
    return Untouched(condition, settings, tuple(ids), scored, text)


def compare(summarizer: "Summarizer", base: Untouched, changed: Condition) -> Comparison:
    """Score the original summary with a change, let the model write, and score that text with and without it."""
    text, ids = summarizer.write(changed.encoded, base.settings, changed.gates)
    after = forced(summarizer, [changed], base.ids)[0]
    original = Effect(base.log_probabilities, after, text, changed_share(base.text, text))
    own = [forced(summarizer, [condition], ids)[0] for condition in (base.condition, changed)]
    return Comparison(original, tuple(ids), text, *own)


def measure_effects(
    summarizer: "Summarizer", base: Untouched, changes: Sequence[Condition], rewrite: bool = True
) -> list[Effect]:
    """Measure several changes, each on its own.

    Args:
        summarizer: the model.
        base: the original run.
        changes: the changed conditions.
        rewrite: whether the model also writes a summary with each.
    """
    found = []
    for change, after in zip(changes, forced(summarizer, changes, base.ids), strict=True):
        text = summarizer.write(change.encoded, base.settings, change.gates)[0] if rewrite else None
        changed = None if text is None else changed_share(base.text, text)
        found.append(Effect(base.log_probabilities, after, text, changed))
    return found


def forced(summarizer: "Summarizer", conditions: Sequence[Condition], ids: Sequence[int]) -> list[Array]:
    """Return the log-probability of each token of a summary under each condition, [T] each."""
    from core.decoding.probes import SCORE_ROWS

    found: list[Array] = []
    for first in range(0, len(conditions), SCORE_ROWS):
        batch = conditions[first : first + SCORE_ROWS]
        gates = [each.gates or open_gates(summarizer.config) for each in batch]
        with CALLS.turn():
            found += summarizer.probes.score([each.encoded.ids for each in batch], [ids] * len(batch), _stacked(gates))
    return found


def _stacked(gates: Sequence[HeadGates | None]) -> HeadGates | None:
    """Stack the gates of conditions: `open` [L, B, H] and `fill` [L, B, H, K]; None for a model without heads."""
    given = [each for each in gates if each is not None]
    return HeadGates(*(_batch(parts) for parts in zip(*given, strict=True))) if given else None


def _batch(parts: Sequence[HeadGate]) -> HeadGate:
    opened, fills = zip(*parts, strict=True)
    return HeadGate(np.stack(opened, axis=1), np.stack(fills, axis=1))
