"""What the steps of the attention lab are called, what they compute, and which line of our source does it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.explain.lab_presets import Preset, agrees
from core.explain.lab_steps import BLOCKED, Matrix, Step
from core.figures.wording import listed, number, percent

TITLES: Mapping[str, tuple[str, str]] = {
    "query": ("Q", "x · W_Q + b_Q"),
    "key": ("K", "x · W_K + b_K"),
    "value": ("V", "x · W_V + b_V"),
    "mask": ("Mask", "1 = attend"),
    "scores": ("Scores", "Q · Kᵀ"),
    "scaled": ("Scaled", "scores ÷ √d"),
    "bias": ("Bias", "by distance"),
    "biased": ("Biased", "scores + bias"),
    "masked": ("Masked", "blocked → −10⁹"),
    "weights": ("Softmax", "eˢ ÷ Σ eˢ, row by row"),
    "output": ("Output", "weights · V"),
    "W": ("W", ""),
    "projected": ("s W", "Q · W"),
    "key_map": ("W₁", ""),
    "query_map": ("W₂", ""),
    "mapped_query": ("W₂ s", "Q · W₂ᵀ"),
    "mapped_key": ("W₁ h", "K · W₁ᵀ"),
    "vector": ("v", ""),
    "x": ("x", "what comes in"),
    "memory": ("Memory", "the encoder's output"),
    "head": ("Head", "weights · V"),
    "heads": ("Heads", "side by side"),
    "attended": ("Attention", "heads · W_O + b_O"),
    "sum": ("Residual", "x + sub-layer"),
    "mean": ("Mean μ", "of each row"),
    "variance": ("Variance σ²", "of each row"),
    "normal": ("Normalised", "(x − μ) ÷ √(σ² + ε)"),
    "gamma": ("γ", "learnt"),
    "beta": ("β", "learnt"),
    "square": ("Mean of x²", "of each row"),
    "rms": ("Normalised", "x ÷ √(mean of x² + ε)"),
    "norm": ("LayerNorm", "γ × normalised + β"),
    "expand": ("W₁, b₁", "x · W₁ + b₁"),
    "relu": ("ReLU", "max(0, x)"),
    "gelu": ("GELU", "x · Φ(x)"),
    "gelu_tanh": ("GELU by tanh", "½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))"),
    "silu": ("SiLU", "x ÷ (1 + e⁻ˣ)"),
    "gate": ("Gate", "x · W₃ + b₃"),
    "gated": ("Gated", "activation × gate"),
    "contract": ("Feed-forward", "· W₂ + b₂"),
    "positions": ("Positions", "a row a position"),
    "ids": ("Ids", "a word a column"),
}
"""Title and formula of each stage."""
FORMULAS = {"multiplicative": "s W · Kᵀ", "additive": "vᵀ tanh(W₁h + W₂s)"}
SOURCES: Mapping[str, str] = {
    **{name: name for name in ("scores", "scaled", "masked", "weights", "output")},
    **{name: name for name in ("head", "heads", "attended", "sum", "mean", "variance", "normal", "norm", "biased")},
    "square": "mean square",
    "rms": "rms",
    "query": "projection",
    "key": "memory projection",
    "value": "memory projection",
    **dict.fromkeys(("expand", "relu", "gelu", "gelu_tanh", "silu"), "feed forward"),
    "contract": "contract",
    **dict.fromkeys(("gate", "gated"), "gate"),
    **dict.fromkeys(("projected", "mapped_query", "mapped_key"), "multiplicative"),
}
"""The key of `source_lines.PLACES` of each computed stage."""
SAID = ("x", "memory", "mask", "bias", "gamma", "beta", "positions", "ids")
"""Given matrices with a line below their titles."""
SYMBOLS = {"query": "Q", "key": "K", "value": "V", "output": "O", "expand": "1", "contract": "2", "gate": "3"}
"""What stands after the W or b of a block's weight."""
GROUPS = {"self": "Self-attention", "cross": "Cross-attention", "feed": "Feed-forward network", "": ""}
BETWEEN = ("mask", "scores", "scaled", "bias", "biased", "masked", "weights")
"""Stages with a row a query and a column a key."""


def title(step: Step) -> str:
    """What a step is called, with the number of its head; a weight of a block by its symbol."""
    head = step.name.removeprefix(f"{step.group}/").removeprefix(step.stage)
    if is_rms(step):
        return "RMSNorm"
    if step.stage in TITLES:
        return _as_made(f"{TITLES[step.stage][0]} {head}".strip(), step)
    kind, _, part = step.stage.partition("_")
    return f"{kind}_{SYMBOLS[part]} {head}".strip()


