"""Branches of a decoding: a tree of summaries. A branch leaves its parent at a step, where it has other tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.config import END
from core.errors import SettingsError
from core.limits import limits
from core.trace import Summary
from core.words import say

LONGEST_NAME = 40
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Fork:
    """The fork of a branch from its parent: the step (0-based) and the token ids that are written there."""

    step: int
    ids: tuple[int, ...]


Path = tuple[Fork, ...]
"""The forks that lead from the root to a branch; the root's own path is empty."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One summary of the tree, without its trace.

    Args:
        path: its forks from the root.
        name: given by the user.
        text: the summary.
        ids: target ids, the end token included.
        tokens: their texts.
        log_probabilities: of each token over the whole vocabulary, in nats.
        finished: whether the model ended it; see `Summary`.
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

    @property
    def mean(self) -> float:
        """Log-probability a token, in nats."""
        return self.log_probability / max(len(self.ids), 1)

    @property
    def step(self) -> int:
        """The step (0-based) at which it leaves its parent; 0 for the root."""
        return self.path[-1].step if self.path else 0

    def parts_from(self, ids: Sequence[int]) -> int:
        """Return the first step at which other ids differ; where they do not, the last one that both have."""
        pairs = enumerate(zip(self.ids, ids, strict=False))
        return next((step for step, (own, other) in pairs if own != other), min(len(ids), len(self.ids)) - 1)


@dataclass(frozen=True, slots=True)
class Branches:
    """A tree of branches, the root first, parents before children."""

    items: tuple[Branch, ...] = ()

    def find(self, path: Path) -> Branch | None:
        """Return the branch at a path, or None."""
        return next((branch for branch in self.items if branch.path == path), None)

    def parent(self, branch: Branch) -> Branch | None:
        """Return the parent of a branch, None for the root."""
        return self.find(branch.path[:-1]) if branch.path else None

    def prefix(self, path: Path) -> tuple[int, ...]:
        """Return the ids that a branch starts with: its parent's before the fork, and those of the fork.

        Raises:
            SettingsError: the parent is not in the tree, or shorter than the step.
        """
        if not path:
            return ()
        parent, fork = self.find(path[:-1]), path[-1]
        if parent is None:
            raise SettingsError("the parent of this branch is missing. Fork again from a branch that exists")
        if not 0 <= fork.step < len(parent.ids):
            raise SettingsError(
                "the branch leaves “{name}” at a step that it does not have. "
                "Received: step {step}; allowed: 1 to {last}",
                name=parent.name,
                step=fork.step + 1,
                last=len(parent.ids),
            )
        return (*parent.ids[: fork.step], *fork.ids)

    def fork_path(self, parent: Branch, step: int, ids: Sequence[int]) -> Path:
        """Return the path of a new branch that leaves `parent` at `step` with other tokens.

        Raises:
            SettingsError: nothing is changed, the step is past the end, or the tree is full.
        """
        path = (*parent.path, Fork(step, tuple(ids)))
        self.prefix(path)
        if END in ids[:-1]:
            raise SettingsError("nothing can be written after the end of a summary. Put the end last, or leave it out")
        if tuple(ids) == parent.ids[step : step + len(ids)]:
            raise SettingsError(
                "“{name}” already says this at step {step}. Choose another token", name=parent.name, step=step + 1
            )
        if self.find(path) is None and len(self.items) >= limits().branches:
            raise SettingsError(
                "there are already {count} branches, the largest number. Prune one first", count=len(self.items)
            )
        return path

    def add(self, branch: Branch) -> "Branches":
        """Return the tree with a new branch, which replaces one at the same path."""
        if self.find(branch.path) is None:
            return Branches((*self.items, branch))
        return Branches(tuple(branch if each.path == branch.path else each for each in self.items))

    def rename(self, path: Path, name: str) -> "Branches":
        """Return the tree with a new name for a branch; raises SettingsError if it is empty or too long."""
        name = " ".join(name.split())
        if not 0 < len(name) <= LONGEST_NAME:
            raise SettingsError(
                "a branch needs a name. Received: {length} characters; allowed: 1 to {longest}",
                length=len(name),
                longest=LONGEST_NAME,
            )
        return Branches(tuple(replace(branch, name=name) if branch.path == path else branch for branch in self.items))

    def prune(self, path: Path) -> "Branches":
        """Return the tree without a branch and its descendants; raises SettingsError for the root."""
        if not path:
            raise SettingsError("the original cannot be pruned: every branch starts from it")
        return Branches(tuple(branch for branch in self.items if branch.path[: len(path)] != path))

    def fresh_name(self) -> str:
        """Return a name that no branch has yet."""
        names = {branch.name for branch in self.items}
        numbered = (say("Branch {number}", number=number) for number in range(1, len(names) + 2))
        return next(name for name in numbered if name not in names)


def branch_of(summary: Summary, path: Path, name: str) -> Branch:
    """Make a branch of a summary, without its trace."""
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
    """Write a path for a link: `5.123.45~9.77` leaves at step 5 with two tokens, then at step 9 with one."""
    return "~".join(".".join(str(number) for number in (fork.step + 1, *fork.ids)) for fork in path)


def read_path(text: str, vocabulary: int) -> Path:
    """Read what `write_path` wrote; raises SettingsError for other text or an unknown token."""
    path = []
    for part in text.split("~") if text else ():
        numbers = [int(number) if _NUMBER.fullmatch(number) else -1 for number in part.split(".")]
        step, *ids = numbers
        if step < 1 or not ids or not all(0 <= token < vocabulary for token in ids):
            raise SettingsError(
                "the link names an impossible branch. Received: {part}; "
                "allowed: a step and token ids below {bound}, such as 5.123",
                part=part[:40],
                bound=vocabulary,
            )
        path.append(Fork(step - 1, tuple(ids)))
    return tuple(path)
