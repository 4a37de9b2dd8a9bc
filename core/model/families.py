"""The families of models, Transformer and recurrent: one place that reads their settings and builds them.

Nothing heavy is imported before a model is built.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from core.config import ModelConfig, NetworkConfig, RecurrentConfig
from core.model.gates import HeadGates, all_heads

Network: TypeAlias = Any
"""A `Transformer` or a `RecurrentModel`: each decoder takes what its own encoder gives, so types cannot say more."""


def read(values: Mapping[str, Any]) -> NetworkConfig:
    """The settings of either family from a dictionary; those of a Transformer name no family. Raises SettingsError."""
    return RecurrentConfig.from_dict(values) if "family" in values else ModelConfig.from_dict(values)


def build(config: NetworkConfig, **kwargs: Any) -> Network:
    """A model with fresh weights; `kwargs` are those of `keras.Model`, `dtype` for instance."""
    if isinstance(config, RecurrentConfig):
        from core.model.recurrent import RecurrentModel

        return RecurrentModel(config, **kwargs)
    from core.model.transformer import Transformer

    return Transformer(config, **kwargs)


def open_gates(config: NetworkConfig) -> HeadGates | None:
    """Gates that leave every head on; None for a recurrent model, which has no heads."""
    return all_heads(config) if isinstance(config, ModelConfig) else None


def moving(cache: Any) -> tuple[str, ...]:
    """Which fields of a decoding cache belong to each beam; the others are made of the source alone."""
    return tuple(name for name in ("self_keys", "self_values", "hidden", "cell") if name in cache._fields)


def essentials(encoded: Any) -> Any:
    """What the decoder reads of an encoder's output: hidden states and attention are left out."""
    return encoded._replace(hidden=(), attention=()) if "hidden" in encoded._fields else encoded
