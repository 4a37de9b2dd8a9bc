"""Whether a text is of the kind that our own checkpoints were trained on: English, two speakers, whole sentences."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from babel import Locale, localedata

from core.text.dialogue import Dialogue
from core.words import language, say

LONGEST = 5_000
"""Characters that the language is read from."""
FEWEST = 3
"""Words; fewer have no language that could be told."""
CLEARLY = 0.5
"""Probability from which a text is called another language; no dialogue of DialogSum's training rows was, of 2,052."""


@dataclass(frozen=True)
class Habits:
    """How a dialogue is written.

    Args:
        speakers: number of names or tags.
        words: mean number of words a turn.
        ended: share of turns that end with a full stop, question mark or exclamation mark.
    """

    speakers: int
    words: float
    ended: float


LEARNT = Habits(speakers=2, words=5.25, ended=0.83)
"""Of 99 % of DialogSum's 12,310 training dialogues: at most so many speakers, at least so many words and ends."""


def habits(dialogue: Dialogue) -> Habits:
    """Return how a dialogue is written."""
    texts = [turn.text.strip() for turn in dialogue.turns]
    count = max(len(texts), 1)
    ends = sum(text.endswith((".", "!", "?")) for text in texts)
    return Habits(len(dialogue.speakers), sum(len(text.split()) for text in texts) / count, ends / count)


def unusual(dialogue: Dialogue) -> tuple[str, ...]:
    """Say in what a dialogue is unlike those that our checkpoints were trained on; () if it is like them."""
    here = habits(dialogue)
    ended = f"{100 * here.ended:.0f}\N{NO-BREAK SPACE}%"
    reasons = {
        say("{count} people speak, not two", count=here.speakers): here.speakers > LEARNT.speakers,
        say("nobody is named as the speaker"): not here.speakers,
        say("turns are short, {words:.1f} words on average", words=here.words): here.words < LEARNT.words,
        say("{share} of the turns end with a full stop, ? or !", share=ended): here.ended < LEARNT.ended,
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


@lru_cache(64)
def other_language(dialogue: Dialogue) -> str:
    """Return the ISO 639-1 code of the language of a dialogue that is clearly not English, else ""."""
    text = " ".join(turn.text for turn in dialogue.turns)
    if len(text.split()) < FEWEST:
        return ""
    code, probability = _identifier().classify(text[:LONGEST])
    known = localedata.exists(code)  # "zxx" stands for no language at all
    return str(code) if known and code != "en" and probability >= CLEARLY else ""


def language_name(code: str) -> str:
    """Return the name of a language, by its code, in the language that is spoken here."""
    return str(Locale.parse(code).get_display_name(language()))


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
