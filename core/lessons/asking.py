"""What a question is: its words, what may be answered, and the answer of a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.errors import LessonError
from core.trace import Summary

if TYPE_CHECKING:
    from core.service import Summarizer

MOST = 4
"""Most options of a question."""


@dataclass(frozen=True, eq=False)
class Case:
    """The run that a question is about.

    Args:
        summarizer: the model.
        summary: what it wrote.
        references: summaries that people wrote of the same dialogue.
        link: the link fields of the stop, each as it stands in a link.
        numbers: what stands beside the question's name in the lesson.
    """

    summarizer: "Summarizer"
    summary: Summary
    references: tuple[str, ...] = ()
    link: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)

    def number(self, name: str, default: int) -> int:
        """Return a number of the question, else of the link, else the default; 0 stands for the default."""
        text = self.link.get(name, "")
        return self.numbers.get(name) or (int(text) if text.isdecimal() else 0) or default


@dataclass(frozen=True, slots=True)
class Answer:
    """The right answer.

    Args:
        right: the place of the right option, from 0, or the number.
        because: why, in a sentence with the numbers of the run; plain text.
        near: how far from the number a guess may be that counts as right.
    """

    right: int
    because: str
    near: int = 0

    def accepts(self, guess: int) -> bool:
        """Return whether a guess counts as right."""
        return abs(guess - self.right) <= self.near


@dataclass(frozen=True, eq=False)
class Question:
    """A question about a run.

    Args:
        text: the question; plain text.
        options: two to four of them; () where a number is to be guessed.
        solve: computes the answer; it may run the model.
        most: largest number that can be guessed.
    """

    text: str
    options: tuple[str, ...]
    solve: Callable[[], Answer]
    most: int = 0


@dataclass(frozen=True)
class Maker:
    """How a question is made.

    Args:
        make: returns it; raises LessonError for a run of which it cannot be asked.
        about: what it asks, for teachers.
        takes: the numbers that may stand beside its name.
    """

    make: Callable[[Case], Question]
    about: str
    takes: Sequence[str] = ()


def pick(text: str, options: Sequence[str], solve: Callable[[], Answer]) -> Question:
    """Return a question with options; raises LessonError for fewer than two: there is nothing to choose."""
    if not 1 < len(options) <= MOST:
        raise LessonError(
            "there is nothing to choose from here. Received: {count} options; needed: 2 to {most}",
            count=len(options),
            most=MOST,
        )
    return Question(text, tuple(options), solve)
