"""How far a summary can be trusted: how often the model was wrong where it was about as sure as here."""

from core.config import DecodeSettings
from core.faults.groups import FEWEST, Readings
from core.faults.measure import Measured
from core.figures.shared.wording import percent
from core.text.suitability import other_language
from core.trace import Summary
from core.words import later, say

MEASURED = later(
    "This model is small and often wrong. It wrote {count} other summaries as surely as this one: {wrong} of them said "
    "something false ({share}; 95 % interval {low} to {high}). A language model read them. Their dialogues ({data}) "
    "were not trained on."
)
OF_GROUPS = later(
    "This model is small, and its summaries of groups are rarely right. It summarized {count} dialogues of three to "
    "five people: {wrong} of these summaries say something false or miss the main point, and {persons} name a wrong "
    "person. A language model read each summary twice. The dialogues were written for this project; the model was not "
    "trained on them."
)
NOT_MEASURED = later("How often this model is wrong has not been measured. Check the summary against the dialogue.")
OTHER_SETTINGS = later("This model is small and often wrong; how often with these settings was not measured.")
OTHER_LANGUAGE = later(
    "This model is small and often wrong; how often in other languages than English was not measured."
)


def how_sure(
    summary: Summary, measured: Measured | None, weights: str, usual: DecodeSettings, groups: Readings | None = None
) -> str:
    """Say how often summaries were wrong whose tokens had about the same mean log-probability, or those of groups.

    Args:
        summary: the summary.
        measured: the labelled summaries, None if there are none.
        weights: SHA-256 of the weights that wrote the summary; numbers of other weights are not used.
        usual: decoding that the checkpoint's card names: the labelled summaries, in English, were written with it.
        groups: what was read of summaries of groups, which the labelled ones are not; None if nothing was.
    """
    known = measured if measured and measured.checkpoint == weights else None
    third = known.about_as_sure(summary.mean_log_probability) if known else None
    if known is None or third is None or not third.count:
        return say(NOT_MEASURED)
    if other_language(summary.dialogue):
        return say(OTHER_LANGUAGE)
    if summary.settings != usual.replace(**{name: getattr(summary.settings, name) for name in usual.idle}):
        return say(OTHER_SETTINGS)
    if groups and groups.checkpoint == weights and len(summary.dialogue.speakers) >= FEWEST:
        return say(OF_GROUPS, count=groups.count, wrong=groups.wrong, persons=groups.persons)
    low, high = third.interval
    return say(
        MEASURED,
        count=third.count,
        wrong=third.wrong,
        share=percent(third.wrong / third.count),
        low=percent(low),
        high=percent(high),
        data=known.data,
    )
