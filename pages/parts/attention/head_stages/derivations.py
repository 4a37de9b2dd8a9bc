"""The arithmetic inside one head, written out with its numbers: a derivation for each cell of `head_stages`.

K width of a head, D width of the model.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.inside import HeadStages
from core.figures.wording import count, figures, power

PRODUCTS = 4
"""Products of a dot product that are written out."""
WRITTEN = 3
"""First numbers of a vector that are written out."""
Derivation = dict[str, Any]
"""`terms`, each what is written and what stands under it, and a `note`; an operator is a term with nothing under it."""


def length(vector: NDArray[Any]) -> str:
    """The Euclidean length of a vector."""
    return figures(float(np.linalg.norm(vector)))


def vector_text(values: NDArray[Any]) -> str:
    """The first numbers of a vector: (0.05, −0.01, 0.20, …)."""
    more = ["…"] if len(values) > WRITTEN else []
    return f"({', '.join([*(figures(float(value)) for value in values[:WRITTEN]), *more])})"


def key_derivations(stages: HeadStages, key: int) -> list[Derivation]:
    """One key in stages 2 to 5: dot product, scale and mask, softmax, weight × v."""
    return [_dot(stages, key), _scaled(stages, key), _softmax(stages, key), _value(stages, key)]


def _signed(value: float) -> str:
    """A number after an operator."""
    return f"({figures(value)})" if value < 0 else figures(value)


def _dot(stages: HeadStages, key: int) -> Derivation:
    query, other = stages.query.astype(float), stages.keys[key].astype(float)
    products = query * other  # [K]
    largest = sorted(int(place) for place in np.argsort(-np.abs(products), kind="stable")[:PRODUCTS])
    terms = [["q · k", ""]]
    for place in largest:
        below = f"dim. {place + 1}: {figures(products[place])}"
        terms += [["+", ""], [f"{_signed(query[place])} × {_signed(other[place])}", below]]
    terms[1] = ["=", ""]
    if len(products) > PRODUCTS:
        rest = float(stages.dots[key]) - products[largest].sum()
        terms += [["+", ""], [_signed(rest), count(len(products) - PRODUCTS, "other product")]]
    terms += [["=", ""], [figures(float(stages.dots[key])), count(len(products), "product")]]
    return {"terms": terms, "note": "The larger it is, the better this key fits the query."}


def _scaled(stages: HeadStages, key: int) -> Derivation:
    width = len(stages.query)
    root = math.sqrt(width)
    terms = [
        [figures(float(stages.dots[key])), "q · k"],
        ["÷", ""],
        [f"√{width}", f"= {root:.0f}" if root.is_integer() else f"≈ {root:.2f}"],
        ["=", ""],
        [figures(float(stages.scaled[key])), "score"],
    ]
    note = f"d = {width} numbers in q. The division keeps the softmax from becoming all or nothing."
    return {"terms": terms, "note": note if stages.mask[key] else _masked(stages, key)}


def _masked(stages: HeadStages, key: int) -> str:
    why = "this key lies after the query" if key > stages.row else "this key is padding"
    return f"Masked: {why}. The score is not used, and the weight is 0."


def _softmax(stages: HeadStages, key: int) -> Derivation:
    if not stages.mask[key]:
        return {"terms": [["0", "weight"]], "note": _masked(stages, key)}
    scores = stages.scaled[stages.mask].astype(float)
    whole = scores.max() + math.log(np.exp(scores - scores.max()).sum())  # logarithm of the sum: nothing overflows
    own = float(stages.scaled[key])
    terms = [
        [f"e^{_signed(own)}", "this key"],
        ["÷", ""],
        ["Σ e^score", f"over {count(len(scores), 'key')}"],
        ["=", ""],
        [power(own), "this key"],
        ["÷", ""],
        [power(whole), f"over {count(len(scores), 'key')}"],
        ["=", ""],
        [figures(float(stages.weights[key]), 3), "weight"],
    ]
    return {"terms": terms, "note": "This is the attention that a matrix shows; all weights of a query add up to 1."}


def _value(stages: HeadStages, key: int) -> Derivation:
    value = stages.values[key]
    part = stages.weights[key] * value
    terms = [
        [figures(float(stages.weights[key]), 3), "weight"],
        ["×", ""],
        [vector_text(value), f"v, {count(len(value), 'number')}"],
        ["=", ""],
        [vector_text(part), "added to the others"],
    ]
    note = f"v has length {length(value)}, weight × v {length(part)}: that much this key adds."
    return {"terms": terms, "note": note if stages.mask[key] else _masked(stages, key)}


def others_derivations(stages: HeadStages, others: Sequence[int]) -> list[Derivation]:
    """All keys without a row of their own, together, in stages 2 to 5."""
    tokens, visible = count(len(others), "token"), [key for key in others if stages.mask[key]]
    hidden = f" {len(others) - len(visible)} of them are masked." if len(visible) < len(others) else ""
    note = f"Each of these {tokens} has its own; the button under the stages shows more of them."
    part = stages.weights[others] @ stages.values[others]  # [K]
    return [
        {"terms": [[_span(stages.dots[others]), "q · k of each"]], "note": note},
        {"terms": [[_span(stages.scaled[visible]), "score of each"]], "note": note + hidden},
        {
            "terms": [["Σ weights", tokens], ["=", ""], [figures(float(stages.weights[others].sum()), 3), ""]],
            "note": "Their weights, added up.",
        },
        {
            "terms": [["Σ weight × v", tokens], ["=", ""], [vector_text(part), "their sum"]],
            "note": f"Its length is {length(part)}.",
        },
    ]


def _span(values: NDArray[Any]) -> str:
    return f"{figures(float(values.min()))} to {figures(float(values.max()))}" if len(values) else "masked"


def total_derivations(stages: HeadStages) -> list[Derivation]:
    """All keys together in stages 4 and 5: the weights, and the head's output."""
    keys = count(len(stages.weights), "key")
    whole = figures(float(stages.weights.sum()), 3)
    return [
        {
            "terms": [["Σ weights", keys], ["=", ""], [whole, ""]],
            "note": "The softmax shares out exactly 1 among all keys.",
        },
        {
            "terms": [["Σ weight × v", keys], ["=", ""], [vector_text(stages.weighted), "head's output"]],
            "note": f"The mean of all v, each with its weight; its length is {length(stages.weighted)}.",
        },
    ]


def query_derivation(stages: HeadStages) -> Derivation:
    """Stage 1."""
    terms = [
        ["x · W_Q + b_Q", f"x: this place's vector in layer {stages.layer + 1}"],
        ["=", ""],
        [vector_text(stages.query), f"q, {count(len(stages.query), 'number')}"],
    ]
    return {
        "terms": terms,
        "note": f"W_Q and b_Q are learnt. The same q meets every key; its length is {length(stages.query)}.",
    }


def output_derivation(stages: HeadStages) -> Derivation:
    """Stage 6."""
    inner, size = count(len(stages.weighted), "number"), len(stages.output)
    terms = [
        [vector_text(stages.weighted), f"head's output, {inner}"],
        ["·", ""],
        ["W_O", "learnt"],
        ["=", ""],
        [vector_text(stages.output), f"{size} numbers"],
    ]
    note = (
        f"W_O turns the head's {inner} into {size} that are added to the residual stream; "
        f"length {length(stages.output)}."
    )
    return {"terms": terms, "note": note}
