"""Gradient times input: effects of source and prefix on one predicted token (Shrikumar et al. 2016).

S source tokens, T target tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.experiments.effects import Untouched
from core.explain.attribution.attribution import check_foil, check_step
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
    values, by_source, by_prefix = _gradients(summarizer, base, step, foil)
    return TokenEffects(step, foil, float(values[0]), by_source[0], by_prefix[0, : step + 1])


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
    factors = np.ones((2, len(base.condition.encoded.ids) + len(base.ids)), dtype=np.float32)
    factors[:, list(places)] += np.array([[STEP], [-STEP]], dtype=np.float32)
    values, _, _ = _gradients(summarizer, base, step, foil, factors)
    return float(values[0] - values[1]) / (2 * STEP)


def _gradients(
    summarizer: "Summarizer", base: Untouched, step: int, foil: int | None, factors: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return F and its derivatives at some factors [B, S + T] of the embeddings, None for 1; see `Probes.gradients`."""
    check_step(step, len(base.ids))
    foils = None
    if foil is not None:
        check_foil(foil, base.ids[step], summarizer.config.target_vocabulary)
        foils = [foil if row == step else id for row, id in enumerate(base.ids)]
    select = np.zeros((1 if factors is None else len(factors), len(base.ids)), dtype=np.float32)
    select[:, step] = 1
    return effects(summarizer, base.condition.encoded.ids, base.ids, select, foils, factors)


def effects(summarizer: "Summarizer", *asked: Any) -> tuple[Array, Array, Array]:
    """Return F [B] and its derivatives by the factors of the embeddings; arguments as of `Probes.gradients`."""
    with CALLS.turn():
        derivatives: tuple[Array, Array, Array] = summarizer.probes.gradients(*asked)
    return derivatives
