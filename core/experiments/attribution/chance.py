"""Random values: what every method must beat."""

import numpy as np

from core.experiments.attribution.question import Question
from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import groups
from core.words import say


def chance(question: Question) -> Attribution:
    """Return random shares of the tokens, drawn anew for each row from a flat Dirichlet distribution.

    Says nothing. Check: every row sums to 1.
    """
    columns = groups(question.run.source, "token")
    drawn = np.random.default_rng(question.seed).dirichlet(np.ones(len(columns)), len(question.rows)).astype(np.float32)
    value = float(np.abs(drawn.sum(axis=1) - 1).max())
    return question.answer("random", columns, drawn, Check(say("the shares of a row sum to 1"), value, 1e-5), "share")
