"""A summary with every token shaded, and the numbers of the token under the pointer."""

from typing import Any

from core.figures.shades import caption, pieces, weakest
from core.trace import DecodingStep, Summary
from pages.shared.components import component

_TOKEN_STRIP = component(__file__)


def token_strip(summary: Summary, *, key: str) -> None:
    """Draw a summary with every token shaded, and the numbers of the token under the pointer."""
    _TOKEN_STRIP(key=key, data=strip_data(summary))


def strip_data(summary: Summary) -> dict[str, Any]:
    """What the strip's script draws; `gap` is the text between a token and the one before."""
    found, tail = pieces(summary)
    tokens = [{"gap": each.gap, "text": each.text, "special": each.special} | _numbers(each.step) for each in found]
    return {
        "tokens": tokens,
        "tail": tail,
        "caption": caption(summary),
        "copies": any(step.copied is not None for step in summary.steps),
        "weakest": summary.steps.index(weakest(summary)) if summary.steps else -1,
    }


def _numbers(step: DecodingStep) -> dict[str, Any]:
    best = [[each.text, round(each.probability, 6), each.id == step.token.id] for each in step.alternatives]
    return {
        "label": step.token.text,
        "probability": round(step.probability, 6),
        "logProbability": round(step.log_probability, 4),
        "entropy": round(step.entropy, 4),
        "rank": step.rank,
        "copied": None if step.copied is None else round(step.copied, 4),
        "alternatives": best,
        "rest": round(max(0.0, 1.0 - sum(each.probability for each in step.alternatives)), 6),
    }
