"""Cache what depends on a run: one decorator that knows how models, summaries and tokenizers are told apart."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

F = TypeVar("F", bound=Callable[..., Any])

KEYS: dict[str | type, Callable[[Any], object]] = {
    "core.service.Summarizer": lambda each: each.checkpoint.identity,
    "core.trace.Summary": lambda each: (
        each.checkpoint, each.dialogue.text, tuple(each.settings.to_dict().items()),
        tuple(token.id for token in each.tokens), tuple(token.id for token in each.source),
    ),
    "core.experiments.interventions.Condition": lambda each: (
        tuple(each.encoded.ids), tuple(part.tobytes() for gate in each.gates or () for part in gate)
    ),
    "pages.parts.experiments.runs.Run": lambda each: each.key,
    "pages.parts.tokens.sources.Reader": lambda each: each.identity,
}  # fmt: skip
"""What tells two values of a type apart; whatever else is hashable by Streamlit needs no line here."""


def cached(entries: int, spinner: str | bool = False) -> Callable[[F], F]:
    """Keep the last results of a function for all sessions; its arguments are the key.

    Models and summaries may be arguments: they count by what identifies them, and are not copied. The results are
    shared, so nobody may change them.

    Args:
        entries: how many results are kept.
        spinner: what is said while one is computed; False: nothing.
    """
    return st.cache_resource(max_entries=entries, show_spinner=spinner, hash_funcs=KEYS)  # type: ignore[return-value]
