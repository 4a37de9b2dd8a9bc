"""What BERTScores say in words: formulas with their numbers, why a reference wins, and answers to questions.

Texts are Markdown or TeX; what users wrote is escaped.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.figures.shared.wording import capital, cut, literal, number, plain
from core.scoring import baselines
from core.scoring.anchors import reasons
from core.scoring.baselines import Baseline
from core.scoring.encoders import EMBEDDED, find
from core.scoring.matching import Match, Side, f1
from core.scoring.pairs import Scores, Scoring
from core.words import later, say

ROBERTA = 0.83122575
"""F1 of random pairs by roberta-large, layer 17: the library's own baseline file."""
Answer = tuple[str, str]
"""A question, and its answer."""


def formulas(match: Match, scores: Scores, baseline: Baseline | None) -> list[str]:
    """Return the formulas of precision, recall, F1 and, with a baseline, rescaled F1 with the numbers of a pair."""
    precision, recall, harmonic = scores
    lines = [
        _weighted(r"P = \frac{\sum_i w_i \max_j s_{ij}}{\sum_i w_i}", match.candidate, match, 1, precision),
        _weighted(r"R = \frac{\sum_j w_j \max_i s_{ij}}{\sum_j w_j}", match.reference, match, 0, recall),
        _lines(
            r"F_1 = \frac{2 P R}{P + R}",
            rf"\frac{{2 \cdot {precision:.4f} \cdot {recall:.4f}}}{{{precision:.4f} + {recall:.4f}}} = {harmonic:.4f}",
        ),
    ]
    if baseline:
        base, new = f"{baseline.f1:.4f}", baseline.rescale(*scores)[2]
        lines.append(rf"\frac{{F_1 - b}}{{1 - b}} = \frac{{{harmonic:.4f} - {base}}}{{1 - {base}}} = {new:.4f}")
    return lines


def _weighted(formula: str, side: Side, match: Match, axis: int, value: float) -> str:
    above, below = float(np.dot(side.weights, match.similarity.max(axis=axis))), float(side.weights.sum())
    return _lines(formula, rf"\frac{{{above:.3f}}}{{{below:.3f}}} = {value:.4f}")


def _lines(formula: str, numbers: str) -> str:
    """Write a formula in two lines, the second with its numbers: a phone has no room for one."""
    return r"\begin{aligned}" + formula.replace("=", "&=", 1) + r" \\ &= " + numbers + r"\end{aligned}"


def against_each(
    text: str, references: Sequence[str], names: Sequence[str], scoring: Scoring
) -> dict[str, Sequence[object]]:
    """Return the scores of a text against each reference, a line each, with a star at the best of each measure.

    The headings are marked with `later`.
    """
    rows = [scoring.scores(text, reference) for reference in references]
    columns: dict[str, Sequence[object]] = {later("Against"): [capital(name) for name in names[: len(rows)]]}
    for name, values in zip((later("Precision"), later("Recall"), "F1"), zip(*rows, strict=True), strict=True):
        best = values.index(max(values))
        columns[name] = [f"{value:.4f}" + (" ★" if place == best else "") for place, value in enumerate(values)]
    return {**columns, later("Text"): list(references)}


def why_closest(text: str, references: Sequence[str], names: Sequence[str], scoring: Scoring) -> str:
    """Return which tokens make the difference between the closest and the farthest reference."""
    if len(references) == 1:
        return say(
            "There is one reference, so nothing is chosen. With several, each measure takes its own maximum (★)."
        )
    values = [scoring.scores(text, reference)[2] for reference in references]
    best, worst = (values.index(end(values)) for end in (max, min))
    if not text.strip() or best == worst:
        return say("All references give the same score.")
    why = reasons(scoring.match(text, references[best]), scoring.match(text, references[worst]))
    ends = {"best": capital(names[best]), "worst": names[worst], "difference": values[best] - values[worst]}
    parts = [say("{best} is closer than {worst} by {difference:.3f} F1.", **ends)]
    if why.gained:
        tokens = [
            say("{token} ({here:.2f}, there {there:.2f})", token=_quoted(token, 24), here=here, there=there)
            for token, here, there in why.gained
        ]
        parts.append(say("Closer matches: {tokens}.", tokens=", ".join(tokens)))
    if why.missed:
        tokens = [f"{_quoted(token, 24)} ({value:.2f})" for token, value in why.missed]
        far = {"reference": names[worst], "tokens": ", ".join(tokens)}
        parts.append(say("In {reference} nothing comes close to {tokens}.", **far))
    return literal(" ".join(parts))


