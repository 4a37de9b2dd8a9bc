"""Questions about attention: what a head looks at, how many heads do it, and what is lost without them."""

import numpy as np

from core import checkpoints
from core.errors import LessonError
from core.explain import catalogue, cross
from core.explain.head_types import type_scores
from core.explain.heads import HeadScores, scores
from core.explain.inside import Kind
from core.explain.rollup import groups, sum_columns
from core.figures.wording import KIND_NAMES, count, cut, listed, nats, percent, quoted
from core.lessons.asking import MOST, Answer, Case, Question, guess, pick

HALF = 0.5
"""Mean weight on the token before from which a head counts as one that looks there (Clark et al. 2019, section 3.1)."""
LONGEST = 60
"""Characters of a turn in an answer."""


def looks_where(case: Case) -> Question:
    """Ask where a head of self-attention looks: at the token itself, before, after, or at signs and special tokens."""
    found = _head(case)
    types = type_scores(found)
    shares = {
        "At the token before": types.get("previous token"),
        "At itself": found.itself,
        "At the token after": types.get("next token"),
        "At signs and special tokens": types.get("sink"),
    }
    known = {name: share for name, share in shares.items() if share is not None}
    names = list(known)

    def solve() -> Answer:
        said = [f"{percent(share)} {name[:1].lower()}{name[1:]}" for name, share in known.items()]
        right = max(range(len(names)), key=lambda place: known[names[place]])
        return Answer(right, f"In the mean over {count(found.rows, 'token')} its weights are: {listed(said)}.")

    text = f"Head {found.head + 1} of layer {found.layer + 1}: where does a token look most?"
    return pick(text, names, solve)


def _head(case: Case) -> HeadScores:
    """Return the statistics of the head of self-attention that the link names."""
    kind: Kind = "decoder" if case.link.get("kind") == "decoder" else "encoder"
    every = _of_kind(case, kind)
    layer, head = case.number("layer", every[-1].layer + 1), case.number("head", 1)
    wanted = [each for each in every if (each.layer, each.head) == (layer - 1, head - 1)]
    if not wanted:
        raise LessonError(f"this model has no head {head} in layer {layer}, so there is nothing to look at")
    return wanted[0]


def _of_kind(case: Case, kind: Kind) -> list[HeadScores]:
    found = [each for each in scores(case.summary.attention) if each.kind == kind]
    if not found:
        raise LessonError(f"this model has no {KIND_NAMES[kind].lower()}, so nothing can be counted")
    return found


def heads_before(case: Case) -> Question:
    """Ask how many heads of the encoder put more than half of their weight on the token before."""
    every = _of_kind(case, "encoder")
    before = {(each.layer, each.head): type_scores(each).get("previous token", 0.0) for each in every}
    there = [place for place, share in before.items() if share > HALF]

    def solve() -> Answer:
        said = [f"layer {layer + 1}, head {head + 1} ({percent(before[layer, head])})" for layer, head in there]
        return Answer(len(there), f"{len(there)} of {count(len(every), 'head')}: {listed(said) or 'none'}.", near=1)

    text = f"How many of the {len(every)} heads of the encoder put more than half of their weight on the token before?"
    return guess(text, len(every), solve)


def most_read_turn(case: Case) -> Question:
    """Ask which turn a head of cross-attention reads most at a step; without one, where the model is least sure."""
    summary = case.summary
    choice = _cross(case)
    step = case.numbers.get("step", 0)
    if not 0 < step <= len(summary.steps):
        step = 1 + max(range(len(summary.steps)), key=lambda place: summary.steps[place].entropy)
    parts = groups(summary.source, "turn")
    shares = sum_columns(cross.weights(summary.attention, choice)[step - 1], parts)
    of_turn = {each.turn: float(share) for each, share in zip(parts, shares, strict=True) if each.turn is not None}
    shown = sorted(sorted(of_turn, key=of_turn.__getitem__)[-MOST:])

    def solve() -> Answer:
        best = max(shown, key=of_turn.__getitem__)
        said = cut(summary.dialogue.turns[best].text, LONGEST)
        because = f"It gets {percent(of_turn[best])} of the attention at this step: “{said}”"
        return Answer(shown.index(best), because)

    word = quoted(summary.steps[step - 1].token)
    layer, _, head = choice.partition(".")
    who = f"head {head} of layer {layer}" if head.isdecimal() else f"the attention of {cross.label(choice)}"
    text = f"While the model writes {word} (step {step}), which turn does {who} read most?"
    return pick(text, [f"Turn {turn + 1}" for turn in shown], solve)


def _cross(case: Case) -> str:
    """Return the cross-attention that the link names, one of `cross.choices`; without a layer it is the last one."""
    attention = case.summary.attention
    options = cross.choices(attention)
    if not options:
        raise LessonError(
            "this model has no cross-attention: its decoder gets one vector, however long the dialogue is"
        )
    layers = len(attention.cross) if attention.cross is not None else 0
    asked = f"{case.number('layer', layers)}.{case.number('head', 0) or 'mean'}"
    return asked if asked in options else options[0]


def most_needed(case: Case) -> Question:
    """Ask without which of the three kinds of attention the summaries become least likely."""
    measured, reason = catalogue.choose(
        checkpoints.read_heads(case.summarizer.checkpoint.name), case.summary.checkpoint
    )
    effects = measured.effects if measured else None
    lost = {kind: effects.of(kind) for kind in KIND_NAMES} if effects else {}
    known = {kind: value for kind, value in lost.items() if value is not None}
    if effects is None or len(known) < 2:
        raise LessonError(reason or "nobody has measured yet what this model loses without its attention")
    kinds = list(known)

    def solve() -> Answer:
        said = [f"{nats(known[kind])} without {KIND_NAMES[kind].lower()}" for kind in kinds]
        because = f"A token of the summary loses {listed(said)}, in the mean of {effects.dialogues} dialogues."
        return Answer(int(np.argmax([known[kind] for kind in kinds])), because)

    text = (
        "One kind of attention is switched off in all layers. Without which one do the summaries become least likely?"
    )
    return pick(text, [KIND_NAMES[kind] for kind in kinds], solve)
