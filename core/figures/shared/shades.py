"""A summary whose tokens are shaded: its pieces, a sentence about how sure the model was, and HTML for notebooks."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from core.config import END
from core.figures.shared.palette import AMOUNT, faded
from core.figures.shared.wording import percent, quoted
from core.trace import DecodingStep, Summary, Token
from core.words import say

DARKEST = 0.45
"""Opacity of the ground at probability 1: black ink and white ink both stay readable on it."""
BEST = 5
"""Alternatives that are named when the pointer rests on a token."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A token as it stands in the summary.

    Args:
        gap: the text between the token before and this one.
        text: its visible text; empty if `special` is not.
        special: name of a token without visible text: "end", "␣", "·", or the own name of a special token.
    """

    gap: str
    text: str
    special: str


def pieces(summary: str, tokens: Sequence[Token]) -> tuple[list[Piece], str]:
    """Cut a summary into its tokens; returns them and the text after the last one."""
    parts, position = [], 0
    for token in tokens:
        start, end = max(token.start, position), max(token.end, position)
        text, special = summary[start:end], ""
        if not text.strip():
            silent = token.start == token.end and token.text.strip()
            special = "end" if token.id == END else "␣" if text else silent or "·"
        parts.append(Piece(summary[position:start], text, special))
        position = end
    return parts, summary[position:]


def weakest(summary: Summary) -> DecodingStep:
    """Return the step with the least probable token, of those that the model chose; the summary must have one."""
    return min(_judged(summary), key=lambda step: step.log_probability)


def caption(summary: Summary) -> str:
    """Say in one sentence how sure the model was."""
    if not summary.steps:
        return say("The model wrote nothing.")
    step, chosen = weakest(summary), _judged(summary)
    mean = sum(judged.probability for judged in chosen) / len(chosen)
    sentence = say(
        "The model was least sure of {token} ({probability}); on average a token got {mean}.",
        token=quoted(step.token),
        probability=percent(step.probability),
        mean=percent(mean),
    )
    if not summary.forced_end:
        return sentence
    forced = say("Its end was forced: it may not be longer.")
    return f"{sentence} {forced}"


def _judged(summary: Summary) -> tuple[DecodingStep, ...]:
    """Return the steps whose token was chosen and not given; all of them under teacher forcing."""
    return summary.choices or summary.steps


def to_html(summary: Summary) -> str:
    """Return the summary as HTML in the ink of the page; the darker a token's ground, the more probable it was."""
    parts, tail = pieces(summary.text, summary.tokens)
    spans = "".join(map(_span, parts, summary.steps))
    return f'<div dir="auto" style="line-height: 1.9">{spans}{escape(tail)}</div>'


def _span(piece: Piece, step: DecodingStep) -> str:
    best = ", ".join(
        f"{alternative.text} {percent(alternative.probability)}" for alternative in step.alternatives[:BEST]
    )
    title = f"{step.token.text}: {percent(step.probability)}, entropy {step.entropy:.2f} nats. Most probable: {best}"
    shown = f"<small>{escape(piece.special)}</small>" if piece.special else escape(piece.text)
    ground = faded(AMOUNT, DARKEST * step.probability)
    gap = escape(piece.gap) or ("&nbsp;" if piece.special else "")
    return f'{gap}<span style="background: {ground}; border-radius: 3px" title="{escape(title)}">{shown}</span>'


def strip_data(summary: Summary) -> dict[str, Any]:
    """Return what the token strip draws; `gap` is the text between a token and the one before."""
    parts, tail = pieces(summary.text, summary.tokens)
    tokens = [asdict(part) | _numbers(step) for part, step in zip(parts, summary.steps, strict=True)]
    return {
        "tokens": tokens,
        "tail": tail,
        "caption": caption(summary),
        "copies": any(step.copied is not None for step in summary.steps),
        "weakest": summary.steps.index(weakest(summary)) if summary.steps else -1,
    }


def _numbers(step: DecodingStep) -> dict[str, Any]:
    best = [
        [alternative.text, round(alternative.probability, 6), alternative.id == step.token.id]
        for alternative in step.alternatives
    ]
    return {
        "label": step.token.text,
        "probability": round(step.probability, 6),
        "logProbability": round(step.log_probability, 4),
        "entropy": round(step.entropy, 4),
        "rank": step.rank,
        "copied": None if step.copied is None else round(step.copied, 4),
        "alternatives": best,
        "rest": round(max(0.0, 1.0 - sum(alternative.probability for alternative in step.alternatives)), 6),
    }
