"""Effects of interventions on a summary: the dialogue or heads are changed, and what changes is measured in two ways.

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
from core.model.gates import HeadGates, stacked
from core.runtime.queue import CALLS
from core.text.diff import changed_share
from core.text.encoded import EncodedDialogue
from core.trace import Array, Summary

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


def as_read(summarizer: "Summarizer", summary: Summary) -> Untouched:
    """Return a summary as its run scored it; the model writes a text of its own where somebody gave the summary."""
    encoded, settings = summarizer.encode(summary.dialogue, summary.settings.truncation), summary.settings
    scores = np.array([step.log_probability for step in summary.steps], dtype=np.float32)
    text = summarizer.write(encoded, settings)[0] if summary.given else summary.text
    return Untouched(Condition(encoded), settings, tuple(token.id for token in summary.tokens), scores, text)


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
    after = forced(summarizer, changes, base.ids)
    if not rewrite:
        return [Effect(base.log_probabilities, each) for each in after]
    encoded, gates = [each.encoded for each in changes], [each.gates for each in changes]
    return written(base, after, summarizer.write_rows(encoded, base.settings, gates))


def written(base: Untouched, after: Sequence[Array], texts: Sequence[str]) -> list[Effect]:
    """Return the effects of changes, from the scores of the old summary and the new ones."""
    scored = zip(after, texts, strict=True)
    return [Effect(base.log_probabilities, scores, text, changed_share(base.text, text)) for scores, text in scored]


def forced(summarizer: "Summarizer", conditions: Sequence[Condition], ids: Sequence[int]) -> list[Array]:
    """Return the log-probability of each token of a summary under each condition, [T] each."""
    from core.decoding.probes import SCORE_ROWS

    log_probabilities: list[Array] = []
    for first in range(0, len(conditions), SCORE_ROWS):
        batch = conditions[first : first + SCORE_ROWS]
        gates = [gate for each in batch if (gate := each.gates or open_gates(summarizer.config)) is not None]
        own = stacked(gates) if gates else None  # a model without heads has no gates
        with CALLS.turn():
            log_probabilities += summarizer.probes.score([each.encoded.ids for each in batch], [ids] * len(batch), own)
    return log_probabilities
