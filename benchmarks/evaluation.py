"""Time and memory of a corpus evaluation: batches against one by one, and what Ray costs where it is not needed.

    python benchmarks/evaluation.py DATA [CHECKPOINT]

DATA is a corpus as `evaluate` takes it, DialogSum's validation split for instance. Every run is a process of its own,
so imports, loading and compiling count, and memory is that run's peak. Prints seconds and ratios within this run.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SMALL = 64
ROUNDS = 3


def command(data: str, checkpoint: str, *options: str) -> tuple[dict, float]:
    """Run `evaluate`; its report and the seconds of the whole process."""
    words = [sys.executable, "-m", "core", "evaluate", data, "--checkpoint", checkpoint, "--json", *options]
    started = time.perf_counter()
    result = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(result.stdout), time.perf_counter() - started


def batched_and_alone(data: str, checkpoint: str) -> dict[str, float]:
    """Processor seconds a dialogue, in a batch and one by one, compiled beforehand, in turns."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from core.decoding.shapes import BATCH
    from core.evaluation.plan import plan_by_length
    from core.service import Summarizer
    from core.text.corpus import load_corpus

    summarizer, corpus = Summarizer.load(checkpoint), load_corpus(data, limit=4 * SMALL)
    plan = plan_by_length(corpus, summarizer.checkpoint, summarizer.settings.truncation)
    full = [batch for batch in plan.batches if len(batch) == BATCH][:: max(1, len(plan.batches) * BATCH // SMALL)]
    encoded = [[summarizer.encode(corpus.dataset[place]["dialogue"]) for place in batch] for batch in full]
    ways = {
        "in batches": lambda: [summarizer.write_batch(batch) for batch in encoded],
        "one by one": lambda: [summarizer.write(each) for batch in encoded for each in batch],
        "one by one, with whole trace": lambda: [summarizer.summarize(each) for batch in encoded for each in batch],
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(ROUNDS + 1):
        for name, way in ways.items():
            started = time.process_time()
            way()
            if number:  # the first round compiles
                times[name].append((time.process_time() - started) / sum(map(len, encoded)))
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    """Run everything and print a table."""
    data, checkpoint = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "dialoscope"
    both = ("--metric", "rouge", "--metric", "bertscore")
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / f"{number}.jsonl" for number in range(2)]
        runs = [command(data, checkpoint, *both, "--output", str(output)) for output in outputs]
        same = outputs[0].read_bytes() == outputs[1].read_bytes()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    report, seconds = runs[0]
    count = report["count"]
    print(f"{count} dialogues, both metrics: {seconds:.0f} s, {count / seconds:.2f} dialogues a second")
    print(f"peak memory {peak:.0f} MB; a second run: {runs[1][1]:.0f} s, the same bytes: {same}")
    rates = batched_and_alone(data, checkpoint)
    for name, value in rates.items():
        print(f"{name:30} {1000 * value:7.1f} ms of processor time  {value / rates['in batches']:5.2f} x")
    local, ray = (
        command(data, checkpoint, "--limit", str(SMALL), "--engine", engine)[1] for engine in ("local", "ray")
    )
    print(f"{SMALL} dialogues, local {local:.0f} s, two Ray workers on this machine {ray:.0f} s: {ray / local:.2f} x")


if __name__ == "__main__":
    main()
