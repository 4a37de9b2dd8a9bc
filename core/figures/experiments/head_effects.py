"""Sentences and a table about heads that are ablated: all of them alone, or some together."""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from core.explain.attention.head_outputs import Head
from core.figures.shared.wording import KIND_NAMES, count, kind_text, listed, nats, percent, signed
from core.words import later, say


class Measured(Protocol):
    """The effect of ablating one head alone: `core.experiments.interventions.Effect`."""

    @property
    def drop_per_token(self) -> float:
        """Nats that the summary loses for each token."""

    @property
    def changed(self) -> float | None:
        """Share of its words that differ when the model writes again."""

    @property
    def text(self) -> str | None:
        """What it writes then."""


def table(effects: Mapping[Head, Measured]) -> dict[str, list[Any]]:
    """Return the effect of every ablation, the largest first."""
    ordered = sorted(effects.items(), key=lambda pair: -pair[1].drop_per_token)
    return {
        later("Attention"): [say(KIND_NAMES[head.kind]) for head, _ in ordered],
        later("Layer"): [head.layer + 1 for head, _ in ordered],
        later("Head"): [head.head + 1 for head, _ in ordered],
        later("Effect (nats a token)"): [round(effect.drop_per_token, 4) for _, effect in ordered],
        later("Share of words changed"): [round(effect.changed or 0.0, 4) for _, effect in ordered],
        later("Summary without it"): [effect.text or "" for _, effect in ordered],
    }


def caption(effects: Mapping[Head, Measured], heads: int) -> str:
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
        head=named(head),
        effect=nats(worst.drop_per_token),
        share=percent(worst.changed or 0.0),
        same=count(same, "head"),
        gains=count(gains, "head"),
    )


def named(place: Head) -> str:
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
    heads = count(len(off), "head") if len(off) > 4 else listed([named(head) for head in sorted(off)])
    if given == "zero":
        return say("without {heads}", heads=heads)
    if given == "resample":
        return say("with {heads} resampled", heads=heads)
    if len(off) > 1:
        return say("without {heads}, their means instead", heads=heads)
    return say("without {heads}, its mean instead", heads=heads)
