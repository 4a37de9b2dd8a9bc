"""What each part of the decoding gains: one checkpoint with one setting changed, on the same dialogues.

    python benchmarks/strategies.py VALIDATION [--checkpoint dialoscope] [--limit N]

Prints ROUGE, and the paired difference to the settings of the checkpoint's card with its 95 % bootstrap interval over
dialogues; the minutes hold the compiling.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.ablations import UNCHANGED, by_name, table
from core import checkpoints
from core.config import DecodeSettings
from core.evaluation.local import in_order, summarize_corpus
from core.service import Summarizer
from core.text.corpus import load_corpus

CHANGES = {
    UNCHANGED: {},
    "greedy": {"strategy": "greedy"},
    "beam 2": {"strategy": "beam", "beam_size": 2},
    "beam 4": {"strategy": "beam", "beam_size": 4},
    "beam 8": {"strategy": "beam", "beam_size": 8},
    "no length penalty": {"length_penalty": 0.0},
    "length penalty 0.6": {"length_penalty": 0.6},
    "length penalty 1": {"length_penalty": 1.0},
    "length penalty 1.5": {"length_penalty": 1.5},
    "trigrams may come twice": {"no_repeat_ngram": 0},
    "words may be made up": {"whole_words": False},
}


def main() -> None:
    """Summarize with every setting that differs from the card's, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("validation")
    parser.add_argument("--checkpoint", default="dialoscope")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    corpus = load_corpus(arguments.validation, limit=arguments.limit)
    summarizer = Summarizer(checkpoints.read(arguments.checkpoint))
    done: set[DecodeSettings] = set()
    found = {}
    for name, change in CHANGES.items():
        settings = summarizer.settings.replace(**change)
        if settings in done:
            continue
        done.add(settings)
        print(name, file=sys.stderr)
        begun = time.perf_counter()
        rows = in_order(list(summarize_corpus(corpus, summarizer, settings)))
        minutes = (time.perf_counter() - begun) / 60
        found[name] = [by_name(row.rouge for row in rows if row.rouge) | {"minutes": minutes}]
    table(found)


if __name__ == "__main__":
    main()
