"""Time of one summary: the compiled cached loop against the same loop run eagerly and against no cache.

    python benchmarks/decoding.py [CHECKPOINT]

Prints milliseconds (median of several runs) and ratios within this run; memory is the process's peak.
"""

import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

STARTED = time.perf_counter()

from core.config import END, PAD, START, DecodeSettings
from core.decoding.engine import Engine
from core.decoding.search import Limits, beam_search
from core.model.transformer import Cache
from core.service import Summarizer
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples

TOKENS = 64
REPEATS = 5


def median_milliseconds(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median wall time of a few calls after one that is not counted."""
    function()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def eager(engine: Engine, source: list[int]) -> Callable[[], object]:
    """The same greedy loop with its cache, without compiling."""
    model = engine.model

    def run() -> object:
        encoded = model.encode(np.array([source], dtype=np.int32))
        full = model.empty_cache(encoded, engine.length, 1)

        def step(tokens: Any, position: Any, moving: Any) -> Any:
            cache = Cache(*moving, full.cross_keys, full.cross_values)
            logits, cache = model.step(tokens, position, cache, encoded)
            return logits, (cache.self_keys, cache.self_values)

        nothing = np.zeros(engine.length, dtype=np.int32)
        parts = np.zeros(model.config.target_vocabulary, dtype=np.int32)
        limits = Limits(
            np.int32(TOKENS),
            np.int32(TOKENS - 1),
            np.int32(0),
            nothing,
            np.int32(0),
            np.bool_(True),
            np.array([source], dtype=np.int32),
            parts,
        )
        return beam_search(step, (full.self_keys, full.self_values), limits, np.int32(1), np.float32(1), 1)

    return run


def without_cache(engine: Engine, source: list[int]) -> Callable[[], object]:
    """Greedy decoding that runs the whole decoder again for every token."""
    model = engine.model

    def run() -> object:
        encoded = model.encode(np.array([source], dtype=np.int32))
        ids = [START]
        for _ in range(TOKENS):
            decoded = model.decode(np.array([ids], dtype=np.int32), encoded)
            logits = np.asarray(model.logits(decoded, encoded))[0, -1].copy()
            logits[[PAD, START, END]] = -np.inf
            ids.append(int(logits.argmax()))
        return ids

    return run


def main() -> None:
    """Run everything and print a table."""
    summarizer = Summarizer.load(sys.argv[1] if len(sys.argv) > 1 else "dialoscope")
    loaded = time.perf_counter() - STARTED
    dialogue = max(load_examples(), key=lambda example: len(example.dialogue)).dialogue
    started = time.perf_counter()
    summarizer.summarize(dialogue)
    first = time.perf_counter() - started
    source = summarizer.tokenizer.encode_dialogue(parse_dialogue(dialogue)).ids
    engine, encoded = summarizer.engine, summarizer.engine.encode(source)
    forced = DecodeSettings(strategy="greedy", max_tokens=TOKENS, min_tokens=TOKENS - 1, no_repeat_ngram=0)
    rows = {
        "compiled loop, greedy": median_milliseconds(lambda: engine.beam(encoded, forced)),
        "compiled loop, beam 4": median_milliseconds(lambda: engine.beam(encoded, forced.replace(strategy="beam"))),
        "compiled loop, sample": median_milliseconds(lambda: engine.sample(encoded, forced.replace(strategy="sample"))),
        "encode": median_milliseconds(lambda: engine.encode(source)),
        "replay with every attention matrix": median_milliseconds(
            lambda: engine.replay(source, [50] * (TOKENS - 1) + [END])
        ),
        "eager loop with cache, greedy": median_milliseconds(eager(engine, source), 2),
        "eager without cache, greedy": median_milliseconds(without_cache(engine, source), 2),
    }
    base = rows["compiled loop, greedy"]
    print(f"{len(source)} source tokens, {TOKENS} written tokens, checkpoint {summarizer.checkpoint.identity}")
    for name, value in rows.items():
        print(f"{name:36} {value:9.1f} ms  {value / base:7.2f} x")
    print(f"{'whole summary, card settings':36} {median_milliseconds(lambda: summarizer.summarize(dialogue)):9.1f} ms")
    print(f"imports and loading {loaded:.1f} s, first summary {first:.1f} s (compiles)")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
