"""What do attention sinks carry? Weight and vector lengths of special tokens, speaker tags and punctuation.

    python benchmarks/sinks.py [CHECKPOINT …]

Over the bundled dialogues, in all heads of all three attentions, and in the tenth of the heads that looks most at the
kind of token. *Looks at*: its share of the weights; *carries*: its share of the lengths that arrive (Kobayashi et al.
2020); *value*: the mean length of its value vectors, ‖f(x)‖, as a multiple of that of words in the same head. A sink
in the strict sense has much weight and short values.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.explain.attention.sinks import category
from core.explain.attribution import layers, norms
from core.service import Summarizer
from core.text.examples import load_examples

SPECIAL = ("start", "end", "turn")
KINDS = {"special tokens": SPECIAL, "speaker tags": ("speaker",), "punctuation": ("punctuation",), "words": ("word",)}


def measure(summarizer: Summarizer, dialogue: str) -> np.ndarray:
    """Return of every head and kind of token: weight, length that arrives, length of the values; NaN without such."""
    run = summarizer.summarize(dialogue)
    found = []
    for kind, stack in (("encoder", "encoder"), ("decoder", "decoder"), ("cross", "decoder")):
        for layer in range(getattr(summarizer.config, f"{stack}_layers")):
            part = layers.sublayer(summarizer, run, kind, layer)
            keys = run.source if kind != "decoder" else (None, *run.tokens[:-1])
            names = np.array(["start" if key is None else category(key, run.dialogue.speakers) for key in keys])
            for head, weights in enumerate(part.weights):
                lengths = np.linalg.norm(part.values[head] @ part.output_kernel[head], axis=-1)
                carried = norms.shares(weights * lengths)
                rows = []
                for members in KINDS.values():
                    there = np.isin(names, members)
                    values = [weights[:, there].sum(1).mean(), carried[:, there].sum(1).mean(), lengths[there].mean()]
                    rows.append(values if there.any() else [np.nan] * 3)
                found.append(np.array(rows) / [1, 1, rows[-1][2]])
    return np.array(found)  # [heads, kinds, 3]


def main() -> None:
    """Measure and print a table a checkpoint."""
    for name in sys.argv[1:] or ["dialoscope"]:
        summarizer = Summarizer.load(name)
        every = np.nanmean([measure(summarizer, example.dialogue) for example in load_examples()], axis=0)
        most = max(1, round(len(every) / 10))
        print(f"\n{name}: {len(every)} heads, {len(load_examples())} dialogues\n")
        print("| tokens | looks at | carries | value | looks at, the tenth of the heads | carries | value |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for place, kind in enumerate(KINDS):
            best = every[np.argsort(-every[:, place, 0])[:most], place]
            cells = [
                f"{mean[0]:.0%} | {mean[1]:.0%} | {mean[2]:.2f}" for mean in (every[:, place].mean(0), best.mean(0))
            ]
            print(f"| {kind} | {' | '.join(cells)} |".replace("%", " %"))


if __name__ == "__main__":
    main()
