"""Cache what depends on a run: one decorator that knows how models, summaries and tokenizers are told apart."""

import hashlib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from core.words import language, say

F = TypeVar("F", bound=Callable[..., Any])

KEYS: dict[str | type, Callable[[Any], object]] = {
    "core.service.Summarizer": lambda each: each.checkpoint.identity,
    "core.trace.Summary": lambda each: (
        each.checkpoint, each.dialogue.text, tuple(each.settings.to_dict().items()),
        tuple(token.id for token in each.tokens), tuple(token.id for token in each.source), each.forced,
        each.forced_end,
    ),
    "core.experiments.effects.Condition": lambda each: (
        tuple(each.encoded.ids), tuple(part.tobytes() for gate in each.gates or () for part in gate)
    ),
    "core.explain.attention.catalogue.Catalogue": lambda each: (
        each.checkpoint, each.data, hash(each.heads), each.effects and tuple(each.effects.nats.items()),
    ),
    np.ndarray: lambda each: (each.shape, each.dtype.str, hashlib.blake2b(each.tobytes()).digest()),
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
        spinner: what is said while one is computed, marked with `later`; False: nothing.
        worded: whether the result holds words of the app: then each language has its own.
    """

    def keep(compute: F, shown: str | bool) -> F:
        kept = st.cache_resource(max_entries=entries, show_spinner=shown, hash_funcs=KEYS)(compute)
        return kept  # type: ignore[return-value]

    def decorate(compute: F) -> F:
        keyed = _by_language(compute) if worded else compute
        kept = _announced(keyed, spinner, keep) if isinstance(spinner, str) else keep(keyed, spinner)
        return _in_language(compute, kept) if worded else kept

    return decorate


def _announced(compute: F, spinner: str, keep: Callable[[F, str | bool], F]) -> F:
    """Say the spinner's text in the language of the visitor who waits; the results are the same for all."""
    by_text: dict[str, Any] = {}  # Streamlit finds a cache by the function that fills it: all of these share one

    def kept() -> Any:
        text = say(spinner)
        if text not in by_text:
            by_text[text] = keep(compute, text)
        return by_text[text]

    @wraps(compute)
    def asked(*args: Any, **named: Any) -> Any:
        return kept()(*args, **named)

    asked.clear = lambda *args, **named: kept().clear(*args, **named)  # type: ignore[attr-defined]
    return asked  # type: ignore[return-value]


def _by_language(compute: F) -> F:
    """Let the language be one more argument of what is kept."""

    @wraps(compute)
    def in_language(*args: Any, spoken: str, **named: Any) -> Any:
        return compute(*args, **named)

    signature = inspect.signature(compute)
    spoken = inspect.Parameter("spoken", inspect.Parameter.KEYWORD_ONLY, annotation=str)
    in_language.__signature__ = signature.replace(parameters=[*signature.parameters.values(), spoken])  # type: ignore[attr-defined]
    return in_language  # type: ignore[return-value]


def _in_language(compute: F, kept: Any) -> F:
    """Hand the language of here and now to what `_by_language` made."""

    @wraps(compute)
    def asked(*args: Any, **named: Any) -> Any:
        return kept(*args, spoken=language(), **named)

    def clear(*args: Any, **named: Any) -> None:
        kept.clear(*args, spoken=language(), **named) if args or named else kept.clear()

    asked.clear = clear  # type: ignore[attr-defined]
    return asked  # type: ignore[return-value]
