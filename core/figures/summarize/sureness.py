"""How much a summary can be trusted: how often summaries that the model was about as sure of were wrong."""

from core.faults.measure import Measured
from core.figures.shared.wording import percent
from core.trace import Summary
from core.words import later, say

MEASURED = later(
    "This model is small and often wrong. It wrote {count} other summaries as surely as this one: {wrong} of them said "
    "something false ({share}; 95 % interval {low} to {high}). A language model read them. Their dialogues ({data}) "
    "were not trained on."
)
NOT_MEASURED = later("How often this model is wrong has not been measured. Check the summary against the dialogue.")


def how_sure(summary: Summary, measured: Measured | None, weights: str) -> str:
    """Say how often summaries with such a mean log-probability per token were wrong.

    Args:
        summary: the summary.
        measured: the labelled summaries, None if there are none.
        weights: SHA-256 of the weights that wrote the summary; numbers of other weights are not used.
    """
    like = measured.like(summary.mean_log_probability) if measured and measured.checkpoint == weights else None
    if measured is None or like is None or not like.count:
        return say(NOT_MEASURED)
    low, high = like.interval
    return say(
        MEASURED,
        count=like.count,
        wrong=like.wrong,
        share=percent(like.wrong / like.count),
        low=percent(low),
        high=percent(high),
        data=measured.data,
    )
