"""The tree of branches: made by hand, worked out on paper."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import END, DecodeSettings
from core.errors import SettingsError
from core.explain.branches import (
    LONGEST_NAME,
    MOST_BRANCHES,
    Branch,
    Branches,
    Fork,
    Path,
    branch_of,
    read_path,
    write_path,
)
from core.text.dialogue import parse_dialogue
from core.trace import AttentionTrace, DecodingStep, Summary, Token

A, B, C, D = 5, 6, 7, 8


def branch(path: Path, name: str, ids: Sequence[int], finished: bool = True) -> Branch:
    words = tuple(f"t{token}" for token in ids)
    return Branch(path, name, " ".join(words), tuple(ids), words, (-0.5,) * len(ids), finished)


ROOT = branch((), "Original", (A, B, C, D, END))
LEFT = branch((Fork(1, (C,)),), "Left", (A, C, END))
LEAF = branch((Fork(1, (C,)), Fork(2, (D, D))), "Leaf", (A, C, D, D, A, END))
RIGHT = branch((Fork(0, (D, A)),), "Right", (D, A, B), finished=False)
TREE = Branches((ROOT, LEFT, LEAF, RIGHT))


def test_a_branch_is_found_by_its_path_and_starts_like_its_parent() -> None:
    assert [TREE.find(each.path) for each in TREE.items] == [ROOT, LEFT, LEAF, RIGHT]
    assert TREE.find((Fork(1, (D,)),)) is None
    assert [TREE.parent(each) for each in TREE.items] == [None, ROOT, LEFT, ROOT]
    assert ROOT.log_probability == -2.5
    # A branch starts like its parent and goes on with the fork.
    assert TREE.prefix(()) == ()
    assert TREE.prefix(LEFT.path) == (A, C)
    assert TREE.prefix(LEAF.path) == (A, C, D, D)
    assert TREE.prefix(RIGHT.path) == (D, A)
    assert TREE.prefix((Fork(4, (A, B)),)) == (A, B, C, D, A, B)  # instead of the end
    # A fork is a path one longer.
    assert TREE.fork(ROOT, 2, [D]) == (Fork(2, (D,)),)
    assert TREE.fork(LEAF, 0, (B, B)) == (*LEAF.path, Fork(0, (B, B)))
    assert TREE.fork(ROOT, 1, [C]) == LEFT.path  # that branch is already there


def test_forks_that_are_refused(subtests: pytest.Subtests) -> None:
    # A step that the parent does not have is refused.
    for step in [-1, 5, 99]:
        refusal = f"“Original” at a step .* Received: step {step + 1}; allowed: 1 to 5"
        with subtests.test(step=step), pytest.raises(SettingsError, match=refusal):
            TREE.fork(ROOT, step, [A])
    # A fork that changes nothing is refused.
    for step, ids in [(0, [A]), (1, [B, C]), (4, [END])]:
        with subtests.test(step=step), pytest.raises(SettingsError, match=f"already says this at step {step + 1}"):
            TREE.fork(ROOT, step, ids)
    # Nothing can follow the end.
    assert TREE.fork(ROOT, 2, [A, END]) == (Fork(2, (A, END)),)
    with pytest.raises(SettingsError, match="nothing can be written after the end"):
        TREE.fork(ROOT, 2, [END, A])
    # Going on after the end of the parent changes something.
    assert TREE.fork(RIGHT, 2, [B, C]) == (*RIGHT.path, Fork(2, (B, C)))
    # A branch of one that is not there is refused.
    stranger = branch((Fork(3, (A,)),), "Stranger", (A, B, C, A, END))
    with pytest.raises(SettingsError, match="the parent of this branch is missing"):
        TREE.fork(stranger, 1, [D])


def test_a_full_tree_takes_no_more_but_newer_versions() -> None:
    # A full tree takes no more but shows what it has.
    tree = Branches((ROOT,))
    for number in range(MOST_BRANCHES - 1):
        tree = tree.add(branch((Fork(0, (20 + number,)),), f"Branch {number + 1}", (20 + number, END)))
    assert len(tree.items) == MOST_BRANCHES == 24
    with pytest.raises(SettingsError, match="already 24 branches, the largest number. Prune one first"):
        tree.fork(ROOT, 0, [99])
    assert tree.fork(ROOT, 0, [20]) == (Fork(0, (20,)),)
    assert tree.prune((Fork(0, (20,)),)).fork(ROOT, 0, [99]) == (Fork(0, (99,)),)
    # A newer version takes the place of a branch.
    newer = branch(LEFT.path, "Left again", (A, C, B, END))
    assert TREE.add(newer).items == (ROOT, newer, LEAF, RIGHT)
    stranger = branch((Fork(3, (A,)),), "Stranger", (A, B, C, A, END))
    assert TREE.add(stranger).items == (*TREE.items, stranger)
    assert TREE.items == (ROOT, LEFT, LEAF, RIGHT)
    # Pruning takes all that leave the branch.
    assert TREE.prune(LEFT.path).items == (ROOT, RIGHT)
    assert TREE.prune(LEAF.path).items == (ROOT, LEFT, RIGHT)
    assert TREE.prune((Fork(9, (A,)),)) == TREE
    with pytest.raises(SettingsError, match="the original cannot be pruned"):
        TREE.prune(())


def test_names_are_cleaned_kept_and_fresh(subtests: pytest.Subtests) -> None:
    # A new name is cleaned and kept.
    renamed = TREE.rename(LEFT.path, "  the \n other\tway ")
    assert [each.name for each in renamed.items] == ["Original", "the other way", "Leaf", "Right"]
    assert renamed.items[1].ids == LEFT.ids
    assert TREE.rename((), "é" * LONGEST_NAME).items[0].name == "é" * 40
    # A name that is empty or too long is refused.
    for name, length in [("", 0), (" \n\t ", 0), ("x" * 41, 41)]:
        refusal = f"needs a name. Received: {length} characters; allowed: 1 to 40"
        with subtests.test(name=name), pytest.raises(SettingsError, match=refusal):
            TREE.rename(LEFT.path, name)
    # A fresh name is one that no branch has.
    assert TREE.fresh_name() == "Branch 1"
    tree = TREE.rename(LEFT.path, "Branch 1").rename(RIGHT.path, "Branch 3")
    assert tree.fresh_name() == "Branch 2"
    assert tree.rename(LEAF.path, "Branch 2").fresh_name() == "Branch 4"
    assert Branches().fresh_name() == "Branch 1"


def test_a_summary_becomes_a_branch_without_its_trace() -> None:
    steps = tuple(
        DecodingStep(Token(text, token, 0, 0, None, None, 0), math.log(share), 0.0, 1, ())
        for text, token, share in (("yes", A, 0.5), ("[EOS]", END, 0.25))
    )
    nothing = np.zeros((1, 2, 1))
    summary = Summary(
        "yes", parse_dialogue("Anna: Hi"), steps,
        AttentionTrace((), tuple(each.token for each in steps)), np.zeros((2, 9)), np.zeros((1, 0, 1)),
        nothing, (), (), (), None, True, DecodeSettings(), "tiny@abc", 0.25,
    )  # fmt: skip
    found = branch_of(summary, LEFT.path, "Left")
    assert (found.path, found.name, found.text, found.finished) == (LEFT.path, "Left", "yes", True)
    assert (found.ids, found.tokens) == ((A, END), ("yes", "[EOS]"))
    assert found.log_probability == pytest.approx(math.log(0.125))


def test_paths_as_they_stand_in_a_link(subtests: pytest.Subtests) -> None:
    path = (Fork(4, (123, 45)), Fork(8, (77,)))
    assert write_path(path) == "5.123.45~9.77"
    assert read_path("5.123.45~9.77", 200) == path
    assert write_path(()) == "" and read_path("", 200) == ()
    # What is no path is refused.
    for text in [
        "x", "5", "0.7", "-1.7", "5.", "5.7~", "~5.7", "5.7 ", "5..7", "5.7.x", "5,7", "05.7", "5.07", "5.600",
        "1e1.7", "٥.7", "²5.7",
    ]:  # fmt: skip
        refusal = "allowed: a step and token ids below 600, such as 5.123"
        with subtests.test(text=text), pytest.raises(SettingsError, match=refusal):
            read_path(text, 600)
    # A number without end is refused in one line.
    for digits in [5, 4300, 20_000]:
        with subtests.test(digits=digits), pytest.raises(SettingsError) as refused:
            read_path(f"1.{'9' * digits}", 600)
        assert len(str(refused.value)) < 200


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
