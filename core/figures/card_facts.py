"""What a checkpoint's card says of it, in Markdown."""

from collections.abc import Mapping
from typing import Any

from core.figures.wording import literal


def facts(card: Mapping[str, Any]) -> str:
    """Return what a checkpoint's card says, in one paragraph."""
    scores = (card.get("scores") or {}).get("rouge") or {}
    loss = card.get("validation_loss")
    epochs = card.get("epochs")
    parts = [
        f"{literal(str(card.get('family')))} · {card.get('parameters', 0):,} weights" if card.get("source") else "",
        f"from {literal(str(card['source']))}" if card.get("source") else "",
        f"Preset {literal(str(card['preset']))}" if card.get("preset") else "",
        f"{epochs} epoch{'' if epochs == 1 else 's'}" if epochs else "",
        f"validation loss {loss:.2f}" if isinstance(loss, int | float) else "",
        "ROUGE-1/2/L " + " / ".join(f"{value:.1f}" for value in scores.values()) if scores else "",
    ]
    return " · ".join(part for part in parts if part) + f"  \nLicence of the weights: {licence(card)}"


def licence(card: Mapping[str, Any]) -> str:
    """Return the licence of the weights, as the card names it."""
    return literal(str(card.get("licence") or "not stated"))
