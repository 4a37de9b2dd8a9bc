"""Questions that people ask about BERTScore, answered with the numbers that stand beside them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from core.figures.wording import cut, plain
from core.scoring import baselines
from core.scoring.encoders import EMBEDDED, find
from core.scoring.matching import Match, f1
from pages.parts.bertscore.candidates import Candidate
from pages.parts.bertscore.scored import Scores, Scoring
from pages.shared.frame.notices import literal

ROBERTA = 0.83122575
"""F1 of random pairs by roberta-large, layer 17: the library's own baseline file."""
Answer = tuple[str, str]
"""A question, and its answer as Markdown."""


def expanders(answers: list[Answer]) -> None:
    """Draw questions that open."""
    for question, answer in answers:
        with st.expander(question, icon=":material/help:"):
            st.markdown(answer)


def of_scores(found: Mapping[str, Candidate], scoring: Scoring) -> list[Answer]:
    """Return questions about how high a number is."""
    floor = found["floor"]
    value = scoring.best(floor)[2]
    high = (
        f"The summary of another dialogue still scores F1 **{value:.3f}** here. Each token takes its closest partner "
        "among all tokens of the other text, so a full stop finds a full stop and “the” finds “the”; and the vectors "
        "of one encoder all point in a similar direction. Zero is not the floor of this scale."
    )
    base = scoring.shown_baseline
    if base:
        high += f" Random pairs of summaries score {base.f1:.3f} on average: read a score from there upwards."
    across = (
        f"Each encoder has its own zero. Random pairs score {_random()} with all-MiniLM-L6-v2 and {ROBERTA:.3f} with "
        "roberta-large. An F1 of 0.80 is more than a second human gets in the first (0.768), and less than chance in "
        "the second. Compare only numbers of the same encoder, layer, idf weights and rescaling: the fingerprint that "
        "`python -m core score --json` prints says all of them."
    )
    return [
        ("Why does an unrelated text score so high?", high),
        ("Why can’t I compare this with a number from a paper?", across),
        (
            "Is a higher score a better summary?",
            "More alike to a reference, not more true. The view “Edit it” swaps speakers and drops a “not”: the score "
            "barely moves. And one reference is one person’s choice of what matters.",
        ),
    ]


def _random() -> str:
    return f"{baselines.read(find()).f1:.3f}"


def of_pair(match: Match, scores: Scores, scoring: Scoring) -> list[Answer]:
    """Return questions about one matrix."""
    answers = [_encoders(scoring), _specials(match, scores), _weights(match, scoring)]
    base = scoring.shown_baseline
    if base:
        new = base.rescale(*scores)
        empty = base.rescale(0.0, 0.0, 0.0)[2]
        negative = (
            f"Rescaling puts the mean of random pairs ({base.f1:.3f}) at 0. A pair that is less alike than a "
            f"random one becomes negative; an empty text, raw 0, would get {_signed(empty)}. This pair: raw "
            f"{scores[2]:.3f}, rescaled **{_signed(new[2])}**. There is no lower bound at −1."
        )
        harmonic = (
            f"Precision, recall and F1 have a baseline each ({base.precision:.3f}, {base.recall:.3f}, {base.f1:.3f}) "
            f"and are rescaled apart. Rescaled they are {_signed(new[0])}, {_signed(new[1])} and "
            f"**{_signed(new[2])}**; the harmonic mean of the first two would be {_signed(f1(new[0], new[1]))}."
        )
        answers = [
            ("Why can a score be negative?", negative),
            ("Is the rescaled F1 the harmonic mean of the rescaled precision and recall?", harmonic),
            *answers,
        ]
    return answers


def _encoders(scoring: Scoring) -> Answer:
    """Return why another encoder, even another layer, gives another number."""
    found = find()
    rows = [(layer, baselines.read(replace(found, layers=layer)).f1) for layer in range(found.layers + 1)]
    low, high = min(rows, key=lambda row: row[1]), max(rows, key=lambda row: row[1])
    return (
        "Why does another encoder give another number?",
        f"The score is made of the encoder’s vectors, and how close two unrelated vectors are differs between "
        f"networks, even between layers: random pairs score {low[1]:.3f} at layer {low[0]} of {EMBEDDED} and "
        f"{high[1]:.3f} at layer {high[0]}. Shown here: {literal(scoring.name)}, layer "
        f"{scoring.scorer.encoder.layers}.",
    )


def _specials(match: Match, scores: Scores) -> Answer:
    """Return what the tokenizer's special tokens do to this pair."""
    inner = ~np.array(match.reference.special)
    best = match.similarity[:, inner].max(axis=1) if inner.any() else np.zeros(len(match.candidate.weights))
    without = float(np.dot(match.candidate.shares, best))
    return (
        "What do [CLS] and [SEP] do?",
        "They have weight 0, so they are not scored, but any token may take them as its closest partner. Without "
        f"them precision would be {without:.4f}; it is **{scores[0]:.4f}**. The library’s own plot leaves them out, so "
        "maxima read off that plot can be lower than the score’s.",
    )


def _weights(match: Match, scoring: Scoring) -> Answer:
    """Return what idf weights do."""
    if scoring.idf is None:
        return (
            "What would idf weights change?",
            "Now a full stop counts as much as a name. With idf a token counts ln((M + 1) / (c + 1)), where c of M "
            "references have it: rare words count more, and the score depends on which references were counted. "
            "Switch “Tokens count” above to see it.",
        )
    side = match.candidate
    order = np.argsort(-side.weights)
    top = ", ".join(f"“{cut(plain(side.tokens[place]), 20)}” {side.weights[place]:.2f}" for place in order[:3])
    counted = [place for place in order if not side.special[place]]
    low = ", ".join(f"“{cut(plain(side.tokens[place]), 20)}” {side.weights[place]:.2f}" for place in counted[-3:])
    return (
        "What do the idf weights do here?",
        literal(
            f"Counted over {len(scoring.idf)} references: those of all examples, and the ones above. Highest weights "
            f"of the candidate: {top}. Lowest: {low}. With other references the same pair would get another score."
        ),
    )


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")
