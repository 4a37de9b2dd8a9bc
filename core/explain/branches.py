"""Branches of a decoding: summaries that leave another one at a step, as a tree that can be named and pruned."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.config import END
from core.errors import SettingsError
from core.trace import Summary

MOST_BRANCHES = 24
LONGEST_NAME = 40
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a branch leaves its parent: the step (0-based) and the token ids that are written there instead."""

    step: int
    ids: tuple[int, ...]


Path = tuple[Fork, ...]
"""The forks that lead from the root to a branch; the root's own path is empty."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One summary of the tree, without its trace.

    Args:
        path: how it is reached.
        name: what the user calls it.
        text: the summary.
        ids: target ids, the end token included.
        tokens: their texts.
        log_probabilities: of each token over the whole vocabulary, in nats.
        finished: whether the end token was written.
    """

    path: Path
    name: str
    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]
    finished: bool

    @property
    def log_probability(self) -> float:
        """Sum over the tokens, the end token included, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True, slots=True)
class Branches:
    """A tree of branches, the root first, parents before children."""

    items: tuple[Branch, ...] = ()

    def find(self, path: Path) -> Branch | None:
        """The branch that is reached by a path, if it is there."""
        return next((branch for branch in self.items if branch.path == path), None)

    def parent(self, branch: Branch) -> Branch | None:
        """The branch that another one leaves, None for the root."""
        return self.find(branch.path[:-1]) if branch.path else None

    def prefix(self, path: Path) -> tuple[int, ...]:
        """The ids that a branch starts with: its parent's up to the fork, and those of the fork.

        Raises:
            SettingsError: the parent is not in the tree, or shorter than the step.
        """
        if not path:
            return ()
        parent, fork = self.find(path[:-1]), path[-1]
        if parent is None:
            raise SettingsError("the branch leaves another one that is not there. Fork again from one that is")
        if not 0 <= fork.step < len(parent.ids):
            raise SettingsError(
                f"the branch leaves “{parent.name}” at a step that it does not have. "
                f"Received: step {fork.step + 1}; allowed: 1 to {len(parent.ids)}"
            )
        return (*parent.ids[: fork.step], *fork.ids)

    def fork(self, parent: Branch, step: int, ids: Sequence[int]) -> Path:
        """The path of a new branch that leaves `parent` at `step` with other tokens.

        Raises:
            SettingsError: nothing is changed, the step is past the end, or the tree is full.
        """
        path = (*parent.path, Fork(step, tuple(ids)))
        self.prefix(path)
        if END in ids[:-1]:
            raise SettingsError("nothing can be written after the end of a summary. End with it, or leave it out")
        if tuple(ids) == parent.ids[step : step + len(ids)]:
            raise SettingsError(f"“{parent.name}” already says this at step {step + 1}. Choose another token")
        if self.find(path) is None and len(self.items) >= MOST_BRANCHES:
            raise SettingsError(f"there are {len(self.items)} branches already, as many as are kept. Prune one first")
        return path

    def add(self, branch: Branch) -> "Branches":
        """With one more branch, or with a newer version of it in its place."""
        if self.find(branch.path) is None:
            return Branches((*self.items, branch))
        return Branches(tuple(branch if each.path == branch.path else each for each in self.items))

    def rename(self, path: Path, name: str) -> "Branches":
        """With another name for a branch; raises SettingsError if the name is empty or too long."""
        name = " ".join(name.split())
        if not 0 < len(name) <= LONGEST_NAME:
            raise SettingsError(
                f"a branch needs a name. Received: {len(name)} characters; allowed: 1 to {LONGEST_NAME}"
            )
        return Branches(tuple(replace(each, name=name) if each.path == path else each for each in self.items))

    def prune(self, path: Path) -> "Branches":
        """Without a branch and all that leave it; raises SettingsError for the root."""
        if not path:
            raise SettingsError("the original cannot be pruned: every branch grows out of it")
        return Branches(tuple(each for each in self.items if each.path[: len(path)] != path))

    def fresh_name(self) -> str:
        """A name that no branch has yet."""
        names = {branch.name for branch in self.items}
        return next(name for number in range(1, len(names) + 2) if (name := f"Branch {number}") not in names)


def branch_of(summary: Summary, path: Path, name: str) -> Branch:
    """The branch that a summary is, without its trace."""
    return Branch(
        path,
        name,
        summary.text,
        tuple(step.token.id for step in summary.steps),
        tuple(step.token.text for step in summary.steps),
        tuple(step.log_probability for step in summary.steps),
        summary.finished,
    )


def write_path(path: Path) -> str:
    """A path as it stands in a link: `5.123.45~9.77` leaves at step 5 with two tokens, then at step 9 with one."""
    return "~".join(".".join(str(number) for number in (fork.step + 1, *fork.ids)) for fork in path)


def read_path(text: str, vocabulary: int) -> Path:
    """Read what `write_path` wrote; raises SettingsError if it is something else or names an unknown token."""
    path = []
    for part in text.split("~") if text else ():
        numbers = [int(number) if _NUMBER.fullmatch(number) else -1 for number in part.split(".")]
        step, *ids = numbers
        if step < 1 or not ids or not all(0 <= each < vocabulary for each in ids):
            raise SettingsError(
                f"the link names a branch that cannot be. Received: {part[:40]}; "
                f"allowed: a step and token ids below {vocabulary}, such as 5.123"
            )
        path.append(Fork(step - 1, tuple(ids)))
    return tuple(path)
