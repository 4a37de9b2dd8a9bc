"""The arithmetic inside one head, written out with its numbers: a derivation for each cell of its stages.

K width of a head, D width of the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.attention.inside import HeadStages
from core.figures.shared.derivations import Derivation, Term, added, chain, inner, root, softmax
from core.figures.shared.wording import count, figures, vector
from core.words import later, say

WRITTEN = 3
"""First numbers of a vector that are written out."""


def length(vector: NDArray[Any]) -> str:
    """Write the Euclidean length of a vector."""
    return figures(float(np.linalg.norm(vector)))


def _vector(values: NDArray[Any]) -> str:
    return vector(values, WRITTEN, figures)


def key_derivations(stages: HeadStages, key: int) -> list[Derivation]:
    """Derive one key in stages 2 to 5: dot product, scale and mask, softmax, weight × v."""
    query, other = stages.query.astype(float), stages.keys[key].astype(float)
    dot, score, weight = (float(numbers[key]) for numbers in (stages.dots, stages.scores, stages.weights))
    products = (query * other).tolist()
    written = [
        [
            f"{inner(a, figures)} × {inner(b, figures)}",
            say("dim. {number}: {value}", number=place, value=figures(a * b)),
        ]
        for place, (a, b) in enumerate(zip(query.tolist(), other.tolist(), strict=True), 1)
    ]
    result = [figures(dot), count(len(products), "product")]
    fits = chain("q · k", "=", *added(written, products, later("other product"), figures), "=", result)
    scale, scaled = _scored(stages, key)
    value, part = stages.values[key], stages.weights[key] * stages.values[key]
    handed = chain(
        [figures(weight, 3), say("weight")],
        "×",
        [_vector(value), say("v, {numbers}", numbers=count(len(value), "number"))],
        "=",
        [_vector(part), say("added to the others")],
    )
    hands = say(
        "v has length {length}, weight × v {product_length}: that much this key adds.",
        length=length(value),
        product_length=length(part),
    )
    share = say("This is the attention that a matrix shows; all weights of a query add up to 1.")
    shared = [["0", say("weight")]]
    if stages.mask[key]:
        shared = softmax(score, stages.scores[stages.mask], figures(weight, 3), figures)
    else:
        why = say("Masked: this key is padding. The score is not used, and the weight is 0.")
        if key > stages.row:
            why = say("Masked: this key lies after the query. The score is not used, and the weight is 0.")
        scaled = share = hands = why
    return [
        {"terms": fits, "note": say("The larger it is, the better this key fits the query.")},
        {"terms": scale, "note": scaled},
        {"terms": shared, "note": share},
        {"terms": handed, "note": hands},
    ]


def _scored(stages: HeadStages, key: int) -> tuple[list[Term], str]:
    """Return the terms from the dot product of a key to its score, and what they mean."""
    terms, sentences = chain([figures(float(stages.dots[key])), "q · k"]), []
    if stages.divides:
        terms += chain("÷", root(len(stages.query)))
        sentences.append(
            say(
                "d = {width} numbers in q. The division keeps the softmax from becoming all or nothing.",
                width=len(stages.query),
            )
        )
    else:
        sentences.append(say("This model does not divide by √K: its weights were trained without it."))
    if stages.bias is not None:
        terms += chain("+", [inner(float(stages.bias[key]), figures), say("bias of the distance")])
        sentences.append(say("The bias is learnt for this head, one for each distance; distant keys share one."))
    if len(terms) > 1:
        terms += chain("=", [figures(float(stages.scores[key])), say("score")])
    return terms, " ".join(sentences)


def others_derivations(stages: HeadStages, others: Sequence[int]) -> list[Derivation]:
    """Derive all keys without a row of their own, together, in stages 2 to 5."""
    tokens, visible = count(len(others), "token"), [key for key in others if stages.mask[key]]
    note = noted = say(
        "Each of these {tokens} has its own; the button under the stages shows more of them.", tokens=tokens
    )
    if hidden := len(others) - len(visible):
        masked = say("{count} of them are masked.", count=hidden)
        noted = f"{note} {masked}"
    part = stages.weights[others] @ stages.values[others]  # [K]
    weight = figures(float(stages.weights[others].sum()), 3)
    return [
        {"terms": [[_span(stages.dots[others]), say("q · k of each")]], "note": note},
        {"terms": [[_span(stages.scores[visible]), say("score of each")]], "note": noted},
        {"terms": chain([say("Σ weights"), tokens], "=", weight), "note": say("Their weights, added up.")},
        {
            "terms": chain([say("Σ weight × v"), tokens], "=", [_vector(part), say("their sum")]),
            "note": say("Its length is {length}.", length=length(part)),
        },
    ]


def _span(values: NDArray[Any]) -> str:
    if not len(values):
        return say("masked")
    return say("{low} to {high}", low=figures(float(values.min())), high=figures(float(values.max())))


def total_derivations(stages: HeadStages) -> list[Derivation]:
    """Derive all keys together in stages 4 and 5: the weights, and the head's output."""
    keys = count(len(stages.weights), "key")
    return [
        {
            "terms": chain([say("Σ weights"), keys], "=", figures(float(stages.weights.sum()), 3)),
            "note": say("The softmax shares out exactly 1 among all keys."),
        },
        {
            "terms": chain([say("Σ weight × v"), keys], "=", [_vector(stages.weighted), say("head's output")]),
            "note": say(
                "The mean of all v, each with its weight; its length is {length}.", length=length(stages.weighted)
            ),
        },
    ]


def query_derivation(stages: HeadStages) -> Derivation:
    """Derive stage 1."""
    place = say("x: this place's vector in layer {layer}", layer=stages.layer + 1)
    query = [_vector(stages.query), say("q, {numbers}", numbers=count(len(stages.query), "number"))]
    note = say("W_Q is learnt. The same q meets every key; its length is {length}.", length=length(stages.query))
    if stages.biased:
        note = say(
            "W_Q and b_Q are learnt. The same q meets every key; its length is {length}.", length=length(stages.query)
        )
    return {"terms": chain(["x · W_Q + b_Q" if stages.biased else "x · W_Q", place], "=", query), "note": note}


def output_derivation(stages: HeadStages) -> Derivation:
    """Derive stage 6."""
    numbers, size = count(len(stages.weighted), "number"), len(stages.output)
    head = [_vector(stages.weighted), say("head's output, {numbers}", numbers=numbers)]
    note = say(
        "W_O turns the head's {numbers} into {size} that are added to the residual stream; length {length}.",
        numbers=numbers,
        size=size,
        length=length(stages.output),
    )
    output = [_vector(stages.output), count(size, "number")]
    return {"terms": chain(head, "·", ["W_O", say("learnt")], "=", output), "note": note}
