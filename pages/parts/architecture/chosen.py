"""The model that the page shows, and the batch that is run through it."""

from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import PRESETS, ModelConfig, NetworkConfig
from core.errors import SettingsError
from core.explain import parameters
from pages.shared.controls.choices import number, select
from pages.shared.frame import decoding, notices
from pages.shared.frame.fields import Number, Text
from pages.shared.frame.notices import literal

SIDEBAR = ""
"""The model that a link need not name: the checkpoint of the sidebar."""
HEAVY = 40_000_000
"""Parameters above which only one layer of each stack is built and run."""
MODEL = Text("arch_model", 80)
BATCH = Number("arch_batch", 1, 8, 2)
SOURCE = Number("arch_source", 1, "drawn_positions", 12)
TARGET = Number("arch_target", 1, "drawn_positions", 8)
PART = Text("arch_part", 80)
"""The box of the diagram that is chosen."""
FIELDS = (MODEL, BATCH, SOURCE, TARGET, PART)
PRESET_NAMES = {
    "dialoscope": "ours",
    "minilm": "ours, begun with MiniLM",
    "report-b": "small, over whole words, of two student projects",
    "lstm": "recurrent, one vector between encoder and decoder",
    "lstm-attention": "recurrent, with attention",
    "slides-lstm": "recurrent, of a lecture",
    "book-mini": "mini Transformer of a book",
    "vaswani-base": "base model of the paper",
    "vaswani-big": "big model of the paper",
    "tutorial-encoder": "tutorial’s encoder example",
    "tutorial-transformer": "tutorial’s Transformer example",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The model that is shown, and a batch.

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
        """Return whether only one layer of each stack of a Transformer is run."""
        return parameters.total(self.transformer) > HEAVY

    @property
    def transformer(self) -> ModelConfig:
        """Return the shape of the stacks of blocks; raises SettingsError for a model without."""
        has = self.config.has
        if has.blocks is None:
            raise SettingsError(f"only a Transformer can be shown so. Received: {self.name!r}, a {has.family}")
        return has.blocks

    @property
    def layers(self) -> int:
        """Return how many layers of each stack can be looked at."""
        blocks = self.config.has.blocks
        return 1 if blocks is None or self.heavy else max(blocks.encoder_layers, blocks.decoder_layers)

    @property
    def run(self) -> ModelConfig:
        """Return the shape that is run."""
        shape = self.transformer
        return shape.replace(encoder_layers=1, decoder_layers=1) if self.heavy else shape


def draw() -> Chosen:
    """Draw the choice of a model and of a batch, and what the model is; raises CheckpointError."""
    options = _options()
    if MODEL.value == f"checkpoint.{decoding.CHECKPOINT.value}":
        MODEL.value = SIDEBAR
    MODEL.fit(options, "model")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tip = "A preset is a configuration; a checkpoint has one too, and trained weights."
        value = select("Model", options, MODEL, tip, width=430)
        kind, name = _split(value)
        config = PRESETS[name].model if kind == "preset" else checkpoints.read_config(name)
        batch = _number("Batch B", BATCH, int(BATCH.high), "Rows that are run at once.")
        source = _number("Source S", SOURCE, min(int(SOURCE.high), config.max_source_length), "Tokens of each source.")
        target = _number("Target T", TARGET, min(int(TARGET.high), config.max_target_length), "Tokens of each target.")
    found = Chosen(name, options[value], _about(kind, name), config, batch, source, target)
    st.markdown(f"**Shown: {literal(found.label)}.** {found.about}")
    return found


def _options() -> dict[str, str]:
    """Return what can be chosen, by its name in a link."""
    chosen = decoding.CHECKPOINT.value
    options = {SIDEBAR: f"Checkpoint “{chosen}”: the one in the sidebar"}
    options |= {f"checkpoint.{name}": f"Checkpoint “{name}”" for name in decoding.available() if name != chosen}
    return options | {
        f"preset.{name}": f"Preset “{name}”" + (f": {PRESET_NAMES[name]}" if name in PRESET_NAMES else "")
        for name in PRESETS
    }


def _split(value: str) -> tuple[str, str]:
    kind, _, name = value.partition(".")
    return (kind, name) if value else ("checkpoint", decoding.CHECKPOINT.value)


def _number(label: str, field: Number, high: int, tip: str) -> int:
    """Draw a size; one that this model cannot take becomes the largest that it can, and a note says so."""
    if field.value > high:
        notices.note(f"This model is run with at most {high:,} here. Received: {label} = {field.value:,}")
        field.value = high
    return int(number(label, field, tip, high=high, width=110))


def _about(kind: str, name: str) -> str:
    if kind == "preset":
        tokens = "whole words" if PRESETS[name].tokenizer == "word" else "sub-words"
        about = f"{literal(PRESETS[name].about)} Tokens are {tokens}; training takes the size of its tokenizer's "
        about += "vocabulary."
        projects = " One of two student projects trains it for 300 epochs, the other for 30."
        return about + (projects if name == "report-b" else "")
    return "The configuration of trained weights. Shapes do not depend on the weights: fresh ones are run here."
