"""The run that experiments change and compare with: the model, or one of two controls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.config import DecodeSettings
from core.errors import DialoscopeError
from core.experiments import effects, gradients, lenses, turn_effects
from core.experiments.effects import Comparison, Condition, Untouched
from core.experiments.gradients import TokenEffects
from core.experiments.lenses import LayerSummary, LogitLens
from core.explain.shared.rollup import Group, groups
from core.figures.shared.rows import Turn
from core.runtime.queue import CALLS
from core.text.arrangement import arrange, shuffled
from core.text.dialogue import Dialogue
from core.text.encoded import EncodedDialogue
from core.trace import Array, Summary
from core.words import later, say
from pages.shared.model import loading, models
from pages.shared.model.cache import cached
from pages.shared.session import decoding
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

SHUFFLE_SEED = 1
CONTROL = Choice(
    "control",
    {"none": later("The model"), "untrained": later("Untrained network"), "shuffled": later("Shuffled turns")},
)
EXPECT = {
    "untrained": later(
        "Control: the same network before training, scoring the same summary. A picture that looks the same "
        "here shows the network's build, not what it learnt."
    ),
    "shuffled": later(
        "Control: the same turns in a random order (always the same one), scoring the same summary. A picture "
        "that looks the same here does not depend on the order of the dialogue."
    ),
}


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
        """Return all turns of the dialogue, in their own order."""
        return self.base.condition.encoded.dialogue

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return every turn of the dialogue, as figures take them."""
        return tuple((str(turn.index + 1), turn.speaker or "", turn.text) for turn in self.dialogue.turns)

    @property
    def turn_groups(self) -> tuple[Group, ...]:
        """Return the source tokens by turn, in the order of reading."""
        return groups(self.base.condition.encoded.tokens, "turn")

    @property
    def name(self) -> str:
        """Return what the experiment runs on, as part of a sentence."""
        if self.control == "none":
            return say("the model {checkpoint}", checkpoint=self.summary.checkpoint.partition("@")[0])
        return say("the untrained network") if self.control == "untrained" else say("the model with shuffled turns")

    def explain(self) -> None:
        """Say below a picture what the control stands for, if it is one, and that a given summary is scored."""
        if self.summary.given:
            st.caption(literal(say("Scored is the given summary: “{text}”", text=self.summary.text)))
        if self.control in EXPECT:
            st.info(say(EXPECT[self.control]), icon=":material/science:")

    def of_its_own(self) -> bool:
        """Return whether the model wrote the summary itself; if not, say that it cannot be explained."""
        if self.control != "none":
            text = say("The methods explain what the model wrote itself. Choose “The model” above.")
            st.info(text, icon=":material/info:")
        return self.control == "none"

    @cached(32, later("Writing with the change"))
    def compare(self, change: Condition) -> Comparison:
        """Return what a change does."""
        return effects.compare(self.summarizer, self.base, change)

    @cached(64, later("Computing the gradient"))
    def effects(self, step: int, foil: int | None) -> TokenEffects:
        """Return gradient times input for one token of the summary."""
        return gradients.gradient_times_input(self.summarizer, self.base, step, foil)

    @cached(64)
    def check(self, step: int, places: Sequence[int], foil: int | None) -> float:
        """Return the finite difference for some source tokens."""
        return gradients.finite_difference(self.summarizer, self.base, step, places, foil)

    @cached(8, later("Leaving every turn out once"))
    def drops(self) -> dict[int, Array]:
        """Return the effect of each turn that was read on each token of the summary, in nats: [T] a turn."""
        turns = turn_effects.turns_read(self.base.condition.encoded)
        if len(turns) < 2:
            return {}
        left_out = turn_effects.leave_out(self.summarizer, self.base, turns, rewrite=False)
        return {turn: effect.before - effect.after for turn, effect in zip(turns, left_out, strict=True)}

    @cached(8)
    def cross(self) -> Array | None:
        """Return the cross-attention of this run [T, S], mean of the last layer's heads; None for a model without."""
        if self.control == "none":
            weights = self.summary.attention.cross
        else:
            with CALLS.turn():
                weights = self.summarizer.engine.replay(self.base.condition.encoded.ids, self.base.ids).get("cross")
        return None if weights is None else np.asarray(weights[-1].mean(axis=0))

    @cached(8, later("Reading the decoder's layers; the first takes some seconds longer"))
    def logit_lens(self) -> LogitLens:
        """Return the decoder layers, read early."""
        return lenses.logit_lens(self.summarizer, self.base)

    @cached(8, later("Writing from each encoder layer"))
    def decoder_lens(self) -> list[LayerSummary]:
        """Return the encoder layers, read early."""
        return lenses.decoder_lens(self.summarizer, self.base)


def current() -> Run:
    """Return the run of the page; stop where the model is not ready or no dialogue is chosen."""
    summary = loading.require_trace()
    job, settings, control = loading.current_job(), decoding.settings(), CONTROL.value
    if control == "untrained":
        job = models.job(decoding.CHECKPOINT.value, trained=False)
        if not loading.ready(job):
            st.stop()
    if job.summarizer is None:
        raise DialoscopeError("the model was released while it was used. Reload the page")
    base = _untouched(job.summarizer, summary, settings, control)
    written = tuple(settings.to_dict().items()), summary.text
    key = (job.summarizer.checkpoint.identity, control, summary.dialogue.text, *written)
    return Run(key, job.summarizer, summary, base, control)


def read(summarizer: "Summarizer", dialogue: str | Dialogue, settings: DecodeSettings, control: str) -> EncodedDialogue:
    """Return what the model reads before any change; raises DialogueError where there is nothing, or too much."""
    encoded = summarizer.encode(dialogue, settings.truncation)
    return arrange(encoded, shuffled(encoded, SHUFFLE_SEED)) if control == "shuffled" else encoded


@cached(8, later("Scoring the untouched summary; the first takes some seconds longer"))
def _untouched(summarizer: "Summarizer", summary: Summary, settings: DecodeSettings, control: str) -> Untouched:
    encoded = read(summarizer, summary.dialogue, settings, control)
    ids = [token.id for token in summary.tokens]
    text = summary.text if control == "none" and not summary.given else None
    return effects.untouched(summarizer, Condition(encoded), ids, settings, text)
