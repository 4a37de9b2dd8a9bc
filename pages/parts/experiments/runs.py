"""What the Experiments page changes and compares with: the untouched run, or one of the two controls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.config import DecodeSettings
from core.errors import DialoscopeError
from core.experiments import gradients, interventions, lenses, turn_effects
from core.experiments.gradients import TokenEffects
from core.experiments.interventions import Comparison, Condition, Untouched
from core.experiments.lenses import LayerSummary, LogitLens
from core.explain.rollup import Group, groups
from core.text.arrangement import arrange, shuffled
from core.text.dialogue import Dialogue
from core.text.tokenizer import EncodedDialogue
from core.trace import Array, Summary
from pages.shared import loading, model, state
from pages.shared.state import Key

if TYPE_CHECKING:
    from core.service import Summarizer

SHUFFLE_SEED = 1
Turn = tuple[str, str, str]
"""Label (its number), speaker, text: as figures take it."""


@dataclass(frozen=True)
class Run:
    """The run that experiments change.

    Args:
        key: tells runs apart.
        summarizer: the model, or the same network before training.
        summary: what the trained model wrote for the dialogue as it is; its tokens are scored in every experiment.
        base: that summary in this run, before any change.
        control: "none", "untrained" or "shuffled".
    """

    key: tuple[Any, ...]
    summarizer: "Summarizer"
    summary: Summary
    base: Untouched
    control: str

    @property
    def dialogue(self) -> Dialogue:
        """All turns of the dialogue, in their own order."""
        return self.base.condition.encoded.dialogue

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn of the dialogue, as figures take them."""
        return tuple((str(each.index + 1), each.speaker or "", each.text) for each in self.dialogue.turns)

    @property
    def turn_groups(self) -> tuple[Group, ...]:
        """The source tokens by turn, in the order of reading."""
        return groups(self.base.condition.encoded.tokens, "turn")

    @property
    def name(self) -> str:
        """What is experimented on, in a sentence."""
        return {
            "none": f"the model {self.summary.checkpoint}",
            "untrained": "the untrained network",
            "shuffled": "the model with shuffled turns",
        }[self.control]

    def compare(self, change: Condition) -> Comparison:
        """What a change does, from the cache if it was tried before."""
        gates = tuple(part.tobytes() for gate in change.gates or () for part in gate)
        return _compared(self.key, tuple(change.encoded.ids), gates, self, change)

    def effects(self, step: int, foil: int | None) -> TokenEffects:
        """Gradient times input for one token of the summary."""
        return _effects(self.key, step, foil, self)

    def check(self, step: int, places: Sequence[int], foil: int | None) -> float:
        """The finite difference for some source tokens."""
        return _checked(self.key, step, tuple(places), foil, self)

    def drops(self) -> dict[int, Array]:
        """[T] what each token of the summary loses without each turn that was read."""
        return _drops(self.key, self)

    def cross(self) -> Array | None:
        """[T, S] cross-attention in this run, mean of the last layer's heads; None for a model without."""
        return _cross(self.key, self)

    def logit_lens(self) -> LogitLens:
        """Decoder layers, read early."""
        return _logit_lens(self.key, self)

    def decoder_lens(self) -> list[LayerSummary]:
        """Encoder layers, read early."""
        return _decoder_lens(self.key, self)


def current() -> Run:
    """The run of the page; stops the page where the model is not ready or no dialogue is chosen."""
    summary = state.require_trace()
    session = st.session_state
    job, settings, control = state.current_job(), state.settings(), session[Key.CONTROL]
    if control == "untrained":
        job = model.job(session[Key.CHECKPOINT], trained=False)
        if not loading.ready(job):
            st.stop()
    state.experiment_on(summary)
    if job.summarizer is None:
        raise DialoscopeError("the model was released while it was used. Reload the page")
    key = (job.summarizer.checkpoint.identity, control, summary.dialogue, tuple(settings.to_dict().items()))
    base = _untouched(key, job.summarizer, summary, settings)
    return Run(key, job.summarizer, summary, base, control)


def read(summarizer: "Summarizer", text: str, settings: DecodeSettings, control: str) -> EncodedDialogue:
    """What the model reads before any change; raises DialogueError where there is nothing, or too much."""
    encoded = summarizer.encode(text, settings.truncation)
    return arrange(encoded, shuffled(encoded, SHUFFLE_SEED)) if control == "shuffled" else encoded


@st.cache_resource(max_entries=8, show_spinner="Scoring the untouched summary; the first takes some seconds longer")
def _untouched(
    key: tuple[Any, ...], _summarizer: "Summarizer", _summary: Summary, _settings: DecodeSettings
) -> Untouched:
    encoded = read(_summarizer, _summary.dialogue, _settings, key[1])
    ids = [token.id for token in _summary.tokens]
    text = _summary.text if key[1] == "none" else None
    return interventions.untouched(_summarizer, Condition(encoded), ids, _settings, text)


@st.cache_resource(max_entries=32, show_spinner="Writing with the change")
def _compared(
    key: tuple[Any, ...],  # noqa: ARG001
    ids: tuple[int, ...],  # noqa: ARG001
    gates: tuple[bytes, ...],  # noqa: ARG001
    _run: Run,
    _change: Condition,
) -> Comparison:
    return interventions.compare(_run.summarizer, _run.base, _change)


@st.cache_resource(max_entries=64, show_spinner="Computing the gradient; the first takes some seconds longer")
def _effects(key: tuple[Any, ...], step: int, foil: int | None, _run: Run) -> TokenEffects:  # noqa: ARG001
    return gradients.gradient_times_input(_run.summarizer, _run.base, step, foil)


@st.cache_resource(max_entries=64, show_spinner=False)
def _checked(key: tuple[Any, ...], step: int, places: tuple[int, ...], foil: int | None, _run: Run) -> float:  # noqa: ARG001
    return gradients.finite_difference(_run.summarizer, _run.base, step, places, foil)


@st.cache_resource(max_entries=8, show_spinner="Leaving every turn out once")
def _drops(key: tuple[Any, ...], _run: Run) -> dict[int, Array]:  # noqa: ARG001
    turns = turn_effects.turns_read(_run.base.condition.encoded)
    if len(turns) < 2:
        return {}
    found = turn_effects.leave_out(_run.summarizer, _run.base, turns, rewrite=False)
    return {turn: each.before - each.after for turn, each in zip(turns, found, strict=True)}


@st.cache_resource(max_entries=8, show_spinner=False)
def _cross(key: tuple[Any, ...], _run: Run) -> Array | None:
    if key[1] == "none":
        weights = _run.summary.attention.cross
    else:
        with _run.summarizer.calls:
            weights = _run.summarizer.engine.replay(_run.base.condition.encoded.ids, _run.base.ids).get("cross")
    return None if weights is None else np.asarray(weights[-1].mean(axis=0))


@st.cache_resource(max_entries=8, show_spinner="Reading the decoder's layers; the first takes some seconds longer")
def _logit_lens(key: tuple[Any, ...], _run: Run) -> LogitLens:  # noqa: ARG001
    return lenses.logit_lens(_run.summarizer, _run.base)


@st.cache_resource(max_entries=8, show_spinner="Writing from each encoder layer")
def _decoder_lens(key: tuple[Any, ...], _run: Run) -> list[LayerSummary]:  # noqa: ARG001
    return lenses.decoder_lens(_run.summarizer, _run.base)
