"""Sentences and tables about changes: how much less probable a text is, turns together, heads that are ablated."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.explain.attention.head_outputs import Head
from core.figures.shared.wording import (
    KIND_NAMES,
    NEARLY_IMPOSSIBLE,
    capital,
    count,
    kind_text,
    listed,
    nats,
    number,
    percent,
    signed,
    times,
)
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
    values = {"turns": capital(turns_named(turns)), "alone": listed([number(loss) for loss in alone])}
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


def heads_table(effects: Mapping[Head, Any]) -> dict[str, list[Any]]:
    """Return every ablation, the largest effect first; effects are `core.experiments.effects.Effect`."""
    ordered = sorted(effects.items(), key=lambda pair: -pair[1].drop_per_token)
    return {
        later("Attention"): [say(KIND_NAMES[head.kind]) for head, _ in ordered],
        later("Layer"): [head.layer + 1 for head, _ in ordered],
        later("Head"): [head.head + 1 for head, _ in ordered],
        later("Effect (nats a token)"): [round(effect.drop_per_token, 4) for _, effect in ordered],
        later("Share of words changed"): [round(effect.changed or 0.0, 4) for _, effect in ordered],
        later("Summary without it"): [effect.text or "" for _, effect in ordered],
    }


def heads_caption(effects: Mapping[Head, Any], heads: int) -> str:
    """Return what the ablations show, of so many heads in all."""
    if not effects:
        return say("No head has been ablated alone yet: the cells have no colour.")
    head, worst = max(effects.items(), key=lambda pair: pair[1].drop_per_token)
    same = sum(effect.changed == 0 for effect in effects.values())
    gains = sum(effect.drop_per_token < 0 for effect in effects.values())
    return say(
        "{measured} of {heads} measured, each ablated alone. The largest effect has {head}: {effect} a token; without "
        "it {share} of the words change. Without {same} the text stays as it is, and without {gains} the summary is "
        "more probable. A small effect is no proof that a head is idle: others may do its work.",
        measured=len(effects),
        heads=count(heads, "head"),
        head=head_named(head),
        effect=nats(worst.drop_per_token),
        share=percent(worst.changed or 0.0),
        same=count(same, "head"),
        gains=count(gains, "head"),
    )


def head_named(place: Head) -> str:
    """Return a head as part of a sentence."""
    return say(
        "head {head} of layer {layer} ({attention})",
        head=place.head + 1,
        layer=place.layer + 1,
        attention=kind_text(place.kind),
    )


def resampled(value: float, half: float, draws: int) -> str:
    """Say what a summary loses with states of other dialogues in the place of some heads' own."""
    return say(
        "Over {draws} draws the summary loses {value} ± {half} a token (95 % interval of the mean). Below: the first "
        "draw.",
        draws=draws, value=signed(value), half=nats(half),
    )  # fmt: skip


def without(off: Collection[Head], given: str) -> str:
    """Return an ablation as part of a sentence; `given` is what stands instead: "zero", "mean" or "resample"."""
    heads = count(len(off), "head") if len(off) > 4 else listed([head_named(head) for head in sorted(off)])
    if given == "zero":
        return say("without {heads}", heads=heads)
    if given == "resample":
        return say("with {heads} resampled", heads=heads)
    if len(off) > 1:
        return say("without {heads}, their means instead", heads=heads)
    return say("without {heads}, its mean instead", heads=heads)
