"""What is run for the page, kept in small caches: tensors of a forward pass, and the printed tables."""

import gc
from threading import Lock
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.config import ModelConfig, RecurrentConfig
from pages.parts.architecture.chosen import Chosen

if TYPE_CHECKING:
    from core.describe import LayerFact, TensorFact
    from core.experiments.printed_shapes import Table

_ONE_AT_A_TIME = Lock()
"""A network that is built here lives until its pass is over: never two at once."""


def facts(chosen: Chosen) -> "tuple[TensorFact, ...]":
    """Every tensor of one forward pass; the first call builds the network and runs it."""
    settings = tuple(chosen.run.to_dict().items())
    return _facts(settings, chosen.batch, chosen.source, chosen.target)  # type: ignore[no-any-return]


@st.cache_resource(max_entries=24, show_spinner=False)
def _facts(settings: tuple[tuple[str, Any], ...], batch: int, source: int, target: int) -> "tuple[TensorFact, ...]":
    with _ONE_AT_A_TIME:
        from core.describe import forward_pass

        found = tuple(forward_pass(ModelConfig(**dict(settings)), batch, source, target))
        gc.collect()  # Keras' layers refer to each other: without this the weights would stay for a while
        return found


def layers(config: RecurrentConfig) -> "tuple[LayerFact, ...]":
    """Every layer of a recurrent model; the first call builds it."""
    return _layers(tuple(config.to_dict().items()))  # type: ignore[no-any-return]


@st.cache_resource(max_entries=8, show_spinner=False)
def _layers(settings: tuple[tuple[str, Any], ...]) -> "tuple[LayerFact, ...]":
    with _ONE_AT_A_TIME:
        from core.describe import describe

        found, _ = describe(RecurrentConfig(**dict(settings)))
        gc.collect()
        return tuple(found)


@st.cache_resource(max_entries=1, show_spinner=False)
def printed() -> "tuple[Table, ...]":
    """The printed tables with our shapes."""
    with _ONE_AT_A_TIME:
        from core.experiments.printed_shapes import reproduce

        return reproduce()
