"""Attention weights of the last layer: where the decoder looks while it writes each token."""

from typing import TYPE_CHECKING

import numpy as np

from core.errors import SettingsError
from core.explain.attribution.attribution import Attribution, Check, inputs_of, labels, rows_of
from core.explain.shared import cross
from core.explain.shared.rollup import groups
from core.trace import Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer


def attention(summarizer: "Summarizer", summary: Summary, step: int | None) -> Attribution:
    """Return softmax(Q K^T / sqrt(d_k)) of the last layer, mean of its heads (Vaswani et al. 2017, equation 1).

    Says what the decoder *looks at*. Check: every row sums to 1.

    Raises:
        SettingsError: the model has no attention, or there is no such token.
    """
    trace, rows = summary.attention, rows_of(summary, step)
    if trace.cross is None:
        raise SettingsError(
            "this method needs attention to the dialogue, which this model has not. Received: a {family}",
            family=summarizer.config.has.family,
        )
    values = cross.weights(trace, cross.choices(trace)[0])[rows]
    prefix = None if trace.decoder_self is None else np.asarray(trace.decoder_self[-1]).mean(axis=0)[rows]
    parts = [values] if prefix is None else [values, prefix]
    value = max(float(np.abs(part.sum(axis=-1) - 1).max()) for part in parts)
    return Attribution(
        "attention",
        say("weights of the last layer, mean of its heads"),
        labels([summary.tokens[row] for row in rows]),
        summary.source,
        groups(summary.source, "token"),
        values,
        "share",
        Check(say("the weights of a row sum to 1"), value, 1e-3),
        prefix,
        () if prefix is None else inputs_of(summary),
    )
