"""Questions about attention: what a head looks at, how many heads do it, and what is lost without them."""

from collections.abc import Sequence

import numpy as np

from core import checkpoints
from core.errors import LessonError
from core.explain.attention import catalogue
from core.explain.attention.head_scores import HeadScores, input_tokens, scores
from core.explain.attention.head_types import type_scores
from core.explain.attention.inside import Kind
from core.explain.attention.sinks import category
from core.explain.attribution import maps
from core.explain.shared import cross
from core.explain.shared.rollup import groups, sum_columns
from core.figures.shared.wording import KIND_NAMES, capital, count, cut, head_name, listed, nats, percent, quoted
from core.lessons.asking import MOST, Answer, Case, Question, pick
from core.trace import Array, Summary, Token
from core.words import later, say

HALF = 0.5
"""Mean weight on the token before from which a head counts as one that looks there (Clark et al. 2019, section 3.1)."""
LONGEST = 60
"""Characters of a turn in an answer."""
LOOKS = {
    "before": (later("At the token before"), later("{share} at the token before")),
    "itself": (later("At itself"), later("{share} at itself")),
    "after": (later("At the token after"), later("{share} at the token after")),
    "signs": (later("At other signs and special tokens"), later("{share} at other signs and special tokens")),
}
"""Where a token can look: as an option, and in an answer."""
NONE_OF: dict[Kind, str] = {
    "encoder": later("this model has no encoder self-attention, so nothing can be counted"),
    "decoder": later("this model has no decoder self-attention, so nothing can be counted"),
}
WITHOUT: dict[Kind, str] = {
    "cross": later("{loss} without cross-attention"),
    "encoder": later("{loss} without encoder self-attention"),
    "decoder": later("{loss} without decoder self-attention"),
}
"""What a token loses without a kind of attention, in an answer."""


def looks_where(case: Case) -> Question:
    """Ask where a head of self-attention looks: at the token itself, before, after, or at signs and special tokens."""
    head = _head(case)
    known = _shares(case, head)
    places = list(known)

    def solve() -> Answer:
        shares = [say(LOOKS[where][1], share=percent(share)) for where, share in known.items()]
        because = say(
            "In the mean over {tokens} its weights are: {shares}.",
            tokens=count(len(_looking(case, head.kind)), "token"),
            shares=listed(shares),
        )
        return Answer(max(range(len(places)), key=lambda place: known[places[place]]), because)

    text = say("Head {head} of layer {layer}: where does a token look most?", head=head.head + 1, layer=head.layer + 1)
    return pick(text, [say(LOOKS[where][0]) for where in places], solve)


def _looking(case: Case, kind: Kind) -> Sequence[Token]:
    """Return the tokens of the rows, which are those of the columns too."""
    trace = case.summary.attention
    return trace.source if kind == "encoder" else input_tokens(trace.target)


def _shares(case: Case, head: HeadScores) -> dict[str, float]:
    """Return the mean share of a head's weight at each place, over all tokens.

    A sign beside a token counts as its neighbour, so no weight counts twice; all places together hold at most 1.
    """
    trace, tokens = case.summary.attention, _looking(case, head.kind)
    weights = trace.encoder_self if head.kind == "encoder" else trace.decoder_self
    if weights is None:
        raise LessonError(NONE_OF[head.kind])
    offsets = np.arange(len(tokens)) - np.arange(len(tokens))[:, None]
    signs = np.array([category(token) not in ("word", "speaker") for token in tokens])
    places = {"before": offsets == -1, "itself": offsets == 0, "after": offsets == 1}
    if head.kind == "decoder":
        places.pop("after")  # it is masked
    places["signs"] = signs & (np.abs(offsets) > 1)
    return {name: float((weights[head.layer, head.head] * cells).sum() / len(tokens)) for name, cells in places.items()}


def _head(case: Case) -> HeadScores:
    """Return the statistics of the head of self-attention that the link names."""
    kind: Kind = "decoder" if case.link.get("kind") == "decoder" else "encoder"
    every = _of_kind(case, kind)
    layer, head = case.number("layer", every[-1].layer + 1), case.number("head", 1)
    wanted = [candidate for candidate in every if (candidate.layer, candidate.head) == (layer - 1, head - 1)]
    if not wanted:
        reason = say(
            "this model has no head {head} in layer {layer}, so there is nothing to look at", head=head, layer=layer
        )
        raise LessonError(reason)
    return wanted[0]


def _of_kind(case: Case, kind: Kind) -> list[HeadScores]:
    heads = [head for head in scores(case.summary.attention) if head.kind == kind]
    if not heads:
        raise LessonError(NONE_OF[kind])
    return heads


