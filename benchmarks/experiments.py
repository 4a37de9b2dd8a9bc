"""Time of the experiments: ablations one by one and in batches, turns left out, gradient, lenses, attributions.

    python benchmarks/experiments.py [CHECKPOINT]

Works on the bundled dialogue that is nearest to 150 words. Prints seconds (after one call that is not counted, which
compiles) and ratios within this run; memory is the process's peak.
"""

import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.experiments import ablations, effects, gradients, lenses, resampling, turn_effects
from core.experiments.attribution import registry
from core.experiments.attribution.curves import compare
from core.experiments.attribution.patching import patch
from core.experiments.attribution.question import Question
from core.experiments.attribution.twins import twin_of
from core.experiments.effects import Condition, Untouched
from core.explain.attribution.methods import METHODS
from core.explain.attribution.votes import votes
from core.service import Summarizer
from core.text.examples import load_examples

WORDS = 150


def seconds(function: Callable[[], object]) -> float:
    """Wall time of the second call."""
    function()
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def tasks(summarizer: Summarizer, base: Untouched) -> dict[str, Callable[[], object]]:
    """What is measured, by name; the first is the unit of the ratios."""
    encoded = base.condition.encoded
    config = summarizer.config
    every = [Condition(encoded, ablations.gates(config, [head])) for head in ablations.every_head(config)]
    turns, states = turn_effects.turns_read(encoded), resampling.draw(summarizer, "")
    return {
        "score every ablation, in batches": lambda: effects.forced(summarizer, every, base.ids),
        "score every ablation, one by one": lambda: [effects.forced(summarizer, [each], base.ids) for each in every],
        "whole sweep: score and write again": lambda: effects.measure_effects(summarizer, base, every),
        "draw states of other dialogues": lambda: resampling.draw(summarizer, ""),
        "whole sweep, resampled": lambda: resampling.measure_effects(
            summarizer, base, ablations.every_head(config), states
        ),
        "a single ablation with both summaries scored": lambda: effects.compare(summarizer, base, every[-1]),
        "leave every turn out": lambda: turn_effects.leave_out(summarizer, base, turns),
        "noise floor of every turn": lambda: turn_effects.random_cuts(summarizer, base, turns),
        "gradient x input of one token": lambda: gradients.gradient_times_input(summarizer, base, 0),
        "logit lens": lambda: lenses.logit_lens(summarizer, base),
        "DecoderLens": lambda: lenses.decoder_lens(summarizer, base),
    }


def attributions(summarizer: Summarizer) -> dict[str, Callable[[], object]]:
    """Every method on the whole summary of the first example, their curves, votes, and patching of its speakers."""
    run = summarizer.summarize(load_examples()[0].dialogue)
    blocks = summarizer.config.has.blocks
    tasks: dict[str, Callable[[], object]] = {
        f"attribution: {name}": partial(registry.attribute, name, summarizer, run, by="turn")
        for name, method in METHODS.items()
        if blocks or not (method.says == "carries" or name == "value-zeroing")
    }
    tasks["curves of all methods"] = lambda: compare(Question(summarizer, run, unit="turn"))
    if blocks:
        tasks["votes"] = lambda: votes(summarizer, run)
        tasks["patching"] = lambda: patch(summarizer, run, twin_of(summarizer, run))
    return tasks


def main() -> None:
    """Measure and print."""
    summarizer = Summarizer.load(sys.argv[1] if len(sys.argv) > 1 else "dialoscope")
    example = min(load_examples(), key=lambda each: abs(len(each.dialogue.split()) - WORDS))
    encoded, summary = summarizer.encode(example.dialogue), summarizer.summarize(example.dialogue)
    ids = [token.id for token in summary.tokens]
    base = effects.untouched(summarizer, Condition(encoded), ids, summary.settings, summary.text)
    print(
        f"{example.id}: {len(example.dialogue.split())} words, {len(encoded.tokens)} source tokens, "
        f"{len(ids)} written; {len(ablations.every_head(summarizer.config))} heads"
    )
    unit = None
    for name, function in (tasks(summarizer, base) | attributions(summarizer)).items():
        taken = seconds(function)
        unit = unit or taken
        print(f"{name:45s} {taken:7.2f} s   {taken / unit:6.1f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2:.1f} GB")


if __name__ == "__main__":
    main()
