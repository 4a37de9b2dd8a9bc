"""A summary with every token shaded, and the numbers of the token under the pointer.

The script tells the page which turn that token reads most, in an event `dialoscope:turn` of the document.
"""

from collections.abc import Callable, Sequence
from typing import Any

from core.explain.attribution.attribution import Attribution
from core.explain.shared.readings import readings, whose
from core.figures.shared import readings as words
from core.figures.shared.shades import strip_data
from core.figures.summarize.own_words import shade_data
from core.trace import Summary
from core.words import say
from pages.shared.components import component
from pages.shared.model.cache import cached

_TOKEN_STRIP = component(__file__, shade=str)


def token_strip(
    summary: Summary,
    *,
    key: str,
    notes: Sequence[str] = (),
    brought: int = 0,
    shade: str = "probability",
    reliance: Attribution | None = None,
    on_shade: Callable[[], None] = lambda: None,
) -> None:
    """Draw a summary with every token shaded, sentences about it below, and the numbers of the token pointed at.

    Args:
        summary: which one.
        key: of the component.
        notes: the sentences.
        brought: how many dialogues were brought so far; on a phone the summary of a new one comes onto the screen.
        shade: "probability", "copied" or "reliance".
        reliance: of its tokens, once that shade was asked for.
        on_shade: called when another one is chosen: `st.session_state[key].shade`.
    """
    owed = {"shade": shade, "reliance": None if reliance is None else shade_data(reliance)}
    data = strip_data(summary) | reads_data(summary) | owed | {"notes": list(notes), "brought": brought}
    _TOKEN_STRIP(key=key, data=data, on_shade_change=on_shade)


@cached(8, worded=True)
def reads_data(summary: Summary) -> dict[str, Any]:
    """Return for each token the turn that it reads most, in words, too; whose attention that is."""
    token_readings = readings(summary)
    return {
        "reads": [[reading.turn, words.most_read(reading, summary.dialogue)] for reading in token_readings],
        "attention": say("{attention}; a turn's vectors hold other turns, too", attention=words.whose(whose(summary))),
    }
