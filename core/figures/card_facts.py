"""What a checkpoint's card says of it, in Markdown."""

from collections.abc import Mapping
from typing import Any

from core.figures.wording import literal

OFTEN_WRONG = "Models are often wrong about who did what: check the summary against the dialogue."
"""Stands beside every summary."""


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


def is_imported(card: Mapping[str, Any]) -> bool:
    """Return whether the weights were trained elsewhere."""
    return bool(card.get("source"))


def origin(card: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the card of an imported checkpoint says of it, by heading, and the SHA-256 of each file."""
    precision = {"half": "16-bit numbers", "original": "numbers as in its files"}.get(str(card.get("precision")))
    known = {
        "Source": card.get("source"),
        "Revision": card.get("revision"),
        "Family": card.get("family"),
        "Weights": f"{card.get('parameters', 0):,}",
        "Stored as": precision,
        "Licence": card.get("licence"),
        "Notes": " ".join(map(str, card.get("notes") or ())),
    }
    facts = {name: str(value) for name, value in known.items() if value}
    return facts, {str(name): str(value) for name, value in (card.get("files") or {}).items()}


def licence(card: Mapping[str, Any]) -> str:
    """Return the licence of the weights, as the card names it."""
    return literal(licence_name(card))


def licence_name(card: Mapping[str, Any]) -> str:
    """Return the licence of the weights, as the card names it, as plain text."""
    return str(card.get("licence") or "not stated")