def formula(step: Step, scoring: str = "scaled") -> str:
    """What a step computes."""
    if step.stage == "scores" and scoring in FORMULAS:
        return FORMULAS[scoring]
    if step.kind == "divide":
        return f"scores ÷ √{step.number:g}"
    if step.kind == "given" and step.stage not in SAID:
        return ""
    return "γ × normalised" if is_rms(step) else _as_made(TITLES[step.stage][1], step)


def is_rms(step: Step) -> bool:
    """Return whether a step is the last one of RMS normalisation."""
    return step.kind == "scale" and len(step.parts) == 2


def _as_made(text: str, step: Step) -> str:
    """Leave out the bias of a product that has none."""
    return re.sub(r"( \+|,) b\S*", "", text) if step.kind == "product" and len(step.parts) == 2 else text


def source_key(step: Step, scoring: str = "scaled") -> str | None:
    """Where to look up the line that computes a step, None for what is given."""
    if step.kind == "given":
        return None
    if step.stage == "scores" and scoring in FORMULAS:
        return scoring
    if is_rms(step):
        return "rms norm"
    return SOURCES[step.stage]


def axes(step: Step) -> tuple[list[str], list[str]]:
    """Labels of rows and columns: q1, q2, … and k1, k2, … between queries and keys, otherwise numbers from 1."""
    rows, columns = step.values.shape
    letters = {"query": "q", "key": "k", "value": "v", "output": "q", "projected": "q", "mapped_query": "q",
               "mapped_key": "k"}  # fmt: skip
    down, across = ("q", "k") if step.stage in BETWEEN else (letters.get(step.stage, ""), "")
    return [f"{down}{place}" for place in range(1, rows + 1)], [f"{across}{place}" for place in range(1, columns + 1)]


def attention_caption(steps: Sequence[Step]) -> str:
    """Where every query looks most, and what comes out for the first."""
    found = {each.name: each for each in steps}
    weights, masked = found["weights"].values, found["masked"].values
    parts = []
    for row in range(len(weights)):
        if np.all(masked[row] == BLOCKED):
            parts.append(f"q{row + 1} may look nowhere and takes the mean of all values")
        else:
            parts.append(f"q{row + 1} looks {most(weights[row])}")
    return f"{listed(parts)}; the first output is {vector(found['output'].values[0])}."


def most(weights: Matrix) -> str:
    """Where one query looks: most at k1 (43 %), or equally at k1 and k2 (50 % each)."""
    best = np.nonzero(np.isclose(weights, weights.max()))[0]
    share = percent(float(weights.max()))
    if len(best) == 1:
        return f"most at k{best[0] + 1} ({share})"
    return f"equally at {listed([f'k{key + 1}' for key in best])} ({share} each)"


def scoring_caption(found: Mapping[str, Sequence[Step]]) -> str:
    """Where the last query looks under each score, by the score's name."""
    weights = {name: next(step for step in steps if step.stage == "weights").values for name, steps in found.items()}
    parts = [f"{most(values[-1])} by {name}" for name, values in weights.items()]
    return f"q{len(next(iter(weights.values())))} looks {listed(parts)}."


def vector(values: Matrix) -> str:
    """Numbers in a sentence: (0.31, 0.84)."""
    return f"({', '.join(number(float(value)) for value in values)})"


def printed_counts(steps: Sequence[Step], preset: Preset) -> tuple[int, int]:
    """How many of the printed numbers agree with ours, and how many there are; (0, 0) where the shapes differ."""
    agreeing = total = 0
    for each in steps:
        for row, values in enumerate(preset.printed.get(each.name, ())):
            for column, value in enumerate(values):
                if value is None or not fits(each, preset):
                    continue
                total += 1
                agreeing += agrees(float(each.values[row, column]), value, preset.decimals)
    return agreeing, total


def fits(step: Step, preset: Preset) -> bool:
    """Whether what was printed for a step has its shape."""
    rows = preset.printed.get(step.name, ())
    return bool(rows) and (len(rows), len(rows[0])) == step.values.shape


def step_table(steps: Sequence[Step], preset: Preset | None = None) -> dict[str, list[Any]]:
    """Every number of some steps, a row each; with what was printed, if a preset has anything of it."""
    table: dict[str, list[Any]] = {name: [] for name in ("Step", "Row", "Column", "Value", "Original", "Agrees")}
    for each in steps:
        printed = preset.printed[each.name] if preset and fits(each, preset) else None
        where = GROUPS.get(each.group, each.group)
        for (row, column), value in np.ndenumerate(each.values):
            known = printed[row][column] if printed else None
            table["Step"].append(f"{where}: {title(each)}" if where else title(each))
            table["Row"].append(row + 1)
            table["Column"].append(column + 1)
            table["Value"].append(float(value))
            table["Original"].append(known)
            same = None if known is None or preset is None else agrees(float(value), known, preset.decimals)
            table["Agrees"].append(same)
    if not any(value is not None for value in table["Original"]):
        del table["Original"], table["Agrees"]
    return table
