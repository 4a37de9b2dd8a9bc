"""The arithmetic inside one head, written out with its numbers: a derivation for each cell of its stages.

K width of a head, D width of the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.inside import HeadStages
from core.figures.derivations import Derivation, Term, added, chain, inner, root, softmax
from core.figures.wording import count, figures

WRITTEN = 3
"""First numbers of a vector that are written out."""


def length(vector: NDArray[Any]) -> str:
    """Write the Euclidean length of a vector."""
    return figures(float(np.linalg.norm(vector)))


def vector_text(values: NDArray[Any]) -> str:
    """Write the first numbers of a vector: (0.05, −0.01, 0.20, …)."""
    more = ["…"] if len(values) > WRITTEN else []
    return f"({', '.join([*(figures(float(value)) for value in values[:WRITTEN]), *more])})"


def key_derivations(stages: HeadStages, key: int) -> list[Derivation]:
    """Derive one key in stages 2 to 5: dot product, scale and mask, softmax, weight × v."""
    query, other = stages.query.astype(float), stages.keys[key].astype(float)
    dot, score, weight = (float(each[key]) for each in (stages.dots, stages.scores, stages.weights))
    products = (query * other).tolist()
    written = [
        [f"{inner(a, figures)} × {inner(b, figures)}", f"dim. {place}: {figures(a * b)}"]
        for place, (a, b) in enumerate(zip(query.tolist(), other.tolist(), strict=True), 1)
    ]
    result = [figures(dot), count(len(products), "product")]
    fits = chain("q · k", "=", *added(written, products, "product", figures), "=", result)
    scale, scaled = _scored(stages, key)
    value, part = stages.values[key], stages.weights[key] * stages.values[key]
    handed = chain(
        [figures(weight, 3), "weight"],
        "×",
        [vector_text(value), f"v, {count(len(value), 'number')}"],
        "=",
        [vector_text(part), "added to the others"],
    )
    hands = f"v has length {length(value)}, weight × v {length(part)}: that much this key adds."
    share = "This is the attention that a matrix shows; all weights of a query add up to 1."
    shared = [["0", "weight"]]
    if stages.mask[key]:
        shared = softmax(score, stages.scores[stages.mask], figures(weight, 3), figures)
    else:
        why = "this key lies after the query" if key > stages.row else "this key is padding"
        scaled = share = hands = f"Masked: {why}. The score is not used, and the weight is 0."
    return [
        {"terms": fits, "note": "The larger it is, the better this key fits the query."},
        {"terms": scale, "note": scaled},
        {"terms": shared, "note": share},
        {"terms": handed, "note": hands},
    ]


def _scored(stages: HeadStages, key: int) -> tuple[list[Term], str]:
    """Return the terms from the dot product of a key to its score, and what they mean."""
    terms, said = chain([figures(float(stages.dots[key])), "q · k"]), []
    if stages.divides:
        terms += chain("÷", root(len(stages.query)))
        said.append(
            f"d = {len(stages.query)} numbers in q. The division keeps the softmax from becoming all or nothing."
        )
    else:
        said.append("This model does not divide by √K: its weights were trained without it.")
    if stages.bias is not None:
        terms += chain("+", [inner(float(stages.bias[key]), figures), "bias of the distance"])
        said.append("The bias is learnt for this head, one for each distance; distant keys share one.")
    if len(terms) > 1:
        terms += chain("=", [figures(float(stages.scores[key])), "score"])
    return terms, " ".join(said)


def others_derivations(stages: HeadStages, others: Sequence[int]) -> list[Derivation]:
    """Derive all keys without a row of their own, together, in stages 2 to 5."""
    tokens, visible = count(len(others), "token"), [key for key in others if stages.mask[key]]
    hidden = f" {len(others) - len(visible)} of them are masked." if len(visible) < len(others) else ""
    note = f"Each of these {tokens} has its own; the button under the stages shows more of them."
    part = stages.weights[others] @ stages.values[others]  # [K]
    weight = figures(float(stages.weights[others].sum()), 3)
    return [
        {"terms": [[_span(stages.dots[others]), "q · k of each"]], "note": note},
        {"terms": [[_span(stages.scores[visible]), "score of each"]], "note": note + hidden},
        {"terms": chain(["Σ weights", tokens], "=", weight), "note": "Their weights, added up."},
        {
            "terms": chain(["Σ weight × v", tokens], "=", [vector_text(part), "their sum"]),
            "note": f"Its length is {length(part)}.",
        },
    ]


def _span(values: NDArray[Any]) -> str:
    return f"{figures(float(values.min()))} to {figures(float(values.max()))}" if len(values) else "masked"


def total_derivations(stages: HeadStages) -> list[Derivation]:
    """Derive all keys together in stages 4 and 5: the weights, and the head's output."""
    keys = count(len(stages.weights), "key")
    return [
        {
            "terms": chain(["Σ weights", keys], "=", figures(float(stages.weights.sum()), 3)),
            "note": "The softmax shares out exactly 1 among all keys.",
        },
        {
            "terms": chain(["Σ weight × v", keys], "=", [vector_text(stages.weighted), "head's output"]),
            "note": f"The mean of all v, each with its weight; its length is {length(stages.weighted)}.",
        },
    ]


def query_derivation(stages: HeadStages) -> Derivation:
    """Derive stage 1."""
    place = f"x: this place's vector in layer {stages.layer + 1}"
    vector = [vector_text(stages.query), f"q, {count(len(stages.query), 'number')}"]
    formula, learnt = ("x · W_Q + b_Q", "W_Q and b_Q are") if stages.biased else ("x · W_Q", "W_Q is")
    return {
        "terms": chain([formula, place], "=", vector),
        "note": f"{learnt} learnt. The same q meets every key; its length is {length(stages.query)}.",
    }


def output_derivation(stages: HeadStages) -> Derivation:
    """Derive stage 6."""
    numbers, size = count(len(stages.weighted), "number"), len(stages.output)
    head = [vector_text(stages.weighted), f"head's output, {numbers}"]
    note = f"W_O turns the head's {numbers} into {size} that are added to the residual stream; length "
    return {
        "terms": chain(head, "·", ["W_O", "learnt"], "=", [vector_text(stages.output), f"{size} numbers"]),
        "note": f"{note}{length(stages.output)}.",
    }
