"""What the model's own summaries lose without attention: zeros, zeros while copying goes on, and resampled states.

    nice python benchmarks/resampling.py DATA CHECKPOINT… --output FOLDER [--dialogues 25]

Zeros are what no later layer saw in training, and a copying head that gives zeros copies nothing either. Resampling
(`core.experiments.resampling`) puts there what the same heads gave in another bundled dialogue, in several draws, and
leaves the copying. Each finished dialogue is a line of FOLDER/CHECKPOINT.jsonl: a second call goes on there. Prints
nats a token under teacher forcing: over all tokens, with 95 % bootstrap intervals over the dialogues and the draws.
"""

import argparse
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.errors import DialogueError
from core.experiments import ablations, resampling
from core.experiments.effects import Condition, forced
from core.service import Summarizer
from core.text.corpus import load_corpus

RESAMPLES = 2_000
WAYS = ("zeros", "zeros, copying goes on", "resampled, copying goes on")


def measure(summarizer: Summarizer, dialogue: str, states: tuple[resampling.States, ...]) -> dict[str, Any]:
    """Return the number of tokens, and what the summary loses without each part: for zeros, with copying, each draw."""
    encoded = summarizer.encode(dialogue)
    _, ids = summarizer.write(encoded)
    config = summarizer.config.has.blocks
    whole = forced(summarizer, [Condition(encoded)], ids)[0].sum()
    lost = {}
    for name, heads in ablations.parts(config).items():
        if "." in name and not name.startswith("cross"):
            continue
        changes = [ablations.gates(config, heads), ablations.gates(config, heads, copies=True)]
        changes += resampling.gates(summarizer, heads, states)
        rows = forced(summarizer, [Condition(encoded, gates) for gates in changes], ids)
        lost[name] = [round(float(whole - row.sum()), 5) for row in rows]
    return {"tokens": len(ids), "lost": lost}


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a table in Markdown; single heads only where one way loses 0.1 nats a token."""
    tokens = np.array([line["tokens"] for line in lines], dtype=float)
    found = [f"| switched off | {' | '.join(WAYS)} |", "|---|---|---|---|"]
    for name in lines[0]["lost"]:
        lost = np.array([line["lost"][name] for line in lines])  # [dialogues, 2 + draws]
        cells = [interval(lost[:, part], tokens) for part in (slice(1), slice(1, 2), slice(2, None))]
        if "." not in name or max(abs(value) for value, _ in cells) >= 0.1:
            found.append(f"| {name} | {' | '.join(said for _, said in cells)} |")
    return found


def interval(lost: Any, tokens: Any) -> tuple[float, str]:
    """Return the mean loss a token of [dialogues, draws], and the same with its interval, in words."""
    generator, (count, draws) = np.random.default_rng(0), lost.shape
    value = float(lost.mean(axis=1).sum() / tokens.sum())
    means = []
    for _ in range(RESAMPLES):
        rows, columns = generator.integers(0, count, count), generator.integers(0, draws, draws)
        means.append(lost[rows][:, columns].mean(axis=1).sum() / tokens[rows].sum())
    low, high = np.percentile(means, (2.5, 97.5))
    return value, f"{value:.2f} ({low:.2f} to {high:.2f})".replace("-", "−")


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("checkpoint", nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--dialogues", type=int, default=25)
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    texts = load_corpus(asked.data, require_summaries=False).dataset["dialogue"]
    for name in asked.checkpoint:
        file = asked.output / f"{Path(name).name}.jsonl"
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
        summarizer = Summarizer.load(name)
        states = resampling.draw(summarizer, "")
        for dialogue in islice(texts, len(lines), asked.dialogues):
            try:
                lines.append(measure(summarizer, dialogue, states))
            except DialogueError as error:
                raise SystemExit(f"{name}, row {len(lines)}: {error}") from None
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(lines[-1]) + "\n")
        print(f"{name}: {len(lines)} dialogues, {len(states)} draws\n", *table(lines), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
