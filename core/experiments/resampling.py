"""Resampling ablation: a head gives what it gave in another dialogue, and not zeros that no layer ever saw.

After Chan et al. 2022 (causal scrubbing) and Zhang and Nanda 2023, section 2. Copying heads still point at the tokens
of the dialogue itself: what they give to the next layer is what is put in another's place.
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.errors import SettingsError
from core.experiments import ablations
from core.experiments.attribution import reliance
from core.experiments.effects import Condition, Effect, Untouched, forced, written
from core.explain.attention.head_outputs import Head, outputs_of
from core.explain.shared.recomputing import check_blocks
from core.model.gates import HeadGates
from core.text.examples import load_examples
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer

States = Mapping[Head, Array]
"""The output [K] of every head at one place of another dialogue, or of the summary that was written of it."""


def draw(
    summarizer: "Summarizer",
    dialogue: str,
    count: int = reliance.DRAWS,
    report: Callable[[int, int], object] | None = None,
) -> tuple[States, ...]:
    """Draw states of other bundled dialogues, each of another one.

    The heads of one draw give what they gave together: those of the encoder at one token of that dialogue, those of
    the decoder at one token of the summary that the model writes of it.

    Args:
        summarizer: a model with blocks of attention.
        dialogue: the text that is explained, which is not drawn.
        count: draws; always the same ones.
        report: called with finished draws and all of them; whatever it raises stops the work.

    Raises:
        SettingsError: the model has no blocks.
    """
    check_blocks(summarizer.config)
    generator, states = random.Random(0), list[States]()
    others = [example.dialogue for example in load_examples() if example.dialogue != dialogue]
    for done, text in enumerate(generator.sample(others, count), 1):
        run = summarizer.summarize(text)
        token, step = generator.randrange(len(run.source)), generator.randrange(len(run.tokens))
        states.append(outputs_of(summarizer, run, {"encoder": token, "decoder": step, "cross": step}))
        if report:
            report(done, count)
    return tuple(states)


def gates(summarizer: "Summarizer", off: Collection[Head], states: Sequence[States]) -> list[HeadGates]:
    """Return for each draw the gates that put its states in the place of what some heads give."""
    return [ablations.gates(check_blocks(summarizer.config), off, outputs, copies=True) for outputs in states]


def lost(
    summarizer: "Summarizer", base: Untouched, off: Collection[Head], states: Sequence[States]
) -> tuple[float, float]:
    """Return the nats a token that a summary loses, mean over the draws, and half the width of the 95 % interval."""
    conditions = [Condition(base.condition.encoded, each) for each in gates(summarizer, off, states)]
    means = np.array([each.mean() for each in forced(summarizer, conditions, base.ids)])
    value, half = reliance.relied(base.log_probabilities.mean(keepdims=True), means[:, None])
    return float(value[0]), float(half[0])


def measure_effects(
    summarizer: "Summarizer", base: Untouched, heads: Sequence[Head], states: Sequence[States]
) -> list[Effect]:
    """Measure each head alone: its scores are means over the draws, and the model writes again with the first one.

    Raises:
        SettingsError: there are no draws.
    """
    if not states:
        raise SettingsError("resampling needs at least one draw. Received: none")
    encoded, own = base.condition.encoded, [gates(summarizer, [head], states) for head in heads]
    scored = forced(summarizer, [Condition(encoded, gate) for row in own for gate in row], base.ids)
    size = len(states)
    after = [np.mean(scored[first : first + size], axis=0) for first in range(0, len(scored), size)]
    texts = summarizer.write_rows([encoded] * len(own), base.settings, [row[0] for row in own])
    return written(base, after, texts)
