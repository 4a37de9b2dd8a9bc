"""Cache what depends on a run: one decorator that knows how models, summaries and tokenizers are told apart."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import streamlit as st

from core.words import language

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


def cached(entries: int, spinner: str | bool = False, *, worded: bool = False) -> Callable[[F], F]:
    """Keep the last results of a function for all sessions; its arguments are the key.

    Models and summaries may be arguments: they count by what identifies them, and are not copied. The results are
    shared, so nobody may change them.

    Args:
        entries: how many results are kept.
        spinner: what is said while one is computed; False: nothing.
        worded: whether the result holds words of the app: then each language has its own.
    """
    keep: Callable[[F], F] = st.cache_resource(max_entries=entries, show_spinner=spinner, hash_funcs=KEYS)  # type: ignore[assignment]
    return (lambda compute: _by_language(compute, keep)) if worded else keep


def _by_language(compute: F, keep: Callable[[Any], Any]) -> F:
    """Let the language be one more argument of what is kept."""

    @wraps(compute)
    def in_language(*args: Any, spoken: str, **named: Any) -> Any:
        return compute(*args, **named)

    signature = inspect.signature(compute)
    spoken = inspect.Parameter("spoken", inspect.Parameter.KEYWORD_ONLY, annotation=str)
    in_language.__signature__ = signature.replace(parameters=[*signature.parameters.values(), spoken])  # type: ignore[attr-defined]
    kept = keep(in_language)

    @wraps(compute)
    def asked(*args: Any, **named: Any) -> Any:
        return kept(*args, spoken=language(), **named)

    asked.clear = lambda *args, **named: (
        kept.clear(*args, spoken=language(), **named) if args or named else kept.clear()
    )  # type: ignore[attr-defined]
    return asked  # type: ignore[return-value]
