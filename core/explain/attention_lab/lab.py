"""Attention on small matrices with every intermediate, for four scores; the effect of sqrt(d) on a softmax.

T queries, S keys, D width of queries and keys, W width of values, A width of the additive score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from core.errors import SettingsError
from core.explain.attention_lab.steps import Matrix, Step, additive, divide, dot, given, mask, product, softmax
from core.explain.shared.recomputing import check_choice
from core.trace import Array
from core.words import later, say

Scoring = Literal["scaled", "dot", "multiplicative", "additive"]
"""q·k / sqrt(d) (Vaswani et al. 2017), q·k and qWk (Luong et al. 2015), v tanh(W1 k + W2 q) (Bahdanau et al. 2015)."""
LIMIT = 1000.0
"""Largest absolute value of a cell."""
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The input matrices of an attention.

    Args:
        query: [T, D].
        key: [S, D].
        value: [S, W].
        mask: 0 and 1, broadcastable to [T, S].
        attend: the value of the mask that lets a query attend: 1, or 0 if 1 means blocked.
    """

    query: Matrix
    key: Matrix
    value: Matrix
    mask: Matrix
    attend: int = 1

    @property
    def marks(self) -> Matrix:
        """The mask as [T, S]."""
        return np.broadcast_to(self.mask, (len(self.query), len(self.key)))

    @property
    def keep(self) -> Matrix:
        """1 where a query may attend, in any convention, [T, S]."""
        return np.asarray(self.marks == self.attend, dtype=np.float64)

    def keeping(self, keep: Matrix) -> "Inputs":
        """Return the inputs with another mask, 1 = attend."""
        return replace(self, mask=keep.astype(np.float64), attend=1)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Learned parameters of the scores.

    Args:
        bilinear: W [width of the query, width of the key].
        key_map: W1 [A, width of the key].
        query_map: W2 [A, width of the query].
        vector: v [1, A].
    """

    bilinear: Matrix
    key_map: Matrix
    query_map: Matrix
    vector: Matrix


def default_parameters(query_width: int, key_width: int) -> Parameters:
    """Make initial parameters: W is the identity, A = 2 uses the first two dimensions."""
    ones = np.ones((1, 2))
    return Parameters(np.eye(query_width, key_width), np.eye(2, key_width), np.eye(2, query_width), ones)


def attention(
    inputs: Inputs, scoring: Scoring = "scaled", parameters: Parameters | None = None, group: str = ""
) -> tuple[Step, ...]:
    """Compute attention step by step: scores, scaled (for "scaled"), masked, weights, output.

    Args:
        inputs: queries, keys, values and mask.
        scoring: the score.
        parameters: of the multiplicative and the additive score; None: the defaults.
        group: prefix of the names of the steps, with a /.

    Returns:
        The steps in order, the inputs among them: "query", "key", "value", "mask", "scores", …, "output".

    Raises:
        SettingsError: shapes that do not fit, an empty cell, a number out of range, a mask of other values.
    """
    own = parameters or default_parameters(inputs.query.shape[1], inputs.key.shape[1])
    check(inputs, scoring, own)
    at = f"{group}/" if group else ""
    query, key, value = (given(at + name, getattr(inputs, name)) for name in ("query", "key", "value"))
    marks = given(f"{at}mask", inputs.marks)
    steps = _scored(query, key, scoring, own, at)
    masked = mask(f"{at}masked", steps[-1], marks, inputs.attend)
    weights = softmax(f"{at}weights", masked)
    output = product(f"{at}output", weights, value)
    return (query, key, *steps, marks, masked, weights, value, output)


def step(steps: tuple[Step, ...], name: str) -> Step:
    """Return the step of a name; raises KeyError if there is none."""
    return {each.name: each for each in steps}[name]


def check(inputs: Inputs, scoring: Scoring, parameters: Parameters) -> None:
    """Check the arguments of `attention`; raises SettingsError."""
    matrices = {
        later("query"): inputs.query,
        later("key"): inputs.key,
        later("value"): inputs.value,
        later("mask"): inputs.mask,
    }
    check_cells(matrices)
    if not np.isin(inputs.mask, (0, 1)).all():
        strange = inputs.mask[~np.isin(inputs.mask, (0, 1))][0]
        raise SettingsError("a mask holds 0 and 1 only. Received: {value:g}", value=strange)
    check_choice("scoring", scoring, get_args(Scoring))
    query, key, value = inputs.query.shape, inputs.key.shape, inputs.value.shape
    if scoring in ("scaled", "dot") and query[1] != key[1]:
        raise SettingsError(
            "query and key must have the same width. Received: query {query}, key {key}", query=query, key=key
        )
    if key[0] != value[0]:
        raise SettingsError(
            "key and value must have the same length. Received: key {key}, value {value}", key=key, value=value
        )
    if any(got not in (1, want) for got, want in zip(inputs.mask.shape, (query[0], key[0]), strict=True)):
        raise SettingsError(
            "the mask must have a row for each query and a column for each key, here {wanted}. "
            "Received: mask {mask}, query {query}, key {key}",
            wanted=(query[0], key[0]),
            mask=inputs.mask.shape,
            query=query,
            key=key,
        )
    if scoring in ("multiplicative", "additive"):
        _check_parameters(query, key, scoring, parameters)


def check_cells(matrices: Mapping[str, Matrix]) -> None:
    """Check for empty cells and numbers out of range; raises SettingsError that names the matrix and the cell.

    Names are symbols, or words marked with `later`.
    """
    for name, values in matrices.items():
        bad = ~(np.abs(values) <= LIMIT)  # True for NaN as well
        if bad.any():
            row, column = (int(place[0]) for place in np.nonzero(bad))
            empty = np.isnan(values[row, column])
            raise SettingsError(
                "every cell must hold a number from −{limit:g} to {limit:g}. "
                "Received: {received} in {matrix}, row {row}, column {column}",
                limit=LIMIT,
                received=say("an empty cell") if empty else f"{values[row, column]:g}",
                matrix=say(name),
                row=row + 1,
                column=column + 1,
            )


def _check_parameters(query: tuple[int, ...], key: tuple[int, ...], scoring: str, parameters: Parameters) -> None:
    names = ("W", "W₁", "W₂", "v")
    check_cells(dict(zip(names, vars(parameters).values(), strict=True)))
    size = parameters.vector.shape[1]
    wanted = {"W": (parameters.bilinear, (query[1], key[1]))}
    if scoring == "additive":
        wanted = {"W₁": (parameters.key_map, (size, key[1])), "W₂": (parameters.query_map, (size, query[1]))}
    for name, (matrix, shape) in wanted.items():
        if matrix.shape != shape:
            extra = f", v {parameters.vector.shape}" if scoring == "additive" else ""
            raise SettingsError(
                say(
                    "{name} must have the shape {shape} here. Received: {name} {received}, query {query}, key {key}",
                    name=name,
                    shape=shape,
                    received=matrix.shape,
                    query=query,
                    key=key,
                )
                + extra
            )


def _scored(query: Step, key: Step, scoring: Scoring, parameters: Parameters, at: str) -> tuple[Step, ...]:
    if scoring == "multiplicative":
        bilinear = given(f"{at}W", parameters.bilinear)
        projected = product(f"{at}projected", query, bilinear)
        return bilinear, projected, dot(f"{at}scores", projected, key)
    if scoring == "additive":
        query_map, key_map = given(f"{at}query_map", parameters.query_map), given(f"{at}key_map", parameters.key_map)
        mapped = dot(f"{at}mapped_query", query, query_map), dot(f"{at}mapped_key", key, key_map)
        vector = given(f"{at}vector", parameters.vector)
        return query_map, mapped[0], key_map, mapped[1], vector, additive(f"{at}scores", *mapped, vector)
    scores = dot(f"{at}scores", query, key)
    return (scores, divide(f"{at}scaled", scores, query.values.shape[1])) if scoring == "scaled" else (scores,)


@dataclass(frozen=True, eq=False)
class ScaleEffect:
    """The softmax over dot products of random vectors with unit variance, mean of many draws.

    Args:
        widths: d.
        keys: S.
        variance: [widths] of q·k, whose expectation is d (Vaswani et al. 2017, footnote 4).
        entropy: [2, widths] of the weights in nats: with the division by sqrt(d), without it.
        largest: [2, widths] largest weight, with and without the division.
    """

    widths: tuple[int, ...]
    keys: int
    variance: Array
    entropy: Array
    largest: Array


def scale_effect(keys: int, seed: int, draws: int = 200, widths: tuple[int, ...] = WIDTHS) -> ScaleEffect:
    """Draw queries and keys, and compare the softmax with and without the division by sqrt(d).

    Args:
        keys: S, at least 1.
        seed: of the draws.
        draws: number of queries, each with its own keys.
        widths: values of d.

    Raises:
        SettingsError: there is no key.
    """
    if keys < 1:
        raise SettingsError("there must be at least one key. Received: {value}", value=f"keys={keys}")
    random = np.random.default_rng(seed)
    variance, entropy, largest = [], [], []
    for width in widths:
        query = random.standard_normal((draws, width, 1), dtype=np.float32)
        scores = (random.standard_normal((draws, keys, width), dtype=np.float32) @ query)[..., 0]  # [draws, S]
        variance.append(float(np.mean(scores.astype(np.float64) ** 2)))
        shares = [softmax("weights", given("scores", each)).values for each in (scores / np.sqrt(width), scores)]
        entropy.append([float(-np.sum(each * np.log(np.maximum(each, 1e-300)), axis=1).mean()) for each in shares])
        largest.append([float(each.max(axis=1).mean()) for each in shares])
    arrays = (np.array(each, dtype=np.float32) for each in (variance, np.transpose(entropy), np.transpose(largest)))
    return ScaleEffect(tuple(widths), keys, *arrays)
