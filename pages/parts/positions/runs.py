"""What the page runs on the current dialogue: the untouched summary, and the same with other places; kept in caches."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import CheckpointError
from core.experiments.interventions import Condition, Knockout, Untouched, untouched
from core.experiments.positions import replaced
from core.text.tokenizer import EncodedDialogue
from core.trace import Summary
from pages.shared import state

if TYPE_CHECKING:
    from core.service import Summarizer


LACKING = "positions, because it reads one token after the other and so knows their order"
"""What a recurrent model has not."""


@dataclass(frozen=True)
class Run:
    """The run whose positions are changed.

    Args:
        key: tells runs apart.
        summarizer: the model.
        summary: what it wrote.
        base: the same, scored.
    """

    key: tuple[Any, ...]
    summarizer: "Summarizer"
    summary: Summary
    base: Untouched

    @property
    def encoded(self) -> EncodedDialogue:
        """What the encoder reads."""
        return self.base.condition.encoded

    @property
    def size(self) -> int:
        """Source tokens."""
        return len(self.encoded.ids)

    @property
    def longest(self) -> int:
        """Positions that the encoder has."""
        return self.summarizer.config.max_source_length

    def placed(self, places: tuple[int, ...]) -> Knockout:
        """The summary with the tokens at other places, from the cache if it was tried before."""
        return _placed(self.key, places, self)

    def same(self) -> float:
        """Nats that the summary loses when every token gets its own place: the control."""
        return _same(self.key, self)


def model_and_summary() -> "tuple[Summarizer, Summary]":
    """The loaded model and what it wrote; stops the page where there is none yet."""
    summary = state.require_trace()
    summarizer = state.current_job().summarizer
    if summarizer is None:
        raise CheckpointError("the model was released while it was used. Reload the page")
    return summarizer, summary


def current() -> Run:
    """The run of the page; stops the page where the model is not ready or no dialogue is chosen."""
    summarizer, summary = model_and_summary()
    key = (summary.checkpoint, summary.dialogue, tuple(summary.settings.to_dict().items()))
    return Run(key, summarizer, summary, _untouched(key, summarizer, summary))


@st.cache_resource(max_entries=8, show_spinner="Scoring the untouched summary; the first takes some seconds longer")
def _untouched(key: tuple[Any, ...], _summarizer: "Summarizer", _summary: Summary) -> Untouched:  # noqa: ARG001
    encoded = _summarizer.encode(_summary.dialogue, _summary.settings.truncation)
    ids = [token.id for token in _summary.tokens]
    return untouched(_summarizer, Condition(encoded), ids, _summary.settings, _summary.text)


@st.cache_resource(max_entries=64, show_spinner="Reading and writing again; the first takes some seconds longer")
def _placed(key: tuple[Any, ...], places: tuple[int, ...], _run: Run) -> Knockout:  # noqa: ARG001
    return replaced(_run.summarizer, _run.base, [places])[0]


@st.cache_resource(max_entries=16, show_spinner=False)
def _same(key: tuple[Any, ...], _run: Run) -> float:  # noqa: ARG001
    return replaced(_run.summarizer, _run.base, [tuple(range(_run.size))], rewrite=False)[0].drop
