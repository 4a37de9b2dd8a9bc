"""Sentences about the turn that the model reads most while it writes a token."""

from core.explain import cross
from core.explain.readings import Reading
from core.figures.rows import turn_name
from core.figures.wording import capital, cut, percent, quoted
from core.text.dialogue import Dialogue

LONGEST = 90
"""Characters of a turn's text in a sentence."""


def most_read(reading: Reading, dialogue: Dialogue, *, quote: bool = True) -> str:
    """Say which turn gets the most attention of a token; "" if none gets any. `quote` adds the turn's text."""
    if reading.turn is None:
        return ""
    turn = dialogue.turns[reading.turn]
    name = turn_name((str(turn.index + 1), turn.speaker or "", turn.text))
    said = f"{capital(name)} gets the most attention, {percent(reading.shares[turn.index])}"
    return f"{said}: “{cut(turn.text, LONGEST)}”" if quote else f"{said}."


def step(reading: Reading, place: int, count: int, dialogue: Dialogue) -> str:
    """Say what is written at a step of a summary, how probable it is, and which turn is read for it.

    Args:
        reading: of the token.
        place: of the token, from 0.
        count: number of tokens.
        dialogue: that is summarised.
    """
    said = f"Step {place + 1} of {count}: {quoted(reading.token)} has a probability of {percent(reading.probability)}."
    return f"{said} {most_read(reading, dialogue, quote=False)}".strip()


def whose(attention: str) -> str:
    """Name an attention, one of `cross.choices`; "" for a model without cross-attention."""
    if not attention:
        return ""
    return cross.label(attention) if attention == cross.COPY else f"cross-attention, {cross.label(attention)}"
