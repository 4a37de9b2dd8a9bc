"""Sentences about the turn that the model reads most while it writes a token."""

from core.explain.shared import cross
from core.explain.shared.readings import Reading
from core.figures.shared.rows import turn_name
from core.figures.shared.wording import capital, cut, percent, quoted
from core.text.dialogue import Dialogue
from core.words import say

LONGEST = 90
"""Characters of a turn's text in a sentence."""


def most_read(reading: Reading, dialogue: Dialogue, *, quote: bool = True) -> str:
    """Say which turn gets the most attention of a token; "" if none gets any. `quote` adds the turn's text."""
    if reading.turn is None:
        return ""
    turn = dialogue.turns[reading.turn]
    name = capital(turn_name((str(turn.index + 1), turn.speaker or "", turn.text)))
    share = percent(reading.shares[turn.index])
    if not quote:
        return say("{turn} gets the most attention, {share}.", turn=name, share=share)
    text = cut(turn.text, LONGEST)
    return say("{turn} gets the most attention, {share}: “{text}”", turn=name, share=share, text=text)


def step(reading: Reading, place: int, count: int, dialogue: Dialogue) -> str:
    """Say what is written at a step of a summary, how probable it is, and which turn is read for it.

    Args:
        reading: of the token.
        place: of the token, from 0.
        count: number of tokens.
        dialogue: that is summarized.
    """
    sentence = say(
        "Step {step} of {count}: {token} has a probability of {probability}.",
        step=place + 1,
        count=count,
        token=quoted(reading.token),
        probability=percent(reading.probability),
    )
    return f"{sentence} {most_read(reading, dialogue, quote=False)}".strip()


def whose(attention: str) -> str:
    """Name an attention, one of `cross.choices`; "" for a model without cross-attention."""
    if not attention:
        return ""
    name = cross.label(attention)
    return name if attention == cross.COPY else say("cross-attention, {head}", head=name)
