"""The candidates of beam search as a tree of prefixes, and its finished hypotheses under any length penalty."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.trace import BeamTrace, Summary

Fate = Literal["live", "open", "pruned", "finished"]
Penalty = Literal["power", "gnmt"]


@dataclass(frozen=True, slots=True)
class BeamNode:
    """One candidate: a prefix of a summary; equal prefixes are one node.

    Args:
        index: in `BeamTree.nodes`.
        step: 0 for the first written token.
        id: vocabulary id of its last token.
        parent: index of the node that it continues, -1 for the empty prefix.
        log_probability: summed over the prefix, in nats.
        own: log-probability of its last token alone.
        fate: "live" if a beam continues it, "open" if it was live when the search stopped, "pruned" or "finished".
        chosen: whether the summary begins with it.
    """

    index: int
    step: int
    id: int
    parent: int
    log_probability: float
    own: float
    fate: Fate
    chosen: bool


@dataclass(frozen=True, slots=True)
class BeamTree:
    """All candidates of a search, parents before children."""

    nodes: tuple[BeamNode, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """A finished hypothesis: its node, ids (end token included), summed log-probability, and score."""

    node: int
    ids: tuple[int, ...]
    log_probability: float
    score: float


NOISE = 0.05
"""Nats by which the search and the replay of a long summary may differ."""
_UNUSED = -1e9 / 2
"""Scores below this mark unused slots of a BeamTrace."""
_ENDS: dict[int, Fate] = {-1: "pruned", -2: "finished"}


def beam_tree(beam: BeamTrace, summary: Sequence[int]) -> BeamTree:
    """Merge the prefixes of all candidates into a tree.

    Args:
        beam: candidates of the search.
        summary: ids of the summary, its end token included if it was written.

    Returns:
        BeamTree; the nodes of a step are in the order of their rank.

    Raises:
        ValueError: a candidate continues a missing beam, or the summary is not among the candidates.
    """
    nodes: list[BeamNode] = []
    live = {0: -1}  # slot: its live node
    last = len(beam.tokens) - 1
    for step in range(last + 1):
        following = {}
        for token, slot, total, kept in _candidates(beam, step):
            if slot not in live:
                raise ValueError(f"beam.parents must name live slots. Received: slot {slot} at step {step}")
            parent, index = live[slot], len(nodes)
            own = total - (nodes[parent].log_probability if parent >= 0 else 0.0)
            fate: Fate = _ENDS.get(kept, "live" if step < last else "open")
            nodes.append(BeamNode(index, step, token, parent, total, own, fate, False))
            if kept >= 0:
                following[kept] = index
        live = following
    for index in _nodes_of(nodes, summary):
        nodes[index] = replace(nodes[index], chosen=True)
    return BeamTree(tuple(nodes))


def path(tree: BeamTree, index: int) -> tuple[int, ...]:
    """Return the ids from the first written token to the node."""
    ids = []
    while index >= 0:
        ids.append(tree.nodes[index].id)
        index = tree.nodes[index].parent
    return tuple(reversed(ids))


def length_score(log_probability: float, length: int, penalty: float, kind: Penalty = "power") -> float:
    """Return the score that compares hypotheses of different lengths.

    Args:
        log_probability: summed, in nats.
        length: generated tokens, the end token included.
        penalty: a; 0 leaves the log-probability as it is.
        kind: "power": log P / length^a, as in `core.decoding.search` and in Hugging Face Transformers;
            "gnmt": log P / ((5 + length) / 6)^a (Wu et al. 2016, arXiv 1609.08144, equation 14).

    Raises:
        ValueError: length is below 1.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1. Received: length={length}")
    base = float(length) if kind == "power" else (5 + length) / 6
    return log_probability / math.pow(base, penalty)


def endings(tree: BeamTree, penalty: float, kind: Penalty = "power") -> tuple[Ending, ...]:
    """Return the finished hypotheses, best first; if none finished, those that were live when the search stopped.

    Args:
        tree: the tree of the search.
        penalty: a, see `length_score`.
        kind: the formula.
    """
    ends = [node for node in tree.nodes if node.fate == "finished"]
    ends = ends or [node for node in tree.nodes if node.fate == "open"]
    found = [
        Ending(
            node.index,
            path(tree, node.index),
            node.log_probability,
            length_score(node.log_probability, node.step + 1, penalty, kind),
        )
        for node in ends
    ]
    return tuple(sorted(found, key=lambda ending: -ending.score))


def has_certain(summary: Summary) -> bool:
    """Return whether the search counted tokens of its best summary as certain: `forced_first` and `forced_last`."""
    return any(abs(best.log_probability - summary.log_probability) > NOISE for best in summary.hypotheses[:1])


def _candidates(beam: BeamTrace, step: int) -> Iterator[tuple[int, int, float, int]]:
    """Yield token, parent slot, score and fate of each used slot of a step."""
    columns = (beam.tokens[step], beam.parents[step], beam.scores[step], beam.kept[step])
    for token, slot, total, kept in zip(*(column.tolist() for column in columns), strict=True):
        if total > _UNUSED:
            yield token, slot, total, kept


def _nodes_of(nodes: Sequence[BeamNode], ids: Sequence[int]) -> list[int]:
    """Return the nodes on the path of `ids`."""
    places = {(node.parent, node.id): node.index for node in nodes}
    path = [-1]
    for step, token in enumerate(ids):
        if (path[-1], token) not in places:
            raise ValueError(f"the search never considered the summary. Received: id {token} at step {step}")
        path.append(places[path[-1], token])
    return path[1:]
