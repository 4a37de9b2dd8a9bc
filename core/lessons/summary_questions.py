"""Questions about what the model writes: its choices, its scores, its errors."""

from core import checkpoints
from core.errors import LessonError
from core.figures.shared.wording import count, listed, number, percent, quoted
from core.lessons.asking import MOST, Answer, Case, Question, pick
from core.text import judged
from core.words import say

TRIED = 8
"""Changes of one fact that are tried, as on the page BERTScore."""
LITTLE, MUCH = 0.01, 0.1
"""Moves of F1 that part little, some and much."""


def not_first(case: Case) -> Question:
    """Ask how many tokens were not the most probable one at their step."""
    chosen = case.summary.choices
    outranked = [step for step in chosen if step.rank > 1]

    def solve() -> Answer:
        tokens = count(len(chosen), "token")
        if not outranked:
            first = say("{found} of {tokens}: each was the most probable one at its step.", found=0, tokens=tokens)
            return Answer(0, first, near=1)
        ranks = [
            say(
                "{token} was number {rank} ({share})",
                token=quoted(step.token),
                rank=step.rank,
                share=percent(step.probability),
            )
            for step in outranked[:3]
        ]
        because = say("{found} of {tokens}: {list}.", found=len(outranked), tokens=tokens, list=listed(ranks))
        why = say("Beam search keeps several texts, and the best whole text may hold a token that was not the best.")
        beam = case.summary.settings.strategy == "beam"
        return Answer(len(outranked), f"{because} {why}" if beam else because, near=1)

    text = say(
        "Of the {tokens} of this summary, how many were not the most probable one at their step?",
        tokens=count(len(chosen), "token"),
    )
    return Question(text, (), solve, len(chosen))


def least_sure(case: Case) -> Question:
    """Ask at which token the model was least sure, by the entropy."""
    steps = case.summary.choices
    if len(steps) < 2:
        raise LessonError("this summary is too short to compare its tokens")
    by_entropy = sorted(range(len(steps)), key=lambda place: -steps[place].entropy)
    spread = [by_entropy[round(share * (len(steps) - 1))] for share in (0, 1 / 3, 2 / 3, 1)]
    places = sorted(dict.fromkeys(spread))[:MOST]

    def solve() -> Answer:
        right = max(range(len(places)), key=lambda index: steps[places[index]].entropy)
        entropies = [
            say(
                "{entropy} nats at {token}",
                entropy=number(steps[place].entropy),
                token=quoted(steps[place].token),
            )
            for place in places
        ]
        return Answer(right, say("The entropy of the next-token distribution is {list}.", list=listed(entropies)))

    options = [
        say("{token} (step {step})", token=quoted(steps[place].token), step=case.summary.forced + place + 1)
        for place in places
    ]
    return pick(say("At which token was the model least sure?"), options, solve)


def own_words(case: Case) -> Question:
    """Ask how much of the summary is made of the summary itself, by contributions through all layers."""
    if case.summarizer.config.has.blocks is None:
        raise LessonError("this model has no stack of layers whose vectors could be followed")

    def solve() -> Answer:
        from core.experiments.attribution.registry import attribute

        prefix = attribute("contributions", case.summarizer, case.summary).prefix
        own = [] if prefix is None else prefix.sum(axis=1).tolist()
        share, most = sum(own) / len(own), max(range(len(own)), key=own.__getitem__)
        token = quoted(case.summary.tokens[most])
        because = say(
            "In the mean {share} of a token comes from [SOS] and the tokens written before it, the rest from the "
            "dialogue. Of {token} (step {step}) it is most: {most}.",
            share=percent(share), token=token, step=most + 1, most=percent(own[most]),
        )  # fmt: skip
        return Answer(round(100 * share), because, near=10)

    text = say(
        "A written token is made of the dialogue and of the summary before it. What percentage comes from the summary?"
    )
    return Question(text, (), solve, 100)


def one_fact(case: Case) -> Question:
    """Ask how far the BERTScore of the summary moves at most when one fact of it is changed."""
    if not case.references:
        raise LessonError("this dialogue has no reference summary, so the summary has no score")
    from core.faults.alternatives import alternatives

    variants = alternatives(case.summary.dialogue, case.summary.text, TRIED) if case.summary.text.strip() else ()
    if not variants:
        raise LessonError("this summary names no person, number or negation that could be exchanged")
    options = (
        say("By less than {bound}", bound=LITTLE),
        say("By {low} to {high}", low=LITTLE, high=MUCH),
        say("By more than {bound}", bound=MUCH),
    )

    def solve() -> Answer:
        from core.scoring.encoders import EMBEDDED
        from core.scoring.pairs import Scoring

        scoring = Scoring(EMBEDDED, None)
        reference = case.references[scoring.winner(case.summary.text, case.references)]
        base = scoring.scores(case.summary.text, reference)[2]
        moves = [abs(scoring.scores(variant.summary, reference)[2] - base) for variant in variants]
        most = max(range(len(moves)), key=moves.__getitem__)
        right = sum(moves[most] >= bound for bound in (LITTLE, MUCH))
        because = say(
            "F1 is {f1}. The largest of {moves} is {largest}: {change}. The score compares vectors of words, "
            "not facts.",
            f1=number(base, 3),
            moves=count(len(variants), "move"),
            largest=number(moves[most], 3),
            change=variants[most].change.said(),
        )
        return Answer(right, because)

    text = say(
        "One fact of the summary is changed: another person, another number, a “not”. How far does F1 move at most?"
    )
    return pick(text, options, solve)


def read_right(case: Case) -> Question:
    """Ask how many of the model's summaries of the bundled dialogues a language model found right."""
    from core.faults.measure import weights_hash

    checkpoint = case.summarizer.checkpoint
    kept = judged.read(checkpoints.read_judged(checkpoint.name), weights_hash(case.summarizer))
    verdicts = [each.verdict for each in kept.values()]
    if not verdicts:
        raise LessonError(
            "the summaries of this model have not been read and judged yet, so it is not known how many are right"
        )

    def solve() -> Answer:
        partly, wrong = (verdicts.count(each) for each in ("partly right", "wrong"))
        right = verdicts.count("right")
        because = say(
            "In its judgement {right} are right, {partly} partly right and {wrong} wrong. The list of examples marks "
            "them ✓, ◐ and ✗.",
            right=right,
            partly=partly,
            wrong=wrong,
        )
        return Answer(right, because, near=3)

    text = say(
        "A language model read the summaries of all {count} examples. How many did it find free of errors, with the "
        "outcome named?",
        count=len(verdicts),
    )
    return Question(text, (), solve, len(verdicts))
