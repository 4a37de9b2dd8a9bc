"""What must hold before a part of a run is computed again from its stored states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.config import ModelConfig, NetworkConfig
from core.errors import SettingsError
from core.trace import Summary

if TYPE_CHECKING:
    from core.service import Summarizer


def check_writer(summarizer: "Summarizer", summary: Summary) -> None:
    """Raise SettingsError if another checkpoint wrote the summary."""
    if summary.checkpoint != summarizer.checkpoint.identity:
        raise SettingsError(
            "the summary must be of the checkpoint that computes it again. Received: a summary of {other} and the "
            "checkpoint {checkpoint}",
            other=summary.checkpoint,
            checkpoint=summarizer.checkpoint.identity,
        )


def check_place(name: str, value: int, size: int) -> None:
    """Raise SettingsError if a 0-based place, such as a layer, is none of `size` places."""
    if not 0 <= value < size:
        raise SettingsError(
            "{name} must be from 0 to {last} here. Received: {name}={value}", name=name, last=size - 1, value=value
        )


def check_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise SettingsError if a value is none of those that are allowed."""
    if value not in allowed:
        raise SettingsError(
            "{name} must be one of {allowed}. Received: {value}",
            name=name,
            allowed=", ".join(allowed),
            value=f"{name}={value!r}",
        )


def check_blocks(config: NetworkConfig) -> ModelConfig:
    """Return the shape of a model's blocks of attention; raises SettingsError for a model that has none."""
    if config.has.blocks is None:
        raise SettingsError("the model must be a Transformer. Received: a {family}", family=config.has.family)
    return config.has.blocks
