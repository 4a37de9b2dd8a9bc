"""Gradient times input: effects of source and prefix on one predicted token (Shrikumar et al. 2016).

S source tokens, T target tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import SettingsError
from core.experiments.interventions import Untouched
from core.runtime.queue import CALLS
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer

STEP = 0.002
"""Step of `finite_difference`: a larger one crosses kinks of ReLUs, a smaller one is lost in rounding."""


@dataclass(frozen=True, eq=False)
class TokenEffects:
    """First-order effect of each token's embedding on one prediction.

    The target is F = log p(y), or log p(y) - log p(foil), where y is the token that is predicted. An effect is the
    sum over the embedding's components of component times dF / dcomponent: the growth of F when the embedding is
    scaled up.

    Args:
        step: the token that is predicted, 0-based.
        foil: id of the token that it is contrasted with, or None.
        value: F, natural logarithms.
        source: [S] effects of the source tokens.
        prefix: [step + 1] effects of the decoder's input, [SOS] first.
    """

    step: int
    foil: int | None
    value: float
    source: Array
    prefix: Array


def gradient_times_input(summarizer: "Summarizer", base: Untouched, step: int, foil: int | None = None) -> TokenEffects:
    """Compute the effects on one token of the original summary.

    Only token embeddings are scaled; positions and the choice of copied tokens stay as they are.

    Args:
        summarizer: the model.
        base: the original run; its gates are not used.
        step: the token, 0-based.
        foil: id of a token to contrast it with (Yin and Neubig 2022, equation 3).

    Raises:
        SettingsError: there is no such step or token.
    """
    weights = _weights(summarizer, base, step, foil)
    source = base.condition.encoded.ids
    with CALLS.turn():
        value, by_source, by_target = summarizer.probes.gradient(source, base.ids, step, weights)
    return TokenEffects(step, foil, value, by_source, by_target[: step + 1])


def finite_difference(
    summarizer: "Summarizer", base: Untouched, step: int, places: Sequence[int], foil: int | None = None
) -> float:
    """Check the gradient: (F(1 + h) - F(1 - h)) / 2h, scaling the embeddings at some source positions.

    Args:
        summarizer: the model.
        base: the original run.
        step: the token that is predicted.
        places: source tokens, all scaled at once.
        foil: as in `gradient_times_input`.

    Returns:
        Approximately the sum of their effects.
    """
    weights = _weights(summarizer, base, step, foil)
    source = base.condition.encoded.ids
    values = []
    with CALLS.turn():
        for sign in (1, -1):
            scale = np.ones(len(source), dtype=np.float32)
            scale[list(places)] += sign * STEP
            scales = (scale, np.ones(len(base.ids), dtype=np.float32))
            values.append(summarizer.probes.gradient(source, base.ids, step, weights, scales)[0])
    return (values[0] - values[1]) / (2 * STEP)


def _weights(summarizer: "Summarizer", base: Untouched, step: int, foil: int | None) -> Array:
    """Return [V]: 1 for the token that is predicted, -1 for the foil."""
    size = summarizer.config.target_vocabulary
    if not 0 <= step < len(base.ids):
        raise SettingsError(
            "step must be from 0 to {last} for this summary. Received: {received}",
            last=len(base.ids) - 1,
            received=f"step={step}",
        )
    if foil is not None and (not 0 <= foil < size or foil == base.ids[step]):
        raise SettingsError(
            "a foil is another token, its id below {size}. Received: {received}", size=size, received=foil
        )
    weights = np.zeros(size, dtype=np.float32)
    weights[base.ids[step]] = 1
    if foil is not None:
        weights[foil] = -1
    return weights
