"""Sentences about the effect of a change: how much less probable a text is, and what several turns do together."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.figures.shared.wording import NEARLY_IMPOSSIBLE, capital, listed, nats, number, percent, signed, times
from core.scoring.rouge import rouge
from core.trace import Array
from core.words import later, say


def effect_sentence(drop: float) -> str:
    """Return the effect of a change on the whole summary in nats, and how many times less or more probable that is."""
    message = later("In all, the effect on the untouched summary is {effect} nats.")
    if drop >= NEARLY_IMPOSSIBLE:
        message = later(
            "In all, the effect on the untouched summary is {effect} nats: with this change it is nearly impossible, "
            "{times} times less probable than before."
        )
    elif drop >= 0.005:
        message = later(
            "In all, the effect on the untouched summary is {effect} nats: {times} times less probable than before."
        )
    elif drop <= -0.005:
        message = later(
            "In all, the effect on the untouched summary is {effect} nats: {times} times more probable than before."
        )
    return say(message, effect=signed(drop), times=times(drop))


def text_sentence(before: str, after: str, changed: float, references: Sequence[str]) -> str:
    """Return how far the written text moved, from the untouched one and from the references.

    Args:
        before: what was written without the change.
        after: what is written with it.
        changed: share of the words of both that differ.
        references: summaries that people wrote.
    """
    sentence = say("The text is the same.")
    if after != before:
        kept = rouge(after, [before]).rougeL
        sentence = say(
            "{share} of the words differ from what was written before (ROUGE-L {kept:.1f}).",
            share=percent(changed),
            kept=kept,
        )
    if references:
        was, now = (rouge(text, references, "max").rougeL for text in (before, after))
        both = say("ROUGE-L against the reference: {was:.1f} before, {now:.1f} now.", was=was, now=now)
        return f"{sentence} {both}"
    return sentence


def forced_table(rows: Mapping[str, tuple[Array, Array]]) -> dict[str, list[Any]]:
    """Return mean log-probabilities a token of forced summaries, each without and with a change, and its effect.

    The headings are marked with `later`.
    """
    pairs = rows.values()
    return {
        later("Forced (nats a token)"): [*rows],
        later("Untouched"): [float(before.mean()) for before, _ in pairs],
        later("With the change"): [float(after.mean()) for _, after in pairs],
        later("Effect"): [float((before - after).mean()) for before, after in pairs],
    }


def turns_named(turns: Sequence[int]) -> str:
    """Return turns, counted from 0, as part of a sentence: "turns 2 and 4"."""
    numbers = [str(turn + 1) for turn in turns]
    if len(numbers) == 1:
        return say("turn {number}", number=numbers[0])
    return say("turns {numbers}", numbers=listed(numbers))


def together(turns: Sequence[int], alone: Sequence[float], drop: float) -> str:
    """Return what leaving out one turn at a time misses.

    Args:
        turns: that are left out at once, from 0.
        alone: nats that the summary loses without each of them alone.
        drop: nats that it loses without all of them.
    """
    rest = drop - sum(alone)
    least = max(1.0, 0.2 * abs(sum(alone)))
    values = {"turns": capital(turns_named(turns)), "alone": listed([number(each) for each in alone])}
    values |= {"together": nats(drop), "rest": number(abs(rest))}
    if rest >= 0:
        sums = say("{turns}: alone {alone} nats, together {together}; {rest} more than the sum.", **values)
    else:
        sums = say("{turns}: alone {alone} nats, together {together}; {rest} less than the sum.", **values)
    if rest > least:
        meaning = say("They say the same, and each alone hid the other's part.")
    elif rest < -least:
        meaning = say("Together they are worth less than alone: one needs the other.")
    else:
        meaning = say("They count about as much together as alone.")
    return f"{sums} {meaning}"


def arrangement_named(
    untouched: Sequence[int], order: Sequence[int], masked: Collection[int], speakers: Mapping[int, str]
) -> str:
    """Return a change of the turns as part of a sentence.

    Args:
        untouched: the turns in their order before it.
        order: those that are left, as they are read now.
        masked: those of them that are hidden.
        speakers: who says a turn instead.
    """
    gone = [turn for turn in untouched if turn not in order]
    parts = [say("without {turns}", turns=turns_named(gone))] if gone else []
    if masked:
        parts.append(say("with {turns} masked", turns=turns_named(sorted(masked))))
    parts += [
        say("with turn {number} said by {name}", number=turn + 1, name=name) for turn, name in sorted(speakers.items())
    ]
    if [turn for turn in untouched if turn in order] != list(order):
        parts.append(say("with the turns in another order"))
    return listed(parts)
