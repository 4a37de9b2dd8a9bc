"""The families of models, Transformer and recurrent: one place that reads their settings and builds them.

A new family is a settings class with `has` in `core.config`, and an entry in `FAMILIES`. Nothing heavy is imported
before a model is built.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from core.config import ModelConfig, NetworkConfig, RecurrentConfig
from core.errors import SettingsError
from core.model.gates import HeadGates, all_heads

Network: TypeAlias = Any
"""A `Transformer` or a `RecurrentModel`; the type of an encoder's output depends on the family."""


class Family(NamedTuple):
    """A family of models.

    Args:
        settings: its class of settings.
        build: builds its network.
        output: describes what its encoder returns, see `any_rows`.
    """

    settings: type[NetworkConfig]
    build: Callable[..., Network]
    output: Callable[..., Any]


def _transformer(config: ModelConfig, **kwargs: Any) -> Network:
    from core.model.transformer import Transformer

    return Transformer(config, **kwargs)


def _recurrent(config: RecurrentConfig, **kwargs: Any) -> Network:
    from core.model.recurrent import RecurrentModel

    return RecurrentModel(config, **kwargs)


def _transformer_output(config: ModelConfig) -> Any:
    from core.model.transformer import Encoded

    states = _array(None, None, config.d_model)
    return Encoded(_array(None, None, dtype="int32"), states, _array(None, 1, 1, None, dtype="bool"))


def _recurrent_output(config: RecurrentConfig) -> Any:
    from core.model.recurrent import RecurrentEncoded

    states, cell = _array(None, None, config.units), _array(None, config.units)
    return RecurrentEncoded(_array(None, None, dtype="int32"), states, _array(None, 1, 1, None, dtype="bool"), cell)


FAMILIES: Mapping[str, Family] = {
    "transformer": Family(ModelConfig, _transformer, _transformer_output),
    "recurrent": Family(RecurrentConfig, _recurrent, _recurrent_output),
}
"""Every family by the value of `family` in its stored settings; settings without one are a Transformer's."""


def read(values: Mapping[str, Any]) -> NetworkConfig:
    """Build the settings of any family from a dictionary.

    Raises:
        SettingsError: an unknown family, an unknown key or an invalid value.
    """
    name = values.get("family", "transformer")
    if not isinstance(name, str) or name not in FAMILIES:
        raise SettingsError(
            "family must be one of {allowed}. Received: family={name!r}", allowed=", ".join(FAMILIES), name=name
        )
    return FAMILIES[name].settings.from_dict(values)


def build(config: NetworkConfig, **kwargs: Any) -> Network:
    """Build a model with fresh weights; `kwargs` are those of `keras.Model`, `dtype` for instance."""
    return _family(config).build(config, **kwargs)


def open_gates(config: NetworkConfig) -> HeadGates | None:
    """Return gates that leave every head on; None for a model without heads."""
    return all_heads(config.has.blocks) if config.has.blocks else None


def moving(cache: Any) -> tuple[str, ...]:
    """Return the fields of a decoding cache that belong to each beam; the others depend on the source only."""
    return tuple(name for name in ("self_keys", "self_values", "hidden", "cell") if name in cache._fields)


def essentials(encoded: Any) -> Any:
    """Return an encoder's output as the decoder reads it, without hidden states and attention."""
    return encoded._replace(hidden=(), attention=()) if "hidden" in encoded._fields else encoded


def any_rows(config: NetworkConfig) -> Any:
    """Describe the output of an encoder, of any number of rows and any length, for `backend.any_length`."""
    return _family(config).output(config)


def _family(config: NetworkConfig) -> Family:
    return next(each for each in FAMILIES.values() if type(config) is each.settings)


def _array(*shape: int | None, dtype: str = "float32") -> Any:
    from core.runtime.backend import keras

    return keras.KerasTensor(shape, dtype)
