"""The tree of branches: made by hand, worked out on paper."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import END
from core.errors import SettingsError
from core.explain.decoding.branches import Branch, Branches, Fork, Path, branch_of, read_path, write_path
from tests.explain.decoding.test_branch_file import summary
from tests.refusals import refusals

A, B, C, D = 5, 6, 7, 8


def branch(path: Path, name: str, ids: Sequence[int], finished: bool = True) -> Branch:
    words = tuple(f"t{token}" for token in ids)
    return Branch(path, name, " ".join(words), tuple(ids), words, (-0.5,) * len(ids), finished)


ROOT = branch((), "Original", (A, B, C, D, END))
LEFT = branch((Fork(1, (C,)),), "Left", (A, C, END))
LEAF = branch((Fork(1, (C,)), Fork(2, (D, D))), "Leaf", (A, C, D, D, A, END))
RIGHT = branch((Fork(0, (D, A)),), "Right", (D, A, B), finished=False)
STRANGER = branch((Fork(3, (A,)),), "Stranger", (A, B, C, A, END))
TREE = Branches((ROOT, LEFT, LEAF, RIGHT))


def test_a_branch_starts_like_its_parent_and_goes_on_with_the_fork() -> None:
    assert [TREE.find(each.path) for each in TREE.items] == [ROOT, LEFT, LEAF, RIGHT]
    assert TREE.find((Fork(1, (D,)),)) is None and ROOT.log_probability == -2.5
    assert [TREE.parent(each) for each in TREE.items] == [None, ROOT, LEFT, ROOT]
    assert [TREE.prefix(each.path) for each in TREE.items] == [(), (A, C), (A, C, D, D), (D, A)]
    assert TREE.prefix((Fork(4, (A, B)),)) == (A, B, C, D, A, B)  # instead of the end
    # A fork is a path one longer.
    for parent, step, ids in [
        (ROOT, 2, (D,)), (LEAF, 0, (B, B)), (ROOT, 2, (A, END)), (RIGHT, 2, (B, C)),  # after the end of the parent
        (ROOT, 1, (C,)),  # that branch is already there
    ]:  # fmt: skip
        assert TREE.fork_path(parent, step, list(ids)) == (*parent.path, Fork(step, ids))


def test_forks_that_are_refused(snapshot) -> None:
    cases = [(ROOT, step, [A]) for step in (-1, 5, 99, 0)]  # the last one says what is there already
    cases += [(ROOT, 1, [B, C]), (ROOT, 4, [END]), (ROOT, 2, [END, A]), (STRANGER, 1, [D])]
    assert refusals(SettingsError, TREE.fork_path, cases) == snapshot


def test_a_full_tree_takes_no_more_but_newer_versions() -> None:
    tree = Branches((ROOT,))
    for number in range(23):
        tree = tree.add(branch((Fork(0, (20 + number,)),), f"Branch {number + 1}", (20 + number, END)))
    with pytest.raises(SettingsError, match="already 24 branches, the largest number. Prune one first"):
        tree.fork_path(ROOT, 0, [99])
    assert tree.fork_path(ROOT, 0, [20]) == (Fork(0, (20,)),)  # what it has is shown
    assert tree.prune((Fork(0, (20,)),)).fork_path(ROOT, 0, [99]) == (Fork(0, (99,)),)
    newer = branch(LEFT.path, "Left again", (A, C, B, END))
    assert TREE.add(newer).items == (ROOT, newer, LEAF, RIGHT)
    assert TREE.add(STRANGER).items == (*TREE.items, STRANGER)
    # Pruning takes all that leave the branch.
    for path, left in ((LEFT.path, (ROOT, RIGHT)), (LEAF.path, (ROOT, LEFT, RIGHT)), ((Fork(9, (A,)),), TREE.items)):
        assert TREE.prune(path).items == left
    assert TREE.items == (ROOT, LEFT, LEAF, RIGHT)
    with pytest.raises(SettingsError, match="the original cannot be pruned"):
        TREE.prune(())


def test_names_are_cleaned_kept_and_fresh(snapshot) -> None:
    renamed = TREE.rename(LEFT.path, "  the \n other\tway ")
    assert [each.name for each in renamed.items] == ["Original", "the other way", "Leaf", "Right"]
    assert renamed.items[1].ids == LEFT.ids
    assert TREE.rename((), "é" * 40).items[0].name == "é" * 40
    names = ["", " \n\t ", "x" * 41]
    assert refusals(SettingsError, lambda name: TREE.rename(LEFT.path, name), names) == snapshot
    # A fresh name is one that no branch has.
    tree = TREE.rename(LEFT.path, "Branch 1").rename(RIGHT.path, "Branch 3")
    fresh = [each.fresh_name() for each in (Branches(), TREE, tree, tree.rename(LEAF.path, "Branch 2"))]
    assert fresh == ["Branch 1", "Branch 1", "Branch 2", "Branch 4"]


def test_a_summary_becomes_a_branch_without_its_trace() -> None:
    found = branch_of(summary(A, B, END), LEFT.path, "Left")
    assert found == Branch(LEFT.path, "Left", "t5 t6 t2", (A, B, END), ("t5", "t6", "t2"), (-0.25,) * 3, True)
    assert found.log_probability == -0.75


def test_paths_as_they_stand_in_a_link() -> None:
    assert write_path((Fork(4, (123, 45)), Fork(8, (77,)))) == "5.123.45~9.77" and write_path(()) == ""
    texts = ["x", "5", "0.7", "-1.7", "5.", "5.7~", "~5.7", "5.7 ", "5..7", "5.7.x", "5,7", "05.7", "5.07", "5.600"]
    for text in [*texts, "1e1.7", "٥.7", "²5.7", *(f"1.{'9' * digits}" for digits in (5, 4300, 20_000))]:
        with pytest.raises(SettingsError) as refused:
            read_path(text, 600)
        line = str(refused.value)
        assert "allowed: a step and token ids below 600, such as 5.123" in line and len(line) < 200


FORKS = st.builds(Fork, st.integers(0, 98), st.lists(st.integers(0, 599), min_size=1, max_size=4).map(tuple))


@given(st.lists(FORKS, max_size=5).map(tuple))
def test_every_path_survives_the_link(path: Path) -> None:
    assert read_path(write_path(path), 600) == path


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = read_path(text, 600)
    except SettingsError as error:
        assert "Received: " in str(error)
    else:
        assert all(fork.step >= 0 and fork.ids and max(fork.ids) < 600 for fork in path)
