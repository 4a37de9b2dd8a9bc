"""Words and pictures of the attention lab, computed from numbers that can be checked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.explain.attention_lab.block import block, random_maps
from core.explain.attention_lab.lab import Inputs, ScaleEffect, attention, scale_effect, step
from core.explain.attention_lab.pitfalls import FIXED, MASKED, Pitfall
from core.explain.attention_lab.presets import PRESETS
from core.figures.attention_lab import block as lab_block
from core.figures.attention_lab import words
from core.figures.attention_lab.lab import scale_picture
from core.figures.attention_lab.pitfalls import LESSONS, finding
from tests.closeness import printed
from tests.figures.drawing import drawn


def test_captions_follow_the_matrices(snapshot):
    other = Inputs(np.array([[5.0]]), np.array([[1.0], [0.0]]), np.array([[2.0], [4.0]]), np.array([[0.0, 1.0]]))
    every = (PRESETS["reports"].inputs, other, PRESETS["hidden"].inputs)
    # Scores are compared by their last query: e^1.118 ÷ 11.954.
    found = {name: attention(PRESETS["masked"].inputs, name) for name in ("dot", "scaled")}
    captions = [words.attention_caption(attention(inputs)) for inputs in every]
    assert drawn(*captions, words.scoring_caption(found)) == snapshot


def test_the_table_has_every_number_and_what_was_printed():
    preset = PRESETS["reports"]
    steps = attention(preset.inputs)
    table = words.step_table(steps, preset)
    place = list(zip(table["Step"], table["Row"], table["Column"], strict=True)).index(("Softmax", 2, 1))
    printed(table["Value"][place], 0.42693, 5)
    assert (table["In the original"][place], table["Agrees"][place]) == (0.43, True)
    assert len(table["Value"]) == sum(each.values.size for each in steps)
    assert "In the original" not in words.step_table(steps)
    # Agreement is counted.
    preset = PRESETS["masked"]
    for inputs, scoring, counts in [
        (preset.inputs, "dot", (6, 6)), (preset.inputs, "scaled", (1, 6)),  # 1.0 in the first row
        (PRESETS["reports"].inputs, "scaled", (0, 0)),  # another shape: nothing to compare
    ]:  # fmt: skip
        assert words.printed_counts(attention(inputs, scoring), preset) == counts


def test_every_step_has_its_words():
    maps = random_maps(4, 2, 6, 0, memory=4)
    x = np.ones((3, 4))
    every = [*block(maps, x, [np.ones((3, 3))] * 2, x)]
    for scoring in ("scaled", "multiplicative", "additive"):
        every += attention(PRESETS["slides"].inputs, scoring)
    for each in every:
        assert words.title(each) and isinstance(words.formula(each, "additive"), str)
        assert (words.source_key(each) is None) == (each.kind == "given")
        assert [len(labels) for labels in words.axes(each)] == list(each.values.shape)
    titles = {each.name: words.title(each) for each in every}
    assert [titles[f"self/{name}"] for name in ("W_query2", "weights1")] == ["W_Q 2", "Softmax 1"]
    assert titles["feed/b_contract"] == "b_2"


def test_a_block_is_drawn_in_parts_with_its_caption(snapshot):
    steps = block(random_maps(4, 1, 6, 0), np.ones((2, 4)), [np.ones((2, 2))])
    names = [each.name for each in steps if lab_block.is_shown(each, inside=False, weights=False)]
    assert drawn(names, [each.name for each in lab_block.leaving(steps)]) == snapshot
    assert all(lab_block.is_shown(each, inside=True, weights=True) for each in steps)
    x = np.array([[1.0, 3.0]])
    steps = block(random_maps(2, 1, 4, 0), x, [np.ones((1, 1))])
    caption = lab_block.block_caption(steps)
    assert caption.startswith("Row 1 comes in as (1.00, 3.00) and leaves as (")
    assert "variance goes 1.00 → 1.00 → 1.00" in caption
    cut = int((step(steps, "feed/relu").values == 0).sum())
    assert caption.endswith(f"the ReLU sets {cut} of 4 numbers to 0.")
    assert lab_block.block_caption(block(random_maps(2, 1, 4, 0), 2 * x, [np.ones((1, 1))])) != caption


def test_both_orders_in_one_picture():
    x, maps = np.array([[1.0, 3.0], [0.0, 4.0]]), random_maps(2, 1, 4, 1)
    blocks = {norm: block(replace(maps, norm=norm), x, [np.ones((2, 2))]) for norm in ("post", "pre")}
    picture = lab_block.norms_picture(blocks)
    assert [trace.name for trace in picture.figure.data] == ["Post-norm"] * 2 + ["Pre-norm"] * 2
    assert picture.figure.data[1].y[0] == picture.figure.data[3].y[0] == 4  # (0, 4): mean 2, distance 2
    last = blocks["pre"][-1].values
    assert picture.figure.data[2].y[-1] == pytest.approx(last[0].var())
    assert f"{last.var(axis=1).mean():.2f}; x itself stays in the sum" in picture.caption.replace("−", "-")
    assert picture.table["After"] == ["x"] * 2 + ["Self-attention"] * 2 + ["Feed-forward network"] * 2
    assert picture.table["Pre-norm: variance"][-1] == pytest.approx(last[1].var())


def test_the_scale_picture_says_what_it_shows(snapshot):
    effect = ScaleEffect(
        (1, 64), 4, np.float32([1, 62]), np.float32([[1.2, 1.25], [1.2, 0.1]]), np.float32([[0.4, 0.42], [0.4, 0.93]])
    )
    assert drawn(scale_picture(effect)) == snapshot
    assert "nothing to share out" in scale_picture(scale_effect(1, 0, 3, (1, 2))).caption


def test_findings_are_computed(snapshot):
    wrong = {"wrong": 0.9, "right": 0, "queries": 2}
    assert drawn(*(finding(name, Pitfall((), (), numbers)) for name, numbers in [
        ("convention", wrong), ("cross", wrong | {"wrong": 0.4, "queries": 1}), ("look_ahead", wrong | {"wrong": 0}),
        ("unapplied", wrong | {"wrong": 0, "queries": 0}), ("query_mask", wrong | {"same": 0}),
        ("query_mask", wrong | {"same": 0.2}), ("words", {"forms": 4, "ids": 4}),
    ])) == snapshot  # fmt: skip
    # Every pitfall has a lesson and a finding.
    for name in [*MASKED, *FIXED]:
        pitfall = MASKED[name](PRESETS["reports"].inputs) if name in MASKED else FIXED[name]()
        assert LESSONS[name].title and finding(name, pitfall).endswith("."), name
