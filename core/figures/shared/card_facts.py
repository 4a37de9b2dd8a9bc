"""What a checkpoint's card says of it, in Markdown."""

from collections.abc import Mapping
from typing import Any

from core.figures.shared.wording import count, literal
from core.text.import_notes import in_app, said
from core.words import later, say

OFTEN_WRONG = later("Models are often wrong about who did what: check the summary against the dialogue.")
"""Stands beside every summary; marked with `later`."""


def facts(card: Mapping[str, Any]) -> str:
    """Return what a checkpoint's card says, in one paragraph."""
    loss = card.get("validation_loss")
    epochs = card.get("epochs")
    parts = [
        say(
            "{family} · {weights:,} weights", family=literal(str(card.get("family"))), weights=card.get("parameters", 0)
        )
        if card.get("source")
        else "",
        say("from {source}", source=literal(str(card["source"]))) if card.get("source") else "",
        say("Preset {name}", name=literal(str(card["preset"]))) if card.get("preset") else "",
        count(epochs, "epoch") if epochs else "",
        say("validation loss {loss:.2f}", loss=loss) if isinstance(loss, int | float) else "",
        rouge(card),
    ]
    below = say("Licence of the weights: {licence}", licence=licence(card))
    return " · ".join(part for part in parts if part) + f"  \n{below}"


def rouge(card: Mapping[str, Any]) -> str:
    """Return the ROUGE scores of a card in one line, "" without any."""
    scores = (card.get("scores") or {}).get("rouge") or {}
    return "ROUGE-1/2/L " + " / ".join(f"{value:.1f}" for value in scores.values()) if scores else ""


def is_imported(card: Mapping[str, Any]) -> bool:
    """Return whether the weights were trained elsewhere."""
    return bool(card.get("source"))


def origin(card: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the card of an imported checkpoint says of it, by heading, and the SHA-256 of each file."""
    precisions = {"half": say("16-bit numbers"), "original": say("numbers as in its files")}
    with in_app():
        notes = said(card.get("notes") or ())
    known = {
        say("Source"): card.get("source"),
        say("Revision"): card.get("revision"),
        say("Family"): card.get("family"),
        say("Weights"): f"{card.get('parameters', 0):,}",
        say("Stored as"): precisions.get(str(card.get("precision"))),
        say("Licence"): card.get("licence"),
        say("Notes"): " ".join(notes),
    }
    facts = {name: str(value) for name, value in known.items() if value}
    return facts, {str(name): str(value) for name, value in (card.get("files") or {}).items()}


def licence(card: Mapping[str, Any]) -> str:
    """Return the licence of the weights, as the card names it."""
    return literal(licence_name(card))


def licence_name(card: Mapping[str, Any]) -> str:
    """Return the licence of the weights, as the card names it, as plain text."""
    return str(card.get("licence") or say("not stated"))
