"""The pictures of the Decoding page."""

from core.figures.beams import beam
from core.figures.bench import BenchRow, bench
from core.figures.branches import BranchLine, branch_tree, race
from core.figures.steps import reference_ranks, surprise
from core.figures.turns import attention_by_turn, attention_in_turn, attention_pair

__all__ = [
    "BenchRow",
    "BranchLine",
    "attention_by_turn",
    "attention_in_turn",
    "attention_pair",
    "beam",
    "bench",
    "branch_tree",
    "race",
    "reference_ranks",
    "surprise",
]
