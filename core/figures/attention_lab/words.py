"""What the steps of the attention lab are called, what they compute, and which line of our source does it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.explain.attention_lab.presets import Preset, agrees
from core.explain.attention_lab.steps import BLOCKED, Matrix, Step
from core.figures.shared.files import table_of
from core.figures.shared.wording import listed, percent, vector
from core.files import table
from core.words import later, say

_TABLE = table(__file__)
STAGES: Mapping[str, Mapping[str, Any]] = _TABLE["stages"]
"""Title, formula and place in our source of each stage."""
FORMULAS = {"multiplicative": "s W · Kᵀ", "additive": "vᵀ tanh(W₁h + W₂s)"}
GROUPS: Mapping[str, str] = _TABLE["groups"] | {"": ""}


def title(step: Step) -> str:
    """Return the name of a step with the number of its head; of a weight of a block, its symbol."""
    head = step.name.removeprefix(f"{step.group}/").removeprefix(step.stage)
    if is_rms(step):
        return "RMSNorm"
    if stage := STAGES.get(step.stage):
        return _as_made(f"{stage.get('symbol') or say(stage['name'])} {head}".strip(), step)
    kind, _, part = step.stage.partition("_")
    return f"{kind}_{STAGES[part]['weight']} {head}".strip()


def formula(step: Step, scoring: str = "scaled") -> str:
    """Return what a step computes, as a formula."""
    if step.stage == "scores" and scoring in FORMULAS:
        return FORMULAS[scoring]
    if step.kind == "divide":
        return say("scores ÷ √{width:g}", width=step.number)
    stage = STAGES.get(step.stage, {})
    if step.kind == "given" and "given" not in stage:
        return ""
    return say("γ × normalised") if is_rms(step) else _as_made(stage.get("formula") or say(stage["does"]), step)


def is_rms(step: Step) -> bool:
    """Return whether a step is the last one of RMS normalisation."""
    return step.kind == "scale" and len(step.parts) == 2


def _as_made(text: str, step: Step) -> str:
    """Leave the bias out of the text of a product without one."""
    return re.sub(r"( \+|,) b\S*", "", text) if step.kind == "product" and len(step.parts) == 2 else text


def source_key(step: Step, scoring: str = "scaled") -> str | None:
    """Return the key of the source line that computes a step, None for an input."""
    if step.kind == "given":
        return None
    if step.stage == "scores" and scoring in FORMULAS:
        return scoring
    if is_rms(step):
        return "rms norm"
    return str(STAGES[step.stage]["source"])


def axes(step: Step) -> tuple[list[str], list[str]]:
    """Labels of rows and columns: q1, q2, … and k1, k2, … between queries and keys, otherwise numbers from 1."""
    rows, columns = step.values.shape
    letters = {"query": "q", "key": "k", "value": "v", "output": "q", "projected": "q", "mapped_query": "q",
               "mapped_key": "k"}  # fmt: skip
    down, across = ("q", "k") if "between" in STAGES.get(step.stage, {}) else (letters.get(step.stage, ""), "")
    return [f"{down}{place}" for place in range(1, rows + 1)], [f"{across}{place}" for place in range(1, columns + 1)]


def attention_caption(steps: Sequence[Step]) -> str:
    """Say where every query looks most, and what the first output is."""
    by_name = {step.name: step for step in steps}
    weights, masked = by_name["weights"].values, by_name["masked"].values
    parts = []
    for row in range(len(weights)):
        if np.all(masked[row] == BLOCKED):
            parts.append(say("{query} may look nowhere and takes the mean of all values", query=f"q{row + 1}"))
        else:
            parts.append(most(row, weights[row]))
    return say(
        "{queries}; the first output is {output}.", queries=listed(parts), output=vector(by_name["output"].values[0])
    )


def most(row: int, weights: Matrix) -> str:
    """Say where one query looks: q1 looks most at k1 (43 %), or equally at k1 and k2 (50 % each)."""
    keys, share = _largest(weights)
    if len(keys) == 1:
        return say("{query} looks most at {key} ({share})", query=f"q{row + 1}", key=keys[0], share=share)
    return say("{query} looks equally at {keys} ({share} each)", query=f"q{row + 1}", keys=listed(keys), share=share)


def _largest(weights: Matrix) -> tuple[list[str], str]:
    """Return the keys with the largest weight, and the weight."""
    best = np.nonzero(np.isclose(weights, weights.max()))[0]
    return [f"k{key + 1}" for key in best], percent(float(weights.max()))


def scoring_caption(by_score: Mapping[str, Sequence[Step]]) -> str:
    """Say where the last query looks under each score, by the name of the score."""
    weights = {name: next(step for step in steps if step.stage == "weights").values for name, steps in by_score.items()}
    parts = []
    for name, values in weights.items():
        keys, share = _largest(values[-1])
        if len(keys) == 1:
            parts.append(say("most at {key} ({share}) by {score}", key=keys[0], share=share, score=name))
        else:
            parts.append(say("equally at {keys} ({share} each) by {score}", keys=listed(keys), share=share, score=name))
    return say("{query} looks {places}.", query=f"q{len(next(iter(weights.values())))}", places=listed(parts))


def printed_counts(steps: Sequence[Step], preset: Preset) -> tuple[int, int]:
    """How many of the printed numbers agree with ours, and how many there are; (0, 0) where the shapes differ."""
    agreeing = total = 0
    for step in steps:
        for row, values in enumerate(preset.printed.get(step.name, ())):
            for column, value in enumerate(values):
                if value is None or not fits(step, preset):
                    continue
                total += 1
                agreeing += agrees(float(step.values[row, column]), value, preset.decimals)
    return agreeing, total


def fits(step: Step, preset: Preset) -> bool:
    """Whether what was printed for a step has its shape."""
    rows = preset.printed.get(step.name, ())
    return bool(rows) and (len(rows), len(rows[0])) == step.values.shape


def step_table(steps: Sequence[Step], preset: Preset | None = None) -> dict[str, list[Any]]:
    """Every number of some steps, a row each; with what was printed, if a preset has anything of it."""
    rows: list[tuple[Any, ...]] = []
    for step in steps:
        printed = preset.printed[step.name] if preset and fits(step, preset) else None
        where, name = say(GROUPS.get(step.group, step.group)), title(step)
        for (row, column), value in np.ndenumerate(step.values):
            known = printed[row][column] if printed else None
            same = None if known is None or preset is None else agrees(float(value), known, preset.decimals)
            heading = f"{where}: {name}" if where else name
            rows.append((heading, row + 1, column + 1, float(value), known, same))
    headings = [later("Step"), later("Row"), later("Column"), later("Value"), later("In the original"), later("Agrees")]
    return table_of(headings if any(known is not None for *_, known, _ in rows) else headings[:4], rows)
