"""Imported networks beside transformers': the largest difference of logits and attention, and what both write.

    python benchmarks/parity.py [COUNT]

Tiny networks of every family with random weights, made by transformers, and MiniLM's real weights for BERT, of which
only the encoder is read. COUNT sources are written in each way (default 10); a cell says how many of them were written
with the same tokens. Prints two tables in Markdown.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from core.text.examples import load_examples
from tests.importing.networks import NETWORKS
from tests.importing.parity import WAYS, encoder_differences, network_differences, pairs

KINDS = ("logits", "encoder_self", "decoder_self", "cross")


def differences() -> None:
    """Print the largest differences of numbers."""
    print("| family | logits or states | encoder's attention | decoder's attention | cross-attention |")
    print("|---|---|---|---|---|")
    for network in NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            found = network_differences(network, Path(folder))
        print(f"| {network} | " + " | ".join(f"{found[kind]:.1e}" for kind in KINDS) + " |", flush=True)
    states, attention = encoder_differences([example.dialogue for example in load_examples()][:5])
    print(f"| bert (MiniLM, the encoder) | {states:.1e} | {attention:.1e} | – | – |\n", flush=True)


def texts(count: int) -> None:
    """Print how many sources both write with the same tokens."""
    print(f"| family | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}")
    for network in NETWORKS:
        cells = []
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                found = pairs(network, way, Path(folder), count)
            cells.append(f"{sum(theirs == ours for theirs, ours in found)} of {len(found)}")
        print(f"| {network} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    differences()
    texts(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
