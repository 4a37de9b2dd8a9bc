"""Which model the page shows, and on how large a batch."""

from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import PRESETS, ModelConfig, NetworkConfig
from core.errors import SettingsError
from core.explain import parameters
from pages.shared import state
from pages.shared.errors import literal
from pages.shared.state import Key

SIDEBAR = ""
"""The model that a link need not name: the checkpoint of the sidebar."""
LONGEST = 256
"""Tokens of a source or target that is run here: the logits of a batch of 8 take 300 MB."""
HEAVY = 40_000_000
"""Parameters above which only one layer of each stack is built and run."""
PRESET_NAMES = {
    "dialoscope": "ours",
    "report-b": "course reports A and B, one network",
    "lstm": "recurrent, one vector between encoder and decoder",
    "lstm-attention": "recurrent, with attention",
    "slides-lstm": "recurrent, of the lecture slides",
    "book-mini": "mini Transformer of a book",
    "vaswani-base": "base model of the paper",
    "vaswani-big": "big model of the paper",
    "tutorial-encoder": "tutorial’s encoder example",
    "tutorial-transformer": "tutorial’s Transformer example",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is shown.

    Args:
        name: of the preset or checkpoint.
        label: what it is, in one line.
        about: a sentence on it.
        config: its shape.
        batch: B.
        source: S.
        target: T.
    """

    name: str
    label: str
    about: str
    config: NetworkConfig
    batch: int
    source: int
    target: int

    @property
    def heavy(self) -> bool:
        """Whether only one layer of each stack of a Transformer is run."""
        return parameters.total(self.transformer) > HEAVY

    @property
    def transformer(self) -> ModelConfig:
        """The shape of a Transformer; raises SettingsError for a recurrent model."""
        if not isinstance(self.config, ModelConfig):
            raise SettingsError(f"only a Transformer can be shown so. Received: {self.name!r}, a recurrent model")
        return self.config

    @property
    def run(self) -> ModelConfig:
        """The shape that is run."""
        shape = self.transformer
        return shape.replace(encoder_layers=1, decoder_layers=1) if self.heavy else shape


def current() -> Chosen:
    """Draw the controls and say what they choose; raises CheckpointError if a checkpoint cannot be read."""
    options = _options()
    _drop_unknown(options)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        value = st.selectbox(
            "Model",
            list(options),
            format_func=options.get,
            key=Key.ARCH_MODEL,
            persist_state="session",
            width=430,
            help="A preset is a configuration; a checkpoint has one too, and trained weights.",
        )
        kind, name = _split(value)
        config = PRESETS[name].model if kind == "preset" else checkpoints.read_config(name)
        batch = _number("Batch B", Key.ARCH_BATCH, 8, "Rows that are run at once.")
        source = _number("Source S", Key.ARCH_SOURCE, min(LONGEST, config.max_source_length), "Tokens of each source.")
        target = _number("Target T", Key.ARCH_TARGET, min(LONGEST, config.max_target_length), "Tokens of each target.")
    return Chosen(name, options[value], _about(kind, name), config, batch, source, target)


def _options() -> dict[str, str]:
    """What can be chosen, by its name in a link."""
    chosen = str(st.session_state[Key.CHECKPOINT])
    options = {SIDEBAR: f"Checkpoint “{chosen}”: the one in the sidebar"}
    options |= {f"checkpoint.{name}": f"Checkpoint “{name}”" for name in checkpoints.installed() if name != chosen}
    return options | {
        f"preset.{name}": f"Preset “{name}”" + (f": {PRESET_NAMES[name]}" if name in PRESET_NAMES else "")
        for name in PRESETS
    }


def _split(value: str) -> tuple[str, str]:
    kind, _, name = value.partition(".")
    return (kind, name) if value else ("checkpoint", str(st.session_state[Key.CHECKPOINT]))


def _drop_unknown(options: dict[str, str]) -> None:
    value = str(st.session_state[Key.ARCH_MODEL])
    if value == f"checkpoint.{st.session_state[Key.CHECKPOINT]}":
        st.session_state[Key.ARCH_MODEL] = SIDEBAR
    elif value not in options:
        allowed = ", ".join(filter(None, options))
        state.note(f"There is no model {value[:60]!r}: this is the sidebar's checkpoint (allowed: {allowed}).")
        st.session_state[Key.ARCH_MODEL] = SIDEBAR


def _number(label: str, key: Key, high: int, tip: str) -> int:
    """A size; one that this model cannot take becomes the largest that it can, and a note says so."""
    asked = st.session_state[key]
    if asked > high:
        state.note(f"This model is run with at most {high:,} here. Received: {label} = {asked:,}")
        st.session_state[key] = high
    return int(
        st.number_input(
            label, min_value=1, max_value=high, step=1, key=key, persist_state="session", help=tip, width=110
        )
    )


def _about(kind: str, name: str) -> str:
    if kind == "preset":
        tokens = "whole words" if PRESETS[name].tokenizer == "word" else "sub-words"
        about = f"{literal(PRESETS[name].about)} Tokens are {tokens}; training takes the size of its tokenizer's "
        about += "vocabulary."
        return about + (" Report A trains this network for 300 epochs, report B for 30." if name == "report-b" else "")
    return "The configuration of trained weights. Shapes do not depend on the weights: fresh ones are run here."
