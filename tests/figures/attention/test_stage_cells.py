"""The stages of one head: arithmetic that adds up, on arrays worked out by hand."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from core.explain.attention.inside import HeadStages
from core.figures.attention.stage_cells import stage_cells
from tests.closeness import near
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn


def made(query, keys, values, mask=None, output=(3.0, 4.0), row=0, kind="decoder") -> HeadStages:
    """All that follows from q, k and v."""
    query, keys, values = (np.array(each, dtype=np.float32) for each in (query, keys, values))
    mask = np.ones(len(keys), dtype=bool) if mask is None else np.array(mask, dtype=bool)
    dots = keys @ query
    scaled = dots / math.sqrt(len(query))
    powers = np.where(mask, np.exp(scaled - scaled.max()), 0)
    weights = (powers / powers.sum()).astype(np.float32)
    output = np.array(output, dtype=np.float32)
    return HeadStages(kind, 0, 1, row, query, keys, values, dots, scaled, mask, weights, weights @ values, output)


SMALL = made(
    [2, -1, 0, 1],
    [[1, 1, 5, 3], [0, 2, 1, 2], [3, 0, 0, 0]],
    [[1, 0, 0, 0], [0, 3, 4, 0], [9, 9, 9, 9]],
    [1, 1, 0],
    row=1,
)
"""Dot products 4, 0, 6; scaled 2, 0, 3; the third key is masked; weights e² ÷ (e² + 1) = 0.881 and 0.119."""


def random(keys: int, width: int, seed: int = 3, **options) -> HeadStages:
    draw = np.random.default_rng(seed)
    return made(*(draw.normal(size=size) for size in ((width,), (keys, width), (keys, width))), **options)


def staged(stages: HeadStages, labels=None, chosen=None, shown=16) -> dict:
    return stage_cells(stages, "of", labels or ["x"] * len(stages.keys), chosen, shown)


def value(text: str) -> float:
    """A number or a product as it stands on the screen."""
    return math.prod(float(part.strip("() ").replace("−", "-").replace(",", "")) for part in text.split(" × "))


def written(data, row: int, stage: int) -> list[str]:
    return [text for text, _ in data["rows"][row]["sums"][stage - 2]["terms"]]


def test_the_stages_of_a_key_worked_out_by_hand(snapshot):
    # 2·1 − 1·1 + 0·5 + 1·3 = 4: four products, all written out
    data = staged(SMALL, ("the", "<b>", "the"))
    sums = [" ".join(written(data, row, stage)) for row, stage in ((0, 2), (0, 3), (0, 4), (1, 5))]
    notes = [data["rows"][1]["sums"][3]["note"], data["output"]["sums"][0]["note"]]
    rows = [data["title"], [row["name"] for row in data["rows"]], data["output"]["facts"], data["output"]["largest"]]
    assert drawn(*rows, *sums, data["rows"][0]["sums"][0]["terms"][4][1], *notes) == snapshot
    assert data["best"] == 0 and data["total"]["weight"] == "1.000"
    cannot_draw("Received: 2 for 3 keys", staged, SMALL, ("a", "b"))


def test_a_score_with_a_bias_and_without_the_division(snapshot):
    biased = replace(SMALL, scaled=SMALL.dots, bias=np.float32([0.5, -1, 0]), divides=False, biased=False)
    for data in map(staged, (biased, replace(biased, bias=None))):
        sums = [" ".join(written(data, row, stage)) for row, stage in ((0, 3), (1, 3), (0, 4))]
        rows = [data["headings"][2], [row["score"] for row in data["rows"]], data["axis"]]
        assert drawn(*rows, *sums, data["query"]["sums"][0]["terms"][0]) == snapshot


def test_a_masked_key_says_why_and_has_no_weight(snapshot):
    padded = made([1, 0], [[1, 0], [2, 0]], [[1, 0], [0, 1]], [False, True], row=1)
    for row in (staged(SMALL)["rows"][2], staged(padded)["rows"][0]):
        told = {name: [row[name]] for name in ("masked", "score", "weight", "bar", "dot")}
        assert drawn(told, *(each["note"] for each in row["sums"][1:])) == snapshot


def test_bars_start_at_zero_of_the_axis_and_large_scores_do_not_overflow():
    data = staged(made([1], [[-1], [3]], [[1], [1]]))
    assert data["axis"] == ["−1.00", "3.00"]
    assert [row["bar"] for row in data["rows"]] == [[0, 0.25, True], [0.25, 0.75, False]]
    large = written(staged(made([40, 0], [[20, 0], [10, 0]], [[1, 0], [0, 1]])), 0, 4)
    assert large[4].endswith("× 10²⁴⁵)") and large[-1] == "1.000"


def test_what_is_written_adds_up():
    stages = random(12, 64, mask=[True] * 9 + [False] * 3, row=8)
    data = staged(stages)
    for key, row in enumerate(data["rows"]):
        terms = row["sums"][0]["terms"][1:]
        parts = [value(below.split(": ")[1] if ": " in below else text) for text, below in terms if below]
        assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=0.03)  # five terms
        assert parts[-1] == pytest.approx(float(stages.keys[key] @ stages.query), abs=0.006)  # two digits
        score, soft = written(data, key, 3), written(data, key, 4)
        assert value(score[0]) / 8 == pytest.approx(value(score[-1]), abs=0.006)  # two digits
        # Three digits.
        assert not stages.mask[key] or value(soft[4]) / value(soft[6]) == pytest.approx(value(soft[8]), abs=0.001)
    # Twelve weights of three digits.
    assert sum(value(row["weight"].strip("< ")) for row in data["rows"]) == pytest.approx(1, abs=0.006)


def test_many_keys_share_a_row_and_the_parts_make_the_total():
    stages = random(30, 8)
    data = staged(stages)
    top = sorted(np.argsort(-stages.weights)[:16].tolist())
    assert [row["index"] for row in data["rows"]] == top and data["others"]["name"] == "14 other tokens together"
    assert data["counted"].startswith("16 of 30 keys are shown") and data["more"] == 14
    parts = data["vectors"]["parts"]
    assert parts.shape == (17, 8)
    near(parts.sum(axis=0), stages.weighted, terms=30, depth=2)
    np.testing.assert_array_equal(data["vectors"]["keys"], stages.keys[top])
    shown = sum(float(stages.weights[key]) for key in top)
    assert data["others"]["weight"] == f"{1 - shown:.3f}"
    span = re.fullmatch(r"(\S+) to (\S+)", data["others"]["sums"][0]["terms"][0][0])
    rest = [float(stages.dots[key]) for key in range(30) if key not in top]
    # Two digits.
    assert [value(each) for each in span.groups()] == pytest.approx([min(rest), max(rest)], abs=0.006)
    # A chosen key has a row in any case.
    last = int(np.argmin(stages.weights))
    data = staged(stages, chosen=last)
    assert last in [row["index"] for row in data["rows"]] and len(data["rows"]) == 17
    assert "and the locked one" in data["counted"] and staged(stages, chosen=30)["chosen"] is None
    # Up to 24 keys all have one.
    data = staged(random(24, 4))
    assert len(data["rows"]) == 24 and data["others"] is None and data["more"] == 0
    assert data["counted"] == "All 24 keys are shown, in their order."
