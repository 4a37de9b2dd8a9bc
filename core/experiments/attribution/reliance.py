"""Reliance on the dialogue: what the words owe to its content, and not to the language and the speakers alone."""

import random
from collections.abc import Sequence

import numpy as np

from core.config import TURN
from core.experiments.attribution.question import Question
from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import Group
from core.text.arrangement import in_a_turn
from core.text.dialogue import Dialogue
from core.text.examples import load_examples
from core.trace import Array, Token
from core.words import say

DRAWS = 8
"""Emptied dialogues: they fill one batch."""
T_QUANTILE = 2.365
"""Student's t for 95 % and `DRAWS` - 1 degrees of freedom."""
BOUND = 1e-3


def reliance(question: Question) -> Attribution:
    """Return log p(y_t | y_<t, x) - mean of log p(y_t | y_<t, x emptied), with its interval over the draws.

    An emptied dialogue has the same speakers, turns and lengths and the words of other dialogues (`emptied`): the
    difference is the information that a token takes from the content, a pointwise mutual information (van der Poel et
    al. 2022, equation 4, whose model of language is here the model itself without content). One column: the whole
    dialogue. Says what the words *depend on*, by an intervention. Check: the sum over the tokens is the difference of
    the whole log-probabilities.
    """
    draws = [emptied(question, filler) for filler in fillers(question)]
    scores = question.scores([question.source, *draws])
    values, interval = relied(scores[0], scores[1:])
    whole = float(question.own.sum()) - float(scores[1:].astype(np.float64).sum(axis=1).mean())
    name = say("the tokens add up to the difference of the whole log-probabilities")
    column = Group(say("the dialogue"), tuple(range(len(question.source))), None, None)
    return question.answer(
        "reliance", (column,), values[:, None], Check(name, abs(float(values.sum()) - whole), BOUND),
        interval=interval[:, None],
    )  # fmt: skip


def relied(full: Array, without: Array) -> tuple[Array, Array]:
    """Return differences [R] of scores [R] and of drawn ones [n, R], and half widths of their 95 % intervals."""
    half = T_QUANTILE * without.std(axis=0, ddof=1) / np.sqrt(len(without))
    return full - without.mean(axis=0), half


def said(tokens: Sequence[Token], dialogue: Dialogue) -> list[int]:
    """Return the places of the tokens that are said: no names before turns, no ends of turns."""
    return [
        place
        for place, token in enumerate(tokens)
        if token.turn is not None
        and in_a_turn(token)
        and dialogue.turns[token.turn].start <= token.start < token.end
        and token.id != TURN
    ]


def fillers(question: Question, draws: int = DRAWS) -> list[list[int]]:
    """Return ids that are said in other bundled dialogues, for each draw those of others first."""
    generator, summarizer = random.Random(question.seed), question.summarizer
    needed, sequences = len(question.source), []
    examples = [example for example in load_examples() if example.dialogue != question.run.dialogue.text]
    for _ in range(draws):
        ids: list[int] = []
        for example in generator.sample(examples, len(examples)):
            encoded = summarizer.encode(example.dialogue, "middle")
            words = [encoded.ids[place] for place in said(encoded.tokens, encoded.dialogue)]
            ids += [token for token in words if token not in encoded.speakers]
            if len(ids) >= needed:
                break
        sequences.append(ids)
    return sequences


def emptied(question: Question, filler: Sequence[int]) -> list[int]:
    """Return the source ids with everything that is said replaced, in order, by the words of other dialogues."""
    ids = question.source
    for number, place in enumerate(said(question.run.source, question.run.dialogue)):
        ids[place] = filler[number % len(filler)]
    return ids
