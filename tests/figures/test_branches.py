"""The tree of branches, and the race of two."""

import math
from dataclasses import replace

import pytest

from core.figures.branches import BranchLine, branch_tree, race
from tests.figures.conftest import said, step

ROOT = BranchLine("Original", -1, 0, "the cat sat", (" the", " cat", " sat"), (-1.0, -2.0, -3.0), -2.0, True)
FORK = BranchLine("With <dog>", 0, 1, "the dog", (" the", " dog"), (-1.0, -2.0), -1.5, False)
LATE = BranchLine("Late", 0, 2, "the cat ran", (" the", " cat", " ran"), (-1.0, -2.0, -6.0), -3.0, False)


def lines(picture):
    return [trace for trace in picture.figure.data if trace.mode == "lines+markers"]


def test_the_caption_and_the_table_of_branches():
    # The caption names the likeliest branch per token.
    assert branch_tree([ROOT, FORK, LATE]).caption == (
        "Of 3 branches, “With <dog>” has the highest log-probability per token, −1.50 (score −1.50); "
        "next is “Original” with −2.00."
    )
    assert said(branch_tree([ROOT])) == "One branch so far, “Original”: log P is −6.00 nats, −2.00 nats a token."
    # The table of branches.
    table = branch_tree([ROOT, FORK]).table
    assert table["Name"] == ["Original", "With <dog>"] and table["Leaves"] == ["", "Original"]
    assert table["At step"] == [1, 2] and table["Tokens"] == [3, 2]
    assert table["Log-probability (nats)"] == [-6.0, -3.0] and table["Per token (nats)"] == [-2.0, -1.5]
    # Branches without tokens are refused.
    with pytest.raises(ValueError, match=r"Received: 2 with \[3, 0\] tokens"):
        branch_tree([ROOT, replace(FORK, tokens=())])


def test_a_branch_starts_at_its_fork_with_its_own_words():
    # A branch starts at its fork and later forks come first.
    traces = lines(branch_tree([ROOT, FORK, LATE]))
    assert [trace.customdata[0] for trace in traces] == [0, 2, 1]
    assert [list(trace.x) for trace in traces] == [[0, 1, 2, 3], [2, 3], [1, 2]]
    assert traces[0].line.width > traces[1].line.width
    assert [trace.y[0] for trace in traces] == sorted(trace.y[0] for trace in traces)
    # Only the own words stand over a branch.
    texts = [note.text for note in branch_tree([ROOT, FORK, LATE]).figure.layout.annotations]
    assert texts[0] == "<b>Original</b> · shown now · −2.00 a token<br>the cat sat"
    assert texts[1].endswith("<br>… ran") and texts[2] == "<b>With &lt;dog&gt;</b> · −1.50 a token<br>… dog"
    # Long texts end after three lines.
    text = " ".join(["word"] * 60)
    (note,) = branch_tree([replace(ROOT, text=text)]).figure.layout.annotations
    own = note.text.split("<br>")[1:]
    assert len(own) == 3 and all(len(line) <= 44 for line in own) and own[-1].endswith("…")


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
    first, second = [step("a", 0.25, 1)], [step("a", 0.25, 1), step("b", 0.9, 1)]
    assert "“A” is ahead by 0.11\u00a0nats, but “B” is per token" in race(first, second, ("A", "B")).caption
    # Equal branches do not part.
    picture = race([step("a", 0.5, 1)], [step("a", 0.5, 1)], ("A", "B"))
    assert picture.caption == "“A” and “B” say the same, with −0.69\u00a0nats." and not picture.figure.layout.shapes
    with pytest.raises(ValueError, match="Received: 0 and 1"):
        race([], [step("a", 0.5, 1)], ("A", "B"))
