"""The arithmetic of one cell of a small matrix, written out with its numbers."""

import math

import numpy as np

from core.explain.attention_lab.steps import BLOCKED, Step
from core.figures.shared import derivations
from core.figures.shared.derivations import Derivation, Term, chain, root
from core.figures.shared.wording import count, figures
from core.words import later, say

WRITTEN = 8
"""Terms of a sum that are written out; of a longer one the largest."""


def short(value: float) -> str:
    """Write a number with at most three decimals, or more until two digits count; no zeros at the end: 0.5, 0.195."""
    if value == BLOCKED:
        return "−10⁹"
    text = figures(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell_derivation(step: Step, row: int, column: int) -> Derivation:
    """Say how one cell was computed: `terms`, each what is written and what stands under it, and a `note`."""
    terms, note = globals()[f"_{step.kind}"](step, row, column)  # the function of the step's kind
    return {"terms": terms, "note": note}


def _inner(value: float) -> str:
    return derivations.inner(value, short)


def _result(step: Step, row: int, column: int, below: str = "") -> list[Term]:
    return chain("=", [short(float(step.values[row, column])), below])


def _added(terms: list[Term], values: list[float], noun: str) -> list[Term]:
    return derivations.added(terms, values, noun, short, WRITTEN)


def _multiplied(left: np.ndarray, right: np.ndarray) -> list[Term]:
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    written = [[f"{_inner(a)} × {_inner(b)}", str(place)] for place, (a, b) in enumerate(pairs, 1)]
    return _added(written, [a * b for a, b in pairs], later("other product"))


def _given(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    return [[short(float(step.values[row, column])), say("given")]], say("This number is an input.")


def _dot(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    left, right = (part.values for part in step.parts)
    note = say(
        "A dot product: row {row} of the one with row {other_row} of the other, number by number.",
        row=row + 1,
        other_row=column + 1,
    )
    return [*_multiplied(left[row], right[column]), *_result(step, row, column)], note


def _additive(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    left, right, vector = (part.values for part in step.parts)
    triples = list(zip(left[row].tolist(), right[column].tolist(), vector[0].tolist(), strict=True))
    written = [
        [f"{_inner(v)} × tanh({short(a)} + {_inner(b)})", str(place)] for place, (a, b, v) in enumerate(triples, 1)
    ]
    terms = _added(written, [v * math.tanh(a + b) for a, b, v in triples], later("other product"))
    note = say("tanh squeezes every sum to between −1 and 1 before v weighs it.")
    return [*terms, *_result(step, row, column)], note


def _divide(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    terms = chain([short(float(step.parts[0].values[row, column])), say("score")], "÷", root(step.number))
    note = say(
        "d = {width:g}, the width of a query. It keeps the softmax from becoming all or nothing.", width=step.number
    )
    return [*terms, *_result(step, row, column)], note


def _mask(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    score, mark = (float(part.values[row, column]) for part in step.parts)
    result = [short(float(step.values[row, column])), say("mask {mark:g}", mark=mark)]
    terms = chain([short(score), say("score")], "→", result)
    if mark == step.number:
        return terms, say("{mark:g} means attend: the score stays as it is.", mark=mark)
    return terms, say("{mark:g} means blocked: −10⁹ stands for “never”.", mark=mark)


def _softmax(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    scores = step.parts[0].values[row]
    visible = scores[scores > BLOCKED / 2]
    weight = short(float(step.values[row, column]))
    if not len(visible):
        keys = [str(len(scores)), count(len(scores), "key")]
        note = say("Every key of this row is masked: equal scores, equal shares.")
        return chain("1", "÷", keys, "=", weight), note
    if scores[column] <= BLOCKED / 2:
        return chain("e^(−10⁹)", "=", ["0", say("weight")]), say("Masked: the weight is exactly 0.")
    terms = derivations.softmax(float(scores[column]), visible, weight, short)
    return terms, say("The weights of a row add up to 1.")


def _product(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    left, right = (part.values for part in step.parts[:2])
    terms = _multiplied(left[row], right[:, column])
    if len(step.parts) > 2:
        terms += chain("+", [_inner(float(step.parts[2].values[0, column])), say("bias")])
    note = say(
        "Row {row} of the one with column {column} of the other, number by number.", row=row + 1, column=column + 1
    )
    return [*terms, *_result(step, row, column)], note


def _add(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    before, more = (float(part.values[row, column]) for part in step.parts)
    if step.stage == "biased":
        terms = chain([short(before), say("score")], "+", [_inner(more), say("bias of the distance")])
        note = say("The bias is learnt, one for each head and distance; distant keys share one.")
        return [*terms, *_result(step, row, column)], note
    terms = chain([short(before), say("what came in")], "+", [_inner(more), say("what the sub-layer adds")])
    note = say("The residual connection: the sub-layer changes the vector, it does not replace it.")
    return [*terms, *_result(step, row, column)], note


def _mean(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    values = step.parts[0].values[row].tolist()
    written = [[_inner(value), str(place)] for place, value in enumerate(values, 1)]
    terms = _added(written, values, later("other number"))
    size = [str(len(values)), count(len(values), "number")]
    return [*chain("(", *terms, ")", "÷", size), *_result(step, row, column, "μ")], say("The mean of this row.")


def _variance(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    values, mean = step.parts[0].values[row].tolist(), float(step.parts[1].values[row, 0])
    squares = [(value - mean) ** 2 for value in values]
    written = [[f"({short(value)} − {_inner(mean)})²", str(place)] for place, value in enumerate(values, 1)]
    terms = chain("(", *_added(written, squares, later("other square")), ")", "÷", str(len(values)))
    note = say("The mean square of the distances from μ.")
    if len(values) == 1:
        note = say(
            "The mean square of the distances from μ. One number is its own mean: the variance is 0, and all that is "
            "left after the division is β."
        )
    return [*terms, *_result(step, row, column, "σ²")], note


def _normalise(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    values, mean, variance = (part.values for part in step.parts)
    below = float(variance[row, 0])
    terms = chain(
        [f"({short(float(values[row, column]))} − {_inner(float(mean[row, 0]))})", "x − μ"],
        "÷",
        [f"√({short(below)} + ε)", f"= {math.sqrt(below + step.number):.4f}"],
    )
    note = say("ε = {epsilon:g} keeps a row of equal numbers from a division by zero.", epsilon=step.number)
    return [*terms, *_result(step, row, column)], note


def _square(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    values = step.parts[0].values[row].tolist()
    written = [[f"{_inner(value)}²", str(place)] for place, value in enumerate(values, 1)]
    squares = [value**2 for value in values]
    terms = chain("(", *_added(written, squares, later("other square")), ")", "÷", str(len(values)))
    return [*terms, *_result(step, row, column)], say("The mean square of this row: no mean is taken away before.")


def _rms(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    value, square = float(step.parts[0].values[row, column]), float(step.parts[1].values[row, 0])
    below = [f"√({short(square)} + ε)", f"= {math.sqrt(square + step.number):.4f}"]
    note = say("ε = {epsilon:g} keeps a row of zeros from a division by zero.", epsilon=step.number)
    return [*chain([short(value), "x"], "÷", below), *_result(step, row, column)], note


def _scale(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    normal, gamma, *shift = step.parts
    terms = chain(
        [short(float(gamma.values[0, column])), "γ"],
        "×",
        [_inner(float(normal.values[row, column])), say("normalised")],
    )
    if not shift:
        note = say("γ is learnt, one for each dimension, the same for every row.")
        return [*terms, *_result(step, row, column)], note
    terms += chain("+", [_inner(float(shift[0].values[0, column])), "β"])
    note = say("γ and β are learnt, one pair for each dimension, the same for every row.")
    return [*terms, *_result(step, row, column)], note


def _times(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    active, gate = (float(part.values[row, column]) for part in step.parts)
    terms = chain([short(active), say("activation")], "×", [_inner(gate), say("gate")])
    note = say("The gate says how much of this number passes on, and with which sign.")
    return [*terms, *_result(step, row, column)], note


def _gelu(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    before = float(step.parts[0].values[row, column])
    terms = chain([short(before), "x"], "×", f"Φ({short(before)})")
    note = say("Φ is the share of a standard normal distribution below x.")
    if step.kind == "gelu_tanh":
        note = say("Φ is the share of a standard normal distribution below x, here by tanh.")
    return [*terms, *_result(step, row, column)], note


def _silu(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    before = float(step.parts[0].values[row, column])
    terms = chain([short(before), "x"], "÷", f"(1 + e^{_inner(-before)})")
    return [*terms, *_result(step, row, column)], say("x times the logistic function of x.")


def _relu(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    before = float(step.parts[0].values[row, column])
    note = say("Negative numbers become 0.") if before < 0 else say("A number above 0 stays.")
    return [*chain("max", f"(0, {short(before)})"), *_result(step, row, column)], note


def _join(step: Step, row: int, column: int) -> tuple[list[Term], str]:
    (part, [(_, inside)]) = step.feeds(row, column)[0]
    head = say("head {head}, column {column}", head=step.parts.index(part) + 1, column=inside + 1)
    return [[short(float(step.values[row, column])), head]], say("The outputs of the heads stand side by side.")


_gelu_tanh = _gelu