def heads_before(case: Case) -> Question:
    """Ask how many heads of the encoder put more than half of their weight on the token before."""
    every = _of_kind(case, "encoder")
    before = {(each.layer, each.head): type_scores(each).get("previous token", 0.0) for each in every}
    there = [place for place, share in before.items() if share > HALF]

    def solve() -> Answer:
        heads = count(len(every), "head")
        shares = [f"{head_name(layer, head)} ({percent(before[layer, head])})" for layer, head in there]
        if not shares:
            return Answer(0, say("{found} of {heads}: none.", found=0, heads=heads), near=1)
        because = say("{found} of {heads}: {list}.", found=len(there), heads=heads, list=listed(shares))
        return Answer(len(there), because, near=1)

    text = say(
        "How many of the {count} heads of the encoder put more than half of their weight on the token before?",
        count=len(every),
    )
    return Question(text, (), solve, len(every))


def most_read_turn(case: Case) -> Question:
    """Ask which turn a head of cross-attention reads most at a step; without one, where the model is least sure."""
    summary, step, choice = case.summary, _step(case), _cross(case)
    of_turn = _by_turn(summary, cross.weights(summary.attention, choice)[step - 1])
    shown = sorted(sorted(of_turn, key=of_turn.__getitem__)[-MOST:])

    def solve() -> Answer:
        best = max(shown, key=of_turn.__getitem__)
        excerpt = cut(summary.dialogue.turns[best].text, LONGEST)
        share = percent(of_turn[best])
        because = say("It gets {share} of the attention at this step: “{text}”", share=share, text=excerpt)
        return Answer(shown.index(best), because)

    text = _which_turn(quoted(summary.steps[step - 1].token), step, choice)
    return pick(text, [say("Turn {turn}", turn=turn + 1) for turn in shown], solve)


def most_needed_turn(case: Case) -> Question:
    """Ask without which turn a written token becomes least probable; without a step, where the model is least sure."""
    summary, step, choice = case.summary, _step(case), _cross(case)
    if case.summarizer.config.has.blocks is None:
        raise LessonError("this model has no stack of layers whose vectors could be followed")
    looks = _by_turn(summary, cross.weights(summary.attention, choice)[step - 1])
    shown = sorted(sorted(looks, key=looks.__getitem__)[-MOST:])

    def solve() -> Answer:
        from core.experiments.attribution.registry import attribute

        attribution = attribute("occlusion", case.summarizer, summary, step - 1, by="turn")
        lost = {each.turn: float(value) for each, value in zip(attribution.columns, attribution.values[0], strict=True)}
        name = f"{choice}.norms"
        carried = _by_turn(summary, maps.chosen(case.summarizer, summary, [name])[name].values[step - 1])
        needed, seen, sent = (max(shown, key=each.__getitem__) for each in (lost, looks, carried))
        because = say(
            "Hidden, turn {turn} takes {loss} from it: “{text}” {head}: looks most at turn {seen} ({weight}), carries "
            "most from turn {sent} ({share}).",
            turn=needed + 1, loss=nats(lost[needed]), text=cut(summary.dialogue.turns[needed].text, LONGEST),
            head=capital(cross.label(choice)), seen=seen + 1, weight=percent(looks[seen]), sent=sent + 1,
            share=percent(carried[sent]),
        )  # fmt: skip
        return Answer(shown.index(needed), because)

    text = say(
        "One turn is hidden from the model. Without which one is {word} (step {step}) least probable?",
        word=quoted(summary.steps[step - 1].token), step=step,
    )  # fmt: skip
    return pick(text, [say("Turn {turn}", turn=turn + 1) for turn in shown], solve)


def _step(case: Case) -> int:
    """Return the step of a question, from 1; without one, that of the token of which the model is least sure."""
    steps, step = case.summary.steps, case.numbers.get("step", 0)
    return step if 0 < step <= len(steps) else 1 + max(range(len(steps)), key=lambda place: steps[place].entropy)


def _by_turn(summary: Summary, row: Array) -> dict[int, float]:
    """Return the sum of a row [S] over the tokens of each turn."""
    parts = groups(summary.source, "turn")
    sums = zip(parts, sum_columns(row, parts), strict=True)
    return {part.turn: float(share) for part, share in sums if part.turn is not None}


def _which_turn(word: str, step: int, choice: str) -> str:
    layer, _, head = choice.partition(".")
    if head.isdecimal():
        return say(
            "While the model writes {word} (step {step}), which turn does head {head} of layer {layer} read most?",
            word=word,
            step=step,
            head=head,
            layer=layer,
        )
    return say(
        "While the model writes {word} (step {step}), which turn does the attention of {mean} read most?",
        word=word,
        step=step,
        mean=cross.label(choice),
    )


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
        raise LessonError(reason or say("nobody has measured yet what this model loses without its attention"))
    kinds = list(known)

    def solve() -> Answer:
        because = say(
            "A token of the summary loses {losses}, in the mean of {dialogues}.",
            losses=listed([say(WITHOUT[kind], loss=nats(known[kind])) for kind in kinds]),
            dialogues=count(effects.dialogues, "dialogue"),
        )
        return Answer(int(np.argmax([known[kind] for kind in kinds])), because)

    text = say(
        "One kind of attention is switched off in all layers. Without which one do the summaries become least likely?"
    )
    return pick(text, [say(KIND_NAMES[kind]) for kind in kinds], solve)
