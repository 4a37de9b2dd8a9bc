"""The arithmetic of one cell of a small matrix, written out with its numbers; for `matrix_board`."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from core.explain.lab_steps import BLOCKED, Kind, Step
from core.figures.wording import count, figures, power

WRITTEN = 8
"""Terms of a sum that are written out; of a longer one the largest half."""
Term = list[str]
Derivation = dict[str, Any]


def short(value: float) -> str:
    """A number with at most three decimals, or more until two digits count; no zeros at the end: 0.5, 0.195."""
    if value == BLOCKED:
        return "−10⁹"
    text = figures(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell_derivation(step: Step, row: int, column: int) -> Derivation:
    """How one cell was computed: `terms`, each what is written and what stands under it, and a `note`."""
    return _DERIVATIONS[step.kind](step, row, column)


def _inner(value: float) -> str:
    """A number after an operator."""
    return f"({short(value)})" if value < 0 else short(value)


def _result(step: Step, row: int, column: int, below: str = "") -> list[Term]:
    return [["=", ""], [short(float(step.values[row, column])), below]]


def _added(products: list[Term], values: list[float], what: str) -> list[Term]:
    """Terms with + between them; of many the largest, and the rest as one number."""
    shown = list(range(len(products)))
    if len(products) > WRITTEN:
        shown = sorted(sorted(shown, key=lambda place: -abs(values[place]))[: WRITTEN // 2])
    rest = len(products) - len(shown)
    terms = [products[place] for place in shown]
    if rest:
        hidden = sum(values) - sum(values[place] for place in shown)
        terms.append([_inner(hidden), count(rest, f"other {what}")])
    return [each for term in terms for each in (["+", ""], term)][1:]


def _multiplied(left: np.ndarray, right: np.ndarray) -> tuple[list[Term], list[float]]:
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    return [[f"{_inner(a)} × {_inner(b)}", str(place)] for place, (a, b) in enumerate(pairs, 1)], [
        a * b for a, b in pairs
    ]


def _given(step: Step, row: int, column: int) -> Derivation:
    return {"terms": [[short(float(step.values[row, column])), "given"]], "note": "This number is an input."}


def _dot(step: Step, row: int, column: int) -> Derivation:
    left, right = (part.values for part in step.parts)
    terms = _added(*_multiplied(left[row], right[column]), "product")
    note = f"A dot product: row {row + 1} of the one with row {column + 1} of the other, number by number."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _additive(step: Step, row: int, column: int) -> Derivation:
    left, right, vector = (part.values for part in step.parts)
    triples = list(zip(left[row].tolist(), right[column].tolist(), vector[0].tolist(), strict=True))
    written = [
        [f"{_inner(v)} × tanh({short(a)} + {_inner(b)})", str(place)] for place, (a, b, v) in enumerate(triples, 1)
    ]
    terms = _added(written, [v * math.tanh(a + b) for a, b, v in triples], "product")
    note = "tanh squeezes every sum to between −1 and 1 before v weighs it."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _divide(step: Step, row: int, column: int) -> Derivation:
    root = math.sqrt(step.number)
    terms = [
        [short(float(step.parts[0].values[row, column])), "score"],
        ["÷", ""],
        [f"√{step.number:g}", f"= {root:.0f}" if root.is_integer() else f"≈ {root:.2f}"],
    ]
    note = f"d = {step.number:g}, the width of a query. It keeps the softmax from becoming all or nothing."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _mask(step: Step, row: int, column: int) -> Derivation:
    score, mark = (float(part.values[row, column]) for part in step.parts)
    kept = mark == step.number
    terms = [[short(score), "score"], ["→", ""], [short(float(step.values[row, column])), f"mask {mark:g}"]]
    meaning = f"{mark:g} means {'attend: the score stays as it is' if kept else 'blocked: −10⁹ stands for “never”'}."
    return {"terms": terms, "note": meaning}


def _softmax(step: Step, row: int, column: int) -> Derivation:
    scores = step.parts[0].values[row]
    open_scores = scores[scores > BLOCKED / 2]
    weight = float(step.values[row, column])
    if not len(open_scores):
        terms = [["1", ""], ["÷", ""], [str(len(scores)), count(len(scores), "key")], ["=", ""], [short(weight), ""]]
        return {"terms": terms, "note": "Every key of this row is masked: equal scores, equal shares."}
    if scores[column] <= BLOCKED / 2:
        return {"terms": [["e^(−10⁹)", ""], ["=", ""], ["0", "weight"]], "note": "Masked: the weight is exactly 0."}
    whole = float(open_scores.max()) + math.log(float(np.exp(open_scores - open_scores.max()).sum()))
    own = float(scores[column])
    terms = [
        [f"e^{_inner(own)}", "this key"],
        ["÷", ""],
        ["Σ e^score", f"over {count(len(open_scores), 'key')}"],
        ["=", ""],
        [power(own), "this key"],
        ["÷", ""],
        [power(whole), f"over {count(len(open_scores), 'key')}"],
        ["=", ""],
        [short(weight), "weight"],
    ]
    return {"terms": terms, "note": "The weights of a row add up to 1."}


def _product(step: Step, row: int, column: int) -> Derivation:
    left, right = (part.values for part in step.parts[:2])
    terms = _added(*_multiplied(left[row], right[:, column]), "product")
    if len(step.parts) > 2:
        terms += [["+", ""], [_inner(float(step.parts[2].values[0, column])), "bias"]]
    note = f"Row {row + 1} of the one with column {column + 1} of the other, number by number."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _add(step: Step, row: int, column: int) -> Derivation:
    before, added = (float(part.values[row, column]) for part in step.parts)
    terms = [[short(before), "what came in"], ["+", ""], [_inner(added), "what the sub-layer adds"]]
    note = "The residual connection: the sub-layer changes the vector, it does not replace it."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _mean(step: Step, row: int, column: int) -> Derivation:
    values = step.parts[0].values[row].tolist()
    terms = _added([[_inner(value), str(place)] for place, value in enumerate(values, 1)], values, "number")
    terms = [["(", ""], *terms, [")", ""], ["÷", ""], [str(len(values)), count(len(values), "number")]]
    return {"terms": [*terms, *_result(step, row, column, "μ")], "note": "The mean of this row."}


def _variance(step: Step, row: int, column: int) -> Derivation:
    values, mean = step.parts[0].values[row].tolist(), float(step.parts[1].values[row, 0])
    squares = [(value - mean) ** 2 for value in values]
    written = [[f"({short(value)} − {_inner(mean)})²", str(place)] for place, value in enumerate(values, 1)]
    terms = [["(", ""], *_added(written, squares, "square"), [")", ""], ["÷", ""], [str(len(values)), ""]]
    note = "The mean square of the distances from μ."
    if len(values) == 1:
        note += " One number is its own mean: the variance is 0, and all that is left after the division is β."
    return {"terms": [*terms, *_result(step, row, column, "σ²")], "note": note}


def _normalise(step: Step, row: int, column: int) -> Derivation:
    values, mean, variance = (part.values for part in step.parts)
    terms = [
        [f"({short(float(values[row, column]))} − {_inner(float(mean[row, 0]))})", "x − μ"],
        ["÷", ""],
        [f"√({short(float(variance[row, 0]))} + ε)", f"= {math.sqrt(float(variance[row, 0]) + step.number):.4f}"],
    ]
    note = f"ε = {step.number:g} keeps a row of equal numbers from a division by zero."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _scale(step: Step, row: int, column: int) -> Derivation:
    normal, gamma, beta = step.parts
    terms = [
        [short(float(gamma.values[0, column])), "γ"],
        ["×", ""],
        [_inner(float(normal.values[row, column])), "normalised"],
        ["+", ""],
        [_inner(float(beta.values[0, column])), "β"],
    ]
    note = "γ and β are learnt, one pair for each dimension, the same for every row."
    return {"terms": [*terms, *_result(step, row, column)], "note": note}


def _relu(step: Step, row: int, column: int) -> Derivation:
    before = float(step.parts[0].values[row, column])
    note = "Negative numbers become 0." if before < 0 else "A number above 0 stays."
    return {"terms": [["max", ""], [f"(0, {short(before)})", ""], *_result(step, row, column)], "note": note}


def _join(step: Step, row: int, column: int) -> Derivation:
    (part, [(_, inside)]) = step.feeds(row, column)[0]
    head = step.parts.index(part) + 1
    terms = [[short(float(step.values[row, column])), f"head {head}, column {inside + 1}"]]
    return {"terms": terms, "note": "The outputs of the heads stand side by side."}


_DERIVATIONS: Mapping[Kind, Callable[[Step, int, int], Derivation]] = {
    "given": _given,
    "dot": _dot,
    "additive": _additive,
    "divide": _divide,
    "mask": _mask,
    "softmax": _softmax,
    "product": _product,
    "add": _add,
    "mean": _mean,
    "variance": _variance,
    "normalise": _normalise,
    "scale": _scale,
    "relu": _relu,
    "join": _join,
}
