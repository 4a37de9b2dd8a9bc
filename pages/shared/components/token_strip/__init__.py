"""A summary with every token shaded, and the numbers of the token under the pointer.

The script tells the page which turn that token reads most, in an event `dialoscope:turn` of the document.
"""

from collections.abc import Sequence
from typing import Any

from core.explain.shared.readings import readings, whose
from core.figures.shared import readings as words
from core.figures.shared.shades import strip_data
from core.trace import Summary
from core.words import say
from pages.shared.components import component
from pages.shared.model.cache import cached

_TOKEN_STRIP = component(__file__)


def token_strip(summary: Summary, *, key: str, notes: Sequence[str] = (), brought: int = 0) -> None:
    """Draw a summary with every token shaded, sentences about it below, and the numbers of the token pointed at.

    Args:
        summary: which one.
        key: of the component.
        notes: the sentences.
        brought: how many dialogues were brought so far; on a phone the summary of a new one comes onto the screen.
    """
    _TOKEN_STRIP(key=key, data=strip_data(summary) | reads_data(summary) | {"notes": list(notes), "brought": brought})


@cached(8, worded=True)
def reads_data(summary: Summary) -> dict[str, Any]:
    """Return for each token the turn that it reads most, in words, too; whose attention that is."""
    found = readings(summary)
    return {
        "reads": [[each.turn, words.most_read(each, summary.dialogue)] for each in found],
        "attention": say("{attention}; a turn's vectors hold other turns, too", attention=words.whose(whose(summary))),
    }
