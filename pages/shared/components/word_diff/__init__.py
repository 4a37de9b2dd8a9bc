"""What changed from one summary to another, word by word."""

from core.text import diff
from pages.shared.components import component

_WORD_DIFF = component(__file__)


def word_diff(before: str, after: str, *, key: str) -> None:
    """Draw what changed from one summary to another."""
    changes = [[change.kind, change.text] for change in diff.word_diff(before, after)]
    _WORD_DIFF(key=key, data={"changes": changes})
