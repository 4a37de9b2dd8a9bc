"""The tree of branches, and the race of two."""

from dataclasses import replace

from core.explain.decoding.branches import Branch, Branches, Fork
from core.figures.decoding.branches import branch_tree, race
from core.figures.shared.picture import Picture
from tests.figures.conftest import cannot_draw, notes, said, step
from tests.figures.drawing import drawn

ROOT = Branch((), "Original", "the cat sat", (1, 2, 3), (" the", " cat", " sat"), (-1.0, -2.0, -3.0), True)
FORK = Branch((Fork(1, (4,)),), "With <dog>", "the dog", (1, 4), (" the", " dog"), (-1.0, -2.0), True)
LATE = Branch((Fork(2, (5,)),), "Late", "the cat ran", (1, 2, 5), (" the", " cat", " ran"), (-1.0, -2.0, -6.0), True)


def tree(*branches: Branch) -> Picture:
    return branch_tree(Branches(branches), (), 1.0)


def test_the_caption_names_the_likeliest_branch_per_token_and_a_branch_starts_at_its_fork(snapshot):
    # Only the own words stand over a branch, on three lines at most.
    long = tree(replace(ROOT, text=" ".join(["word"] * 60)))
    assert drawn(tree(ROOT, FORK, LATE), said(tree(ROOT)), notes(long)) == snapshot
    cannot_draw(r"Received: 2 with \[3, 0\] tokens", tree, ROOT, replace(FORK, tokens=()))


def test_a_race_says_where_they_part_and_who_is_ahead(snapshot):
    first = [step("the", 0.5, 1), step("cat", 0.5, 1, id=10), step(".", 0.5, 1)]
    second = [step("the", 0.5, 1), step("dog", 0.125, 1, id=11)]
    # 3 ln 2 against 4 ln 2; per token ln 2 against 2 ln 2. The longer branch can be ahead per token only.
    longer = race([step("a", 0.25, 1)], [step("a", 0.25, 1), step("b", 0.9, 1)], ("A", "B"), (0, 1))
    equal = race([step("a", 0.5, 1)], [step("a", 0.5, 1)], ("A", "B"), (0, 1))
    assert drawn(race(first, second, ("A", "B"), (0, 1)), said(longer), equal) == snapshot
    cannot_draw("Received: 0 and 1", race, [], [step("a", 0.5, 1)], ("A", "B"), (0, 1))
