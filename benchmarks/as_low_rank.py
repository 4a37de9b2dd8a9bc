r"""Keep a refined checkpoint as its difference from the one it began with: a fourth of its size, or less.

    python benchmarks/as_low_rank.py runs/groups/checkpoint dialoscope checkpoints/dialoscope-groups --rank 64 \
        --validation ../shared/data/dialogsum/validation.jsonl --groups runs/groups.jsonl --about "For groups."

The card gets the scores of what is kept, not those of the whole weights. With `--groups`, dialogues of three and more
people, it also gets the scores of both checkpoints on them, and the app proposes this one for such dialogues.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import checkpoints, low_rank
from core.text.corpus import load_corpus
from core.training.recipes.fitting import scores_on

GROUP = 3
"""Fewest speakers of a group."""


def main() -> None:
    """Write the checkpoint, score it, and write its card anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("base")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--validation", required=True)
    parser.add_argument("--groups")
    parser.add_argument("--about", required=True)
    wanted = parser.parse_args()
    whole, base = checkpoints.read(wanted.checkpoint), checkpoints.read(wanted.base)
    kept = low_rank.differences(base.weights, whole.weights, wanted.rank)
    card = {name: value for name, value in whole.card.items() if "scores" not in name}
    hash_of_base = base.card["sha256"]["weights.safetensors"]
    card |= {"about": wanted.about, "base": {"name": base.name, "weights": hash_of_base, "rank": wanted.rank}}

    def write() -> checkpoints.Checkpoint:
        checkpoints.write(wanted.folder, whole.config, whole.tokenizer, kept, whole.history, card)
        return checkpoints.read(wanted.folder)

    made = write()
    card["scores"] = scores_on(made, load_corpus(wanted.validation))
    if wanted.groups:
        groups = load_corpus(wanted.groups)
        card["groups"] = {"speakers": GROUP, "scores": scores_on(made, groups), "base": scores_on(base, groups)}
    write()


if __name__ == "__main__":
    main()
