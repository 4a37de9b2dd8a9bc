"""Gradient times input, and the gradient along a path: integrated gradients."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.decoding.probes import SCORE_ROWS
from core.experiments.attribution.question import Question
from core.experiments.gradients import STEP, effects
from core.explain.attribution.attribution import Attribution, Check, inputs_of
from core.explain.shared.rollup import groups
from core.trace import Array
from core.words import say

DIFFERENCE = 0.05
"""Largest share of the largest effect by which a finite difference may differ: it crosses kinks, and rounds."""
POINTS = 4
"""Points of a piece of the path."""
FIRST = (0.0, 0.02, 0.2, 1.0)
"""Ends of the first pieces."""
HALVINGS = 48
"""Most times that the worst piece is halved."""
COMPLETE = 0.05
"""Share of the difference by which the sum of the effects may miss it (Sundararajan et al. 2017, section 5)."""
SMALL = 0.1
"""Nats: a smaller difference counts as this one, or noise would be divided by nothing."""


def gradient(question: Question) -> Attribution:
    """Return sum over k of x_ik dF / dx_ik, x the embeddings of dialogue and prefix (Shrikumar et al. 2016, section 2).

    With a foil that of the contrast (Yin and Neubig 2022, equation 3). Says what F *depends on* to first order: the
    network is not run on anything else. Check: a finite difference of the first row, all embeddings scaled together.
    """
    rows, select = question.rows, np.eye(len(question.ids), dtype=np.float32)[question.rows]
    asked = np.concatenate([select, select[[0, 0]]])
    factors = np.array([*[1] * len(rows), 1 + STEP, 1 - STEP], dtype=np.float32)
    pieces = np.array_split(np.arange(len(asked)), -(-len(rows) // SCORE_ROWS))
    derivatives = [_effects(question, asked[piece], factors[piece]) for piece in pieces]
    values, by_source, by_prefix = (np.concatenate([each[place] for each in derivatives]) for place in range(3))
    slope, whole = float(values[-2] - values[-1]) / (2 * STEP), float(by_source[0].sum() + by_prefix[0].sum())
    size = max(abs(whole), *(float(np.abs(each[0]).max()) for each in (by_source, by_prefix)), SMALL)
    return question.answer(
        "gradient", groups(question.run.source, "token"), by_source[:-2],
        Check(say("the effects of the first row add up to a finite difference"), abs(slope - whole) / size, DIFFERENCE),
        prefix=by_prefix[:-2], inputs=inputs_of(question.run),
    )  # fmt: skip


def integrated(question: Question) -> Attribution:
    """Return (x_i - x'_i) times the mean of dF / dx_i along a path from x' to x (Sundararajan et al. 2017, equation 1).

    In x' every token of dialogue and prefix has the mean embedding of the vocabulary; positions, speakers, masks and
    the choice of copied tokens stay. From zeros, a network that normalises first changes everything at once; one
    without normalisation is taken from zeros, since many equal vectors drive its cells to their ends. F is that of one
    written token, or their sum: one row. The path is straight; Gauss-Legendre points stand close where F changes fast.
    Says what F *depends on*, along the path. Check: completeness, the effects add up to F(x) - F(x'); pieces of the
    path are halved until they do.
    """
    select = np.zeros((1, len(question.ids)), dtype=np.float32)
    select[0, question.rows] = 1
    pieces = _pieces(question, select, FIRST)
    change = pieces[-1].values[1] - pieces[0].values[0]
    for halved in range(HALVINGS):
        if sum(piece.missed for piece in pieces) <= COMPLETE * max(abs(change), SMALL):
            break
        if question.report:
            question.report(halved, HALVINGS)
        worst = max(pieces, key=lambda piece: piece.missed)
        pieces.remove(worst)
        pieces += _pieces(question, select, (worst.ends[0], sum(worst.ends) / 2, worst.ends[1]))
    effects = np.stack([piece.effects for piece in pieces]).sum(axis=0).astype(np.float32)
    missed = abs(float(effects.sum()) - change) / max(abs(change), SMALL)
    name = say("the effects add up to F minus F of empty embeddings ({points} points)", points=len(pieces) * POINTS)
    whole, size = question.step is None, len(question.source)
    return Attribution(
        "integrated",
        say("the sum of log p over the whole summary") if whole else question.target,
        (say("the summary"),) if whole else (question.run.tokens[question.rows[0]].text,),
        question.run.source, groups(question.run.source, "token"), effects[None, :size], "nats",
        Check(name, missed, COMPLETE), effects[None, size:], inputs_of(question.run),
    )  # fmt: skip


class _Piece(NamedTuple):
    """A piece of the path: its ends, F there, and the effects [S + T] that its points give."""

    ends: tuple[float, float]
    values: tuple[float, float]
    effects: NDArray[np.float64]

    @property
    def missed(self) -> float:
        """How far the effects are from the change of F."""
        return abs(float(self.effects.sum()) - (self.values[1] - self.values[0]))


def _pieces(question: Question, select: Array, ends: Sequence[float]) -> list[_Piece]:
    """Integrate the gradients along neighbouring pieces of the path, which meet at `ends`."""
    blend = question.summarizer.config.has.blocks is not None
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    between = [low + (high - low) * (nodes + 1) / 2 for low, high in pairwise(ends)]
    places = np.concatenate([ends, *between]).astype(np.float32)
    rows = [
        _effects(question, np.repeat(select, len(part), axis=0), part, blend)
        for part in np.array_split(places, -(-len(places) // (SCORE_ROWS + 1)))
    ]
    values, *slopes = (np.concatenate([row[part] for row in rows]).astype(np.float64) for part in range(3))
    slope = np.concatenate(slopes, axis=1)[len(ends) :].reshape(len(between), POINTS, -1)
    return [
        _Piece((low, high), (values[place], values[place + 1]), (high - low) / 2 * (weights @ slope[place]))
        for place, (low, high) in enumerate(pairwise(ends))
    ]


def _effects(question: Question, select: Array, factors: Array, blend: bool = False) -> tuple[Array, Array, Array]:
    """Return F [B] and its derivatives by the factors of the embeddings; see `Probes.gradients`."""
    return effects(question.summarizer, question.source, question.ids, select, question.foils, factors[:, None], blend)
