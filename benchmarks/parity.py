"""Imported networks beside transformers': how exact the logits and attention of both are, and what both write.

    python benchmarks/parity.py [COUNT]

Tiny networks of every family with random weights, made by transformers, and MiniLM's real weights for BERT, of which
only the encoder is read. A cell of the first table has the largest difference of ours, and behind it that of the peer
in float32, from what the peer computes in double precision on this machine. COUNT sources are written in each way
(default 10); a cell of the second table says how many of them were written with the same tokens. Prints Markdown.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from core.text.examples import load_examples
from tests.closeness import distance
from tests.importing.networks import NETWORKS
from tests.importing.parity import WAYS, Compared, compare_encoder, compare_network, pairs

KINDS = ("logits", "encoder_self", "decoder_self", "cross")


def cell(found: Compared) -> str:
    """Return how far ours and the peer's float32 are from its double precision."""
    return f"{distance(found.ours, found.exact):.1e}, {distance(found.peer, found.exact):.1e}"


def differences() -> None:
    """Print the largest differences of numbers."""
    print("| family | logits or states | encoder's attention | decoder's attention | cross-attention |")
    print("|---|---|---|---|---|")
    for network in NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            found = compare_network(network, Path(folder))
        print(f"| {network} | " + " | ".join(cell(found[kind]) for kind in KINDS) + " |", flush=True)
    found = compare_encoder([example.dialogue for example in load_examples()][:5])
    cells = " | ".join(map(cell, found.values()))
    print(f"| bert (MiniLM, the encoder) | {cells} | – | – |\n", flush=True)


def texts(count: int) -> None:
    """Print how many sources both write with the same tokens."""
    print(f"| family | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}")
    for network in NETWORKS:
        cells = []
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                found = pairs(network, way, Path(folder), count)
            cells.append(f"{sum(each.equal() for each in found)} of {len(found)}")
        print(f"| {network} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    differences()
    texts(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