def about_scores(floor: float, scoring: Scoring) -> list[Answer]:
    """Answer how high a number is; `floor` is the F1 of another dialogue's summary."""
    high = [
        say(
            "The summary of another dialogue still scores F1 **{floor:.3f}** here. Each token takes its closest "
            "partner among all tokens of the other text, so a full stop finds a full stop and “the” finds “the”; and "
            "the vectors of one encoder all point in a similar direction. Zero is not the floor of this scale.",
            floor=floor,
        )
    ]
    if base := scoring.baseline:
        high.append(
            say(
                "Random pairs of summaries score {random:.3f} on average: read a score from there upwards.",
                random=base.f1,
            )
        )
    across = say(
        "Each encoder has its own zero. Random pairs score {first:.3f} with all-MiniLM-L6-v2 and {second:.3f} with "
        "roberta-large. An F1 of 0.80 is more than a second human gets in the first (0.768), and less than chance in "
        "the second. Compare only numbers of the same encoder, layer, idf weights and rescaling: the fingerprint that "
        "`python -m core score --json` prints says all of them.",
        first=baselines.read(find()).f1,
        second=ROBERTA,
    )
    return [
        (say("Why does an unrelated text score so high?"), " ".join(high)),
        (say("Why can’t I compare this with a number from a paper?"), across),
        (
            say("Is a higher score a better summary?"),
            say(
                "More alike to a reference, not more true. The view “Edit it” swaps speakers and drops a “not”: the "
                "score barely moves. And one reference is one person’s choice of what matters."
            ),
        ),
    ]


def about_pair(match: Match, scores: Scores, scoring: Scoring) -> list[Answer]:
    """Answer questions about one matrix."""
    base = scoring.baseline
    return [
        *(_rescaled(base, scores) if base else ()),
        _encoders(scoring),
        _specials(match, scores),
        _weights(match.candidate, scoring),
    ]


def _rescaled(base: Baseline, scores: Scores) -> list[Answer]:
    new = base.rescale(*scores)
    negative = say(
        "Rescaling puts the mean of random pairs ({random:.3f}) at 0. A pair that is less alike than a random one "
        "becomes negative; an empty text, raw 0, would get {empty}. This pair: raw {raw:.3f}, rescaled "
        "**{rescaled}**. There is no lower bound at −1.",
        random=base.f1,
        empty=number(base.rescale(0.0, 0.0, 0.0)[2], 3),
        raw=scores[2],
        rescaled=number(new[2], 3),
    )
    apart = say(
        "Precision, recall and F1 have a baseline each ({baselines}) and are rescaled apart. Rescaled they are "
        "{precision}, {recall} and **{f1}**; the harmonic mean of the first two would be {mean}.",
        baselines=f"{base.precision:.3f}, {base.recall:.3f}, {base.f1:.3f}",
        precision=number(new[0], 3),
        recall=number(new[1], 3),
        f1=number(new[2], 3),
        mean=number(f1(new[0], new[1]), 3),
    )
    return [
        (say("Why can a score be negative?"), negative),
        (say("Is the rescaled F1 the harmonic mean of the rescaled precision and recall?"), apart),
    ]


def _encoders(scoring: Scoring) -> Answer:
    """Return why another encoder, even another layer, gives another number."""
    encoder = find()
    rows = [(baselines.read(replace(encoder, layers=layer)).f1, layer) for layer in range(encoder.layers + 1)]
    low, high = min(rows), max(rows)
    return (
        say("Why does another encoder give another number?"),
        say(
            "The score is made of the encoder’s vectors, and how close two unrelated vectors are differs between "
            "networks, even between layers: random pairs score {low:.3f} at layer {lowest} of {encoder} and {high:.3f} "
            "at layer {highest}. Shown here: {shown}, layer {layer}.",
            low=low[0],
            lowest=low[1],
            encoder=EMBEDDED,
            high=high[0],
            highest=high[1],
            shown=literal(scoring.encoder),
            layer=scoring.scorer.encoder.layers,
        ),
    )


def _specials(match: Match, scores: Scores) -> Answer:
    """Return what the tokenizer's special tokens do to this pair."""
    inner = ~np.array(match.reference.special)
    best = match.similarity[:, inner].max(axis=1) if inner.any() else np.zeros(len(match.candidate.weights))
    return (
        say("What do [CLS] and [SEP] do?"),
        say(
            "They have weight 0, so they are not scored, but any token may take them as its closest partner. Without "
            "them precision would be {without:.4f}; it is **{precision:.4f}**. The library’s own plot leaves them out, "
            "so maxima read off that plot can be lower than the score’s.",
            without=float(np.dot(match.candidate.shares, best)),
            precision=scores[0],
        ),
    )


def _weights(side: Side, scoring: Scoring) -> Answer:
    """Return what idf weights do, or would do."""
    if scoring.idf is None:
        return (
            say("What would idf weights change?"),
            say(
                "Now a full stop counts as much as a name. With idf a token counts ln((M + 1) / (c + 1)), where c of M "
                "references have it: rare words count more, and the score depends on which references were counted. "
                "Switch “Tokens count” under Options to see it."
            ),
        )
    order = [place for place in np.argsort(-side.weights) if not side.special[place]]
    high, low = (
        ", ".join(f"{_quoted(side.tokens[place], 20)} {side.weights[place]:.2f}" for place in places)
        for places in (order[:3], order[-3:])
    )
    sentence = say(
        "Counted over {references} references: those of all examples, and those of this page. Highest weights of the "
        "candidate: {high}. Lowest: {low}. With other references the same pair would get another score.",
        references=len(scoring.idf),
        high=high,
        low=low,
    )
    return say("What do the idf weights do here?"), literal(sentence)


def _quoted(token: str, longest: int) -> str:
    return f"“{cut(plain(token), longest)}”"
