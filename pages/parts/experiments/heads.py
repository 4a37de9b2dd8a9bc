"""Ablate heads and let the model write again."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import checkpoints
from core.config import ModelConfig
from core.errors import CheckpointError, DialoscopeError
from core.experiments import ablations, effects, resampling
from core.experiments.attribution.reliance import DRAWS
from core.experiments.effects import Condition, Effect
from core.explain.attention.catalogue import Catalogue
from core.explain.attention.head_outputs import Head
from core.figures.experiments import changes
from core.figures.shared.wording import count
from core.words import later, say
from pages.parts.experiments import outcome
from pages.parts.experiments.head_switches import head_switches, switches_data
from pages.parts.experiments.runs import Run
from pages.shared.controls.choices import one_of, row
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import model_parts, models, sweep
from pages.shared.model.cache import cached
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Text
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

SWITCHES = "head_switches"
BATCH = 8
ABLATIONS = {
    "zero": later("Zero: nothing"),
    "mean": later("Mean: its usual output"),
    "resample": later("Resampled: of another dialogue"),
}
OFF = Text("off", 12000)  # 768 heads
ABLATION = Choice("ablation", ABLATIONS)
FIELDS = (OFF, ABLATION)


def draw(run: Run) -> None:
    """Draw every head as a switch, and what the model writes without those that are off."""
    blocks = model_parts.blocks_or_note(say("attention heads to ablate"))
    if blocks is None:
        return
    catalogue, reason = _catalogue(run)
    given, means, whence = _given(run, catalogue, reason)
    off = _off(blocks)
    key = (
        "heads",
        *run.key,
        (catalogue.data, catalogue.dialogues, catalogue.command) if catalogue and means else given,
    )
    every = ablations.every_head(blocks)
    measured: dict[Head, Effect] = sweep.results(key)
    data = switches_data(
        {head: effect.drop_per_token for head, effect in measured.items()},
        off,
        ablations.shape(blocks),
        catalogue.labels() if catalogue else None,
    )
    running = st.container()
    head_switches(key=SWITCHES, data=data, on_flip_change=_flip)
    run.explain()
    about = say(
        "A head is ablated: its output is replaced before the output projection. Nothing else is changed and "
        "nothing is trained again."
    )
    st.markdown(f"{about} {literal(whence)}".rstrip())
    caption = changes.heads_caption(measured, len(every))
    st.caption(literal(caption))
    if measured:
        pictures.save_view(SWITCHES, "ablation-map", caption, lambda: changes.heads_table(measured))
    with running if sweep.running(key) else st.container():  # while it runs, its bar and Stop stay on the screen
        sweep.controls("heads", key, every, say("Ablate each head alone"), say("heads"), len(every))
    if measured:
        with st.expander(say("Every ablation as a table"), icon=":material/table:"):
            table = {say(name): column for name, column in changes.heads_table(measured).items()}
            st.dataframe(table, hide_index=True, alt=say("Effect of every head"))
    _outcome(run, blocks, off, given, means)

    def measure(heads: Sequence[Head]) -> Mapping[Head, Effect]:
        if given == "resample":
            states = _states(run.summarizer, run.summary.dialogue.text)
            drawn = resampling.measure_effects(run.summarizer, run.base, heads, states)
            return dict(zip(heads, drawn, strict=True))
        without = [Condition(run.base.condition.encoded, ablations.gates(blocks, [head], means)) for head in heads]
        return dict(zip(heads, effects.measure_effects(run.summarizer, run.base, without), strict=True))

    sweep.advance(key, every, BATCH, measure, shared=len(every))


def _outcome(run: Run, blocks: ModelConfig, off: frozenset[Head], given: str, means: Mapping[Head, Any] | None) -> None:
    if not off:
        text = say("All heads are on. Switch one off to see what the model writes without it.")
        st.info(text, icon=":material/touch_app:")
        return
    st.header(say("With {heads} off", heads=count(len(off), "head")), anchor=False)
    st.button(say("Switch all on"), icon=":material/restart_alt:", on_click=OFF.clear, key="all_on")
    gates = ablations.gates(blocks, off, means)
    if given == "resample":
        states = _states(run.summarizer, run.summary.dialogue.text)
        gates = resampling.gates(run.summarizer, off, states)[0]
        st.caption(literal(changes.resampled(*_lost(run, tuple(sorted(off))), len(states))))
    change = Condition(run.base.condition.encoded, gates)
    outcome.draw(run, change, changes.without(off, given), "ablation")


@cached(8, later("Reading other dialogues, whose states stand for those of this one"))
def _states(summarizer: "Summarizer", dialogue: str) -> tuple[resampling.States, ...]:
    return resampling.draw(summarizer, dialogue)


@cached(64)
def _lost(run: Run, off: tuple[Head, ...]) -> tuple[float, float]:
    return resampling.lost(run.summarizer, run.base, off, _states(run.summarizer, run.summary.dialogue.text))


def _catalogue(run: Run) -> tuple[Catalogue | None, str]:
    """Return the catalogue of the trained model's heads, or None and the reason why there is none."""
    if run.control == "untrained":
        return None, say("An untrained network has no mean outputs that were measured.")
    try:
        return models.measured_heads(decoding.CHECKPOINT.value, run.summary.checkpoint)
    except CheckpointError as error:  # zero ablation needs no catalogue
        return None, f"{notices.sentence(error)}."


def _given(run: Run, catalogue: Catalogue | None, reason: str) -> tuple[str, Mapping[Head, Any] | None, str]:
    """Draw the choice of ablation; return it, the mean outputs for "mean", and where what a head gives is from."""
    tip = say(
        "Zero ablation takes everything away, which the later layers never saw in training. Mean ablation "
        "leaves what the head gives on average, and takes only what it says about this dialogue. Resampling puts there "
        "what the head gave in another dialogue; a head that copies still points at this one."
    )
    with row():
        given: str = one_of(say("An ablated head gives"), ABLATION, tip=tip)
    if given == "resample":
        demo.check(say("no states of other dialogues are drawn"))
        drawn_from = say(
            "States of {count} other bundled dialogues, one after the other: effects are means over them. The model "
            "writes again with the first.",
            count=DRAWS,
        )
        return given, None, drawn_from
    if given == "zero":
        return given, None, ""
    if catalogue is None:
        text = say("{reason} Ablated heads give nothing (zero).", reason=reason)
        st.warning(literal(text), icon=":material/info:")
        return "zero", None, ""
    whence = say(
        "Mean output over all positions of {dialogues} of {data}, measured beforehand.",
        dialogues=count(catalogue.dialogues, "dialogue"),
        data=catalogue.data,
    )
    return given, {Head(*place): mean for place, mean in catalogue.mean_outputs().items()}, whence


def _off(blocks: ModelConfig) -> frozenset[Head]:
    try:
        return ablations.read(OFF.value, blocks)
    except DialoscopeError as error:
        OFF.refuse(say("The link asks for heads that cannot be ablated: {error}.", error=error))
        return frozenset()


def _flip() -> None:
    event, blocks = st.session_state[SWITCHES].flip, checkpoints.read_config(decoding.checkpoint()).has.blocks
    if not event or blocks is None:
        return
    off = ablations.read(OFF.value, blocks)
    layer, head = (event["kind"], event["layer"]), event.get("head")
    everyone = ablations.every_head(blocks)
    chosen = {each for each in everyone if (each.kind, each.layer) == layer and head in (None, each.head)}
    OFF.value = ablations.write(off - chosen if chosen <= off else off | chosen)
