"""Lesions: switch heads off and let the model write again."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError, DialoscopeError
from core.experiments import interventions, lesions
from core.experiments.interventions import Condition, Knockout
from core.experiments.lesions import Head
from core.explain import catalogue
from core.explain.catalogue import Catalogue
from core.figures.wording import capital, count, listed, nats, percent
from pages.parts.experiments import outcome
from pages.parts.experiments.runs import Run
from pages.shared import experiment_views, family, pictures, state, sweep
from pages.shared.attention_data import NAMES
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

SWITCHES = "head_switches"
BATCH = 4
ABLATIONS = {"zero": "Zero: nothing", "mean": "Mean: its usual output"}


def draw(run: Run) -> None:
    """Draw the view."""
    if not family.transformer_or_note("attention heads to switch off"):
        return
    st.markdown(
        "A head is switched off before the output projection; nothing else is changed and nothing is trained again. "
        "Click heads, or the name of a layer."
    )
    found, reason = _catalogue(run)
    means = _means(run, found, reason)
    off = _off(run)
    key = ("heads", *run.key, (found.data, found.dialogues, found.command) if found and means else "zero")
    every = lesions.every_head(run.summarizer.config)
    damage: dict[Head, Knockout] = sweep.results(key)
    experiment_views.head_switches(
        {head: each.drop_per_token for head, each in damage.items()},
        off,
        lesions.shape(run.summarizer.config),
        tags=_tags(found),
        key=SWITCHES,
        on_flip=_flip,
    )
    _map_files(damage, every)
    sweep.controls("heads", key, every, "Lesion each head once", "heads")
    if damage:
        with st.expander("Every lesion as a table", icon=":material/table:"):
            st.dataframe(_table(damage), hide_index=True, alt="Damage of every head")
    if off:
        st.subheader(f"With {count(len(off), 'head')} off", anchor=False)
        st.button("Switch all on", icon=":material/restart_alt:", on_click=_all_on, key="all_on")
        change = Condition(run.base.condition.encoded, lesions.gates(run.summarizer.config, off, means))
        outcome.draw(run, change, _name(off, means is not None), "lesion")
    else:
        text = "All heads are on. Switch one off to see what the model writes without it."
        st.info(text, icon=":material/touch_app:")

    def measure(heads: Sequence[Head]) -> Mapping[Head, Knockout]:
        changes = [
            Condition(run.base.condition.encoded, lesions.gates(run.summarizer.config, [head], means))
            for head in heads
        ]
        return dict(zip(heads, interventions.knock_out(run.summarizer, run.base, changes), strict=True))

    sweep.advance(key, every, BATCH, measure)


def _catalogue(run: Run) -> tuple[Catalogue | None, str]:
    """What the heads of the trained model tend to do; an untrained network has no catalogue."""
    if run.control == "untrained":
        return None, "An untrained network has no mean outputs that were measured."
    try:
        return catalogue.choose(checkpoints.read_heads(st.session_state[Key.CHECKPOINT]), run.summary.checkpoint)
    except CheckpointError as error:  # zero ablation needs no catalogue
        return None, f"{capital(str(error))}."


def _tags(found: Catalogue | None) -> dict[Head, str] | None:
    """What each head resembles."""
    scores = [each.scores for each in found.heads] if found else []
    names = [each.tag.name for each in found.heads] if found else []
    return {Head(each.kind, each.layer, each.head): name for each, name in zip(scores, names, strict=True)} or None


def _means(run: Run, found: Catalogue | None, reason: str) -> Mapping[Head, Any] | None:
    """The choice of ablation; mean outputs where it is "mean"."""
    asked = one_of(
        "A head that is off gives",
        ABLATIONS,
        Key.ABLATION,
        "Zero ablation takes everything away, which the later layers never saw in training. Mean ablation "
        "leaves what the head gives on average, and takes only what it says about this dialogue.",
    )
    if asked == "zero":
        return None
    if found is None:
        st.warning(literal(f"{reason} Heads that are off give nothing (zero)."), icon=":material/info:")
        return None
    st.caption(
        literal(f"Mean output over all positions of {found.dialogues} dialogues of {found.data}, measured beforehand.")
    )
    return {Head(*place): mean for place, mean in found.mean_outputs().items()}


def _off(run: Run) -> frozenset[Head]:
    """The heads that are off; a link that names others is refused."""
    try:
        return lesions.read(st.session_state[Key.OFF], run.summarizer.config)
    except DialoscopeError as error:
        state.note(f"The link asks for heads that cannot be switched off: {error}.")
        st.session_state[Key.OFF] = ""
        return frozenset()


def _flip() -> None:
    """A head or a layer was clicked."""
    event = st.session_state[SWITCHES].flip
    summarizer = state.current_job().summarizer
    if not event or summarizer is None:
        return
    off = lesions.read(st.session_state[Key.OFF], summarizer.config)
    kind, layer, head = event["kind"], event["layer"], event["head"]
    chosen = {
        each
        for each in lesions.every_head(summarizer.config)
        if (each.kind, each.layer) == (kind, layer) and head in (None, each.head)
    }
    st.session_state[Key.OFF] = lesions.write(off - chosen if chosen <= off else off | chosen)


def _all_on() -> None:
    st.session_state[Key.OFF] = ""


def _head(place: Head) -> str:
    return f"head {place.head + 1} of layer {place.layer + 1} ({NAMES[place.kind].lower()})"


def _name(off: frozenset[Head], mean: bool) -> str:
    """Heads in a sentence."""
    if len(off) > 4:
        heads = f"{len(off)} heads"
    else:
        heads = listed([_head(each) for each in sorted(off)])
    instead = ", their means instead" if len(off) > 1 else ", its mean instead"
    return f"without {heads}" + (instead if mean else "")


def _table(damage: Mapping[Head, Knockout]) -> dict[str, list[Any]]:
    """What every lesion did, the worst first."""
    ordered = sorted(damage.items(), key=lambda pair: -pair[1].drop)
    return {
        "Attention": [NAMES[head.kind] for head, _ in ordered],
        "Layer": [head.layer + 1 for head, _ in ordered],
        "Head": [head.head + 1 for head, _ in ordered],
        "Loss (nats a token)": [round(each.drop_per_token, 4) for _, each in ordered],
        "Words changed": [round(each.changed or 0.0, 4) for _, each in ordered],
        "Summary without it": [each.text or "" for _, each in ordered],
    }


def _map_files(damage: Mapping[Head, Knockout], every: Sequence[Head]) -> None:
    """The sentence under the map, and its files."""
    caption = _caption(damage, len(every))
    st.caption(literal(caption))
    if damage:
        pictures.save_view(SWITCHES, "damage-map", caption, lambda: _table(damage))


def _caption(damage: Mapping[Head, Knockout], heads: int) -> str:
    if not damage:
        return "No head has been lesioned alone yet: the cells have no colour."
    head, worst = max(damage.items(), key=lambda pair: pair[1].drop)
    same = sum(each.changed == 0 for each in damage.values())
    gains = sum(each.drop < 0 for each in damage.values())
    return (
        f"{len(damage)} of {count(heads, 'head')} measured, each off alone: {_head(head)} costs most, "
        f"{nats(worst.drop_per_token)} a token, and changes "
        f"{percent(worst.changed or 0.0)} of the words; {same} leave the text as it is, and without {gains} the "
        "summary is more likely than before. A small number is no proof that a head is idle: others may do its work."
    )
