"""The tree of branches, and the race of two."""

import math
from dataclasses import replace

import pytest

from core.figures.branches import BranchLine, branch_tree, race
from tests.figures.conftest import notes, said, step

ROOT = BranchLine("Original", -1, 0, "the cat sat", (" the", " cat", " sat"), (-1.0, -2.0, -3.0), -2.0, True)
FORK = BranchLine("With <dog>", 0, 1, "the dog", (" the", " dog"), (-1.0, -2.0), -1.5, False)
LATE = BranchLine("Late", 0, 2, "the cat ran", (" the", " cat", " ran"), (-1.0, -2.0, -6.0), -3.0, False)


def test_the_caption_names_the_likeliest_branch_per_token_and_a_branch_starts_at_its_fork():
    picture = branch_tree([ROOT, FORK, LATE])
    assert picture.caption == (
        "Of 3 branches, “With <dog>” has the highest log-probability per token, −1.50 (score −1.50); "
        "next is “Original” with −2.00."
    )
    assert said(branch_tree([ROOT])) == "One branch so far, “Original”: log P is −6.00 nats, −2.00 nats a token."
    table = branch_tree([ROOT, FORK]).table
    assert table["Name"] == ["Original", "With <dog>"] and table["Leaves"] == ["", "Original"]
    assert table["At step"] == [1, 2] and table["Tokens"] == [3, 2]
    assert table["Log-probability (nats)"] == [-6.0, -3.0] and table["Per token (nats)"] == [-2.0, -1.5]
    # Later forks come first.
    traces = [trace for trace in picture.figure.data if trace.mode == "lines+markers"]
    assert [trace.customdata[0] for trace in traces] == [0, 2, 1]
    assert [list(trace.x) for trace in traces] == [[0, 1, 2, 3], [2, 3], [1, 2]]
    assert traces[0].line.width > traces[1].line.width
    assert [trace.y[0] for trace in traces] == sorted(trace.y[0] for trace in traces)
    # Only the own words stand over a branch, on three lines at most.
    texts = notes(picture)
    assert texts[0] == "<b>Original</b> · shown now · −2.00 a token<br>the cat sat"
    assert texts[1].endswith("<br>… ran") and texts[2] == "<b>With &lt;dog&gt;</b> · −1.50 a token<br>… dog"
    (note,) = notes(branch_tree([replace(ROOT, text=" ".join(["word"] * 60))]))
    own = note.split("<br>")[1:]
    assert len(own) == 3 and all(len(line) <= 44 for line in own) and own[-1].endswith("…")
    with pytest.raises(ValueError, match=r"Received: 2 with \[3, 0\] tokens"):
        branch_tree([ROOT, replace(FORK, tokens=())])


def test_a_race_says_where_they_part_and_who_is_ahead():
    first = [step("the", 0.5, 1), step("cat", 0.5, 1, id=10), step(".", 0.5, 1)]
    second = [step("the", 0.5, 1), step("dog", 0.125, 1, id=11)]
    picture = race(first, second, ("A", "B"))
    # 3 ln 2 against 4 ln 2; per token ln 2 against 2 ln 2
    assert said(picture) == (
        "They part at step 2 (“cat” against “dog”); at the end “A” is ahead by 0.69 nats, "
        "and also per token, by 0.69 nats."
    )
    (band,) = picture.figure.layout.shapes
    assert (band.x0, band.x1) == (1.5, 2.5)
    assert list(picture.figure.data[1].y) == pytest.approx([0, -math.log(2), -4 * math.log(2)])
    assert list(picture.figure.data[0].customdata) == [0, 0, 1, 2]
    assert picture.table["Branch"] == ["A", "A", "A", "B", "B"]
    # The longer branch can be ahead per token only.
    longer = said(race([step("a", 0.25, 1)], [step("a", 0.25, 1), step("b", 0.9, 1)], ("A", "B")))
    assert "“A” is ahead by 0.11 nats, but “B” is per token" in longer
    equal = race([step("a", 0.5, 1)], [step("a", 0.5, 1)], ("A", "B"))
    assert said(equal) == "“A” and “B” say the same, with −0.69 nats." and not equal.figure.layout.shapes
    with pytest.raises(ValueError, match="Received: 0 and 1"):
        race([], [step("a", 0.5, 1)], ("A", "B"))
