"""Shares of the turns by Shapley: redundancy counted right (Shapley 1953; Ethayarajh and Jurafsky 2021)."""

import itertools
import math
import random
from typing import NamedTuple

import numpy as np

from core.experiments.attribution.hiding import Worth, hidden, occlusion, worth_of
from core.experiments.attribution.question import Question
from core.explain.attribution.attribution import Attribution, Check
from core.limits import check
from core.trace import Array
from core.words import say

EXACT = 10
"""Most parts of which every subset is measured, 2^10 of them."""
PAIRS = 12
"""Orders that are drawn above that, each with its reverse."""
T_QUANTILE = 2.201
"""Student's t for 95 % and `PAIRS` - 1 degrees of freedom."""
BOUND = 1e-3


class Beside(NamedTuple):
    """Shapley values beside leaving each turn out alone, and what two turns do together.

    Args:
        shares: the Shapley values.
        alone: what is lost without each turn.
        pair: columns of the turn where both differ most, for the whole summary, and of the one that changes it most.
        together: nats that the summary loses without both.
    """

    shares: Attribution
    alone: Attribution
    pair: tuple[int, int]
    together: float


def beside_alone(question: Question) -> Beside:
    """Return Shapley values of the turns, leaving each out alone, and the pair of which that misses most.

    Both hide turns, so that they differ only by what turns do together. Raises SettingsError as `shapley`.
    """
    shares, alone = shapley(question), occlusion(question)
    drops, parts = alone.values.sum(axis=0), shares.columns
    first = int(np.argmax(np.abs(shares.values.sum(axis=0) - drops)))
    others = [turn for turn in range(len(parts)) if turn != first]
    without = question.scores(hidden(question, [(parts[first], parts[other]) for other in others]))
    both = (question.own - without).sum(axis=1)
    most = int(np.argmax(np.abs(both - drops[first] - drops[others])))
    return Beside(shares, alone, (first, others[most]), float(both[most]))


def shapley(question: Question) -> Attribution:
    """Return the share of each turn in F(dialogue) - F(nothing but the end mark), for every written token.

    phi_k = sum over S without k of |S|! (n - |S| - 1)! / n! (v(S + k) - v(S)) (Shapley 1953, equation 13), where v(S)
    is F with all other turns hidden. Exact up to `EXACT` turns; above that the mean over drawn orders, each with its
    reverse (Mitchell et al. 2022, section 4.1), and an interval. Says what the words *depend on*, by interventions.
    Check: the shares of a row add up to v(all) - v(none).

    Raises:
        SettingsError: there is one turn only, or more than the limit.
    """
    parts = question.parts()
    check("shapley_parts", len(parts), say("The list of turns that share"))
    worth = worth_of(question, parts)
    values, interval = (
        (exact(worth, len(parts)), None) if len(parts) <= EXACT else drawn(worth, len(parts), question.seed)
    )
    value = float(np.abs(values.sum(axis=0) - (question.own - worth([frozenset()])[0])).max())
    name = say("the shares add up to F of the run minus F without any turn")
    return question.answer(
        "shapley", parts, values.T, Check(name, value, BOUND), interval=None if interval is None else interval.T
    )


def exact(worth: Worth, players: int) -> Array:
    """Return the Shapley values [players, R], of all subsets."""
    sizes = range(players + 1)
    subsets = [frozenset(subset) for size in sizes for subset in itertools.combinations(range(players), size)]
    values = dict(zip(subsets, np.asarray(worth(subsets), dtype=np.float64), strict=True))
    ways = [math.factorial(size) * math.factorial(players - size - 1) for size in range(players)]
    shapley_values = [
        sum(
            (values[subset | {player}] - values[subset]) * (ways[len(subset)] / math.factorial(players))
            for subset in subsets
            if player not in subset
        )
        for player in range(players)
    ]
    return np.asarray(shapley_values, dtype=np.float32)


def drawn(worth: Worth, players: int, seed: int, pairs: int = PAIRS) -> tuple[Array, Array]:
    """Return Shapley values [players, R] over drawn orders, and half widths of their 95 % intervals."""
    generator = random.Random(seed)
    orders: list[list[int]] = []
    for _ in range(pairs):
        order = generator.sample(range(players), players)
        orders += [order, order[::-1]]
    beginnings = [[frozenset(order[:size]) for size in range(players + 1)] for order in orders]
    subsets = list(dict.fromkeys(subset for row in beginnings for subset in row))
    values = dict(zip(subsets, np.asarray(worth(subsets), dtype=np.float64), strict=True))
    gains = np.zeros((len(orders), players, len(values[subsets[0]])))
    for place, (order, row) in enumerate(zip(orders, beginnings, strict=True)):
        gains[place, order] = np.diff([values[subset] for subset in row], axis=0)
    means = gains.reshape(pairs, 2, *gains.shape[1:]).mean(axis=1)
    half = T_QUANTILE * means.std(axis=0, ddof=1) / math.sqrt(pairs)
    return means.mean(axis=0).astype(np.float32), half.astype(np.float32)
