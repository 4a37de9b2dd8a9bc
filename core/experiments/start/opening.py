"""How a checkpoint wrote the summary of the dialogue that the app opens with, kept beside its weights.

The start page shows it before the network is loaded.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.config import DecodeSettings
from core.errors import CheckpointError
from core.experiments.start.forward_pass import (
    ForwardPass,
    Network,
    forward_passes,
    from_dict,
    network,
    to_dict,
)
from core.explain.shared.readings import Reading, readings, whose
from core.files import finite
from core.text.dialogue import Dialogue, parse_dialogue
from core.text.examples import START, Example, example_by_id, load_examples
from core.trace import Summary, Token
from core.words import later

if TYPE_CHECKING:
    from core.service import Summarizer

MOST_TOKENS = 512
DIGITS = 4
"""Decimals of the numbers that are kept."""
_DAMAGED = later(
    "opening.json is damaged: {reason}. Write it again with `python -m core written`, or take opening.json out of the "
    "checkpoint's folder"
)
_ATTENTION = re.compile(r"(\d{1,3}\.(mean|\d{1,3})|only|copy)?")


@dataclass(frozen=True)
class Opening:
    """The summary of the first dialogue, token by token.

    Args:
        example: the dialogue, None for one that was brought.
        dialogue: the same, parsed.
        summary: what was written.
        attention: whose attention the shares are, one of `core.explain.shared.cross.choices`; "" if the model has none.
        readings: every token with the turns that were read for it.
        network: the sizes of what it went through, None where they were not kept.
        passes: every token's step on its way through the network; () where that was not kept.
    """

    example: Example | None
    dialogue: Dialogue
    summary: str
    attention: str
    readings: tuple[Reading, ...]
    network: Network | None = None
    passes: tuple[ForwardPass, ...] = ()


def first() -> Example:
    """Return the dialogue that the app opens with."""
    return example_by_id(START) or load_examples()[0]


def read(values: Mapping[str, Any] | None, weights: str, settings: DecodeSettings) -> Opening | None:
    """Return what was kept, or None if it is not what these weights write of the dialogue of now.

    Args:
        values: from `core.checkpoints.read_opening`.
        weights: SHA-256 of the checkpoint's weights, from its card.
        settings: of the decoding that its card names.

    Raises:
        CheckpointError: the file is damaged.
    """
    example = first()
    made = {"weights": weights, "decoding": settings.to_dict(), "of": _hash(example)}
    if values is None or any(values.get(name) != value for name, value in made.items()):
        return None
    dialogue = parse_dialogue(example.dialogue)
    try:
        summary, attention, tokens = values["summary"], values["attention"], values["tokens"]
        if not (isinstance(summary, str) and isinstance(attention, str) and _ATTENTION.fullmatch(attention)):
            raise ValueError("summary and attention must be texts, attention such as 3.mean")
        if not isinstance(tokens, list) or not 0 < len(tokens) <= MOST_TOKENS:
            raise ValueError(f"tokens must be a list of 1 to {MOST_TOKENS}")
        shares = len(dialogue.turns) if attention else 0
        token_readings = tuple(_reading(token, place, len(summary), shares) for place, token in enumerate(tokens))
        inside = from_dict(values, len(token_readings)) if values.get("passes") else (None, ())
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{type(error).__name__} {str(error)[:120]}"
        raise CheckpointError(_DAMAGED, reason=reason) from None
    return Opening(example, dialogue, summary, attention, token_readings, *inside)


def of(summarizer: "Summarizer", summary: Summary) -> Opening:
    """Return what Start shows of a summary of any dialogue."""
    inside = network(summarizer, summary), forward_passes(summarizer, summary)
    return Opening(None, summary.dialogue, summary.text, whose(summary), readings(summary), *inside)


def make(summarizer: "Summarizer") -> dict[str, Any]:
    """Let a model summarize the first dialogue; return what `read` takes."""
    summary = summarizer.summarize(first().dialogue)
    return {
        "weights": summarizer.checkpoint.card["sha256"]["weights.safetensors"],
        "decoding": summarizer.settings.to_dict(),
        "of": _hash(first()),
        "summary": summary.text,
        "attention": whose(summary),
        "tokens": [_kept(reading) for reading in readings(summary)],
    } | to_dict(network(summarizer, summary), forward_passes(summarizer, summary))


def _kept(reading: Reading) -> dict[str, Any]:
    return {name: getattr(reading.token, name) for name in ("text", "id", "start", "end")} | {
        "probability": round(reading.probability, DIGITS),
        "shares": [round(share, DIGITS) for share in reading.shares],
    }


def _reading(values: Mapping[str, Any], place: int, characters: int, turns: int) -> Reading:
    text, id, start, end = (values[name] for name in ("text", "id", "start", "end"))
    shares = tuple(map(_share, values["shares"]))
    if not isinstance(text, str) or len(shares) != turns or sum(shares) > 1.01:
        raise ValueError(f"a token must have a text, and {turns} shares that add up to 1 at most")
    if not (all(type(number) is int for number in (id, start, end)) and 0 <= start <= end <= characters):
        raise ValueError(f"a token must have an id, and lie within the {characters} characters of the summary")
    return Reading(Token(text, id, start, end, None, None, place), _share(values["probability"]), shares)


def _share(value: Any) -> float:
    share = finite(value)
    if not 0 <= share <= 1:
        raise ValueError(f"a share must be from 0 to 1. Received: {share:g}")
    return share


def _hash(example: Example) -> str:
    return hashlib.sha256(example.dialogue.encode()).hexdigest()[:16]
