"""The model that the page shows, and the batch that is run through it."""

from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import PRESETS, ModelConfig, NetworkConfig
from core.explain.architecture import parameters
from core.explain.shared.recomputing import check_blocks
from core.words import later, say
from pages.shared.controls.choices import number, row, select
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Number, Text
from pages.shared.session.notices import literal

PUBLISHED = "printed"
"""The view whose models are its own."""
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
    "dialoscope": later("ours"),
    "minilm": later("ours, begun with MiniLM"),
    "report-b": later("small, over whole words, of two student projects"),
    "lstm": later("recurrent, one vector between encoder and decoder"),
    "lstm-attention": later("recurrent, with attention"),
    "slides-lstm": later("recurrent, of a lecture"),
    "book-mini": later("mini Transformer of a book"),
    "vaswani-base": later("base model of the paper"),
    "vaswani-big": later("big model of the paper"),
    "tutorial-encoder": later("tutorial’s encoder example"),
    "tutorial-transformer": later("tutorial’s Transformer example"),
}
"""What a preset is, to be said."""


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
        return check_blocks(self.config)

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
    """Draw the choice of a model and of the sizes that the view heeds; raises CheckpointError."""
    options = _options()
    if MODEL.value == f"checkpoint.{decoding.CHECKPOINT.value}":
        MODEL.value = SIDEBAR
    MODEL.fit(options, say("model"))
    value, view = MODEL.value, page_at("architecture").view.value
    with row():
        if view != PUBLISHED:
            tip = say("A preset is a configuration; a checkpoint has one too, and trained weights.")
            value = select(say("Model"), options, MODEL, tip, width=310)
        kind, name = _split(value)
        config = PRESETS[name].model if kind == "preset" else checkpoints.read_config(name)
        heeded = _heeded(view, config)
        batch, source, target = (
            _size(label, field, most, tip, drawn=field in heeded)
            for label, field, most, tip in (
                (say("Batch B"), BATCH, int(BATCH.high), say("Rows that are run at once.")),
                (say("Source S"), SOURCE, config.max_source_length, say("Tokens of each source.")),
                (say("Target T"), TARGET, config.max_target_length, say("Tokens of each target.")),
            )
        )
    return Chosen(name, options[value], _about(kind, name), config, batch, source, target)


def _heeded(view: str, config: NetworkConfig) -> tuple[Number, ...]:
    """Return the sizes that change what a view shows."""
    if view == "cost":  # of blocks its curves show every length of a source
        return (BATCH, TARGET) if config.has.blocks else (BATCH, SOURCE, TARGET)
    return (BATCH, SOURCE, TARGET) if view == "shapes" and config.has.blocks else ()


def about(chosen: Chosen) -> None:
    """Say below the picture what the model is."""
    if page_at("architecture").view.value != PUBLISHED:
        st.markdown(f"{say('**Shown: {model}.**', model=literal(chosen.label))} {chosen.about}")


def _options() -> dict[str, str]:
    """Return what can be chosen, by its name in a link."""
    chosen = decoding.CHECKPOINT.value
    options = {SIDEBAR: say("Checkpoint “{name}” of the sidebar", name=chosen)}
    options |= {
        f"checkpoint.{name}": say("Checkpoint “{name}”", name=name) for name in decoding.available() if name != chosen
    }
    return options | {f"preset.{name}": _preset(name) for name in PRESETS}


def _preset(name: str) -> str:
    label = say("Preset “{name}”", name=name)
    return f"{label}: {say(PRESET_NAMES[name])}" if name in PRESET_NAMES else label


def _split(value: str) -> tuple[str, str]:
    kind, _, name = value.partition(".")
    return (kind, name) if value else ("checkpoint", decoding.CHECKPOINT.value)


def _size(label: str, field: Number, most: int, tip: str, *, drawn: bool) -> int:
    """Return a size, drawn or not; one that this model cannot take becomes the largest, and a note says so."""
    high = min(int(field.high), most)
    if field.value > high:
        notices.note(
            say(
                "This model is run with at most {most:,} here. Received: {label} = {value:,}",
                most=high, label=label, value=field.value,
            )
        )  # fmt: skip
        field.value = high
    return int(number(label, field, tip, high=high, width=110) if drawn else field.value)


def _about(kind: str, name: str) -> str:
    if kind == "preset":
        tokens = (
            say("Tokens are whole words; training takes the size of its tokenizer's vocabulary.")
            if PRESETS[name].tokenizer == "word"
            else say("Tokens are sub-words; training takes the size of its tokenizer's vocabulary.")
        )
        projects = say("One of two student projects trains it for 300 epochs, the other for 30.")
        about = [literal(say(PRESETS[name].about)), tokens, *([projects] if name == "report-b" else [])]
        return " ".join(about)
    return say("The configuration of trained weights. Shapes do not depend on the weights: fresh ones are run here.")
