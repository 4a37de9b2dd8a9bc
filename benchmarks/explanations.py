"""Which explanation holds: deletion and insertion curves of every method by turn, over many dialogues.

    nice python benchmarks/explanations.py DATA CHECKPOINT… --output FOLDER [--dialogues 100]

DATA is a corpus with a dialogue a row, DialogSum's validation split for instance; every n-th row counts, so that the
choice depends on no score. Each finished dialogue is a line of FOLDER/CHECKPOINT.jsonl: a second call goes on there.
Prints one table a checkpoint: mean area under both curves (nats for each token of the summary) and the mean difference
from random orders of the same dialogue, with 95 % bootstrap intervals over the dialogues.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.errors import DialoscopeError
from core.experiments.attribution.curves import RANDOM, compare
from core.experiments.attribution.question import Question
from core.scoring.bootstrap import mean_interval
from core.service import Summarizer
from core.text.corpus import load_corpus

RESAMPLES = 10_000


def measure(summarizer: Summarizer, dialogue: str) -> dict[str, tuple[float, float]]:
    """Return the area under the deletion and the insertion curve of each method, for the model's own summary."""
    found = compare(Question(summarizer, summarizer.summarize(dialogue), unit="turn"))
    if not found.check.holds:
        raise DialoscopeError(f"hiding nothing changed the scores by {found.check.value}")
    return {name: (curve.deleted, curve.inserted) for name, curve in found.curves.items()}


def measure_all(name: str, rows: list[tuple[int, str]], file: Path) -> list[dict[str, tuple[float, float]]]:
    """Measure the dialogues that the file has not, a line each; a dialogue that is refused has an empty line."""
    known = {}
    if file.exists():
        known = {line["row"]: line["areas"] for line in map(json.loads, file.read_text("utf-8").splitlines())}
    summarizer = Summarizer.load(name)
    for row, dialogue in rows:
        if row in known:
            continue
        started = time.perf_counter()
        try:
            areas = measure(summarizer, dialogue)
        except DialoscopeError as error:
            print(f"{name}, row {row}: {error}", file=sys.stderr)
            areas = {}
        known[row] = areas
        line = {"row": row, "seconds": round(time.perf_counter() - started, 1), "areas": areas}
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
    return [known[row] for row, _ in rows if known[row]]


def table(found: list[dict[str, tuple[float, float]]]) -> list[str]:
    """Return the lines of a table in Markdown, best deletion first; random orders last."""
    methods = [name for name in found[0] if all(name in each for each in found)]
    lines = ["| method | deletion ↓ | less than random | insertion ↑ | more than random |", "|---|---|---|---|---|"]

    def mean(name: str, side: int, less: str = "") -> str:
        values = [each[name][side] - (each[less][side] if less else 0) for each in found]
        all_of_them = mean_interval(values, RESAMPLES)
        return f"{all_of_them.mean:+.2f} [{all_of_them.low:+.2f}, {all_of_them.high:+.2f}]"

    order = sorted(methods, key=lambda name: (name == RANDOM, sum(each[name][0] for each in found)))
    for name in order:
        cells = [mean(name, 0), mean(name, 0, RANDOM), mean(name, 1), mean(name, 1, RANDOM)]
        if name == RANDOM:
            cells[1] = cells[3] = ""
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("checkpoint", nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--dialogues", type=int, default=100)
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    texts = load_corpus(asked.data, require_summaries=False).dataset["dialogue"]
    step = max(1, len(texts) // asked.dialogues)
    rows = [(place, texts[place]) for place in range(0, len(texts), step)][: asked.dialogues]
    for name in asked.checkpoint:
        found = measure_all(name, rows, asked.output / f"{Path(name).name}.jsonl")
        print(f"{name}: {len(found)} of {len(rows)} dialogues\n", *table(found), sep="\n", flush=True)


if __name__ == "__main__":
    main()
