"""Known pitfalls of the sources: the result of the source's way and of the right way, from the same numbers.

T queries, S keys.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.explain.attention_lab.block import BlockMaps, NormMaps, block, random_maps
from core.explain.attention_lab.lab import Inputs, attention, step
from core.explain.attention_lab.presets import PRESETS, WORDS
from core.explain.attention_lab.steps import Matrix, Step, given


@dataclass(frozen=True, eq=False)
class Pitfall:
    """One pitfall.

    Args:
        wrong: the steps of the source.
        right: the same steps without the pitfall.
        numbers: for the sentence about it.
        labels: of the first steps, those of the source before the right ones: words of its "columns" and "rows".
    """

    wrong: tuple[Step, ...]
    right: tuple[Step, ...]
    numbers: Mapping[str, float]
    labels: Sequence[Mapping[str, Sequence[str]]] = ()


def _weights(inputs: Inputs, mask: Matrix) -> Step:
    """Compute the weights of scaled dot-product attention with another mask, 1 = attend."""
    return step(attention(inputs.keeping(mask)), "weights")


def _masks(inputs: Inputs, wrong: Matrix, right: Matrix) -> Pitfall:
    """Compare the weights with two masks: the share of the attention on keys that the right mask hides."""
    pair = tuple(_weights(inputs, mask) for mask in (wrong, right))
    # A query without any key has equal weights with both masks: there is nothing to compare.
    rows = right.sum(axis=1) > 0
    hidden = [float((each.values * (right == 0))[rows].sum(axis=1).mean()) if rows.any() else 0.0 for each in pair]
    return Pitfall(
        (given("mask", wrong), pair[0]),
        (given("mask", right), pair[1]),
        {"wrong": hidden[0], "right": hidden[1], "queries": float(rows.sum())},
    )


def convention(inputs: Inputs) -> Pitfall:
    """Compare the mask with its inverse: a mask of one convention in code of the other."""
    return _masks(inputs, 1 - inputs.keep, inputs.keep)


def unapplied(inputs: Inputs) -> Pitfall:
    """Compare masked attention with a listing that makes a mask but does not use it."""
    return _masks(inputs, np.ones_like(inputs.keep), inputs.keep)


def look_ahead(inputs: Inputs) -> Pitfall:
    """Compare a look-ahead mask with i <= j to the right one with j <= i; i is the query, j the key."""
    shape = inputs.keep.shape
    return _masks(inputs, np.triu(np.ones(shape)), np.tril(np.ones(shape)))


def cross_padding(inputs: Inputs) -> Pitfall:
    """Compare cross-attention without and with a padding mask; the last two fifths of the keys are padding."""
    size = len(inputs.key)
    keep = np.ones_like(inputs.keep)
    keep[:, size - max(1, 2 * size // 5) :] = 0
    return _masks(inputs, np.ones_like(keep), keep)


def query_mask(inputs: Inputs, fourth: Matrix, named: Matrix) -> Pitfall:
    """Compare weights [T, S] from Keras with the mask as fourth argument and with the mask by name."""
    keep = inputs.keep
    hidden = [float((weights * (keep == 0)).sum(axis=1).mean()) for weights in (fourth, named)]
    without = _weights(inputs, np.ones_like(keep)).values
    return Pitfall(
        (given("weights", fourth),),
        (given("weights", named),),
        {"wrong": hidden[0], "right": hidden[1], "same": float(np.abs(fourth - without).max())},
    )


def unnormalised() -> Pitfall:
    """Compare the softmax with a printed one that left two rows as scores."""
    example = PRESETS["masked"]
    steps = attention(example.inputs, example.scoring)
    weights, scores = step(steps, "weights"), step(steps, "scores")
    left = weights.values.copy()
    left[3:] = (scores.values * example.inputs.keep)[3:]
    sums = left.sum(axis=1)
    numbers = {"fourth": float(sums[3]), "fifth": float(sums[4]), "right": float(weights.values.sum(axis=1)[3:].min())}
    return Pitfall((given("weights", left),), (weights,), numbers)


GAMMA = (1.4, 0.6, 1.0, 1.2)
BETA = (0.0, 0.3, -0.2, 0.0)
"""Possible weights of the third normalisation of a trained block."""


def second_norm() -> Pitfall:
    """Compare a decoder block with one that uses its second normalisation twice and its third never."""
    maps = random_maps(4, 1, 6, 0, memory=4)
    third = NormMaps(np.array(GAMMA), np.array(BETA))
    right = replace(maps, norms=(*maps.norms[:2], third))
    wrong = replace(maps, norms=(*maps.norms[:2], maps.norms[1]))
    moved = NormMaps(third.gamma + 0.1, third.beta)
    outputs = [_decoded(each) for each in (wrong, right, replace(right, norms=(*right.norms[:2], moved)))]
    last = [each[-1].values for each in outputs]
    numbers = {
        "difference": float(np.abs(last[0] - last[1]).max()),
        "moved": float(np.abs(last[2] - last[1]).max()),
    }
    shown = ("feed/normal", "feed/gamma", "feed/beta", "feed/norm")
    left, kept = (tuple(step(steps, name) for name in shown) for steps in outputs[:2])
    return Pitfall(left, kept, numbers)


def _decoded(maps: BlockMaps, written: Matrix = WORDS[:3], read: Matrix = WORDS) -> tuple[Step, ...]:
    size = len(written)
    return block(maps, written, (np.tril(np.ones((size, size))), np.ones((size, len(read)))), read)


WRITTEN, READ = ("[SOS]", "Ben", "lost", "his"), ("Where", "are", "keys", "?")
"""What a decoder read of its summary, and the dialogue: equally long, so that no shape gives away which is which."""


def swapped() -> Pitfall:
    """Compare the two attentions of a decoder with each other's axes and with their own."""
    steps = _decoded(random_maps(4, 1, 6, 5, memory=4), 6 * WORDS[:4], 12 * WORDS[1:])  # long: clear weights
    pair = tuple(step(steps, f"{name}/weights") for name in ("self", "cross"))
    own, other = ({"rows": WRITTEN, "columns": words} for words in (WRITTEN, READ))
    ahead = [float(np.triu(each.values, 1).sum() / len(WRITTEN)) for each in pair]
    numbers = {"own": ahead[0], "cross": ahead[1], "most": float(pair[1].values[-1].argmax())}
    return Pitfall(tuple(map(replace, pair)), pair, numbers, (other, own, own, other))


def axes() -> Pitfall:
    """Compare a table of positions read along its columns and along its rows: width 5, base 100, positions 0 to 4."""
    places, columns = np.arange(5)[:, None], np.arange(5)
    angles = places / 100.0 ** (2 * (columns // 2) / 5)
    table = given("positions", np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)))
    return Pitfall((), (table,), {"column": float(table.values[2, 0]), "row": float(table.values[1, 2])})


MASKED: Mapping[str, Callable[[Inputs], Pitfall]] = {
    "convention": convention,
    "unapplied": unapplied,
    "look_ahead": look_ahead,
    "cross": cross_padding,
}
"""Pitfalls about a mask; each takes the matrices of the lab."""
FIXED: Mapping[str, Callable[[], Pitfall]] = {
    "softmax": unnormalised,
    "norm": second_norm,
    "axes": axes,
    "swapped": swapped,
}
"""Pitfalls with their own numbers."""


def word_forms(ids: Mapping[str, int]) -> Pitfall:
    """Compare forms of one word with their ids in a word-level tokenizer."""
    numbers = {"forms": len(ids), "ids": len(set(ids.values()))}
    return Pitfall((), (given("ids", [list(ids.values())]),), numbers, [{"columns": list(ids)}])
