"""Arithmetic written out with its numbers: what the derivations of a head and of a small matrix have in common.

A derivation has `terms`, each what is written and what stands under it, and a `note`; an operator is a term with
nothing under it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import Capabilities
from core.figures.shared.wording import count, power
from core.words import say

Term = list[str]
Derivation = dict[str, Any]
LARGEST = 4
"""Terms of a long sum that are written out."""


def chain(*parts: str | Term) -> list[Term]:
    """Return terms; a part that is a text is an operator."""
    return [[part, ""] if isinstance(part, str) else part for part in parts]


def inner(value: float, write: Callable[[float], str]) -> str:
    """Write a number after an operator: one below 0 in brackets."""
    return f"({write(value)})" if value < 0 else write(value)


def added(
    terms: Sequence[Term], values: Sequence[float], noun: str, write: Callable[[float], str], most: int = LARGEST
) -> list[Term]:
    """Return terms with + between them; of more than `most` terms the largest are written, the rest is one number.

    Args:
        terms: what is written for each value.
        values: what is added up.
        noun: what each of the rest is, marked with `later`: "other product".
        write: a number as text.
        most: terms that may all be written out.
    """
    shown = list(range(len(terms)))
    if len(terms) > most:
        shown = sorted(sorted(shown, key=lambda place: -abs(values[place]))[:LARGEST])
    written = [terms[place] for place in shown]
    if rest := len(terms) - len(shown):
        hidden = sum(values) - sum(values[place] for place in shown)
        written.append([inner(hidden, write), count(rest, noun)])
    return [part for term in written for part in (["+", ""], term)][1:]


def root(width: float) -> Term:
    """Return the square root of a width."""
    value = math.sqrt(width)
    return [f"√{width:g}", f"= {value:.0f}" if value.is_integer() else f"≈ {value:.2f}"]


def score_formula(has: Capabilities, own: bool) -> str:
    """Return how a model scores a key: q·k ÷ √K, plus its bias by distance or without the division.

    Args:
        has: the parts of the model.
        own: whether it is self-attention.
    """
    divides = has.blocks is None or has.blocks.score_scale
    bias = own and has.positions == "relative"
    formula = "q·k ÷ √K" if divides else "q·k"
    return say("{formula} + bias by distance", formula=formula) if bias else formula


def softmax(score: float, scores: NDArray[Any], weight: str, write: Callable[[float], str]) -> list[Term]:
    """Return the terms of one weight.

    Args:
        score: of the key itself.
        scores: of all keys that are not masked.
        weight: the result.
        write: a number as text.
    """
    exact = scores.astype(float)
    whole = float(exact.max()) + math.log(float(np.exp(exact - exact.max()).sum()))  # so that nothing overflows
    keys = say("over {keys}", keys=count(len(exact), "key"))
    own = [f"e^{inner(score, write)}", say("this key")]
    powers = ([power(score), say("this key")], "÷", [power(whole), keys])
    return chain(own, "÷", [say("Σ e^score"), keys], "=", *powers, "=", [weight, say("weight")])
